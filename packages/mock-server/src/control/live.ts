import type { MockService } from "../service/mock-service.ts";
import type { RecordedRequest, RequestFilter } from "../testing/journal.ts";

/** Events kept for a caller that reads more slowly than they come; of more, the journal is sent anew. */
const mostPending = 5_000;

/**
 * Streams requests as server-sent events: a `journal` with all that match, again whenever accounts were reset or restored, then
 * `requests` with those that came since. The data of each is a list of requests in short, oldest first.
 *
 * @throws {TypeError} when the filter is none.
 */
export function liveRequests(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  // A wrong filter throws here, before anything is sent.
  service.requests(filter);
  return watch(service, filter, signal);
}

async function* watch(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const { key } = filter;
  const ofAccount = key === undefined ? {} : { key };
  let pending: RecordedRequest[] = [];
  // An attempt counts whether or not the filter lets the ones before it pass.
  let attempts = new Attempts([]);
  let wasReset = true;
  let wake = Promise.withResolvers<void>();
  const stir = (): void => wake.resolve();
  const stopCounting = service.onRequest((request) => attempts.note(request), ofAccount);
  const stop = service.onRequest((request) => {
    pending.push(request);
    stir();
  }, filter);
  const stopResets = service.onReset(() => {
    wasReset = true;
    stir();
  });
  signal?.addEventListener("abort", stir);
  try {
    for (;;) {
      if (signal?.aborted) return;
      if (wasReset || pending.length > mostPending) {
        if (wasReset) attempts = new Attempts(service.requests(ofAccount));
        wasReset = false;
        pending = [];
        yield writeEvent("journal", service.requests(filter), attempts);
      } else if (pending.length > 0) {
        const requests = pending;
        pending = [];
        yield writeEvent("requests", requests, attempts);
      } else {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
  } finally {
    stopResets();
    signal?.removeEventListener("abort", stir);
    stop();
    stopCounting();
  }
}

function writeEvent(name: string, requests: readonly RecordedRequest[], attempts: Attempts): string {
  const short = requests.map((request) => ({ ...shorten(request), attempt: attempts.of(request) }));
  return `event: ${name}\ndata: ${JSON.stringify(short)}\n\n`;
}

/** A request without its headers and bodies, which may be long; the account as `GET /__mock/accounts` names it. */
function shorten(request: RecordedRequest): object {
  const { id, accountId: account, endpoint, method, path, query, pageId, status, startedAtMs, fault, answer } = request;
  const { durationMs, wire } = answer;
  const idempotencyKey = request.header("Idempotency-Key") ?? undefined;
  const head = { id, account, endpoint, method, path, query, pageId, status, startedAtMs };
  return { ...head, durationMs, fault, wire, idempotencyKey };
}

/** Idempotency keys that are remembered; of more, those unused for longest are forgotten. */
const mostKeys = 20_000;

/** Counts attempts: the requests of one account that carry the same idempotency key, the first being 1. */
export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #numbers = new WeakMap<RecordedRequest, number>();

  /** @param requests - the requests so far, oldest first. */
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

  /** The number of the attempt that a request is; `undefined` when it carries no idempotency key. */
  of(request: RecordedRequest): number | undefined {
    return this.#numbers.get(request);
  }
}
