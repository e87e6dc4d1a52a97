import * as z from "zod";
import { optional, parseArgument, timerMs } from "../argument.ts";
import type { Account } from "../state/accounts.ts";
import { type Journal, type JournalEntry, type RecordedRequest, type RequestListener, showRequest } from "./journal.ts";
import { compileMatch, readMatch, type RequestMatch } from "./match.ts";
import { describeMatch, describeRequests } from "./received.ts";

/** How long to wait for a request. */
export interface WaitOptions {
  /** Milliseconds to wait, 0 to 2^31 - 1. @defaultValue 5 000 */
  timeoutMs?: number | undefined;
  /** Ends the wait, which rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** Checks the options of a wait. */
const waitOptionsSchema = z.strictObject({
  timeoutMs: optional(timerMs()),
  signal: optional(z.instanceof(AbortSignal, { error: "expected an AbortSignal" })),
}) satisfies z.ZodType<WaitOptions>;

/** Waits for requests. */
export interface WaitForRequest<Match extends RequestMatch = RequestMatch> {
  /**
   * Waits for `times` requests. Requests in the journal count, unless another wait received them.
   *
   * @throws {Error} when too few arrive in time, or the account is reset.
   * @throws {TypeError} when the match is not valid, or no timer can wait that long.
   */
  (match: Match & { times: number }, options?: WaitOptions): Promise<RecordedRequest[]>;
  /**
   * Waits for the next request that matches. If several waits match a request, the first one receives it.
   *
   * @throws {Error} when none arrives in time, or the account is reset.
   * @throws {TypeError} when the match is not valid, or no timer can wait that long.
   */
  (match?: Match & { times?: undefined }, options?: WaitOptions): Promise<RecordedRequest>;
}

/** Makes the function that waits. `read` splits a match into the account, or `undefined` for all, and the rest. */
export function createWaitForRequest<Match extends RequestMatch>(
  waits: Waits,
  read: (match: Match) => { account: Account | undefined; match: RequestMatch },
): WaitForRequest<Match> {
  const wait = async (given?: Match, options: WaitOptions = {}) => {
    const { account, match } = read(given ?? ({} as Match)); // why: every field of a match may be left out
    const requests = await waits.wait(account, match, options);
    return match.times === undefined ? requests[0] : requests;
  };
  return wait as WaitForRequest<Match>; // why: with `times` there are many, without it there is one
}

/** A wait that has not ended. */
export interface Wait {
  readonly account: Account | undefined;
  /** Ends the wait with an error, which lists the requests that came. */
  readonly end: (happened: string) => void;
}

/** All waits of a service. */
export class Waits {
  readonly #journal: Journal;
  /** Requests that a wait received. */
  readonly #taken = new WeakSet<JournalEntry>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Ends the waits for an account, or all. They reject with `happened`, their match, and what came. */
  end(account: Account | undefined, happened: string): void {
    for (const wait of this.#journal.waits.values())
      if (account === undefined || wait.account === account) wait.end(`${happened} before a matching request arrived`);
  }

  /** Waits for the next request that matches, or for `times`. If several waits match a request, the first one receives it. */
  async wait(account: Account | undefined, given: RequestMatch, options: WaitOptions): Promise<RecordedRequest[]> {
    const match = readMatch("waitForRequest", given);
    const { timeoutMs = 5_000, signal } = parseArgument("waitForRequest", waitOptionsSchema, options);
    signal?.throwIfAborted();
    const matches = compileMatch(match);
    const { times = 1 } = match;
    const known = match.times === undefined ? [] : this.#journal.find(matches, account);
    const received = known.filter((entry) => !this.#taken.has(entry)).slice(0, times);
    for (const entry of received) this.#taken.add(entry);

    if (received.length === times) return received.map(showRequest);

    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest[]>();
    const close = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#journal.waits.delete(listener);
    };
    const fail = (reason: unknown): void => {
      close();
      // Other waits may receive them.
      for (const entry of received) this.#taken.delete(entry);
      reject(reason);
    };
    const end = (happened: string): void => {
      const came = describeRequests(this.#journal.list({}, account));
      fail(new Error(`${happened}: waitForRequest(${describeMatch(match)})\n${came}`));
    };
    const listener: RequestListener = (entry, raw) => {
      if (this.#taken.has(entry) || (account ?? entry.account) !== entry.account || !matches(raw)) return;
      this.#taken.add(entry);
      received.push(entry);
      if (received.length < times) return;
      close();
      resolve(received.map(showRequest));
    };
    const missing = times === 1 ? "No matching request arrived" : `Fewer than ${times} matching requests arrived`;
    const timer = setTimeout(() => end(`${missing} within ${timeoutMs} ms`), timeoutMs);
    const abort = (): void => fail(signal?.reason);
    signal?.addEventListener("abort", abort);
    this.#journal.waits.set(listener, { account, end });
    return promise;
  }
}
