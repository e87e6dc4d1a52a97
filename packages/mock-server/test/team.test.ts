// Many suites of tests that share one server and know nothing of each other: each sees what it would see alone.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { somePage } from "./client.ts";

/** A call of a suite's: to the service with the key of one of its accounts, or to the control API about it. */
interface Call {
  readonly account: number;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** How a suite calls the server, and hears of its answer. */
type Send = (call: { key: string; method: string; path: string; body: unknown }) => Promise<unknown>;

const accounts = 3;
const account = fc.nat({ max: accounts - 1 });
const slug = fc.constantFrom("tea", "shoes", "garden");
const anyCall = fc.oneof(
  call(
    "POST",
    fc.constant("/api/content"),
    slug.map((slug) => ({ ...somePage, slug })),
  ),
  call("GET", fc.constantFrom("/api/content", "/api/content?limit=2&offset=1")),
  call("PUT", fc.constant("/api/content/{page}"), fc.record({ slug })),
  call("DELETE", fc.constant("/api/content/{page}")),
  call(
    "POST",
    fc.constant("/api/analytics/view"),
    fc.constant({ pageId: "{page}", timestamp: "2026-01-01T00:00:00Z" }),
  ),
  call("POST", fc.constant("/__mock/faults"), fault()),
  call("GET", fc.constantFrom("faults", "requests", "pages", "events", "rate-limit", "clock", "snapshot").map(control)),
  call("DELETE", fc.constant(control("faults"))),
  call("POST", fc.constant(control("reset"))),
  call("POST", fc.constant(control("clock/advance")), fc.record({ ms: fc.nat({ max: 90_000 }) })),
  call(
    "PUT",
    fc.constant(control("plan")),
    fc.record({ plan: fc.constantFrom("free", { limit: 2, windowMs: 60_000 }) }),
  ),
  call("POST", fc.constant("/__mock/requests/wait"), fc.constant({ filter: { key: "{key}" }, timeoutMs: 0 })),
);

function call(method: string, path: fc.Arbitrary<string>, body: fc.Arbitrary<unknown> = fc.constant(undefined)) {
  return fc.record({ account, method: fc.constant(method), path, body });
}

function control(path: string): string {
  return `/__mock/${path}?key={key}`;
}

function fault(): fc.Arbitrary<object> {
  const rule = { key: fc.constant("{key}"), status: fc.constantFrom(429, 500), times: fc.integer({ min: 1, max: 2 }) };
  return fc.record({ ...rule, probability: fc.constantFrom(0.5, 1) });
}

/** Makes a suite's calls one by one, and gives all that it hears. */
async function runSuite(name: string, calls: readonly Call[], send: Send): Promise<unknown[]> {
  const heard: unknown[] = [];
  const pages = new Map<string, string>();
  for (const { account, method, path, body } of calls) {
    const key = `test_${name}_${account}`;
    const fill = (text: string): string => text.replace("{key}", key).replace("{page}", pages.get(key) ?? "nothing");
    const filled: unknown = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
    const answer = await send({ key, method, path: fill(path), body: filled });
    const page = /"id":"(pg_\w+)"/.exec(JSON.stringify(answer))?.[1];
    if (page !== undefined) pages.set(key, page);
    heard.push(answer);
  }
  return heard;
}

/** A server whose clock stands and whose dice always fall alike, so that two of them answer alike. */
async function startServer(maxSandboxes = 5_000) {
  const options = { now: () => Date.UTC(2026, 0, 1), random: () => 0.25, plan: "free", maxSandboxes } as const;
  const server = await listen(createMockService(options), { control: true });
  const send: Send = async ({ key, method, path, body }) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(server.url + path, init);
    const rate = ["limit", "remaining", "reset"].map((name) => answer.headers.get(`X-RateLimit-${name}`));
    const id = path.startsWith("/api") ? answer.headers.get("X-Request-Id") : null;
    // Servers differ in their port, and what the control API answers has a random id.
    return [answer.status, rate, id, (await answer.text()).replaceAll(/ctl_[\w-]+|127\.0\.0\.1:\d+/g, "…")];
  };
  return { send, [Symbol.asyncDispose]: () => server.close() };
}

const suites = fc.array(fc.array(anyCall, { minLength: 5, maxLength: 30 }), { minLength: 2, maxLength: 12 });

test("suites that share one server, control API and all, see what each would see alone", async () => {
  await fc.assert(
    fc.asyncProperty(suites, async (suites) => {
      await using shared = await startServer();
      await using alone = await startServer();
      const beside = await Promise.all(suites.map((calls, index) => runSuite(`suite${index}`, calls, shared.send)));
      for (const [index, calls] of suites.entries())
        expect(beside[index]).toEqual(await runSuite(`suite${index}`, calls, alone.send));
    }),
    { numRuns: 8 },
  );
});

test("64 suites on one server keep apart while the sandboxes of suites long gone make room", async () => {
  const programs = fc.sample(fc.array(anyCall, { minLength: 12, maxLength: 12 }), { numRuns: 64 });
  await using shared = await startServer(64 * accounts);
  await using alone = await startServer();
  const past = Array.from({ length: 300 }, (_, number) => ({
    key: `test_gone_${number}`,
    method: "POST",
    path: "/api/content",
    body: somePage,
  }));

  await Promise.all(past.map(shared.send));
  const beside = await Promise.all(programs.map((calls, index) => runSuite(`suite${index}`, calls, shared.send)));
  const apart = await Promise.all(programs.map((calls, index) => runSuite(`suite${index}`, calls, alone.send)));

  expect(beside).toEqual(apart);
});
