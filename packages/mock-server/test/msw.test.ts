import { registerHooks } from "node:module";
import { setupServer as setupServer3 } from "msw/node";
import { setupServer as setupServer2 } from "msw2/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import type * as adapter from "../src/msw.ts";
import { list, post, remove } from "./client.ts";

type Adapter = typeof adapter;

const service = createMockService();
const headers = { Authorization: "Bearer test_msw", "Content-Type": "application/json" };

describe.for([
  { release: "3", load: () => import("../src/msw.ts"), setupServer: setupServer3 },
  { release: "2.15", load: loadWithMsw2, setupServer: setupServer2 },
])("with msw $release", ({ load, setupServer }) => {
  const server = setupServer();
  let mswHandlers: Adapter["mswHandlers"];

  beforeAll(async () => {
    ({ mswHandlers } = await load());
    server.listen({ onUnhandledRequest: "error" });
  });
  afterEach(() => {
    server.resetHandlers();
    service.reset();
  });
  afterAll(() => server.close());

  /** why: the two releases type their handlers apart; each gets those made by its own. */
  function use(options?: Parameters<Adapter["mswHandlers"]>[1]): void {
    server.use(...(mswHandlers(service, options) as never[]));
  }

  test("a page is created, listed and deleted through the global fetch", async () => {
    use();
    const client = { fetch, baseUrl: service.baseUrl, apiKey: "test_msw" };

    const created = await post(client);
    const listed = await list(client, "?limit=1");
    const deleted = await remove(client, created.body.id);

    expect(created.status).toBe(201);
    expect(listed.body).toMatchObject({ data: [created.body], total: 1, limit: 1 });
    expect(listed.headers.get("X-RateLimit-Limit")).toMatch(/^\d+$/);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
  });

  test("handlers serve another base URL with its path, and nothing beside it", async () => {
    use({ baseUrl: "https://proxy.example/pages/v1/" });

    const ours = await fetch("https://proxy.example/pages/v1/api/content?limit=1", { headers });

    expect(ours.status).toBe(200);
    const requests = service.account("test_msw").requests();
    expect(requests.map(({ path, query }) => [path, query])).toEqual([["/api/content", "limit=1"]]);
    for (const beside of ["https://proxy.example", "https://proxy.example/pages/v10", service.baseUrl])
      await expect(fetch(`${beside}/api/content`, { headers })).rejects.toThrow(/fetch|MSW/);
  });

  test("a path that is not percent-encoded UTF-8 gets a 400", async () => {
    use();

    expect((await fetch(`${service.baseUrl}/api/content/%ff`, { method: "DELETE", headers })).status).toBe(400);
  });

  test("wire faults look as they do with a real fetch", async () => {
    use();
    const account = service.account("test_msw");
    const url = `${service.baseUrl}/api/content`;
    for (const wire of ["reset", "garbage", "truncate", "stall"] as const) account.faults.add({ wire, times: 1 });
    const caller = new AbortController();

    for (const code of ["ECONNRESET", undefined])
      await expect(fetch(url, { headers })).rejects.toMatchObject({ message: "fetch failed", cause: { code } });
    const truncated = await fetch(url, { headers });
    const stalled = fetch(url, { headers, signal: caller.signal });
    await account.waitForRequest({ times: 4 });
    caller.abort(new Error("enough"));

    await expect(stalled).rejects.toThrow("enough");
    expect(truncated.status).toBe(200);
    await expect(truncated.text()).rejects.toThrow("terminated");
  });
});

/** Loads the adapter a second time, with msw 2 in place of msw 3. */
async function loadWithMsw2(): Promise<Adapter> {
  const hooks = registerHooks({
    resolve: (name, context, resolve) => resolve(name === "msw" ? "msw2" : name, context),
  });
  const url = new URL("../src/msw.ts?msw2", import.meta.url).href;
  const loaded = (await import(url)) as Adapter; // why: the compiler does not know the URL
  hooks.deregister();
  return loaded;
}
