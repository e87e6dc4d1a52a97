import { bindMethods } from "./bind-methods.ts";
import { asError, ConfigurationError } from "./report/errors.ts";
import { findCallbackProblems, findRangeProblems } from "./input.ts";
import { refuseAll, refuseUnknown } from "./known-options.ts";
import { afterReading, graceFor } from "./late.ts";
import type { CallName } from "./report/events.ts";
import { notify } from "./report/events.ts";
import { judge, type Verdict } from "./outage.ts";
import { Parking } from "./parking.ts";
import {
  type EndOptions,
  endOptions,
  type EventCounts,
  type EventQueue,
  type EventQueueOptions,
  type LossReason,
  type Outage,
  type PushedEvent,
  type QueuedEvent,
  type QueueTools,
  type Track,
} from "./queued-event.ts";
import { QueueEntry } from "./queue-entry.ts";

/**
 * Makes a queue over a function that sends one event.
 *
 * @throws {ConfigurationError} when an option is out of range.
 */
export function createEventQueue(track: Track, options: EventQueueOptions, tools: QueueTools): EventQueue {
  refuse([...findRangeProblems(options, { capacity: 1, concurrency: 1 }), ...findCallbackProblems(options, "onLost")]);
  return new BufferedQueue(track, options, tools);
}

class BufferedQueue implements EventQueue {
  readonly #track: Track;
  readonly #tools: QueueTools;
  readonly #capacity: number;
  readonly #concurrency: number;
  readonly #onLost: EventQueueOptions["onLost"];
  readonly #signal: AbortSignal | undefined;
  readonly #aborter = new AbortController();
  // A Set keeps the order and forgets its first entry without moving the others.
  readonly #waiting = new Set<QueueEntry>();
  readonly #underWay = new Map<QueueEntry, Promise<void>>();
  #lastDeliveredAtMs = Number.NEGATIVE_INFINITY;
  readonly #tally = { accepted: 0, delivered: 0, failed: 0, dropped: 0 };
  readonly #parking: Parking;
  #closing: Promise<void> | undefined;
  /** Whether new events are refused, and whether the old ones are not sent any more either. */
  #state: "open" | "closing" | "halted" = "open";

  constructor(track: Track, options: EventQueueOptions, tools: QueueTools) {
    const { capacity = 1000, concurrency = 4, onLost, signal } = options;
    bindMethods(this);
    this.#track = track;
    this.#tools = tools;
    this.#capacity = capacity;
    this.#concurrency = concurrency;
    this.#onLost = onLost;
    this.#signal = signal;
    this.#parking = new Parking(tools, this.#aborter.signal, () => this.#sendMore());
    const abort = () => void this.#end("aborted");
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true, signal: this.#aborter.signal });
  }

  get counts(): EventCounts {
    return { ...this.#tally, pending: this.#pending };
  }

  get outage(): Outage | undefined {
    return this.#parking.outage;
  }

  push(event: PushedEvent): boolean {
    const entry = new QueueEntry(event, this.#tools.now());
    this.#tally.accepted += 1;
    const isTaken = this.#state === "open" && this.#pending < this.#capacity;
    if (!isTaken) {
      this.#drop(entry, this.#state === "open" ? "full" : "closed");
      return false;
    }
    this.#waiting.add(entry);
    // Sending begins after the caller's own work, so that a push costs no more than a place in the buffer.
    queueMicrotask(() => this.#sendMore());
    return true;
  }

  async flush(...given: unknown[]): Promise<void> {
    refuseAll("flush", given);
    await Promise.all([...this.#underWay.keys(), ...this.#waiting].map((entry) => entry.whenGone));
  }

  async close(options: EndOptions = {}): Promise<void> {
    const timeoutMs = readTimeout(options, 30_000);
    if (this.#state === "open") this.#state = "closing";
    await (this.#closing ??= this.#atMost(timeoutMs, this.flush()).then(() => this.#end("timeout")));
  }

  async drain(options: EndOptions = {}): Promise<QueuedEvent[]> {
    const timeoutMs = readTimeout(options, 5000);
    this.#state = "halted";
    await this.#atMost(timeoutMs, Promise.all(this.#underWay.values()));
    await this.#halt();
    const left = [...this.#waiting];
    this.#waiting.clear();
    this.#tally.dropped += left.length;
    for (const entry of left) entry.leave();
    return left.map((entry) => entry.toEvent());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #pending(): number {
    return this.#waiting.size + this.#underWay.size;
  }

  #sendMore(): void {
    for (const entry of this.#waiting) {
      if (this.#state === "halted" || this.#underWay.size >= this.#concurrency) return;
      if (!this.#parking.mayGo(entry)) return;
      this.#waiting.delete(entry);
      const sent = Promise.resolve().then(() => this.#send(entry));
      this.#underWay.set(entry, sent);
    }
  }

  async #send(entry: QueueEntry): Promise<void> {
    let failure: (Verdict & { readonly error: Error }) | undefined;
    try {
      const onBegin = (name: CallName) => (entry.call = name);
      const { idempotencyKey, mayHaveBeenApplied } = entry;
      await this.#track(entry.event, { signal: this.#aborter.signal, idempotencyKey, mayHaveBeenApplied, onBegin });
    } catch (thrown) {
      const error = asError(thrown);
      failure = { error, ...judge(error) };
      // One about the key says nothing of the event.
      if (!ConfigurationError.is(error)) entry.error = error;
    }
    this.#underWay.delete(entry);
    const deliveries = { count: this.#tally.delivered, lastAtMs: this.#lastDeliveredAtMs };
    if (failure === undefined) this.#countDelivered();
    else if (entry.isLostAfter(failure, deliveries)) this.#tally.failed += 1;
    else this.#waiting.add(entry);
    this.#parking.look(failure, entry, this.#pending);
    if (failure && !this.#waiting.has(entry)) this.#lose(entry, { kind: "failed", error: failure.error });
    if (!this.#waiting.has(entry)) entry.leave();
    this.#sendMore();
  }

  #countDelivered(): void {
    this.#tally.delivered += 1;
    this.#lastDeliveredAtMs = this.#tools.now();
  }

  /** Waits for something, but no longer than that. */
  async #atMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    await Promise.race([work, this.#passTime(timeoutMs, timer.signal).catch(() => undefined)]);
    timer.abort();
  }

  /** Waits so long, and until what had come by then was read. */
  async #passTime(delayMs: number, signal: AbortSignal): Promise<void> {
    const { now, sleep } = this.#tools;
    const endAtMs = now() + delayMs;
    await sleep(delayMs, signal);
    const graceMs = graceFor(now() - endAtMs);
    if (graceMs > 0) await sleep(graceMs, signal);
    await new Promise<void>(afterReading);
  }

  /** Sends no more, and cuts off what is under way: then it is known what became of it. */
  async #halt(): Promise<void> {
    this.#state = "halted";
    this.#aborter.abort(this.#signal?.reason);
    await Promise.all(this.#underWay.values());
  }

  async #end(kind: "timeout" | "aborted"): Promise<void> {
    await this.#halt();
    for (const entry of this.#waiting) this.#drop(entry, kind);
  }

  #drop(entry: QueueEntry, kind: "full" | "closed" | "timeout" | "aborted"): void {
    this.#waiting.delete(entry);
    this.#tally.dropped += 1;
    const error = kind === "aborted" ? entry.toAborted(this.#signal) : (entry.error ?? this.#parking.outage?.error);
    this.#lose(entry, error === undefined ? { kind } : { kind, error });
    entry.leave();
  }

  #lose(entry: QueueEntry, reason: LossReason): void {
    notify(this.#onLost, entry.toEvent(), reason);
  }
}

function readTimeout(options: EndOptions, defaultMs: number): number {
  refuseUnknown(endOptions, options);
  const { timeoutMs = defaultMs } = options;
  if (!(typeof timeoutMs === "number" && timeoutMs >= 0))
    refuse([{ pointer: "#/timeoutMs", detail: "expected a number of 0 or more" }]);
  return timeoutMs;
}

function refuse(problems: { pointer: string; detail: string }[]): void {
  if (problems.length === 0) return;
  const details = problems.map(({ pointer, detail }) => `${pointer.slice(2)}: ${detail}`);
  throw new ConfigurationError(`Event queue: ${details.join(", ")}`);
}
