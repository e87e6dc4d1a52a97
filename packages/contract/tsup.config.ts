import { packageBuild } from "../../tsup.base.ts";

// Imported whole, zod loads 95 files, most of them locales.
export default packageBuild(["src/index.ts", "src/dialect.ts", "src/node-version.ts", "src/openapi.ts"], ["zod"]);
