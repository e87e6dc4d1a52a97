import type { Success } from "./answers.ts";

/** The answer to a create that came with an `Idempotency-Key`. */
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
/** Keys remembered per account; one more forgets the oldest. */
const mostKeys = 10_000;

/** The idempotency keys of one account, in the order they came. */
export class IdempotencyStore {
  readonly #answers = new Map<string, StoredAnswer>();

  get size(): number {
    return this.#answers.size;
  }

  /** What was answered to a key that is still remembered. */
  get(key: string, nowMs: number): StoredAnswer | undefined {
    const stored = this.#answers.get(key);
    if (stored === undefined || nowMs < stored.expiresAtMs) return stored;
    this.#answers.delete(key);
    return undefined;
  }

  remember(key: string, fingerprint: string, answer: Success, nowMs: number): void {
    this.restore(key, { fingerprint, answer, expiresAtMs: nowMs + lifetimeMs });
  }

  restore(key: string, stored: StoredAnswer): void {
    this.#answers.set(key, stored);
    if (this.#answers.size <= mostKeys) return;
    const oldest = this.#answers.keys().next();
    if (oldest.done === false) this.#answers.delete(oldest.value);
  }

  entries(): IterableIterator<[string, StoredAnswer]> {
    return this.#answers.entries();
  }
}
