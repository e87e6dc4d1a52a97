import type { Success } from "../exchange/outcome.ts";

/** An endpoint whose requests may carry an `Idempotency-Key`. The others can be repeated as they are. */
export type RepeatableEndpoint = "createPage" | "trackEvent";

/** What a request with an `Idempotency-Key` did. */
export interface RememberedResult {
  /** Digest of the body that was sent with the key. */
  readonly fingerprint: string;
  readonly result: Success;
  /** When the key is forgotten, milliseconds since 1970 UTC. */
  readonly expiresAtMs: number;
}

// Gap: see docs/spec-gaps.md#idempotency
const lifetimeMs = 24 * 60 * 60 * 1000;
/** Keys remembered per account and endpoint, and characters of their pages: one more forgets the oldest. */
const mostKeys = 10_000;
const mostCharacters = 16 * 1024 * 1024;

/** Whether a text can be an `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** The idempotency keys of one endpoint in one account, oldest first. Many events push out no key of a page. */
export class IdempotencyStore {
  readonly #results = new Map<string, RememberedResult>();
  #characters = 0;

  /** What a key did that is still remembered. */
  get(key: string, nowMs: number): RememberedResult | undefined {
    const known = this.#results.get(key);
    if (known !== undefined && nowMs >= known.expiresAtMs) this.#forget(key);
    return this.#results.get(key);
  }

  remember(key: string, fingerprint: string, result: Success, nowMs: number): void {
    this.set(key, { fingerprint, result, expiresAtMs: nowMs + lifetimeMs });
  }

  set(key: string, remembered: RememberedResult): void {
    this.#forget(key);
    this.#results.set(key, remembered);
    this.#characters += sizeOf(remembered);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= mostKeys && this.#characters <= mostCharacters) break;
      this.#forget(oldest);
    }
  }

  entries(): IterableIterator<[string, RememberedResult]> {
    return this.#results.entries();
  }

  #forget(key: string): void {
    const known = this.#results.get(key);
    if (known !== undefined) this.#characters -= sizeOf(known);
    this.#results.delete(key);
  }
}

/** The content is the only field that can be long. */
function sizeOf({ result }: RememberedResult): number {
  return result.page?.content.length ?? 0;
}
