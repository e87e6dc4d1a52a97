import { ConfigurationError } from "./errors.ts";

/** The key of one call, asked for before every attempt, as it may change in between. */
export class CallKey {
  /** As of the last attempt; it is taken out of texts that others wrote. Empty before the first. */
  latest = "";
  readonly #ask: () => string | Promise<string>;
  readonly #known: RefusedKey | undefined;
  #isFixed = true;
  #refused: string | undefined;

  constructor(ask: () => string | Promise<string>, known: RefusedKey | undefined) {
    this.#ask = ask;
    this.#known = known;
  }

  /**
   * Gives the key to send; `undefined` when other calls of the same work have just been refused with it.
   *
   * @throws {ConfigurationError} when there is none, or it is the one that was refused.
   */
  read(now: () => number): string | undefined | Promise<string | undefined> {
    const key = this.#ask();
    if (typeof key === "string") return this.#keep(key, now);
    this.#isFixed = false;
    return key.then((found) => this.#keep(found, now));
  }

  /** Notes that the service took the key. */
  hearAccepted(): void {
    this.#known?.forget(this.latest);
  }

  /** Notes that the service refused the key; gives whether to ask for another one, which happens once. */
  hearRefused(nowMs: number): boolean {
    this.#known?.note(this.latest, nowMs);
    if (this.#isFixed || this.#refused !== undefined) return false;
    this.#refused = this.latest;
    return true;
  }

  #keep(key: string, now: () => number): string | undefined {
    if (key === this.#refused) throw new ConfigurationError("`apiKey` gave the key again that had been refused.");
    // One that is not sent has no part in what is told: the error is about an answer to the key before.
    if (this.#known?.isRefused(key, now())) return undefined;
    this.latest = key;
    return key;
  }
}

// Long enough to bother nobody, and short enough that a queue does not fill up when only the service's check of keys was out of order.
const tryAgainMs = 60_000;

/**
 * The key that the service refused last, for work of many calls that nobody waits for one by one: with the same key the next one
 * would be refused too, so it is not sent, but for one try a minute.
 */
export class RefusedKey {
  #last: { readonly key: string; readonly atMs: number } | undefined;

  note(key: string, atMs: number): void {
    this.#last = { key, atMs };
  }

  forget(key: string): void {
    if (this.#last?.key === key) this.#last = undefined;
  }

  isRefused(key: string, nowMs: number): boolean {
    if (this.#last?.key !== key) return false;
    const sinceMs = nowMs - this.#last.atMs;
    return sinceMs >= 0 && sinceMs < tryAgainMs;
  }
}
