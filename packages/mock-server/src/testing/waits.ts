import * as z from "zod";
import { optional, parseArgument, showLiteral, timerMs } from "../argument.ts";
import { Journal, type RecordedRequest } from "./journal.ts";
import { checkMatch, compileMatch, type MatchableRequest, type Matches, type RequestMatch } from "./match.ts";

/** How long to wait for a request. */
export interface WaitOptions {
  /** Milliseconds to wait, 0 to 2^31 - 1, by a timer. @defaultValue 5 000 */
  timeoutMs?: number;
  /** Ends the wait; it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Checks how to wait. */
const waitOptionsSchema = z.strictObject({
  timeoutMs: optional(timerMs()),
  signal: optional(z.instanceof(AbortSignal, { error: "expected an AbortSignal" })),
}) satisfies z.ZodType<WaitOptions>;

/** Waits for requests. */
export interface WaitForRequest<Match extends RequestMatch = RequestMatch> {
  /**
   * With `times`, that many requests: those that have come and that no wait was given, then those to come.
   *
   * @throws {Error} when fewer come in time, or the account is reset.
   * @throws {TypeError} when the match is none, or no timer can wait that long.
   */
  (match: Match & { times: number }, options?: WaitOptions): Promise<RecordedRequest[]>;
  /**
   * The next request to come that matches. No two waits are given the same one: the wait begun first gets it.
   *
   * @throws {Error} when none comes in time, or the account is reset.
   * @throws {TypeError} when the match is none, or no timer can wait that long.
   */
  (match?: Match & { times?: never }, options?: WaitOptions): Promise<RecordedRequest>;
}

/** Whose requests are waited for. */
export interface WaitScope {
  /** An account, or `undefined` for all. */
  readonly owner: object | undefined;
  /** What has come so far. */
  readonly journals: () => readonly Journal[];
}

/** Makes the function that waits; `read` takes a match apart, and says whose requests count. */
export function createWaitForRequest<Match extends RequestMatch>(
  waits: Waits,
  read: (match: Match) => { scope: WaitScope; match: RequestMatch },
): WaitForRequest<Match> {
  async function waitForRequest(given?: Match, options: WaitOptions = {}): Promise<unknown> {
    const { scope, match } = read(given ?? ({} as Match)); // why: every member of a match may be left out
    const requests = await waits.wait(scope, match, options);
    return match.times === undefined ? requests[0] : requests;
  }
  return waitForRequest as WaitForRequest<Match>; // why: with `times` there are many, without it there is one
}

interface Wait {
  readonly owner: object | undefined;
  readonly matches: Matches;
  /** The match as in a program. */
  readonly shown: string;
  readonly times: number;
  /** Requests it was given so far. */
  readonly got: RecordedRequest[];
  readonly resolve: (requests: RecordedRequest[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** All waits of a service, in the order they were begun. */
export class Waits {
  readonly #waits = new Set<Wait>();
  /** Requests that a wait was given. */
  readonly #given = new WeakSet<RecordedRequest>();

  /** Whether anybody waits for a request of an account. */
  has(owner: object): boolean {
    return Array.from(this.#waits).some((wait) => wait.owner === owner);
  }

  /** Gives a recorded request to the first wait that it matches; `raw` has its whole body. */
  offer(request: RecordedRequest, raw: MatchableRequest, owner: object | undefined): void {
    const isMeant = (wait: Wait): boolean => (wait.owner === undefined || wait.owner === owner) && wait.matches(raw);
    const wait = Array.from(this.#waits).find(isMeant);
    if (wait === undefined) return;
    this.#given.add(request);
    wait.got.push(request);
    if (wait.got.length < wait.times) return;
    this.#waits.delete(wait);
    wait.resolve(wait.got);
  }

  /** Ends the waits for an account, or all. They reject with what has happened, and what they waited for. */
  end(owner: object | undefined, happened: string): void {
    for (const wait of this.#waits)
      if (owner === undefined || wait.owner === owner)
        this.#end(wait, new Error(`${happened} before what waitForRequest(${wait.shown}) waits for came`));
  }

  /** Waits for the next request that matches, or for `times`. */
  async wait({ owner, journals }: WaitScope, match: RequestMatch, options: WaitOptions): Promise<RecordedRequest[]> {
    checkMatch("waitForRequest", match);
    const { timeoutMs = 5_000, signal } = parseArgument("waitForRequest", waitOptionsSchema, options);
    signal?.throwIfAborted();
    const matches = compileMatch(match);
    const { times = 1 } = match;
    const known = match.times === undefined ? [] : Journal.find(journals(), matches);
    const got = known.filter((request) => !this.#given.has(request)).slice(0, times);
    for (const request of got) this.#given.add(request);
    if (got.length === times) return got;

    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest[]>();
    const wait: Wait = { owner, matches, shown: showLiteral(match), times, got, resolve, reject };
    this.#waits.add(wait);
    const missing = times === 1 ? "No matching request came" : `Fewer than ${times} matching requests came`;
    const timer = setTimeout(() => this.#end(wait, new Error(`${missing} within ${timeoutMs} ms`)), timeoutMs);
    const abort = (): void => this.#end(wait, signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** What the wait was given so far is for other waits again. */
  #end(wait: Wait, reason: unknown): void {
    if (!this.#waits.delete(wait)) return;
    for (const request of wait.got) this.#given.delete(request);
    wait.reject(reason);
  }
}
