import { expect, test } from "vitest";
import * as sdk from "../src/index.ts";

test("the package exports exactly these names", () => {
  expect(Object.keys(sdk).sort()).toEqual([
    "AbortedError",
    "ApiError",
    "AuthenticationError",
    "BadRequestError",
    "CallError",
    "ConfigurationError",
    "ConnectionError",
    "InvalidInputError",
    "IterationError",
    "LandingPages",
    "LandingPagesError",
    "NotFoundError",
    "RateLimitError",
    "ResponseValidationError",
    "ServerError",
    "TimeoutError",
    "planRetry",
    "readRateLimit",
  ]);
});
