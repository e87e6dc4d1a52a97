// The apps of the recipes, each with the same requests.
import type { AddressInfo } from "node:net";
import { createMockService } from "@landing-page-service/mock-server";
import { test } from "@landing-page-service/mock-server/vitest";
import { LandingPages } from "@landing-page-service/sdk";
import { expect, onTestFinished } from "vitest";
import { createExpressApp } from "../express-app.ts";
import { createFastifyApp } from "../fastify-app.ts";
import { POST } from "../next-route.ts";

type Queue = ReturnType<LandingPages["analytics"]["queue"]>;

const page = {
  title: "Tea",
  content: "An afternoon.",
  slug: "tea",
  cta: { type: "button", label: "Book", url: "https://tea.example/" },
};

/** Starts an app and gives its URL. */
const apps = {
  async express(client: LandingPages, views: Queue): Promise<string> {
    const server = createExpressApp(client, views).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // why: a TCP server's address is an object
  },
  async fastify(client: LandingPages, views: Queue): Promise<string> {
    const app = createFastifyApp(client, views);
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: "127.0.0.1" });
  },
};

async function setUp(name: keyof typeof apps) {
  const account = createMockService().account("test_web");
  const client = new LandingPages({ ...account.clientOptions, retry: { maxWaitMs: 100 } });
  const views = client.analytics.queue();
  const url = await apps[name](client, views);
  const post = (body: unknown) =>
    fetch(`${url}/pages`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  return { account, views, url, post };
}

function send(body: unknown): Promise<Response> {
  return POST(new Request("https://app.example/api/pages", { method: "POST", body: JSON.stringify(body) }));
}

const names = ["express", "fastify"] as const;

test.for(names)("%s: a form becomes a page, and a visit to it becomes a view", async (name) => {
  const { account, views, url, post } = await setUp(name);

  const created = await post(page);
  const shown = await fetch(`${url}/pages/tea`);
  await views.flush();

  expect([created.status, shown.status]).toEqual([201, 200]);
  expect(await shown.json()).toEqual({ title: "Tea", content: "An afternoon." });
  expect(account.events).toMatchObject([{ pageId: account.pages[0]?.id }]);
});

test.for(names)("%s: a form with mistakes is answered with a sentence for each field", async (name) => {
  const { post } = await setUp(name);

  const byClient = await post({ ...page, title: 5, cta: { ...page.cta, url: "nope" } });
  const byService = await post({ ...page, slug: "Two Words" });

  expect([byClient.status, byService.status]).toEqual([422, 422]);
  expect(await byClient.json()).toEqual({
    fields: { title: expect.any(String) as unknown, "cta.url": expect.any(String) as unknown },
  });
  expect(await byService.json()).toEqual({ fields: { slug: expect.any(String) as unknown } });
});

test.for(names)("%s: an unknown page is a 404", async (name) => {
  const { url } = await setUp(name);

  const shown = await fetch(`${url}/pages/unknown`);
  const deleted = await fetch(`${url}/pages/unknown`, { method: "DELETE" });

  expect([shown.status, deleted.status]).toEqual([404, 404]);
});

test.for(names)("%s: a used-up rate limit is a 503 that says when to come back", async (name) => {
  const { account, post } = await setUp(name);
  account.faults.add({ status: 429, headers: { "Retry-After": "59" }, times: 1 });

  const response = await post(page);

  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "59"]);
});

test("Next.js: the route handler creates a page, and answers mistakes and rate limits", async ({ mock }) => {
  const created = await send(page);
  const wrong = await send({ ...page, title: 5 });
  mock.faults.add({ status: 429, headers: { "Retry-After": "59" }, times: 1 });
  const limited = await send({ ...page, slug: "more-tea" });

  expect([created.status, wrong.status, limited.status]).toEqual([201, 422, 503]);
  expect(await wrong.json()).toEqual({ fields: { title: expect.any(String) as unknown } });
  expect(limited.headers.get("Retry-After")).toBe("59");
  expect(mock.pages).toMatchObject([{ slug: "tea" }]);
});
