import type { CreatePage } from "@landing-page-service/contract";
import { createMockService, type MockServiceOptions } from "@landing-page-service/mock-server";
import { type ClientEvent, type ClientOptions, LandingPages } from "../src/index.ts";
import { createVirtualTime } from "./virtual-time.ts";

export const somePage: CreatePage = {
  title: "Red running shoes",
  content: "Light shoes for long runs.",
  slug: "red-shoes",
  meta_description: "Run longer.",
  cta: { type: "button", label: "Buy", url: "https://shop.example/red" },
};

/** A small generator of numbers that are random enough, and the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0xc2b2ae35) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** What a client needs to run on a virtual clock, without a service of ours. */
export function onVirtualTime({ now, sleep }: ReturnType<typeof createVirtualTime>) {
  return { apiKey: "test_sdk", baseUrl: "https://service.example", now, sleep, random: () => 0.5 };
}

/** A client and a service on one virtual clock; waits take no time. */
export function setUp(serviceOptions: MockServiceOptions = {}, clientOptions: ClientOptions = {}) {
  const time = createVirtualTime();
  const service = createMockService({ now: time.now, ...serviceOptions });
  const events: ClientEvent[] = [];
  const client = new LandingPages({
    apiKey: "test_sdk",
    baseUrl: service.baseUrl,
    fetch: service.fetch,
    now: time.now,
    sleep: time.sleep,
    onEvent: (event) => events.push(event),
    ...clientOptions,
  });
  /** Statuses of all answers, in order. */
  const statuses = () => events.flatMap((event) => (event.type === "response" ? [event.status] : []));
  return { time, service, client, events, statuses, account: service.account("test_sdk") };
}

/** A client whose requests get the given answers one after the other; the last one repeats. What is thrown rejects. */
export function scripted(
  answers: (Response | Error | (() => Response | Promise<Response>))[],
  options: ClientOptions = {},
) {
  const time = createVirtualTime();
  const requests: { method: string; path: string; headers: Headers; body: string }[] = [];
  const events: ClientEvent[] = [];
  let started = 0;
  const client = new LandingPages({
    ...onVirtualTime(time),
    onEvent: (event) => events.push(event),
    fetch: async (url, { method, headers, body = "" }) => {
      const answer = answers[Math.min(started, answers.length - 1)];
      started += 1;
      const { pathname, search } = new URL(url);
      requests.push({ method, path: pathname + search, headers: new Headers(headers), body });
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer planned");
      return answer instanceof Response ? answer.clone() : answer();
    },
    ...options,
  });
  return { client, requests, events, time };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function status(code: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: code, headers });
}

/** What a call rejects with. */
export async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call did not fail");
}

/** Lets everything run that needs no timer and no network. */
export async function untilIdle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
