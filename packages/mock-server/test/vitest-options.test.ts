import { describe, expect } from "vitest";
import { checkVitestVersion } from "../src/service/fixture.ts";
import { test } from "../src/vitest.ts";

test.override({ mockOptions: { plan: { limit: 1, windowMs: 1000 } } });

test("a file can set up its service in its own way", async ({ mock }) => {
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const list = () => fetch(`${baseUrl}/api/content`, { headers: { Authorization: `Bearer ${apiKey}` } });

  const statuses = [(await list()).status, (await list()).status];

  expect(statuses).toEqual([200, 429]);
});

describe("a describe of its own", () => {
  test.override({ mockOptions: { plan: "pro" } });

  test("can set up another one", ({ mock }) => {
    expect(mock.rateLimit.limit).toBe(6000);
  });

  test("for each of its tests", ({ mock, mockService }) => {
    expect(mock.service).toBe(mockService);
    expect(mock.rateLimit.limit).toBe(6000);
  });

  describe("and one inside it", () => {
    test.override({ mockOptions: { plan: "free" } });

    test("a third", ({ mock }) => {
      expect(mock.rateLimit.limit).toBe(60);
    });
  });
});

test("after which the file's is as it was", ({ mock }) => {
  expect(mock.rateLimit.limit).toBe(1);
});

test("a vitest without what the fixtures need is refused in a sentence that names a way out", () => {
  for (const version of ["4.0.0", "5.1.1", "10.0.0-beta.1"]) checkVitestVersion(version);

  for (const version of ["3.2.4", "0.34.6"])
    expect(() => checkVitestVersion(version)).toThrow(
      `/vitest needs vitest 4 or newer, and this is vitest ${version}; useMockService from @landing-page-service/mock-server/assert works with it.`,
    );
});
