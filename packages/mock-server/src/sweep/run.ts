// One run of a flow in a service of its own, and what was seen of it.
import type { EndpointName } from "@landing-page-service/contract";
import type { DialectChoice } from "@landing-page-service/contract/dialect";
import { matchRoute } from "../api/operations.ts";
import type { PlainAnswer, PlainRequest } from "../http-types.ts";
import type { AccountHandle, ClientOptions } from "../service/account-handle.ts";
import { createFetch } from "../service/fetch.ts";
import { openTestAccount, type TestAccount } from "../service/fixture.ts";
import { createMockService, type MockService } from "../service/mock-service.ts";
import type { FaultRule } from "../testing/faults.ts";
import type { SweepOptions } from "./sweep.ts";
import { type Activity, runOnVirtualTime, type Settled } from "./time.ts";

const promises = process.getBuiltinModule("node:timers/promises");

/** What a client needs to work in a swept account: on the run's clock, with its randomness. */
export interface SweptClientOptions extends ClientOptions {
  /** Waits in virtual time; rejects with the signal's reason when it fires. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** Numbers from 0 to below 1, the same in every run. */
  readonly random: () => number;
}

/** The empty account of one run. */
export interface SweptAccount extends TestAccount {
  /** What a client needs to work in it, on the clock of the run. */
  readonly clientOptions: SweptClientOptions;
  /** Reports a loss while the flow goes on, so that it is not a silent one. */
  readonly report: (problem: unknown) => void;
}

/** What is swept: an app, or a part of one, that is over when its promise settles. */
export type Flow = (mock: SweptAccount) => unknown;

/** What is done to one run. */
export interface Disturbance {
  /** Faults that are planned before the flow begins. */
  readonly rules: readonly FaultRule[];
  /** The service's dialect, where it is not that of the options. */
  readonly dialect?: DialectChoice | undefined;
}

/** What one run was like. */
export interface Observation {
  readonly exchanges: readonly Exchange[];
  readonly stored: Stored;
  /** Whether the flow said that something went wrong. */
  readonly isTold: boolean;
  /** The outcome of the flow; `undefined` if it hangs. */
  readonly settled: Settled | undefined;
  /** Names of the errors that nobody caught. */
  readonly unhandled: readonly string[];
}

/** Carries out one run. */
export type Runner = (disturbance: Disturbance) => Promise<Observation>;

/** Virtual milliseconds that a response takes, so that calls overlap. */
const latencyMs = 20;

/**
 * Runs the flow once, in a service and on a clock of its own. After `maxRequests` requests none is answered, because a loop of
 * requests that never waits leaves nobody else a turn.
 */
export async function runFlow(
  flow: Flow,
  { mockOptions, seed, maxVirtualMs }: Pick<Required<SweepOptions>, "mockOptions" | "seed" | "maxVirtualMs">,
  { usualSilence, maxRequests }: { readonly usualSilence: number; readonly maxRequests: number },
  { rules, dialect }: Disturbance,
): Promise<Observation & { readonly longestSilence: number }> {
  const random = createRandom(seed);
  const service = createMockService({ latencyMs, ...mockOptions, ...(dialect !== undefined && { dialect }), random });
  const account = openTestAccount(service);
  for (const rule of rules) account.faults.add(rule);
  const { exchanges, activity, handle } = logExchanges(service, { maxRequests });
  const reports: unknown[] = [];
  const inherited = Object.create(account) as AccountHandle; // why: Object.create is untyped
  const mock: SweptAccount = Object.assign(inherited, {
    apiKey: account.apiKey,
    service,
    clientOptions: {
      ...account.clientOptions,
      fetch: createFetch(handle),
      sleep: (delayMs: number, signal?: AbortSignal) => promises.setTimeout(delayMs, undefined, { signal }),
      random: createRandom(seed),
    },
    report: (problem: unknown) => void reports.push(problem),
  });
  const run = { maxMs: maxVirtualMs, usualSilence, activity };
  const { settled, unhandled, longestSilence } = await runOnVirtualTime(() => flow(mock), run);
  return {
    exchanges,
    stored: readStored(account),
    isTold: reports.length > 0 || (settled !== undefined && (settled.isRejected || holdsError(settled.value))),
    settled,
    unhandled: unhandled.map((error) => (error instanceof Error ? error.name : typeof error)),
    longestSilence,
  };
}

/** Whether an error is anywhere in a flow's result, such as among those of `createMany`. */
function holdsError(value: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return false;
  seen.add(value);
  // An error of another realm is no `Error` here.
  if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") return true;
  const elements = value instanceof Map || value instanceof Set ? [...value].flat() : [];
  return [...elements, ...Object.values(value)].some((part) => holdsError(part, seen));
}

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A request of a run and its response. */
export interface Exchange {
  /** Endpoint that the request reached; `undefined` when it reached none. */
  readonly endpoint: EndpointName | undefined;
  /** Method, path and query, and body: the same for a request that is repeated. */
  readonly sent: string;
  readonly idempotencyKey: string | null;
  /** Its place among all requests and responses of the run. */
  readonly order: number;
  readonly startedAtMs: number;
  /** `undefined` until there is a response, and where no status comes through. */
  response?: {
    readonly order: number;
    readonly status: number;
    /** When the wait is over that `Retry-After` asks for, if any. */
    readonly retryAtMs: number;
    /** When the caller has read it, at the latest. */
    readonly readAtMs: number;
  };
}

/** Records the requests that a service handles. A response takes `readWithinMs` to be read. */
export function logExchanges(service: MockService, { readWithinMs = 0, maxRequests = Infinity } = {}) {
  const exchanges: Exchange[] = [];
  const activity: Activity = { count: 0, pending: 0 };
  /** The service's `handle`, recorded. */
  const handle = async (request: PlainRequest): Promise<PlainAnswer> => {
    if (exchanges.length >= maxRequests) return new Promise(() => {});
    const { method, path, query, headers, body } = request;
    const exchange: Exchange = {
      endpoint: matchRoute(method, path).endpoint,
      sent: `${method} ${path}?${query} ${new TextDecoder().decode(body)}`,
      idempotencyKey: headers.get("Idempotency-Key"),
      order: (activity.count += 1),
      startedAtMs: Date.now(),
    };
    exchanges.push(exchange);
    activity.pending += 1;
    const response = await service.handle(request);
    activity.pending -= 1;
    const order = (activity.count += 1);
    const retryAtMs = Date.now() + Number(response.headers["Retry-After"] ?? 0) * 1000;
    if (response.wire === undefined || response.wire === "truncate")
      exchange.response = { order, status: response.status, retryAtMs, readAtMs: Date.now() + readWithinMs };
    return response;
  };
  return { exchanges, activity, handle };
}

/** What is stored, by its description such as `page "tea"`: the content of each copy, sorted. */
export type Stored = ReadonlyMap<string, readonly string[]>;

/** Reads what an account has stored, as far as a flow decides it: without ids, timestamps and domains. */
export function readStored(account: AccountHandle): Stored {
  // Of pages that are deleted by now, the journal knows the slug.
  const created = account.requests({ endpoint: "createPage" }).filter(({ pageId, isBodyCut }) => pageId && !isBodyCut);
  const slugs = new Map(created.map((request) => [request.pageId, (request.json() as { slug?: unknown }).slug])); // why: a page was made of it
  const pages = account.pages.map(({ id, title, content, slug, meta_description, cta }) => {
    slugs.set(id, slug);
    const { type, label, url } = cta;
    return { what: `page ${JSON.stringify(slug)}`, fields: [title, content, meta_description ?? "", type, label, url] };
  });
  const events = account.events.map(({ pageId, type, properties = {} }) => {
    const details = Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = details.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(details))}`;
    return { what: `${type} of page ${JSON.stringify(slugs.get(pageId) ?? pageId)}${shown}`, fields: [] };
  });
  const copies = Map.groupBy([...pages, ...events], ({ what }) => what);
  return new Map([...copies].map(([what, same]) => [what, same.map(({ fields }) => JSON.stringify(fields)).sort()]));
}
