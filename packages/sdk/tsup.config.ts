import { packageBuild } from "../../tsup.base.ts";

// With the contract inside, only those of its parts are loaded that a client uses; and ky, in a file of its own, by the first call with hooks.
export default packageBuild(["src/index.ts", "src/otel.ts"], ["@landing-page-service/contract", "ky", "zod"]);
