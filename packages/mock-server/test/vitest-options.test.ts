import { expect } from "vitest";
import { test } from "../src/vitest.ts";

test.override({ mockOptions: { plan: { limit: 1, windowMs: 1000 } } });

test("a file can set up its service in its own way", async ({ mock }) => {
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const list = () => fetch(`${baseUrl}/api/content`, { headers: { Authorization: `Bearer ${apiKey}` } });

  const statuses = [(await list()).status, (await list()).status];

  expect(statuses).toEqual([200, 429]);
});
