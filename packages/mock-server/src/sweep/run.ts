// Runs a flow once in its own service, and captures its requests and the stored records.
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
import { type Activity, promises, runOnVirtualTime, type Settled } from "./time.ts";

/** Options of a client in a swept account. It uses the clock and the random numbers of the run. */
export interface SweptClientOptions extends ClientOptions {
  /** Waits in virtual time. Rejects with the reason of the signal when it aborts. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** Returns numbers from 0 to below 1, the same in every run. */
  readonly random: () => number;
}

/** The empty account of one run. */
export interface SweptAccount extends TestAccount {
  /** Options of a client that works in this account, on the clock of the run. */
  readonly clientOptions: SweptClientOptions;
  /** Reports a problem while the flow goes on. A reported loss is not silent. */
  readonly report: (problem: unknown) => void;
}

/** The function that is swept: an app or a part of one. It ends when its promise settles. */
export type Flow = (mock: SweptAccount) => unknown;

/** The faults and the dialect of one run. */
export interface RunSetup {
  /** Faults, planned before the flow starts. */
  readonly rules: readonly FaultRule[];
  /** Dialect of the service, if it differs from the options. */
  readonly dialect?: DialectChoice | undefined;
}

/** The result of one run. */
export interface Observation {
  readonly exchanges: readonly Exchange[];
  readonly stored: Stored;
  /** Whether the flow reported that something went wrong. */
  readonly isReported: boolean;
  /** The outcome of the flow; `undefined` if it hangs. */
  readonly settled: Settled | undefined;
  /** Names of uncaught errors. */
  readonly unhandled: readonly string[];
}

/** Makes one run. */
export type Runner = (setup: RunSetup) => Promise<Observation>;

/** Latency of a response in virtual milliseconds, so that calls overlap. */
const latencyMs = 20;

/**
 * Runs the flow once, with its own service and clock. After `maxRequests` requests the service stops responding, because a loop of
 * requests without a wait would block everything else.
 */
export async function runFlow(
  flow: Flow,
  { mockOptions, seed, maxVirtualMs }: Pick<Required<SweepOptions>, "mockOptions" | "seed" | "maxVirtualMs">,
  { usualSilence, maxRequests }: { readonly usualSilence: number; readonly maxRequests: number },
  { rules, dialect }: RunSetup,
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
    isReported: reports.length > 0 || (settled !== undefined && (settled.isRejected || holdsError(settled.value))),
    settled,
    unhandled: unhandled.map((error) => (error instanceof Error ? error.name : typeof error)),
    longestSilence,
  };
}

/** Whether the result of a flow contains an error, such as among the results of `createMany`. */
function holdsError(value: unknown, seen: Set<object> = new Set()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value)) return false;
  seen.add(value);
  // `instanceof` does not recognise an error of another realm.
  if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") return true;
  const elements = value instanceof Map || value instanceof Set ? [...value].flat() : [];
  return [...elements, ...Object.values(value)].some((part) => holdsError(part, seen));
}

/** Generates numbers from 0 to below 1 from a seed (mulberry32). */
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
  /** Method, path, query and body. A repeated request has the same. */
  readonly sent: string;
  readonly idempotencyKey: string | null;
  /** Index among all requests and responses of the run. */
  readonly order: number;
  readonly startedAtMs: number;
  /** `undefined` while there is no response, and if a network error hides the status. */
  response?: {
    readonly order: number;
    readonly status: number;
    /** When the wait that `Retry-After` asks for ends. Without the header: when the response was sent. */
    readonly retryAtMs: number;
    /** Latest time at which the caller has read the response. */
    readonly readAtMs: number;
  };
}

/** Records the requests of a service. Callers read a response within `readWithinMs`. */
export function logExchanges(service: MockService, { readWithinMs = 0, maxRequests = Infinity } = {}) {
  const exchanges: Exchange[] = [];
  const activity: Activity = { count: 0, pending: 0 };
  /** `handle` of the service, which also records the exchange. */
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

/** Stored records by their description, such as `page "tea"`: the content of each copy, sorted. */
export type Stored = ReadonlyMap<string, readonly string[]>;

/** Reads the stored records of an account, without ids, timestamps and domains, which the flow does not decide. */
export function readStored(account: AccountHandle): Stored {
  // The journal knows the slugs of pages that are deleted by now.
  const created = account.requests({ endpoint: "createPage" }).filter(({ pageId, isBodyCut }) => pageId && !isBodyCut);
  const slugs = new Map(created.map((request) => [request.pageId, (request.json() as { slug?: unknown }).slug])); // why: the service created a page from it
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
