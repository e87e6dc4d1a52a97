import { packageBuild } from "../../tsup.base.ts";

export default packageBuild(
  ["src/index.ts", "src/dialect.ts", "src/internal.ts", "src/openapi.ts"],
  // The client loads the tables, and not every bundler takes a JSON file that a module imports.
  { loader: { ".json": "json" } },
);
