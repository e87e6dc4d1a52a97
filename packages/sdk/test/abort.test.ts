import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { AbortedError, type ClientOptions } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status, untilIdle } from "./setup.ts";

const never = () => new Promise<never>(() => undefined);

test.each([
  ["an Error", new Error("not today"), "List pages was aborted before it was sent (not today)"],
  ["a text", "tired", "List pages was aborted before it was sent (tired)"],
  ["nothing", undefined, "List pages was aborted before it was sent"],
  ["a number", 7, "List pages was aborted before it was sent"],
])(
  "a signal that was aborted before with %s sends nothing, and the error holds the reason",
  async (_title, reason, message) => {
    const { client, requests } = scripted([json([])]);
    const signal = AbortSignal.abort(reason);

    const error = await failureOf(client.pages.list({}, { signal }));

    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ name: "AbortError", message, attempts: [], mayHaveBeenApplied: false });
    expect((error as AbortedError).cause).toBe(signal.reason); // why: checked above
    expect(await failureOf(client.pages.create(somePage, { signal }))).toBeInstanceOf(AbortedError);
    expect(requests).toEqual([]);
  },
);

test.each([
  ["while its request is under way", [never], {}, true, [{ failure: "aborted" }]],
  ["while the key is being fetched", [json([])], { apiKey: never }, false, [{ failure: "aborted" }]],
  ["while it waits after a 500", [status(500)], { sleep: undefined }, true, [{ status: 500 }]],
  [
    "while it waits after a 429",
    [status(429, { "Retry-After": "30" })],
    { sleep: undefined },
    false,
    [{ status: 429 }],
  ],
])("a create that is aborted %s tells what became of it", async (_title, answers, options, applied, attempts) => {
  const { client } = scripted(answers, options);
  const controller = new AbortController();
  const call = failureOf(client.pages.create(somePage, { signal: controller.signal, idempotencyKey: "one" }));
  await untilIdle();

  controller.abort();

  expect(await call).toMatchObject({
    name: "AbortError",
    mayHaveBeenApplied: applied,
    idempotencyKey: "one",
    attempts,
    message: `Create page was aborted${applied ? "; the service may have carried it out" : ""}`,
  });
});

test.each([
  ["a request under way, even where fetch ignores the signal", [never], {}],
  ["the reading of a body", [() => new Response(new ReadableStream({ pull: never }))], {}],
  ["the wait before a retry", [status(503)], { sleep: undefined }],
  ["the wait after a 429", [status(429, { "Retry-After": "30" })], { sleep: undefined }],
  ["the wait for a key", [json([])], { apiKey: never }],
])("abort cuts off %s at once and leaves no listener and no timer", async (_title, answers, options) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { client } = scripted(answers, { ...options, retry: { baseDelayMs: 100_000, maxDelayMs: 100_000 } });
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();

  expect(await call).toMatchObject({ name: "AbortError", cause: controller.signal.reason as unknown });
  expect(await call).toBeInstanceOf(AbortedError);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("a finished call leaves no listener on the signal, and 200 calls on one signal no warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const { client } = scripted([status(503), json([])]);
  const { signal } = new AbortController();

  await Promise.all(Array.from({ length: 200 }, () => client.pages.list({}, { signal })));
  await new Promise((resolve) => setImmediate(resolve));

  process.off("warning", note);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(warnings).toEqual([]);
});

test("a response that comes after the abort has its body cancelled", async () => {
  let isCancelled = false;
  const { promise, resolve: answerNow } = Promise.withResolvers<Response>();
  const { client } = scripted([() => promise]);
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();
  await call;
  answerNow(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })));
  await untilIdle();

  expect(isCancelled).toBe(true);
});

test("a body under way is let go of at the abort, also where fetch ignores the signal", async () => {
  let isCancelled = false;
  const body = new ReadableStream({ pull: never, cancel: () => void (isCancelled = true) });
  const { client } = scripted([() => new Response(body)]);
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();
  await call;

  expect(isCancelled).toBe(true);
});

test("a response that was read is not kept alive by anything that outlives the call", async () => {
  const signals: AbortSignal[] = [];
  const { client } = scripted([], {
    fetch: async (_url, { signal }) => {
      signals.push(signal);
      return json([]);
    },
  });

  await client.pages.list();

  expect(signals.map((signal) => getEventListeners(signal, "abort"))).toEqual([[]]);
});

test.each<[string, ClientOptions, boolean, string]>([
  ["a key that never comes", { apiKey: never }, false, ", waiting for the function passed as `apiKey`"],
  ["a hook before the request", { hooks: { beforeRequest: [never] } }, false, ", waiting for a hook"],
  ["a hook after the answer", { hooks: { afterResponse: [never] } }, true, ", waiting for a hook"],
  ["an answer that never comes", { fetch: never }, true, ""],
])("%s counts against timeoutMs, and the error says what was waited for", async (_title, options, isSent, waited) => {
  const { client } = scripted([json([])], { ...options, timeoutMs: 10, retry: false });
  const tail = isSent ? "; the service may have carried it out" : "";

  const error = await failureOf(client.pages.create(somePage));

  expect(error).toMatchObject({ name: "TimeoutError", limit: "timeoutMs", mayHaveBeenApplied: isSent });
  expect(String(error)).toBe(`TimeoutError: Create page failed: no complete response within 10 ms${waited}${tail}`);
});

test.each([
  [1, "a place: as many requests as maxInFlight allows are under way"],
  [64, "its turn at the rate limit"],
])(
  "with %i requests at a time, the error of a call that waits behind hanging ones says so",
  async (maxInFlight, what) => {
    const { client } = scripted([never], { maxInFlight });
    const stop = new AbortController();
    const hung = Array.from({ length: 4 }, () => failureOf(client.pages.list({}, { signal: stop.signal })));

    const error = await failureOf(client.pages.list({}, { totalTimeoutMs: 10 }));

    expect(error).toMatchObject({ name: "TimeoutError", limit: "totalTimeoutMs", attempts: [] });
    expect(String(error)).toBe(
      `TimeoutError: List pages failed: not done within totalTimeoutMs, 10 ms, waiting for ${what}`,
    );
    stop.abort();
    await Promise.all(hung);
  },
);

test("a try that is cut off is reported as ended, so that requests and responses add up", async () => {
  const { client, events } = scripted([never]);
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();
  await call;

  expect(events).toMatchObject([
    { type: "request", method: "GET", path: "/api/content", attempt: 1 },
    { type: "response", method: "GET", path: "/api/content", attempt: 1, durationMs: 0, failure: "aborted" },
    { type: "end", operation: "listPages", attempts: 1, error: { name: "AbortError" } },
  ]);
});
