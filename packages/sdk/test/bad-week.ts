// A service that has a bad week, on time that a test moves: weathers follow each other, and every request meets the one of its moment.
import type { ClientOptions } from "../src/index.ts";
import { idleSpellings, type Spelling, spellLimit, spellWait } from "./bad-week-headers.ts";
import { createRandom, sleep } from "./bad-week-time.ts";

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
      readonly spelling: Spelling;
      /** Whether a page for people comes with it, as from a proxy during maintenance. */
      readonly isHtml: boolean;
    }
  | { readonly kind: "unreachable" | "reset before" | "reset after"; readonly network: NetworkFailure }
  /** `deaf` and `late` do not hear the signal; `late` carries the request out in the end. `portal` and `agreeable` are proxies. */
  | { readonly kind: "hung" | "deaf" | "late" | "portal" | "agreeable" | "empty" | "locked" | "echo" | "trickle" }
  | {
      /** `ended` ends as if it were whole, as where nobody tells how long a body is. */
      readonly kind: "cut" | "ended" | "stalled";
      readonly status: number;
      readonly within: "nothing" | "body" | "key";
      /** Why the body breaks: the connection, a wrong length, or an encoding that is not what it says. */
      readonly code?: string | undefined;
    };

/** What the network says of a request that got no answer. */
interface NetworkFailure {
  readonly code: string;
  readonly syscall?: string | undefined;
}

export interface Phase {
  readonly forMs: number;
  /** What there is of weathers: each request meets one of them. */
  readonly weathers: readonly Weather[];
  /** Longest time an answer takes, in milliseconds. */
  readonly latencyMs: number;
  /** Whether it begins with a restart of the service: what is left of its rate limit is forgotten. */
  readonly isRestart: boolean;
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

/** A service with weather; `accepts` says which keys are good by now. */
export function createBadWeek(options: {
  readonly phases: readonly Phase[];
  readonly seed: number;
  readonly skewMs: number;
  /** Whether answers carry the service's `Date`. */
  readonly hasDate: boolean;
  readonly accepts: (key: string) => boolean;
}) {
  const requests: Seen[] = [];
  const random = createRandom(options.seed);
  const startMs = Date.now();
  const pages = new Map<string, string>();
  let windowEndsMs = 0;
  let used = 0;
  let last: Phase | undefined;

  const phaseNow = (): Phase => {
    let endMs = startMs;
    const now = options.phases.find((phase) => Date.now() < (endMs += phase.forMs)) ?? fineForEver;
    if (now !== last && now.isRestart) windowEndsMs = 0;
    return (last = now);
  };
  const serviceNow = () => Date.now() + options.skewMs;

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
    const date = options.hasDate ? { Date: new Date(serviceNow()).toUTCString() } : undefined;
    const text = value === undefined ? null : JSON.stringify(value);
    return new Response(status === 204 ? null : text, {
      status,
      headers: { ...date, "X-Echo": `Bearer ${seen.key}`, ...headers },
    });
  };
  const refuse = (seen: Seen, status: number, waitMs: number, spelling: Spelling): Response => {
    const asked = spellWait(waitMs, serviceNow(), spelling);
    if (!idleSpellings.includes(spelling)) seen.notBeforeMs = Date.now() + waitMs;
    return answer(seen, status, { message: `slow down, ${seen.key}` }, asked);
  };

  const meet = (seen: Seen, weather: Weather, signal: AbortSignal): Response => {
    if (weather.kind === "locked" || !options.accepts(seen.key))
      return answer(seen, 401, { error: { message: `Bearer ${seen.key} is not known`, [seen.key]: [seen.key] } });
    if (weather.kind === "refusing") return refuse(seen, 429, weather.waitMs, weather.spelling);
    if (weather.kind === "limited") {
      if (Date.now() >= windowEndsMs) [windowEndsMs, used] = [Date.now() + weather.windowMs, 0];
      used += 1;
      if (used > weather.limit) return refuse(seen, 429, windowEndsMs - Date.now(), weather.spelling);
      const { status, value } = carryOut(seen);
      const { limit, spelling } = weather;
      const left = { limit, remaining: limit - used, resetMs: windowEndsMs - Date.now() };
      return answer(seen, status, value, spellLimit(left, serviceNow(), spelling));
    }
    if (weather.kind === "status") {
      if (weather.isApplied) carryOut(seen);
      const { waitMs, spelling, status, isHtml } = weather;
      const told = waitMs === undefined ? undefined : refuse(seen, status, waitMs, spelling);
      if (!isHtml) return told ?? answer(seen, status, { detail: `failed for ${seen.key}` });
      seen.status = status;
      const headers = { ...Object.fromEntries(told?.headers ?? []), "Content-Type": "text/html" };
      return new Response(`<!doctype html><title>Back soon</title>${seen.key}`, { status, headers });
    }
    if (weather.kind === "portal")
      return new Response(`<!doctype html><title>Sign in</title><a href="?k=${seen.key}">`, { status: 200 });
    if (weather.kind === "agreeable") return answer(seen, 200, { status: "ok" });
    // Of a list, that says that there are no pages.
    if (weather.kind === "empty" && seen.method !== "GET")
      return answer(seen, carryOut(seen).status === 202 ? 202 : 204, undefined);
    if (weather.kind === "echo") {
      const { status, value } = carryOut(seen);
      return answer(seen, status === 204 ? 200 : status, { [seen.key]: value, [`x ${btoa(seen.key)}`]: seen.key });
    }
    const { status, value } = carryOut(seen);
    if (weather.kind === "trickle") return trickle(answer(seen, status, value), signal);
    const unlimited = { "X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0" };
    return answer(seen, status, value, weather.kind === "unlimited" ? unlimited : {});
  };

  /** An answer whose body goes no further than some place in it. */
  const breakOff = (seen: Seen, weather: Weather & { kind: "cut" | "ended" | "stalled" }): Response => {
    const { value } = weather.status < 400 ? carryOut(seen) : { value: { message: "no" } };
    const half = JSON.stringify(value ?? {}).slice(0, -1);
    const text = { nothing: "", body: half, key: `not yours: ${seen.key.slice(0, 30)}` }[weather.within];
    seen.status = weather.status;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        if (weather.kind === "ended") controller.close();
        if (weather.kind === "cut") setTimeout(() => controller.error(breaking("terminated", weather.code)), 5);
      },
    });
    return new Response(body, { status: weather.status });
  };

  const fetch: NonNullable<ClientOptions["fetch"]> = async (url, { method, headers, body = "", signal }) => {
    const { pathname, search } = new URL(url);
    const { weathers, latencyMs } = phaseNow();
    const weather: Weather = weathers[Math.floor(random() * weathers.length)] ?? { kind: "fine" };
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
    if (weather.kind === "unreachable" || weather.kind === "reset before")
      throw breaking(`fetch failed for ${seen.key}`, weather.network.code, weather.network.syscall);
    // One that is deaf does not even hear the signal.
    if (weather.kind === "deaf") return new Promise(() => undefined);
    if (weather.kind === "late") await sleep(25_000, undefined);
    else await sleep(weather.kind === "hung" ? 1e8 : 1 + random() * latencyMs, signal);
    if (weather.kind === "reset after") {
      carryOut(seen);
      throw breaking("fetch failed", weather.network.code, weather.network.syscall);
    }
    const isBroken = weather.kind === "cut" || weather.kind === "ended" || weather.kind === "stalled";
    const response = isBroken ? breakOff(seen, weather) : meet(seen, weather, signal);
    seen.answeredAtMs = Date.now();
    return response;
  };
  return { requests, fetch };
}

const fineForEver: Phase = { forMs: Infinity, weathers: [{ kind: "fine" }], latencyMs: 20, isRestart: false };

/** An error as the platform's `fetch` gives one: what the network said is its cause. */
function breaking(message: string, code = "UND_ERR_SOCKET", syscall?: string): TypeError {
  const said = Object.assign(
    new Error(`${syscall ?? "read"} ${code}`),
    syscall === undefined ? { code } : { code, syscall },
  );
  return new TypeError(message, { cause: said });
}

/** The same answer, its body a few bytes at a time. */
function trickle(response: Response, signal: AbortSignal): Response {
  const { status, headers, body } = response;
  const reader = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        const size = Math.max(1, Math.ceil(chunk.length / 5));
        for (let from = 0; from < chunk.length; from += size) {
          await sleep(400, signal);
          controller.enqueue(chunk.subarray(from, from + size));
        }
      },
    }),
  );
  return new Response(status === 204 ? null : reader, { status, headers });
}
