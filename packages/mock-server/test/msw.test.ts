import { setupServer as setupServer3 } from "msw/node";
import { setupServer as setupServer2 } from "msw2/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createMockService } from "../src/index.ts";
import type * as adapter from "../src/msw.ts";
import { somePage } from "./client.ts";

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

  test("a request that was changed on its way arrives as it was changed", async () => {
    const url = `${service.baseUrl}/api/content`;
    const first = new Request(url, { headers: { Accept: "text/plain", Authorization: "Bearer test_before" } });
    const changed = new Request(first, { headers: { Accept: "application/json", Authorization: "Bearer test_msw" } });

    expect((await service.fetch(changed)).status).toBe(200);
    expect((await service.fetch(url, { headers: changed.headers })).status).toBe(200);
    for (const request of service.requests({ key: "test_msw", times: 2 }))
      expect(request.header("Accept")).toBe("application/json");
  });

  test("a page is created, listed and deleted through the global fetch", async () => {
    use();
    const url = `${service.baseUrl}/api/content`;

    const created = await fetch(url, { method: "POST", headers, body: JSON.stringify(somePage) });
    const { id } = (await created.json()) as { id: string }; // what a create answers
    const listed = await fetch(`${url}?limit=1`, { headers });
    const deleted = await fetch(`${url}/${id}`, { method: "DELETE", headers });

    expect(created.status).toBe(201);
    expect(await listed.json()).toMatchObject({ data: [{ id, slug: somePage.slug }], total: 1, limit: 1 });
    expect(listed.headers.get("X-RateLimit-Limit")).toMatch(/^\d+$/);
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
  });

  test("handlers serve another base URL, and nothing else", async () => {
    use({ baseUrl: "https://api.landing.example/" });

    const ours = await fetch("https://api.landing.example/api/content", { headers });
    const others = fetch(`${service.baseUrl}/api/content`, { headers });

    expect(ours.status).toBe(200);
    await expect(others).rejects.toThrow(/fetch|MSW/);
  });

  test("a base URL keeps its path, and what is beside it is left alone", async () => {
    use({ baseUrl: "https://proxy.example/pages/v1/" });
    const url = "https://proxy.example/pages/v1/api/content";

    const created = await fetch(url, { method: "POST", headers, body: JSON.stringify(somePage) });
    const listed = await fetch(`${url}?limit=1`, { headers });

    expect([created.status, listed.status]).toEqual([201, 200]);
    expect(
      service
        .account("test_msw")
        .requests()
        .map(({ path }) => path),
    ).toEqual(["/api/content", "/api/content"]);
    for (const beside of ["https://proxy.example/api/content", "https://proxy.example/pages/v10/api/content"]) {
      await expect(fetch(beside, { headers })).rejects.toThrow(/fetch|MSW/);
    }
  });

  test("a path that is not percent-encoded UTF-8 is refused, not broken", async () => {
    use();

    const answer = await fetch(`${service.baseUrl}/api/content/%ff`, { method: "DELETE", headers });

    expect(answer.status).toBe(400);
  });

  test.each([
    ["reset", "ECONNRESET"],
    ["garbage", "HPE_INVALID_CONSTANT"],
  ] as const)("a connection broken by %s fails as a real fetch does", async (wire, code) => {
    use();
    service.account("test_msw").faults.add({ wire });

    const error: unknown = await fetch(`${service.baseUrl}/api/content`, { headers }).catch((error: unknown) => error);

    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "fetch failed", cause: { code } });
  });

  test("a truncated response breaks while its body is read", async () => {
    use();
    service.account("test_msw").faults.add({ wire: "truncate" });

    const answer = await fetch(`${service.baseUrl}/api/content`, { headers });

    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
  });

  test("a stalled response never comes, until the caller goes away", async () => {
    use();
    const coming = service.account("test_msw").waitForRequest();
    const caller = new AbortController();
    service.account("test_msw").faults.add({ wire: "stall" });

    const call = fetch(`${service.baseUrl}/api/content`, { headers, signal: caller.signal });
    await coming;
    caller.abort(new Error("enough"));

    await expect(call).rejects.toThrow("enough");
  });

  test("a call that is aborted while a fault holds it back rejects, and nothing is done", async () => {
    use();
    const controller = new AbortController();
    service.account("test_msw").faults.add({ endpoint: "createPage", delayMs: 60_000 });

    const body = JSON.stringify(somePage);
    const call = fetch(`${service.baseUrl}/api/content`, { method: "POST", headers, body, signal: controller.signal });
    controller.abort(new Error("enough"));

    await expect(call).rejects.toThrow("enough");
    expect(service.account("test_msw").pages).toEqual([]);
  });
});

async function loadWithMsw2(): Promise<Adapter> {
  vi.resetModules();
  vi.doMock("msw", () => import("msw2"));
  return import("../src/msw.ts");
}
