import { packageBuild } from "../../tsup.base.ts";

export default packageBuild(["src/index.ts", "src/read/by-dialect.ts", "src/report/otel.ts"]);
