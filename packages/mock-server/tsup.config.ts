import { packageBuild } from "../../tsup.base.ts";

// With the contract inside, its zod and the mock's own are the same.
export default packageBuild(
  [
    "src/index.ts",
    "src/node.ts",
    "src/msw.ts",
    "src/vitest.ts",
    "src/assert.ts",
    "src/check.ts",
    "src/sweep.ts",
    "src/cli.ts",
  ],
  ["@landing-page-service/contract", "zod"],
);
