import { describe, expect, test as plainTest } from "vitest";
import { checkVitestVersion } from "../src/service/fixture.ts";
import { test, useMockService } from "../src/vitest.ts";
import { create, list, listByEnvironment, post } from "./client.ts";

describe("concurrent tests", { concurrent: true }, () => {
  test.for([1, 2, 3, 4])("test %i sees only what it did itself", async (count, { mock }) => {
    const slugs = Array.from({ length: count }, (_, index) => `page-${index}`);
    mock.faults.add({ endpoint: "listPages", status: 500, times: 1 });

    await Promise.all(slugs.map((slug) => create(mock.service, { slug }, mock.apiKey)));
    const failed = await list(mock.clientOptions);

    expect(failed.status).toBe(500);
    expect(mock.pages.map(({ slug }) => slug).toSorted()).toEqual(slugs);
    expect(mock).toHaveReceived({ endpoint: "createPage", times: count });
    expect(mock).toHaveReceived({ times: count + 1 });
    expect(mock.service.requests()).toHaveLength(count + 1);
  });
});

describe("several accounts of one test, as with a setup file that has its own", () => {
  const outer = useMockService();
  const inner = useMockService({ plan: "free" });

  plainTest("the environment leads to the last", async () => {
    await listByEnvironment();

    expect(inner()).toHaveReceived({ endpoint: "listPages", times: 1 });
    expect(outer()).not.toHaveReceived();
  });

  test("also where that is the fixture's", async ({ mock }) => {
    await listByEnvironment();

    expect(mock).toHaveReceived({ endpoint: "listPages", times: 1 });
    expect(inner()).not.toHaveReceived();
  });
});

test("toHaveReceived compares as assertReceived does, and can be negated", async ({ mock }) => {
  await post(mock.clientOptions);

  expect(mock).toHaveReceived({ body: { title: expect.stringContaining("shoes") }, status: 201 });
  expect(mock).not.toHaveReceived({ body: { title: "Tea" } });
  expect(() => expect(mock).toHaveReceived({ endpoint: "deletePage" })).toThrow(
    /^expected at least one request like { endpoint: "deletePage" }, got 0[^]*POST \/api\/content -> 201/,
  );
  expect(() => expect(mock).not.toHaveReceived({ status: 201 })).toThrow(
    /^expected no request like { status: 201 }, got 1/,
  );
});

describe("test.override sets the options of the service", () => {
  test.override({ mockOptions: { plan: "free" } });

  test("in its block", ({ mock, mockService }) => {
    expect(mock.service).toBe(mockService);
    expect(mock.rateLimit.limit).toBe(60);
  });
});

test("a vitest that is too old is refused with an error that names an alternative", () => {
  for (const version of ["4.0.0", "5.1.1", "10.0.0-beta.1"]) checkVitestVersion(version);

  expect(() => checkVitestVersion("3.2.4")).toThrow(
    "/vitest needs vitest 4 or newer, and this is vitest 3.2.4; useMockService from @landing-page-service/mock-server/assert works with it.",
  );
});
