// A queue of events and a service on virtual time.
import {
  type ClientEvent,
  type ClientOptions,
  type EventQueueOptions,
  LandingPages,
  type LossReason,
  type QueuedEvent,
} from "../src/index.ts";
import { onVirtualTime } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

/** What becomes of an event: a response, none before the call ends, or a network that fails, before or after the request was sent. */
export type Fate =
  { readonly status: number; readonly headers?: Record<string, string> } | "hung" | "refused" | "reset";

/** The service takes the event. */
export const taken: Fate = { status: 204 };

/** What a service does with the event of a page, so many milliseconds after the start. */
export type Service = (pageId: string, atMs: number) => Fate;

interface SentEvent {
  readonly atMs: number;
  readonly pageId: string;
  readonly key: string;
  readonly headers: Headers;
  readonly body: string;
  readonly fate: Fate;
  /** Requests under way, this one included. */
  readonly inFlight: number;
}

/** Makes a queue over a service. */
export function setUpQueue(
  service: Service,
  options: EventQueueOptions = {},
  clientOptions: ClientOptions = {},
  time = createVirtualTime(),
) {
  const startMs = time.now();
  const requests: SentEvent[] = [];
  const losses: [QueuedEvent, LossReason][] = [];
  const events: ClientEvent[] = [];
  let inFlight = 0;
  const client = new LandingPages({
    ...onVirtualTime(time),
    onEvent: (event) => void events.push(event),
    ...clientOptions,
    fetch: async (_url, { headers: given, body = "", signal }) => {
      const headers = new Headers(given);
      const { pageId } = JSON.parse(body) as { pageId: string }; // why: written by the client a moment ago
      const atMs = time.now() - startMs;
      const fate = service(pageId, atMs);
      inFlight += 1;
      requests.push({ atMs, pageId, key: headers.get("Idempotency-Key") ?? "", headers, body, fate, inFlight });
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      if (fate === "hung")
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      if (fate === "refused") throw networkError("connect", "ECONNREFUSED");
      if (fate === "reset") throw networkError("read", "ECONNRESET");
      return new Response(null, fate);
    },
  });
  const queue = client.analytics.queue({
    ...options,
    onLost: (event, reason) => {
      losses.push([event, reason]);
      return options.onLost?.(event, reason);
    },
  });
  const sentOf = (pageId: string) => requests.filter((request) => request.pageId === pageId);
  return {
    time,
    startMs,
    client,
    queue,
    requests,
    losses,
    events,
    /** Pushes so many events and gives their page ids. */
    pushAll: (count: number, from = 0) => {
      const ids = Array.from({ length: count }, (_, index) => `pg_${from + index}`);
      for (const pageId of ids) queue.push({ pageId });
      return ids;
    },
    /** Page ids of the events that the service took, sorted; one that it took twice stands there twice. */
    arrived: () => requests.flatMap(({ pageId, fate }) => (fate === taken ? [pageId] : [])).sort(),
    /** What the attempts at the event of a page met. */
    metBy: (pageId: string) => sentOf(pageId).map(({ fate }) => fate),
    sent: (pageId: string) => sentOf(pageId).length,
    /** Number of different pairs of a page and a key. */
    countKeys: () => new Set(requests.map(({ pageId, key }) => `${pageId} ${key}`)).size,
  };
}

export type QueueBench = ReturnType<typeof setUpQueue>;

/** Whether each event is counted in one place. */
export function isBalanced({ queue }: Pick<QueueBench, "queue">): boolean {
  const { accepted, delivered, failed, dropped, pending } = queue.counts;
  return delivered + failed + dropped + pending === accepted;
}

function networkError(syscall: string, code: string): Error {
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return new TypeError("fetch failed", { cause });
}
