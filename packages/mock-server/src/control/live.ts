import type { MockService } from "../service/mock-service.ts";
import type { RecordedRequest, RequestFilter } from "../testing/journal.ts";
import { Attempts } from "./attempts.ts";

/** Events kept for a caller that reads more slowly than they come; of more, the journal is sent anew. */
const mostPending = 5_000;

/**
 * Tells of requests as server-sent events: a `journal` with all that match, again whenever accounts were reset or restored, then
 * `requests` with those that came since. The data of each is a list of requests in short, oldest first.
 *
 * @throws {TypeError} when the filter is none.
 */
export function liveRequests(
  service: MockService,
  filter: RequestFilter,
  signal: AbortSignal | undefined,
): AsyncIterable<string> {
  // A filter that is none is refused before anything is sent.
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

/** What a line about a request says: not its headers and bodies, which may be long; the account as `GET /__mock/accounts` names it. */
function shorten(request: RecordedRequest): object {
  const { id, accountId: account, endpoint, method, path, query, pageId, status, startedAtMs, fault, answer } = request;
  const { durationMs, wire } = answer;
  const idempotencyKey = request.header("Idempotency-Key") ?? undefined;
  return {
    id,
    account,
    endpoint,
    method,
    path,
    query,
    pageId,
    status,
    startedAtMs,
    durationMs,
    fault,
    wire,
    idempotencyKey,
  };
}
