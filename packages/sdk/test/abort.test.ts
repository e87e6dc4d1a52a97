import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { AbortedError, type ClientOptions } from "../src/index.ts";
import { failureOf, json, never, scripted, somePage, status, untilIdle, watchProcess } from "./setup.ts";

test.each([
  ["an Error", new Error("not today"), " (not today)"],
  ["a string", "tired", " (tired)"],
  ["nothing", undefined, ""],
  ["a number", 7, ""],
])("a signal that was aborted before the call, with %s, sends nothing", async (_title, reason, quoted) => {
  const { client, requests } = scripted([json([])]);
  const signal = AbortSignal.abort(reason);

  const error = await failureOf(client.pages.list({}, { signal }));

  expect(error).toBeInstanceOf(AbortedError);
  const message = `List pages was aborted before it was sent${quoted}`;
  const cause: unknown = signal.reason;
  expect(error).toMatchObject({ name: "AbortError", message, cause, attempts: [], mayHaveBeenApplied: false });
  expect(requests).toEqual([]);
});

const aborted = [{ failure: "aborted" }];
const refusal = status(429, { "Retry-After": "30" });
const stalledBody = () => new Response(new ReadableStream({ pull: never }));

test.each<[string, Parameters<typeof scripted>[0], ClientOptions, boolean, object[]]>([
  ["its request is under way, even if fetch ignores the signal", [never], {}, true, aborted],
  ["its body is under way", [stalledBody], {}, true, aborted],
  ["it waits for the key", [json([])], { apiKey: never }, false, aborted],
  ["it waits after a 500", [status(500)], { sleep: undefined }, true, [{ status: 500 }]],
  ["it waits after a 429", [refusal], { sleep: undefined }, false, [{ status: 429 }]],
])(
  "a create that is aborted while %s ends at once and says what became of it",
  async (_title, responses, options, mayHaveBeenApplied, attempts) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client } = scripted(responses, options);
    const controller = new AbortController();
    const call = failureOf(client.pages.create(somePage, { signal: controller.signal, idempotencyKey: "one" }));
    await untilIdle();

    controller.abort();

    const message = `Create page was aborted${mayHaveBeenApplied ? "; the service may have carried it out" : ""}`;
    const cause: unknown = controller.signal.reason;
    expect(await call).toMatchObject({ message, cause, idempotencyKey: "one", mayHaveBeenApplied, attempts });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  },
);

test("200 finished calls leave no listener on their signal or on the signals that fetch got, and cause no warning of Node", async () => {
  const problems = watchProcess();
  const { signal } = new AbortController();
  const signals = [signal];
  const fetch = async (_url: string, init: { signal: AbortSignal }) =>
    signals.push(init.signal) === 2 ? status(503) : json([]);
  const { client } = scripted([], { fetch, now: undefined, sleep: undefined, retry: { baseDelayMs: 0 } });

  await Promise.all(Array.from({ length: 200 }, () => client.pages.list({}, { signal })));
  await untilIdle();

  expect(signals.flatMap((each) => getEventListeners(each, "abort"))).toEqual([]);
  expect(signals.length).toBeGreaterThan(200);
  expect(problems).toEqual([]);
});

test.each([
  ["a response that comes after the abort", true],
  ["a body under way", false],
])("%s is cancelled", async (_title, isLate) => {
  const late = Promise.withResolvers<Response>();
  let isCancelled = false;
  const response = () => new Response(new ReadableStream({ pull: never, cancel: () => void (isCancelled = true) }));
  const { client } = scripted([isLate ? () => late.promise : response]);
  const controller = new AbortController();
  const call = failureOf(client.pages.list({}, { signal: controller.signal }));
  await untilIdle();

  controller.abort();
  await call;
  late.resolve(response());
  await untilIdle();

  expect(isCancelled).toBe(true);
});
