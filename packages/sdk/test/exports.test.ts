import { expect, test } from "vitest";
import * as sdk from "../src/index.ts";

const errors =
  "Aborted Api Authentication BadRequest Call Configuration Connection InvalidInput Iteration LandingPages NotFound RateLimit ResponseValidation Server Timeout";

test("the package exports the client, two pure functions and the errors, and nothing else", () => {
  const names = ["LandingPages", "planRetry", "readRateLimit", ...errors.split(" ").map((name) => `${name}Error`)];

  expect(Object.keys(sdk).sort()).toEqual(names.sort());
});
