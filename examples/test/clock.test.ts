import { createMockService } from "@landing-page-service/mock-server";
import { LandingPages } from "@landing-page-service/sdk";
import { expect, test } from "vitest";

test("a clock that a test moves frees the client that waits for its rate limit", async () => {
  const account = createMockService({ plan: { limit: 1, windowMs: 60_000 } }).account("test_gate");
  const client = new LandingPages({ ...account.clientOptions, retry: { maxWaitMs: 90_000 } });
  await client.pages.list();

  const waiting = client.pages.list();
  account.clock.advance(65_000);
  const { data } = await waiting;

  expect(data).toEqual([]);
  expect(account.requests().map(({ status }) => status)).toEqual([200, 200]);
});
