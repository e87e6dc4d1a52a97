import type { MockService } from "../service/mock-service.ts";
import type { RecordedRequest, RequestFilter } from "../testing/journal.ts";

/** Requests kept for a caller that reads more slowly than they come; of more, the journal is sent anew. */
const mostPending = 5_000;
/** Idempotency keys that are remembered; of more, those unused for longest are forgotten. */
const mostKeys = 20_000;

/**
 * Streams requests as server-sent events: a `journal` with all that match, again whenever accounts were reset or restored, then
 * `requests` with those that came since. The data of each is a list of short requests, oldest first.
 *
 * @throws {TypeError} when the filter is not valid.
 */
export function liveRequests(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  const ofAccount = filter.key === undefined ? {} : { key: filter.key };
  // A wrong filter throws here, before anything is sent.
  service.requests(filter);
  return watch();

  async function* watch(): AsyncGenerator<string> {
    let pending: RecordedRequest[] = [];
    let attempts = new Attempts([]);
    let isStale = true;
    let news = Promise.withResolvers<void>();
    // An attempt counts whether or not the filter lets the ones before it pass.
    const stopCounting = service.onRequest((request) => attempts.add(request), ofAccount);
    const stopRequests = service.onRequest((request) => {
      pending.push(request);
      news.resolve();
    }, filter);
    const stopResets = service.onReset(() => {
      isStale = true;
      news.resolve();
    });
    const abort = (): void => news.resolve();
    signal?.addEventListener("abort", abort);
    try {
      for (;;) {
        if (signal?.aborted) return;
        news = Promise.withResolvers();
        const isWhole = isStale || pending.length > mostPending;
        if (isWhole) attempts = new Attempts(service.requests(ofAccount));
        const requests = isWhole ? service.requests(filter) : pending;
        isStale = false;
        pending = [];
        if (isWhole || requests.length > 0) yield writeEvent(isWhole ? "journal" : "requests", requests, attempts);
        await news.promise;
      }
    } finally {
      stopCounting();
      stopRequests();
      stopResets();
      signal?.removeEventListener("abort", abort);
    }
  }
}

function writeEvent(name: string, requests: readonly RecordedRequest[], attempts: Attempts): string {
  const short = requests.map((request) => ({ ...shorten(request), attempt: attempts.of(request) }));
  return `event: ${name}\ndata: ${JSON.stringify(short)}\n\n`;
}

/** A request without its headers and bodies, which may be long; the account as `GET /__mock/accounts` names it. */
function shorten(request: RecordedRequest): object {
  const { answer, ...head } = request;
  const { durationMs, wire } = answer;
  const idempotencyKey = request.header("Idempotency-Key") ?? undefined;
  return { ...head, account: request.accountId, durationMs, wire, idempotencyKey };
}

/** Numbers the requests of each account that carry the same idempotency key, from 1. */
export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #numbers = new WeakMap<RecordedRequest, number>();

  /** @param requests - the requests so far, oldest first. */
  constructor(requests: readonly RecordedRequest[]) {
    for (const request of requests) this.add(request);
  }

  add(request: RecordedRequest): void {
    const key = request.header("Idempotency-Key");
    if (key === null) return;
    const name = JSON.stringify([request.accountId, key]);
    const number = (this.#counts.get(name) ?? 0) + 1;
    // Put last again, so that the first is the one unused for longest.
    this.#counts.delete(name);
    this.#counts.set(name, number);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > mostKeys && oldest !== undefined) this.#counts.delete(oldest);
    this.#numbers.set(request, number);
  }

  /** Which attempt a request is; `undefined` when it carries no idempotency key. */
  of(request: RecordedRequest): number | undefined {
    return this.#numbers.get(request);
  }
}
