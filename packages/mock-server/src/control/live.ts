import type { MockService } from "../service/mock-service.ts";
import { RecordedRequest, type RequestFilter } from "../testing/journal.ts";

/** Most requests that wait for a slow caller. With more, the whole journal is sent again. */
const mostPending = 5_000;

/**
 * Streams requests as server-sent events: first a `journal` with all requests that match, then `requests` with new ones. After a
 * reset or a restore, another `journal` follows. The data of each event is a list of short requests, oldest first.
 *
 * @throws {TypeError} when the filter is not valid.
 */
export function liveRequests(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  // A wrong filter throws here, before the response begins.
  service.requests(filter);
  return watch();

  async function* watch(): AsyncGenerator<string> {
    let pending: RecordedRequest[] = [];
    let isStale = true;
    let news = Promise.withResolvers<void>();
    const wake = (): void => news.resolve();
    const stopRequests = service.onRequest((request) => {
      pending.push(request);
      wake();
    }, filter);
    const stopResets = service.onReset(() => {
      isStale = true;
      wake();
    });
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        if (signal?.aborted) return;
        news = Promise.withResolvers();
        const isWhole = isStale || pending.length > mostPending;
        const requests = isWhole ? service.requests(filter) : pending;
        isStale = false;
        pending = [];
        if (isWhole || requests.length > 0) yield writeEvent(isWhole ? "journal" : "requests", requests);
        await news.promise;
      }
    } finally {
      stopRequests();
      stopResets();
      signal?.removeEventListener("abort", wake);
    }
  }
}

function writeEvent(name: string, requests: readonly RecordedRequest[]): string {
  return `event: ${name}\ndata: ${JSON.stringify(requests.map(shorten))}\n\n`;
}

/** A request without its headers and bodies, which may be long. The account is named as in `GET /__mock/accounts`. */
function shorten(request: RecordedRequest): object {
  const { headers: _headers, body: _body, isBodyCut: _isBodyCut, answer, ...about } = request;
  return {
    ...about,
    account: request.accountId,
    durationMs: answer.durationMs,
    wire: answer.wire,
    idempotencyKey: request.header("Idempotency-Key") ?? undefined,
    attempt: RecordedRequest.attemptOf(request),
  };
}
