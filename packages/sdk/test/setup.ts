import { setImmediate as nextTurn } from "node:timers/promises";
import { type CreatePage, gaps, switchIds, type Switches } from "@landing-page-service/contract";
import { createMockService, type MockServiceOptions } from "@landing-page-service/mock-server";
import * as fc from "fast-check";
import { onTestFinished } from "vitest";
import { type ClientEvent, type ClientOptions, LandingPages } from "../src/index.ts";
import { createVirtualTime } from "./virtual-time.ts";

export const somePage: CreatePage = {
  title: "Red running shoes",
  content: "Light shoes for long runs.",
  slug: "red-shoes",
  meta_description: "Run longer.",
  cta: { type: "button", label: "Buy", url: "https://shop.example/red" },
};

/** The gaps of the specification, with the names of their interpretations. */
export const interpretations = switchIds.map((id) => [id, Object.keys(gaps[id].interpretations)] as const);

/** One interpretation for each gap. */
export const anySwitches = fc.record(
  Object.fromEntries(interpretations.map(([id, names]) => [id, fc.constantFrom(...names)])),
) as fc.Arbitrary<Partial<Switches>>; // why: the names come from the table

/** Passes a value of a wrong type. */
export const wrong = (value: unknown) => value as never; // why: what plain JavaScript may pass

/** A method by itself, which a program may pass on and call with any values. */
export const detached = (of: object, name: string) =>
  Reflect.get(of, name) as (...values: readonly unknown[]) => unknown; // why: as plain JavaScript calls it

/** Options that run a client on a virtual clock. */
export function onVirtualTime({ now, sleep }: ReturnType<typeof createVirtualTime>) {
  return { apiKey: "test_sdk", baseUrl: "https://service.example", now, sleep, random: () => 0.5 };
}

/** A client and a mock service on one virtual clock; waits take no time. */
export function setUp(serviceOptions: MockServiceOptions = {}, clientOptions: ClientOptions = {}) {
  const time = createVirtualTime();
  const service = createMockService({ now: time.now, ...serviceOptions });
  const events: ClientEvent[] = [];
  const { baseUrl, fetch } = service;
  const onEvent = (event: ClientEvent) => void events.push(event);
  const client = new LandingPages({ ...onVirtualTime(time), baseUrl, fetch, onEvent, ...clientOptions });
  return { time, service, client, events, account: service.account("test_sdk") };
}

/** A request as `fetch` got it. */
export type SentRequest = { method: string; path: string; headers: Headers; body: string; signal: AbortSignal };

/** How the service responds to a request. An error rejects. */
export type Scripted = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

/** A client whose requests get these responses one after the other; the last one repeats. */
export function scripted(responses: readonly Scripted[], options: ClientOptions = {}) {
  const time = createVirtualTime();
  const requests: SentRequest[] = [];
  const events: ClientEvent[] = [];
  // No request outlives its test.
  const testEnd = Promise.withResolvers<never>();
  testEnd.promise.catch(() => undefined);
  onTestFinished(() => testEnd.reject(new Error("the test has finished")));
  const client = new LandingPages({
    ...onVirtualTime(time),
    onEvent: (event) => events.push(event),
    fetch: async (url, { method, headers, body = "", signal }) => {
      const response = responses[requests.length] ?? responses.at(-1) ?? new Error("no response planned");
      const { pathname, search } = new URL(url);
      const request = { method, path: pathname + search, headers: new Headers(headers), body, signal };
      requests.push(request);
      if (response instanceof Error) throw response;
      return response instanceof Response ? response.clone() : Promise.race([response(request), testEnd.promise]);
    },
    ...options,
  });
  return { client, requests, events, time };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function html(body: string, code = 200): Response {
  return new Response(body, { status: code, headers: { "Content-Type": "text/html" } });
}

export function status(code: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: code, headers });
}

/** Rejections of `fetch`: the connection broke while it was used, and no connection was made. */
export const connectionReset = fetchFailed("ECONNRESET", "read");
export const connectionRefused = fetchFailed("ECONNREFUSED", "connect");

function fetchFailed(code: string, syscall: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
}

/** A function of the caller that throws. */
export const fail = (): never => {
  throw new Error("on purpose");
};

/** A promise that never settles. */
export const never = () => new Promise<never>(() => undefined);

/** The error that a call rejects with. */
export async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call did not fail");
}

/** What a call resolves to, or the name of the error that it rejects with. */
export const outcomeOf = (call: PromiseLike<unknown>) =>
  call.then(
    (value) => value,
    (error: Error) => error.name,
  );

/** Collects everything that an iterable yields. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Warnings and unhandled rejections of the process, until the test ends. */
export function watchProcess(): unknown[] {
  const problems: unknown[] = [];
  const note = (problem: unknown) => void problems.push(problem);
  process.on("warning", note).on("unhandledRejection", note);
  onTestFinished(() => void process.off("warning", note).off("unhandledRejection", note));
  return problems;
}

/** Runs everything that needs no timer and no network. */
export async function untilIdle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await nextTurn();
}
