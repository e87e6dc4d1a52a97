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
   * With `times`, that many requests: those that have come and that no other wait received, then those to come.
   *
   * @throws {Error} when fewer come in time, or the account is reset.
   * @throws {TypeError} when the match is not valid, or no timer can wait that long.
   */
  (match: Match & { times: number }, options?: WaitOptions): Promise<RecordedRequest[]>;
  /**
   * The next request to come that matches. Each request goes to one wait, the one that began first.
   *
   * @throws {Error} when none comes in time, or the account is reset.
   * @throws {TypeError} when the match is not valid, or no timer can wait that long.
   */
  (match?: Match & { times?: never }, options?: WaitOptions): Promise<RecordedRequest>;
}

/** Whose requests are waited for: an account's, or with `undefined` those of all. */
interface WaitScope {
  readonly owner: object | undefined;
  readonly journals: () => readonly Journal[];
}

/** Makes the function that waits; `read` splits a match into the requests that count and whose they are. */
export function createWaitForRequest<Match extends RequestMatch>(
  waits: Waits,
  read: (match: Match) => { scope: WaitScope; match: RequestMatch },
): WaitForRequest<Match> {
  return (async (given?: Match, options: WaitOptions = {}) => {
    const { scope, match } = read(given ?? ({} as Match)); // why: every field of a match may be left out
    const requests = await waits.wait(scope, match, options);
    return match.times === undefined ? requests[0] : requests;
  }) as WaitForRequest<Match>; // why: with `times` there are many, without it there is one
}

interface Wait extends Pick<PromiseWithResolvers<RecordedRequest[]>, "resolve" | "reject"> {
  readonly owner: object | undefined;
  readonly matches: Matches;
  readonly times: number;
  /** The match as in a program. */
  readonly shown: string;
  /** Requests it received so far. */
  readonly received: RecordedRequest[];
}

/** All waits of a service, in the order they began. */
export class Waits {
  readonly #waits = new Set<Wait>();
  /** Requests that a wait received. */
  readonly #taken = new WeakSet<RecordedRequest>();

  /** Whether anybody waits for a request of an account. */
  has(owner: object): boolean {
    return Array.from(this.#waits).some((wait) => wait.owner === owner);
  }

  /** Gives a recorded request to the first wait that it matches; `raw` has its whole body. */
  offer(request: RecordedRequest, raw: MatchableRequest, owner: object | undefined): void {
    const wait = Array.from(this.#waits).find((each) => (each.owner ?? owner) === owner && each.matches(raw));
    if (wait === undefined) return;
    this.#taken.add(request);
    wait.received.push(request);
    if (wait.received.length < wait.times) return;
    this.#waits.delete(wait);
    wait.resolve(wait.received);
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
    const received = known.filter((request) => !this.#taken.has(request)).slice(0, times);
    for (const request of received) this.#taken.add(request);
    if (received.length === times) return received;

    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest[]>();
    const wait: Wait = { owner, matches, times, shown: showLiteral(match), received, resolve, reject };
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

  /** The requests that the wait received are free for other waits again. */
  #end(wait: Wait, reason: unknown): void {
    if (!this.#waits.delete(wait)) return;
    for (const request of wait.received) this.#taken.delete(request);
    wait.reject(reason);
  }
}
