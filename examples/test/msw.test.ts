// For suites that already use msw: the mock service responds to requests that the app sends to the real URL with the global fetch.
import { createMockService } from "@landing-page-service/mock-server";
import { mswHandlers } from "@landing-page-service/mock-server/msw";
import { LandingPages } from "@landing-page-service/sdk";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { publishOffer } from "../publisher.ts";

const baseUrl = "https://service.example";
const service = createMockService();
const server = setupServer(...mswHandlers(service, { baseUrl }));

beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
beforeEach(() => service.reset());
afterAll(() => server.close());

test("an app that knows nothing of the mock publishes through it", async () => {
  const client = new LandingPages({ apiKey: "test_msw", baseUrl });

  const page = await publishOffer(client, {
    name: "Winter coats",
    text: "Warm and light.",
    url: "https://shop.example/coats",
  });

  expect(service.account("test_msw").pages.map(({ id }) => id)).toEqual([page.id]);
});
