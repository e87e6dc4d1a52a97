// A service that has a bad week, on time that a test moves: weathers follow each other, and every request meets the one of its moment.
import { vi } from "vitest";
import type { ClientOptions, Sleep } from "../src/index.ts";

/** How a service spells the moment at which a caller may come back. */
type Spelling =
  "seconds" | "decimal" | "date" | "reset in seconds" | "reset at seconds" | "reset at milliseconds" | "none";

/** What happens to a request. */
export type Weather =
  | { readonly kind: "fine" | "forgetful" | "unlimited" }
  | { readonly kind: "limited"; readonly limit: number; readonly windowMs: number; readonly spelling: Spelling }
  | { readonly kind: "refusing"; readonly waitMs: number; readonly spelling: Spelling }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly isApplied: boolean;
      readonly waitMs?: number | undefined;
    }
  | { readonly kind: "unreachable" | "reset before" | "reset after" | "hung" | "deaf" | "portal" | "locked" | "echo" }
  | { readonly kind: "cut" | "stalled"; readonly status: number; readonly within: "body" | "key" };

export interface Phase {
  readonly forMs: number;
  readonly weather: Weather;
  /** Longest time an answer takes, in milliseconds. */
  readonly latencyMs: number;
}

/** A request as it came. */
export interface Seen {
  readonly atMs: number;
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly key: string;
  readonly idempotencyKey: string;
  readonly weather: Weather;
  /** Whether the service has carried it out. */
  isApplied: boolean;
  /** Moment of the answer, and what it asked for: not to come back before this one. */
  answeredAtMs?: number;
  notBeforeMs?: number;
  status?: number;
}

/** Chance that is the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lets time jump from timer to timer until the work is done; gives how long that took. Tests that use it take no other time. */
export async function runThrough(work: Promise<unknown>, mostMs: number): Promise<void> {
  const state = { isDone: false, idleRounds: 0 };
  const end = () => void (state.isDone = true);
  void work.then(end).catch(end);
  const endMs = Date.now() + mostMs;
  while (!state.isDone) {
    for (let round = 0; round < 4 && !state.isDone; round += 1) await new Promise((resolve) => setImmediate(resolve));
    if (state.isDone) break;
    if (Date.now() > endMs) throw new Error(`not over after ${mostMs} ms: ${vi.getTimerCount()} timers left`);
    state.idleRounds = vi.getTimerCount() === 0 ? state.idleRounds + 1 : 0;
    if (state.idleRounds > 200) throw new Error("nothing is left to happen, and the work is not done");
    if (state.idleRounds === 0) vi.advanceTimersToNextTimer();
  }
  await work;
}

/** One timer, however long: what the client would do itself looks at the clock four times a second. */
export const sleep: Sleep = (delayMs, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", abort, { once: true });
  });

/** A service with weather; `accepts` says which keys are good by now. */
export function createBadWeek(options: {
  readonly phases: readonly Phase[];
  readonly seed: number;
  readonly skewMs: number;
  readonly accepts: (key: string) => boolean;
}): { readonly requests: Seen[]; readonly fetch: NonNullable<ClientOptions["fetch"]> } {
  const requests: Seen[] = [];
  const random = createRandom(options.seed);
  const startMs = Date.now();
  const pages = new Map<string, string>();
  let windowEndsMs = 0;
  let used = 0;

  const phaseNow = (): Phase => {
    let endMs = startMs;
    for (const phase of options.phases) if (Date.now() < (endMs += phase.forMs)) return phase;
    return { forMs: Infinity, weather: { kind: "fine" }, latencyMs: 20 };
  };
  const serviceNow = () => Date.now() + options.skewMs;

  const askFor = (waitMs: number, spelling: Spelling): Record<string, string> => {
    const atMs = serviceNow() + waitMs;
    const limit = { "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0" };
    const headers: Record<Spelling, Record<string, string>> = {
      seconds: { "Retry-After": String(Math.ceil(waitMs / 1000)) },
      decimal: { "Retry-After": (Math.ceil(waitMs / 100) / 10).toFixed(1) },
      date: { "Retry-After": new Date(Math.ceil(atMs / 1000) * 1000).toUTCString() },
      "reset in seconds": { ...limit, "X-RateLimit-Reset": String(Math.ceil(waitMs / 1000)) },
      "reset at seconds": { ...limit, "X-RateLimit-Reset": String(Math.ceil(atMs / 1000)) },
      "reset at milliseconds": { ...limit, "X-RateLimit-Reset": String(atMs) },
      none: {},
    };
    return headers[spelling];
  };

  const carryOut = (seen: Seen): { status: number; value: unknown } => {
    seen.isApplied = true;
    const id = /\/api\/content\/([^/]+)$/.exec(seen.path)?.[1] ?? "";
    if (seen.path === "/api/analytics/view") return { status: 202, value: { ok: true } };
    if (seen.method === "POST") {
      const known = pages.get(seen.idempotencyKey) ?? `pg_${pages.size + 1}`;
      pages.set(seen.idempotencyKey, known);
      return { status: 201, value: { ...(JSON.parse(seen.body) as object), id: known, domains: [] } };
    }
    if (seen.method === "PUT") return { status: 200, value: { id, domains: [] } };
    if (seen.method === "DELETE") return { status: 204, value: undefined };
    const query = new URLSearchParams(seen.path.split("?")[1]);
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 20)];
    const data = Array.from({ length: 45 }, (_, index) => ({ id: `old_${index}`, domains: [] }));
    return { status: 200, value: { data: data.slice(offset, offset + limit), total: 45 } };
  };

  const answer = (seen: Seen, status: number, value: unknown, headers: Record<string, string> = {}): Response => {
    seen.status = status;
    const date = { Date: new Date(serviceNow()).toUTCString(), "X-Echo": `Bearer ${seen.key}` };
    const text = value === undefined ? null : JSON.stringify(value);
    return new Response(status === 204 ? null : text, { status, headers: { ...date, ...headers } });
  };
  const refuse = (seen: Seen, status: number, waitMs: number, spelling: Spelling): Response => {
    const asked = askFor(waitMs, spelling);
    if (spelling !== "none") seen.notBeforeMs = Date.now() + waitMs;
    return answer(seen, status, { message: `slow down, ${seen.key}` }, asked);
  };

  const meet = (seen: Seen, weather: Weather): Response => {
    if (weather.kind === "locked" || !options.accepts(seen.key))
      return answer(seen, 401, { error: { message: `Bearer ${seen.key} is not known`, [seen.key]: [seen.key] } });
    if (weather.kind === "refusing") return refuse(seen, 429, weather.waitMs, weather.spelling);
    if (weather.kind === "limited") {
      if (Date.now() >= windowEndsMs) [windowEndsMs, used] = [Date.now() + weather.windowMs, 0];
      used += 1;
      if (used > weather.limit) return refuse(seen, 429, windowEndsMs - Date.now(), weather.spelling);
      const { status, value } = carryOut(seen);
      const resetAt = Math.ceil((windowEndsMs + options.skewMs) / 1000);
      return answer(seen, status, value, {
        "X-RateLimit-Limit": String(weather.limit),
        "X-RateLimit-Remaining": String(weather.limit - used),
        "X-RateLimit-Reset": String(resetAt),
      });
    }
    if (weather.kind === "status") {
      if (weather.isApplied) carryOut(seen);
      const { waitMs } = weather;
      if (waitMs !== undefined) return refuse(seen, weather.status, waitMs, "seconds");
      return answer(seen, weather.status, { detail: `failed for ${seen.key}` });
    }
    if (weather.kind === "portal")
      return new Response(`<!doctype html><title>Sign in</title><a href="?k=${seen.key}">`, { status: 200 });
    if (weather.kind === "echo") {
      const { status, value } = carryOut(seen);
      return answer(seen, status === 204 ? 200 : status, { [seen.key]: value, [`x ${btoa(seen.key)}`]: seen.key });
    }
    const { status, value } = carryOut(seen);
    const unlimited = { "X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0" };
    return answer(seen, status, value, weather.kind === "unlimited" ? unlimited : {});
  };

  /** An answer whose body goes no further than some place in it. */
  const breakOff = (seen: Seen, weather: Weather & { kind: "cut" | "stalled" }): Response => {
    const { value } = weather.status < 400 ? carryOut(seen) : { value: { message: "no" } };
    const half = JSON.stringify(value ?? {}).slice(0, -1);
    const text = weather.within === "key" ? `not yours: ${seen.key.slice(0, 30)}` : half;
    seen.status = weather.status;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        if (weather.kind === "cut") setTimeout(() => controller.error(new TypeError("terminated")), 5);
      },
    });
    return new Response(body, { status: weather.status });
  };

  const fetch: NonNullable<ClientOptions["fetch"]> = async (url, { method, headers, body = "", signal }) => {
    const { pathname, search } = new URL(url);
    const { weather, latencyMs } = phaseNow();
    const seen: Seen = {
      atMs: Date.now(),
      action: headers["x-action"] ?? "",
      method,
      path: pathname + search,
      body,
      key: (headers["authorization"] ?? "").slice("Bearer ".length),
      idempotencyKey: headers["idempotency-key"] ?? "",
      weather,
      isApplied: false,
    };
    requests.push(seen);
    if (weather.kind === "unreachable" || weather.kind === "reset before") {
      const [syscall, code] = weather.kind === "unreachable" ? ["connect", "ECONNREFUSED"] : ["write", "EPIPE"];
      throw new TypeError(`fetch failed for ${seen.key}`, {
        cause: Object.assign(new Error(`${syscall} ${code} ${seen.key}`), { code, syscall }),
      });
    }
    // One that is deaf does not even hear the signal.
    if (weather.kind === "deaf") return new Promise(() => undefined);
    await sleep(weather.kind === "hung" ? 1e8 : 1 + random() * latencyMs, signal);
    if (weather.kind === "reset after") {
      carryOut(seen);
      throw new TypeError("terminated", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
    }
    const response =
      weather.kind === "cut" || weather.kind === "stalled" ? breakOff(seen, weather) : meet(seen, weather);
    seen.answeredAtMs = Date.now();
    return response;
  };
  return { requests, fetch };
}
