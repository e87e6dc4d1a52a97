import { expect, test } from "vitest";
import { CheckError, type CheckOptions, checkService } from "../src/check.ts";
import { createMockService, type MockService } from "../src/index.ts";

/** Checks the mock service. `change` may replace each response. */
function check(
  service: MockService,
  change: (response: Response) => Promise<Response>,
  options: Partial<CheckOptions>,
) {
  return checkService({
    baseUrl: service.baseUrl,
    apiKey: "test_check",
    yes: true,
    fetch: async (request) => change(await service.fetch(request)),
    sleep: () => Promise.resolve(),
    ...options,
  });
}

const others = Array.from({ length: 20_000 }, (_, index) => ({
  id: `pg_${index}`,
  title: `Other page ${index}`,
  content: "Some content. ".repeat(20),
  slug: `other-${index}`,
  cta: { type: "button", label: "Go", url: "https://example.com/" },
  domains: [],
}));

/** Puts thousands of other pages before the pages of a list. */
async function prependOthers(response: Response): Promise<Response> {
  const text = await response.clone().text();
  const body = (text.startsWith("{") ? JSON.parse(text) : {}) as { data?: unknown }; // why: a list, or anything else
  if (!Array.isArray(body.data)) return response;
  return Response.json({ ...body, data: others.concat(body.data) }, { headers: response.headers });
}

test("a response that is too large to be read ends the check, says so, and leaves no page behind", async () => {
  const service = createMockService({ plan: "unlimited" });
  let isLarge = false;
  const enlarge = (response: Response) => {
    isLarge ||= service.requests({ method: "PUT" }).length > 2;
    return isLarge && response.status === 200 ? prependOthers(response) : Promise.resolve(response);
  };
  const checking = check(service, enlarge, {});

  await expect(checking).rejects.toThrow(/^The response to .* has more than 4 MiB\. Try an account with fewer pages\./);
  expect(service.account("test_check").pages).toEqual([]);
});

test.each([
  ["one long string", `"${"x".repeat(2_000_000)}"`],
  ["arrays in arrays", `${"[".repeat(600_000)}${"]".repeat(600_000)}`],
  ["no JSON", "x".repeat(2_000_000)],
  [
    "many names",
    JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name ${index}`, [index]]))),
  ],
])("%s as a response to everything ends in a report or an error, not in a long wait", async (_, body) => {
  const ending = await check(createMockService(), () => Promise.resolve(new Response(body)), {}).catch(
    (error: unknown) => error,
  );

  expect(ending instanceof CheckError || Object.hasOwn(Object(ending), "statements")).toBe(true);
});

test("a check that takes too long ends, says so, and leaves no page behind", async () => {
  const service = createMockService();
  let nowMs = 0;
  const now = () => (nowMs += 1000);
  const checking = check(service, (response) => Promise.resolve(response), { now, totalTimeoutMs: 20_000 });

  await expect(checking).rejects.toThrow(/^The check took too long, and ended after \d+ requests/);
  expect(service.account("test_check").pages).toEqual([]);
});

const stall = () =>
  Promise.resolve(new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) })));
const refuse = () => Promise.resolve(new Response(null, { status: 429, headers: { "Retry-After": "60" } }));
const never = () => new Promise<Response>(() => undefined);

test.each([
  ["the service hangs and `fetch` ignores its signal", never],
  ["the body stalls", stall],
])("a request ends after timeoutMs if %s", async (_, respond) => {
  await expect(check(createMockService(), respond, { timeoutMs: 5 })).rejects.toThrow(
    /^The service does not respond: no response within 5 ms$/,
  );
});

test("a check that is aborted while a request hangs ends at once, with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const stopAndHang = () => {
    controller.abort(reason);
    return never();
  };

  await expect(check(createMockService(), stopAndHang, { signal: controller.signal })).rejects.toBe(reason);
});

test("a wait that would exceed totalTimeoutMs ends the check without waiting", async () => {
  const waits: number[] = [];
  const options = {
    totalTimeoutMs: 20_000,
    sleep: (delayMs: number) => {
      waits.push(delayMs);
      return Promise.resolve();
    },
  };
  await expect(check(createMockService(), refuse, options)).rejects.toThrow(/^The check took too long/);
  expect(waits).toEqual([]);
});
