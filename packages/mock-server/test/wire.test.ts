import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { createMockService, type FaultRule } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { somePage } from "./client.ts";

const service = createMockService();
const server = await listen(service);
afterAll(() => server.close());

type Call = (url: string, init: RequestInit) => Promise<Response>;

/** Everything that a client and the account see of a request that a wire fault breaks. */
async function callBroken(call: Call, baseUrl: string, rule: FaultRule, method: string): Promise<unknown[]> {
  const account = service.account("test_wire_0001");
  account.reset();
  account.faults.add({ ...rule, times: 1 });
  const headers = { Authorization: "Bearer test_wire_0001", "Content-Type": "application/json" };
  const body = method === "POST" ? JSON.stringify(somePage) : null;
  const seen: unknown[] = [];
  // A body is read up to the cut.
  try {
    const response = await call(`${baseUrl}/api/content`, { method, headers, body });
    seen.push(response.status, response.headers.get("Content-Type"), response.headers.get("Content-Length"));
    for await (const chunk of response.body ?? [])
      seen.push(
        Buffer.from(chunk)
          .toString()
          .replace(/pg_\w+/, "ID"),
      );
  } catch (error) {
    seen.push(describeError(error, call));
  }
  return [...seen, account.pages.length, account.requests().map(({ status, answer }) => [status, answer.wire])];
}

function describeError(error: unknown, call: Call): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause as Error & { code?: string };
  // Before Node 24, a parser's error has a code too.
  const code = call === fetch && cause.name === "HTTPParserError" ? undefined : cause.code;
  return [error instanceof TypeError, String(error), cause instanceof Error, String(cause), code];
}

describe.each(["GET", "POST", "HEAD"])("a wire fault for %s, in process", (method) => {
  test.each<FaultRule>([
    { wire: "reset" },
    { wire: "reset", when: "after" },
    { wire: "garbage" },
    { wire: "garbage", when: "after" },
    { wire: "truncate" },
  ])("looks as it does over a socket: %j", async (rule) => {
    const real = await callBroken(fetch, server.url, rule, method);
    const ours = await callBroken(service.fetch, service.baseUrl, rule, method);

    expect(ours).toEqual(real);
    expect(ours.at(-2)).toBe(method === "POST" && /after|truncate/.test(JSON.stringify(rule)) ? 1 : 0);
    // The journal has the status that the client got, if it got one.
    expect(ours.at(-1)).toEqual([[typeof ours[0] === "number" ? ours[0] : undefined, rule.wire]]);
  });
});

test("a stalled call ends by a signal that only the call holds, also after a garbage collection", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // why: the flag defines it
  service.account("test_stall").faults.add({ wire: "stall" });
  const headers = { Authorization: "Bearer test_stall" };

  const call = service.fetch(`${service.baseUrl}/api/content`, { headers, signal: AbortSignal.timeout(50) });
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();

  await expect(call).rejects.toThrow("timeout");
});

test("a refused connection looks as if no server listened; over a socket that is already open, it is reset", async () => {
  const inProcess = await callBroken(service.fetch, service.baseUrl, { wire: "refuse" }, "POST");
  const refused = await callBroken(fetch, server.url, { wire: "refuse" }, "POST");
  const reset = await callBroken(fetch, server.url, { wire: "reset" }, "POST");

  expect(inProcess).toEqual([
    [true, "TypeError: fetch failed", true, "Error: connect ECONNREFUSED", "ECONNREFUSED"],
    0,
    [[undefined, "refuse"]],
  ]);
  expect(refused.slice(0, -1)).toEqual(reset.slice(0, -1));
  expect(() => service.faults.add({ wire: "refuse", when: "after" })).toThrow(/refuses the connection/);
});
