import * as z from "zod";
import type { Dialect, DialectChoice } from "@landing-page-service/contract/dialect";
import { aFunction, ArgumentError, gotInstead, integer, optional, timerMs } from "../argument.ts";
import type { AssignablePage, Assignment, Domain, DomainNetwork } from "../domains/network.ts";
import type { PlainAnswer, PlainRequest } from "../http-types.ts";
import { type AccountOptions, accountOptionsSchema } from "../state/accounts.ts";
import { type Plan, planSchema, type RateState } from "../state/limiter.ts";
import type { LoadCounts, StateRecord } from "../state/records.ts";
import type { Faults } from "../testing/faults.ts";
import type { RecordedRequest, RequestFilter } from "../testing/journal.ts";
import type { WaitForRequest } from "../testing/waits.ts";
import type { AccountHandle } from "./account-handle.ts";
import type { Clock } from "./context.ts";
import type { Fetch } from "./fetch.ts";
import type { LineSource } from "./state-transfer.ts";

/** The whole service in memory. */
export interface MockService {
  /** Where the service seems to live; for clients that want a base URL. `fetch` serves every origin alike. */
  readonly baseUrl: string;
  /** The service as a web-standard `fetch`; planned `wire` faults look as the platform's `fetch` shows them. */
  readonly fetch: Fetch;
  /** The clock that those of all accounts follow. */
  readonly clock: Clock;
  /** The domains that pages are assigned to. */
  readonly domains: DomainNetwork;
  /**
   * Puts another catalogue in force, until the service is reset. Pages that are there stay where they are, until an update
   * finds that they may not.
   *
   * @throws {TypeError} when it is none; the one before stays in force.
   */
  setDomains(domains: readonly Domain[]): void;
  /** The dialect of the responses. */
  readonly dialect: Dialect;
  /**
   * Uses another dialect from the next response on, until the service is reset.
   *
   * @throws {TypeError} when the dialect is none, or has identifiers of another type; the one before stays in force.
   */
  setDialect(choice: DialectChoice): void;
  /** Planned faults. Those added here fire for requests of every account. Those of single accounts are listed too. */
  readonly faults: Faults;
  /**
   * Answers a request in plain values. Without a delay, its work is done when the function returns. The promise rejects with the
   * signal's reason when the caller goes away.
   */
  handle(request: PlainRequest): Promise<PlainAnswer>;
  /** The response of an adapter that has no request to handle, as when headers are too large. It counts in no rate limit. */
  refuse(status: number, detail: string): PlainAnswer;
  /** The account that a key opens, or that has it for its id. @throws {TypeError} when there is none. */
  account(key: string): AccountHandle;
  /** The accounts that exist now, in the order they were opened. */
  listAccounts(): AccountSummary[];
  /**
   * The assignment of a page, with its explanation, as it was decided then, whatever changed since; `undefined` for an unknown page, and
   * for one that came with its domains but without the reasons.
   *
   * @param key - looks only in the account that this key opens.
   */
  assignment(pageId: string, key?: string): Assignment | undefined;
  /**
   * The assignment that a page would get, without storing it.
   *
   * @param key - the account whose pages fill the domains that have a capacity, and whose `domains.assign` counts. @defaultValue an empty account
   */
  evaluate(page: AssignablePage, key?: string): Assignment;
  /** Requests that match, oldest first: of the last 1 000 of each account, and of callers without one. */
  requests(filter?: RequestFilter): RecordedRequest[];
  /** Requests that later ones pushed out of the journal. */
  readonly forgottenRequests: number;
  /** Requests that no endpoint or no account matches: the first 20 of each account, and of callers without one. */
  readonly unhandledRequests: readonly RecordedRequest[];
  /**
   * Calls a function with every request to come that matches, once the response is ready and before it is sent; waits receive them all the
   * same. What the function throws fails the request.
   *
   * @returns a function that ends it.
   * @throws {TypeError} when the filter is none.
   */
  onRequest(hear: (request: RecordedRequest) => void, filter?: RequestFilter): () => void;
  /** Calls a function whenever an account is reset or restored. @returns a function that ends it. */
  onReset(hear: () => void): () => void;
  /** Waits for a request, of whatever account or of the one whose `key` is given. */
  readonly waitForRequest: WaitForRequest<RequestFilter>;
  /**
   * Makes all accounts as they were at the start, after the last import or with the seed, ids included, and in fresh rate
   * windows, with the clocks as they began, and the first dialect and domains; faults and journal are emptied. Requests under way get a 503 and
   * write nothing; waits end with an error.
   */
  reset(): void;
  /** What all accounts hold, the plans they were put on and how clocks were moved, as plain data. For very many pages use {@link exportLines}. */
  snapshot(): StateRecord[];
  /**
   * Puts back what a snapshot holds, clocks included, each account in a fresh rate window; accounts it does not name are empty then.
   * Requests under way get a 503.
   *
   * @throws {TypeError} when a record is none, or names an account that does not exist; everything is then as it was.
   */
  restore(records: readonly StateRecord[]): LoadCounts;
  /** The records of {@link snapshot} as newline-delimited JSON, all of one point in time, in pieces of whole lines that can be written one by one. */
  exportLines(): Iterable<string>;
  /**
   * Puts back what an export holds, as {@link restore} does, reading it piece by piece. This is then what a reset goes back to.
   *
   * @throws {TypeError} that names the wrong line; everything is then as it was.
   */
  importLines(source: LineSource): Promise<LoadCounts>;
}

/** What an account holds, in numbers. */
export interface AccountSummary {
  /** Its id; a sandbox's is its key. */
  readonly account: string;
  /** Pages it holds. */
  readonly pages: number;
  /** Events that are kept of it. */
  readonly events: number;
  /** Where it stands in its rate window. */
  readonly rateLimit: RateState;
}

/** How a mock service is set up. */
export interface MockServiceOptions {
  /** Accounts with keys of their own. Any key that begins with `test_` opens an empty sandbox beside them. @defaultValue none */
  accounts?: readonly AccountOptions[];
  /** Plan of every account that names none, and of callers without an account. @defaultValue `"unlimited"` */
  plan?: Plan;
  /** The domains that pages are assigned to. @defaultValue the catalogue that ships */
  domains?: readonly Domain[];
  /**
   * Sandboxes that are kept at a time, an integer of 1 or more. One more evicts the one that was not used for longest, with all
   * it holds: its key then opens an empty account. Never evicted, and not counted, are those that a seed, an import or a
   * restore of the service names; nor is one evicted whose request waits for its response, or whose request somebody waits for.
   * An `AccountHandle` of an evicted sandbox then shows the new one.
   *
   * @defaultValue 5 000
   */
  maxSandboxes?: number;
  /** Told of each sandbox that is evicted, as it was then. What it throws fails the request that made room. @defaultValue nobody */
  onSandboxEvicted?: (summary: AccountSummary) => void;
  /** What accounts begin with, and are again after a reset. @defaultValue nothing */
  seed?: readonly StateRecord[];
  /** The dialect, which settles what the spec leaves open: the name of a preset, or what differs: switches and templates. Gap: see docs/spec-gaps.md @defaultValue `"reference"` */
  dialect?: DialectChoice;
  /** How long every response is delayed, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  latencyMs?: number;
  /** The current time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  now?: () => number;
  /**
   * Randomness for identifiers and faults: numbers from 0 to below 1. The service of each test draws the same numbers, so identifiers
   * are the same in any order of tests. @defaultValue `Math.random`
   */
  random?: () => number;
  /** Waits for delays; once the signal fires it is not waited for. @defaultValue a timer */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Checks the options of a service. */
export const serviceOptionsSchema = z.strictObject({
  accounts: optional(z.array(accountOptionsSchema)),
  plan: optional(planSchema),
  // What a catalogue, a dialect and the records of a seed hold is checked where they are read.
  domains: optional(z.custom<readonly Domain[]>()),
  maxSandboxes: optional(integer(1)),
  onSandboxEvicted: optional(aFunction<(summary: AccountSummary) => void>()),
  seed: optional(
    z.custom<readonly StateRecord[]>((seed) => Array.isArray(seed), { error: "expected an array of records" }),
  ),
  dialect: optional(z.custom<DialectChoice>()),
  latencyMs: optional(timerMs()),
  now: optional(aFunction<() => number>()),
  random: optional(aFunction<() => number>()),
  sleep: optional(aFunction<(delayMs: number, signal: AbortSignal) => Promise<void>>()),
}) satisfies z.ZodType<MockServiceOptions>;

/** Checks the fields of a page that an assignment reads. */
export const assignablePageSchema = z.object({
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: optional(z.string().nullable()),
  cta: z.object({ type: z.string(), label: z.string(), url: z.string() }),
  locale: optional(z.string()),
});

/** Checks the id of a page. */
export const pageIdSchema = z.string({ error: "expected a page's id" });

/** Checks that an adapter is given a service. @throws {TypeError} when it is none. */
export function checkService(where: string, service: { readonly handle: unknown }): void {
  if (typeof Object(service).handle !== "function")
    throw new ArgumentError(`${where}: expected a service, as createMockService() makes it${gotInstead(service)}`);
}
