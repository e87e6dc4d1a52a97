import { expect } from "vitest";
import springLike from "../../contract/src/dialect/presets/spring-like.json" with { type: "json" };
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { test, useMockService } from "../src/vitest.ts";

test("types", ({ mock }) => {
  expect(mock).toHaveReceived();
  expect(createMockService()).toHaveReceived({ endpoint: "createPage", times: 2, body: { slug: expect.any(String) } });
  mock.apiKey satisfies string;

  // @ts-expect-error there is no such endpoint
  expect(mock).toHaveReceived({ endpoint: "createPages" });
  // @ts-expect-error a number of times is a number
  expect(mock).toHaveReceived({ times: "2" });
  // @ts-expect-error the account belongs to the test
  mock.apiKey = "test_other";
});

test("options and fields of a match that may be undefined are accepted, as at run time", async ({ mock }) => {
  const maybe = mock.pages.length > 0 ? 1 : undefined;
  const match = { endpoint: undefined, pageId: mock.pages[0]?.id, status: maybe, times: maybe };

  expect(mock).toHaveReceived(match);
  mock.requests(match);
  mock.service.requests({ key: undefined, ...match });
  mock.faults.add({ pageId: match.pageId, times: maybe, status: maybe, request: { body: undefined } });
  mock.restore([{ account: "test_demo", aheadMs: maybe }]);
  createMockService({ plan: undefined, latencyMs: maybe, accounts: [{ id: "a", keys: [], plan: undefined }] });
  useMockService({ safetyNet: { unusedFaults: undefined } });
  await mock.waitForRequest({ method: undefined }, { timeoutMs: maybe });
  await listen(mock.service, { port: maybe, timeouts: { headersMs: maybe } });
});

test("a dialect file fits as a JSON module, and a dialect in code must have known names", () => {
  createMockService({ dialect: springLike });
  createMockService({ dialect: { switches: { "page-id": "_id" }, answers: { page: { id: "{id}", live: true } } } });

  // @ts-expect-error there is no such interpretation
  createMockService({ dialect: { switches: { "page-id": "idd" } } });
  // @ts-expect-error there is no such switch
  createMockService({ dialect: { switches: { "pages-id": "_id" } } });
  // @ts-expect-error there is no such response
  createMockService({ dialect: { answers: { createPages: { status: 201 } } } });
});
