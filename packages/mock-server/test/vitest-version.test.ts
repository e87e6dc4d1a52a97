import { expect, test } from "vitest";
import { checkVitestVersion } from "../src/service/fixture.ts";

test.each(["4.0.0", "5.1.1", "10.0.0-beta.1"])("vitest %s has what the fixtures need", (version) => {
  expect(() => checkVitestVersion(version)).not.toThrow();
});

test.each(["3.2.4", "0.34.6"])("vitest %s is refused in a sentence that names a way out", (version) => {
  expect(() => checkVitestVersion(version)).toThrow(
    `/vitest needs vitest 4 or newer, and this is vitest ${version}; useMockService from @landing-page-service/mock-server/assert works with it.`,
  );
});
