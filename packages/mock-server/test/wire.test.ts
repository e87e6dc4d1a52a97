import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createMockService, type FaultRule } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { somePage } from "./client.ts";

const service = createMockService();
let server: RunningServer;
beforeAll(async () => {
  server = await listen(service);
});
afterAll(() => server.close());

type Call = (url: string, init: RequestInit) => Promise<Response>;

/** What a caller gets to see of a request that a fault breaks. */
async function callBroken(call: Call, baseUrl: string, rule: FaultRule, method: string): Promise<unknown> {
  const account = service.account("test_wire_0001");
  account.reset();
  account.faults.add({ ...rule, times: 1 });
  const headers = { Authorization: "Bearer test_wire_0001", "Content-Type": "application/json" };
  const body = method === "POST" ? JSON.stringify(somePage) : null;
  const seen: unknown[] = [];
  try {
    const response = await call(`${baseUrl}/api/content`, { method, headers, body });
    seen.push(response.status, response.headers.get("Content-Type"), response.headers.get("Content-Length"));
    await response.text();
  } catch (error) {
    seen.push(tell(error));
  }
  return [...seen, account.pages.length, account.requests().map(({ status, answer }) => [status, answer.wire])];
}

function tell(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause as Error & { code?: string };
  // This release of Node leaves the code of a parser's error out, others do not.
  const code = cause.name === "HTTPParserError" ? "HPE" : cause.code;
  return [
    error instanceof TypeError,
    error.name,
    error.message,
    cause instanceof Error,
    cause.name,
    cause.message,
    code,
  ];
}

describe.each(["GET", "POST", "HEAD"])("a broken answer to %s without a socket", (method) => {
  test.each<FaultRule>([
    { wire: "reset" },
    { wire: "reset", when: "after" },
    { wire: "garbage" },
    { wire: "garbage", when: "after" },
    { wire: "truncate" },
  ])("looks as it does over one: %j", async (rule) => {
    const real = await callBroken(fetch, server.url, rule, method);
    const ours = await callBroken(service.fetch, service.baseUrl, rule, method);

    expect(ours).toEqual(real);
  });
});

test("what came of a truncated body can be read up to the cut", async () => {
  const { faults, clientOptions } = service.account("test_truncate");
  faults.add({ wire: "truncate" });

  const { body } = await clientOptions.fetch(`${service.baseUrl}/api/content`, {
    headers: { Authorization: "Bearer test_truncate" },
  });
  const reader = body?.getReader();
  const first = await reader?.read();

  expect(new TextDecoder().decode(first?.value)).toBe('{"data":[],"total":0,');
  await expect(reader?.read()).rejects.toThrow("terminated");
});

test("a stalled response never comes, and ends with the caller's signal", async () => {
  const { faults, clientOptions } = service.account("test_stall");
  faults.add({ wire: "stall" });
  const caller = new AbortController();
  const settled = vi.fn<() => void>();
  const init = { headers: { Authorization: "Bearer test_stall" }, signal: caller.signal };

  const call = clientOptions.fetch(`${service.baseUrl}/api/content`, init);
  call.then(settled, settled);
  await new Promise((resolve) => setImmediate(resolve));
  const settledBefore = settled.mock.calls.length;
  const reason = new Error("enough");
  caller.abort(reason);

  await expect(call).rejects.toBe(reason);
  expect(settledBefore).toBe(0);
});

test("a stalled call ends by a signal that only the call holds, also when garbage is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // why: the flag puts it there
  service.account("test_stall_gc").faults.add({ wire: "stall" });
  const headers = { Authorization: "Bearer test_stall_gc" };

  const call = service.fetch(`${service.baseUrl}/api/content`, { headers, signal: AbortSignal.timeout(50) });
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();

  await expect(call).rejects.toThrow("timeout");
}, 20_000);

test("a refused connection is one that was never there", async () => {
  const seen = await callBroken(service.fetch, service.baseUrl, { wire: "refuse" }, "POST");

  expect(seen).toEqual([
    [true, "TypeError", "fetch failed", true, "Error", "connect ECONNREFUSED", "ECONNREFUSED"],
    0,
    [[500, "refuse"]],
  ]);
  expect(() => service.faults.add({ wire: "refuse", when: "after" })).toThrow(/no connection at all/);
});

test("over a socket, which is there already, a refused connection is reset", async () => {
  const seen = await callBroken(fetch, server.url, { wire: "refuse" }, "POST");

  expect(seen).toEqual(await callBroken(fetch, server.url, { wire: "reset" }, "POST").then(renameReset));
});

function renameReset(seen: unknown): unknown {
  return JSON.parse(JSON.stringify(seen).replace('[[500,"reset"]]', '[[500,"refuse"]]'));
}
