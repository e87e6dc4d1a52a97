import type { RecordedRequest } from "../testing/journal.ts";

/** Idempotency keys that are remembered; of more, those unused for longest are forgotten. */
const mostKeys = 20_000;

/** Counts attempts: the requests of one account that carry the same idempotency key, the first being 1. */
export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #numbers = new WeakMap<RecordedRequest, number>();

  /** @param requests - what came so far, oldest first. */
  constructor(requests: readonly RecordedRequest[]) {
    for (const request of requests) this.note(request);
  }

  /** Counts the next request. */
  note(request: RecordedRequest): void {
    const key = request.header("Idempotency-Key");
    if (key === null) return;
    const name = JSON.stringify([request.accountId, key]);
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#numbers.set(request, number);
    // Put last again, so that the first is the one unused for longest.
    this.#counts.delete(name);
    this.#counts.set(name, number);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > mostKeys && oldest !== undefined) this.#counts.delete(oldest);
  }

  /** The how-manieth attempt a request is; `undefined` when it carries no idempotency key. */
  of(request: RecordedRequest): number | undefined {
    return this.#numbers.get(request);
  }
}
