// A queue of events and a service on virtual time.
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { ClientOptions, EventQueueOptions, LossReason, QueuedEvent } from "../src/index.ts";
import { connectionRefused, connectionReset, never, scripted, status } from "./setup.ts";

/** The outcome of an attempt: a response, none before the call ends (`hung`), or a network error before (`refused`) or after (`reset`) the request was sent. */
export type Outcome =
  { readonly status: number; readonly headers?: Record<string, string> } | "hung" | "refused" | "reset";

/** The service accepts the event. */
export const taken: Outcome = { status: 204 };

/** Decides the outcome of an event by its page and the time since the start, in milliseconds. */
export type Service = (pageId: string, atMs: number) => Outcome;

/** Makes a queue over a service. */
export function setUpQueue(service: Service, options: EventQueueOptions = {}, clientOptions: ClientOptions = {}) {
  /** All attempts; `inFlight` counts the requests under way, this one included. */
  const sent: { atMs: number; pageId: string; outcome: Outcome; inFlight: number }[] = [];
  const losses: [QueuedEvent, LossReason][] = [];
  let inFlight = 0;
  const respond = async ({ body }: { body: string }) => {
    const { pageId } = JSON.parse(body) as { pageId: string }; // why: the client wrote it
    const atMs = bench.time.elapsedMs();
    const outcome = service(pageId, atMs);
    inFlight += 1;
    sent.push({ atMs, pageId, outcome, inFlight });
    await nextTurn();
    inFlight -= 1;
    if (outcome === "hung") return never();
    if (outcome === "refused") throw connectionRefused;
    if (outcome === "reset") throw connectionReset;
    return status(outcome.status, outcome.headers);
  };
  const bench = scripted([respond], clientOptions);
  const onLost: EventQueueOptions["onLost"] = (event, reason) => {
    losses.push([event, reason]);
    return options.onLost?.(event, reason);
  };
  const queue = bench.client.analytics.queue({ ...options, onLost });
  onTestFinished(() => void queue.drain()); // pending events would keep a timer
  return {
    ...bench,
    queue,
    sent,
    losses,
    /** Pushes a number of events and returns their page ids. */
    pushAll: (count: number, from = 0) => {
      const ids = Array.from({ length: count }, (_, index) => `pg_${from + index}`);
      for (const pageId of ids) queue.push({ pageId });
      return ids;
    },
    /** Page ids of the events that the service accepted, sorted. An event that it accepted twice is listed twice. */
    arrived: () => sent.flatMap(({ pageId, outcome }) => (outcome === taken ? [pageId] : [])).sort(),
    /** The outcomes of all attempts to send the event of a page. */
    outcomesOf: (pageId: string) => sent.filter((one) => one.pageId === pageId).map(({ outcome }) => outcome),
    /** The number of different idempotency keys. */
    countKeys: () => new Set(bench.requests.map(({ headers }) => headers.get("Idempotency-Key"))).size,
    /** Whether the counts add up: each event is counted in one place. */
    isBalanced: () => {
      const { accepted, delivered, failed, dropped, pending } = queue.counts;
      return delivered + failed + dropped + pending === accepted;
    },
  };
}
