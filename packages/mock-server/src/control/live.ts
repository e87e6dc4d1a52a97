import type { MockService } from "../service/mock-service.ts";
import { RecordedRequest, type RequestFilter } from "../testing/journal.ts";

/**
 * Streams requests as server-sent events: a `journal` with all that match, again whenever accounts were reset or restored or the journal
 * forgot what was sent last, then `requests` with those that came since. The data of each is a list of short requests, oldest first.
 *
 * @throws {TypeError} when the filter is not valid.
 */
export function liveRequests(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  const { key } = filter;
  // A wrong filter throws here, before anything is sent.
  service.requests(filter);
  return watch();

  async function* watch(): AsyncGenerator<string> {
    let last: RecordedRequest | undefined;
    let isStale = true;
    let news = Promise.withResolvers<void>();
    const tell = (): void => news.resolve();
    const stopRequests = service.onRequest(tell, filter);
    const stopResets = service.onReset(() => {
      isStale = true;
      tell();
    });
    signal?.addEventListener("abort", tell);
    try {
      for (;;) {
        if (signal?.aborted) return;
        news = Promise.withResolvers();
        const requests = service.requests(filter);
        const known = last === undefined ? 0 : requests.lastIndexOf(last) + 1;
        const isWhole = isStale || (last !== undefined && known === 0);
        isStale = false;
        last = requests.at(-1);
        // An attempt counts whether or not the filter lets the ones before it pass.
        const all = service.requests(key === undefined ? {} : { key });
        if (isWhole) yield writeEvent("journal", requests, numberAttempts(all));
        else if (known < requests.length) yield writeEvent("requests", requests.slice(known), numberAttempts(all));
        await news.promise;
      }
    } finally {
      stopRequests();
      stopResets();
      signal?.removeEventListener("abort", tell);
    }
  }
}

function writeEvent(name: string, requests: readonly RecordedRequest[], attempts: Attempts): string {
  const short = requests.map((request) => ({ ...shorten(request), attempt: attempts.get(request) }));
  return `event: ${name}\ndata: ${JSON.stringify(short)}\n\n`;
}

/** A request without its headers and bodies, which may be long; the account as `GET /__mock/accounts` names it. */
function shorten(request: RecordedRequest): object {
  const { answer, ...head } = request;
  const { durationMs, wire } = answer;
  const idempotencyKey = request.header("Idempotency-Key") ?? undefined;
  return { ...head, account: request.accountId, durationMs, wire, idempotencyKey };
}

/** Which attempt a request is, from 1. */
type Attempts = ReadonlyMap<RecordedRequest, number>;

/** Numbers the requests of each account that carry the same idempotency key. */
export function numberAttempts(requests: readonly RecordedRequest[]): Attempts {
  const counts = new Map<string, number>();
  const attempts = new Map<RecordedRequest, number>();
  for (const request of requests) {
    const key = RecordedRequest.rawOf(request).header("Idempotency-Key");
    if (key === null) continue;
    const name = JSON.stringify([request.accountId, key]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    attempts.set(request, counts.get(name) ?? 1);
  }
  return attempts;
}
