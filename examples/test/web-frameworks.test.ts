// The apps of the recipes, each with the same requests.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { Test } from "@nestjs/testing";
import { createMockService, type MockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { test } from "@landing-page-service/mock-server/vitest";
import { LandingPages } from "@landing-page-service/sdk";
import ts from "typescript";
import { expect, onTestFinished } from "vitest";
import { createExpressApp } from "../express-app.ts";
import { createFastifyApp } from "../fastify-app.ts";
import worker from "../hono-worker.ts";
import { POST } from "../next-route.ts";

// Node does not know decorators. As in the build of a Nest app, TypeScript compiles them.
registerHooks({
  load(url, context, load) {
    if (!url.endsWith("nest-module.ts")) return load(url, context);
    const compilerOptions = {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
    };
    const { outputText } = ts.transpileModule(readFileSync(new URL(url), "utf8"), { compilerOptions });
    return { format: "module", source: outputText, shortCircuit: true };
  },
});
const { LandingPagesModule, Views } = await import("../nest-module.ts");

/** A running app. */
interface App {
  /** Sends it a request. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves once it has sent all views. */
  flush(): Promise<unknown>;
}

const page = {
  title: "Tea",
  content: "An afternoon.",
  slug: "tea",
  cta: { type: "button", label: "Book", url: "https://tea.example/" },
};

const apps = {
  async express(client: LandingPages): Promise<App> {
    const views = client.analytics.queue();
    const server = createExpressApp(client, views).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo; // why: a TCP server's address is an object
    return { request: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init), flush: () => views.flush() };
  },

  async fastify(client: LandingPages): Promise<App> {
    const views = client.analytics.queue();
    const app = createFastifyApp(client, views);
    onTestFinished(() => app.close());
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return { request: (path, init) => fetch(url + path, init), flush: () => views.flush() };
  },

  async nest(client: LandingPages): Promise<App> {
    const built = Test.createTestingModule({ imports: [LandingPagesModule] }).overrideProvider(LandingPages);
    const app = (await built.useValue(client).compile()).createNestApplication({ logger: false });
    onTestFinished(() => app.close());
    await app.listen(0, "127.0.0.1");
    const url = await app.getUrl();
    return { request: (path, init) => fetch(url + path, init), flush: () => app.get(Views).queue.flush() };
  },

  async hono(_client: LandingPages, service: MockService): Promise<App> {
    const server = await listen(service, { port: 0 });
    onTestFinished(() => server.close());
    const bindings = { LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: "test_web" };
    const pending: Promise<unknown>[] = [];
    const context = {
      waitUntil: (sent: Promise<unknown>) => void pending.push(sent),
      passThroughOnException() {},
      props: {},
    };
    return {
      request: async (path, init) => worker.request(path, init, bindings, context),
      flush: () => Promise.all(pending),
    };
  },
};

async function setUp(name: keyof typeof apps) {
  const service = createMockService();
  const account = service.account("test_web");
  const app = await apps[name](new LandingPages({ ...account.clientOptions, retry: { maxWaitMs: 100 } }), service);
  const headers = { "Content-Type": "application/json" };
  const post = (body: unknown) => app.request("/pages", { method: "POST", headers, body: JSON.stringify(body) });
  return { account, app, post };
}

function send(body: unknown): Promise<Response> {
  return POST(new Request("https://app.example/api/pages", { method: "POST", body: JSON.stringify(body) }));
}

const names = ["express", "fastify", "nest", "hono"] as const;

test.for(names)("%s: a form becomes a page, and a visit to it becomes a view", async (name) => {
  const { account, app, post } = await setUp(name);

  const created = await post(page);
  const shown = await app.request("/pages/tea");
  await app.flush();

  expect([created.status, shown.status]).toEqual([201, 200]);
  expect(await shown.json()).toEqual({ title: "Tea", content: "An afternoon." });
  expect(account.events).toMatchObject([{ pageId: account.pages[0]?.id }]);
});

test.for(names)("%s: a form with mistakes gets a sentence for each field", async (name) => {
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
  const { app } = await setUp(name);

  const shown = await app.request("/pages/unknown");
  const deleted = await app.request("/pages/unknown", { method: "DELETE" });

  expect([shown.status, deleted.status]).toEqual([404, 404]);
});

test.for(names)("%s: a used-up rate limit is a 503 that says when to come back", async (name) => {
  const { account, post } = await setUp(name);
  account.faults.add({ status: 429, headers: { "Retry-After": "59" }, times: 1 });

  const response = await post(page);

  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "59"]);
});

test("nest: views that still wait are sent when the app shuts down", async () => {
  const service = createMockService();
  const account = service.account("test_nest");
  const client = new LandingPages(account.clientOptions);
  const { id: pageId } = await client.pages.create(page);
  const built = Test.createTestingModule({ imports: [LandingPagesModule] }).overrideProvider(LandingPages);
  const app = (await built.useValue(client).compile()).createNestApplication({ logger: false });
  await app.init();
  account.faults.add({ endpoint: "trackEvent", delayMs: 100 });
  app.get(Views).queue.push({ pageId });

  await app.close();

  expect(account.events).toMatchObject([{ pageId }]);
});

test("Next.js: the route handler creates a page, and responds to mistakes and rate limits", async ({ mock }) => {
  const created = await send(page);
  const wrong = await send({ ...page, title: 5 });
  mock.faults.add({ status: 429, headers: { "Retry-After": "59" }, times: 1 });
  const limited = await send({ ...page, slug: "more-tea" });

  expect([created.status, wrong.status, limited.status]).toEqual([201, 422, 503]);
  expect(await wrong.json()).toEqual({ fields: { title: expect.any(String) as unknown } });
  expect(limited.headers.get("Retry-After")).toBe("59");
  expect(mock.pages).toMatchObject([{ slug: "tea" }]);
});
