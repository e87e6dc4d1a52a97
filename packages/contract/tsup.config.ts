import { packageBuild } from "../../tsup.base.ts";

export default packageBuild(["src/index.ts", "src/dialect.ts", "src/internal.ts", "src/openapi.ts"]);
