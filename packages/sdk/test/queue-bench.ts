// A queue of events and a service on virtual time.
import { onTestFinished } from "vitest";
import {
  type ClientEvent,
  type ClientOptions,
  type EventQueueOptions,
  LandingPages,
  type LossReason,
  type QueuedEvent,
} from "../src/index.ts";
import { connectionRefused, connectionReset, onVirtualTime } from "./setup.ts";
import { createVirtualTime } from "./virtual-time.ts";

/** The outcome of an attempt: a response, none before the call ends (`hung`), or a network error before (`refused`) or after (`reset`) the request was sent. */
export type Outcome =
  { readonly status: number; readonly headers?: Record<string, string> } | "hung" | "refused" | "reset";

/** The service accepts the event. */
export const taken: Outcome = { status: 204 };

/** Decides the outcome of an event by its page and the time since the start, in milliseconds. */
export type Service = (pageId: string, atMs: number) => Outcome;

interface SentEvent {
  readonly atMs: number;
  readonly pageId: string;
  readonly key: string;
  readonly headers: Headers;
  readonly body: string;
  readonly outcome: Outcome;
  /** Requests under way, this one included. */
  readonly inFlight: number;
}

/** Makes a queue over a service. */
export function setUpQueue(service: Service, options: EventQueueOptions = {}, clientOptions: ClientOptions = {}) {
  const time = createVirtualTime();
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
      const { pageId } = JSON.parse(body) as { pageId: string }; // why: the client wrote it
      const atMs = time.now() - startMs;
      const outcome = service(pageId, atMs);
      inFlight += 1;
      requests.push({ atMs, pageId, key: headers.get("Idempotency-Key") ?? "", headers, body, outcome, inFlight });
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      if (outcome === "hung")
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      if (outcome === "refused") throw connectionRefused;
      if (outcome === "reset") throw connectionReset;
      return new Response(null, outcome);
    },
  });
  const queue = client.analytics.queue({
    ...options,
    onLost: (event, reason) => {
      losses.push([event, reason]);
      return options.onLost?.(event, reason);
    },
  });
  onTestFinished(() => void queue.drain()); // pending events would keep a timer
  const sentOf = (pageId: string) => requests.filter((request) => request.pageId === pageId);
  return {
    time,
    startMs,
    client,
    queue,
    requests,
    losses,
    events,
    /** Pushes a number of events and returns their page ids. */
    pushAll: (count: number, from = 0) => {
      const ids = Array.from({ length: count }, (_, index) => `pg_${from + index}`);
      for (const pageId of ids) queue.push({ pageId });
      return ids;
    },
    /** Page ids of the events that the service accepted, sorted. An event that it accepted twice is listed twice. */
    arrived: () => requests.flatMap(({ pageId, outcome }) => (outcome === taken ? [pageId] : [])).sort(),
    /** The outcomes of all attempts to send the event of a page. */
    metBy: (pageId: string) => sentOf(pageId).map(({ outcome }) => outcome),
    sent: (pageId: string) => sentOf(pageId).length,
    /** The number of different pairs of page and key. */
    countKeys: () => new Set(requests.map(({ pageId, key }) => `${pageId} ${key}`)).size,
  };
}

export type QueueBench = ReturnType<typeof setUpQueue>;

/** Whether the counts add up: each event is counted in one place. */
export function isBalanced({ queue }: Pick<QueueBench, "queue">): boolean {
  const { accepted, delivered, failed, dropped, pending } = queue.counts;
  return delivered + failed + dropped + pending === accepted;
}
