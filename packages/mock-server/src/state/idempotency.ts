import type { Success } from "../exchange/outcome.ts";

/** An endpoint whose requests may carry an `Idempotency-Key`: the others may be repeated as they are. */
export type RepeatableEndpoint = "createPage" | "trackEvent";

/** The answer to a request that came with an `Idempotency-Key`. */
export interface StoredAnswer {
  /** Digest of the body that was sent with the key. */
  readonly fingerprint: string;
  /** What was answered. */
  readonly answer: Success;
  /** Moment the key is forgotten, milliseconds since 1970 UTC. */
  readonly expiresAtMs: number;
}

// Gap: see docs/spec-gaps.md#idempotency
const lifetimeMs = 24 * 60 * 60 * 1000;
/** Keys remembered per account and endpoint, and characters of their answers: one more forgets the oldest. */
const mostKeys = 10_000;
const mostCharacters = 16 * 1024 * 1024;

/** Whether a text can be an `Idempotency-Key`: 1 to 255 characters of visible ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

/** The idempotency keys of one endpoint in one account, in the order they came: a storm of events forgets no page's key. */
export class IdempotencyStore {
  readonly #answers = new Map<string, StoredAnswer>();
  #characters = 0;

  get size(): number {
    return this.#answers.size;
  }

  /** What was answered to a key that is still remembered. */
  get(key: string, nowMs: number): StoredAnswer | undefined {
    const stored = this.#answers.get(key);
    if (stored === undefined || nowMs < stored.expiresAtMs) return stored;
    this.#forget(key, stored);
    return undefined;
  }

  remember(key: string, fingerprint: string, answer: Success, nowMs: number): void {
    this.restore(key, { fingerprint, answer, expiresAtMs: nowMs + lifetimeMs });
  }

  restore(key: string, stored: StoredAnswer): void {
    const known = this.#answers.get(key);
    if (known !== undefined) this.#forget(key, known);
    this.#answers.set(key, stored);
    this.#characters += sizeOf(stored);
    for (const [oldKey, oldest] of this.#answers) {
      if (this.#answers.size <= mostKeys && this.#characters <= mostCharacters) break;
      this.#forget(oldKey, oldest);
    }
  }

  entries(): IterableIterator<[string, StoredAnswer]> {
    return this.#answers.entries();
  }

  #forget(key: string, stored: StoredAnswer): void {
    this.#answers.delete(key);
    this.#characters -= sizeOf(stored);
  }
}

function sizeOf({ answer }: StoredAnswer): number {
  return answer.body?.length ?? 0;
}
