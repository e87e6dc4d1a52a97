import { packageBuild } from "../../tsup.base.ts";

// With the contract inside, only those of its parts are loaded that a client uses.
export default packageBuild(["src/index.ts", "src/otel.ts"], ["@landing-page-service/contract", "ky", "zod"], {
  // The adapter shares types with the client, and no code.
  splitting: false,
});
