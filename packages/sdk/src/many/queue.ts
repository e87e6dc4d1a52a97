// The queue of analytics events: bounded, counted, and patient with outages.
import { type AnalyticsEvent, endpoints } from "@landing-page-service/contract";
import type { CallExtras } from "../call/call.ts";
import { abortedBefore } from "../call/outcome.ts";
import type { RetryPolicy } from "../call/retry.ts";
import { type Sleep, sleepInBackground } from "../call/timers.ts";
import { checkOptions } from "../options.ts";
import { type CallName, notify, type Report } from "../report/events.ts";
import { chooseDelay, classify, type Failure } from "./queue-failures.ts";
import {
  endSchema,
  Entry,
  type EventCounts,
  type EventQueue,
  type EventQueueOptions,
  flushSchema,
  type LossReason,
  type Outage,
} from "./queued-events.ts";

/** Sends one event. Rejects when it fails, and as soon as the signal aborts. */
export type Track = (
  event: AnalyticsEvent,
  options: { readonly signal: AbortSignal; readonly idempotencyKey: string },
  extras: Omit<CallExtras, "priority">,
) => Promise<unknown>;

/** What a queue needs of its client. */
export interface QueueTools {
  readonly now: () => number;
  readonly random: () => number;
  /** The caller's own way to wait. @defaultValue a timer that does not keep the process alive */
  readonly sleep?: Sleep | undefined;
  readonly report?: Report | undefined;
  /** Which ambiguous attempts may be repeated. @defaultValue "documented" */
  readonly writes?: RetryPolicy["writes"] | undefined;
}

/** Pending events keep the process alive for so long after the last push, in milliseconds. */
const holdMs = 30_000;

/** For so long, in milliseconds, the delivery of an event shows that the service works and the failure of another is its own. */
const evidenceMs = 60_000;

/** A queue over a function that sends one event. Its options are checked before. */
export class BufferedQueue implements EventQueue {
  readonly #track: Track;
  readonly #options: EventQueueOptions;
  readonly #tools: QueueTools;
  readonly #sleep: Sleep;
  /** Ends the calls under way. */
  readonly #aborter = new AbortController();
  /** In the order in which they are sent; an event that is sent again comes last. */
  readonly #waiting = new Set<Entry>();
  readonly #underWay = new Map<Entry, Promise<void>>();
  readonly #tally = { accepted: 0, delivered: 0, failed: 0, dropped: 0 };
  #pendingBytes = 0;
  /** Whether new events are refused, and whether waiting ones are no longer sent either. */
  #state: "open" | "closing" | "halted" = "open";
  /** The circuit breaker is closed without an outage. In one it is half-open when `#mayProbe`, else open. */
  #outage: Outage | undefined;
  #mayProbe = false;
  /** Ends the waits for the next probe and those of events that rest. */
  #waits = new AbortController();
  /** Pages whose events fail, each with the number of deliveries before the first of them was sent. */
  readonly #troubled = new Map<string, number>();
  #lastDeliveredAtMs = Number.NEGATIVE_INFINITY;
  readonly #losses: { entry: Entry; reason: LossReason }[] = [];
  /** Resolves when `onLost` was called with them. */
  #told: Promise<void> | undefined;
  #isTelling = false;
  #closed: Promise<void> | undefined;
  #releaseProcess = () => {};

  constructor(track: Track, options: EventQueueOptions, tools: QueueTools) {
    this.#track = track;
    this.#options = options;
    this.#tools = tools;
    this.#sleep = tools.sleep ?? sleepInBackground;
    onAbort(options.signal, () => void this.#end("aborted"), this.#aborter.signal);
  }

  get counts(): EventCounts {
    return { ...this.#tally, pending: this.#pending };
  }

  get outage(): Outage | undefined {
    return this.#outage;
  }

  readonly push: EventQueue["push"] = (event) => {
    const { capacity = 1000, capacityBytes = 4 * 1024 * 1024 } = this.#options;
    const entry = new Entry(event, this.#tools.now());
    this.#tally.accepted += 1;
    const hasRoom = this.#pending < capacity && this.#pendingBytes + entry.bytes <= capacityBytes;
    if (this.#state !== "open" || !hasRoom) {
      this.#tally.dropped += 1;
      // `push` returns false to an `onLost` that pushes the event again. Calling it again would never end.
      if (!this.#isTelling) this.#lose(entry, { kind: this.#state === "open" ? "full" : "closed" });
      return false;
    }
    this.#waiting.add(entry);
    this.#pendingBytes += entry.bytes;
    this.#releaseProcess();
    this.#releaseProcess = holdProcess(holdMs, () => void this.#end("timeout"));
    void this.#sendMore();
    return true;
  };

  readonly flush: EventQueue["flush"] = async (options = {}) => {
    checkOptions(flushSchema, options);
    const entries = [...this.#underWay.keys(), ...this.#waiting];
    const delivered = Promise.all(entries.map(({ whenGone }) => whenGone)).then((all) => all.every(Boolean));
    const areDelivered = await this.#within(options.timeoutMs ?? Infinity, delivered, options.signal);
    await this.#told;
    return areDelivered ?? false;
  };

  readonly close: EventQueue["close"] = async (options = {}) => {
    checkOptions(endSchema, options);
    if (this.#state === "open") this.#state = "closing";
    await (this.#closed ??= this.#within(options.timeoutMs ?? 30_000, this.flush()).then(() => this.#end("timeout")));
    await this.#told;
  };

  readonly drain: EventQueue["drain"] = async (options = {}) => {
    checkOptions(endSchema, options);
    this.#state = "halted";
    await this.#within(options.timeoutMs ?? 5000, Promise.all(this.#underWay.values()));
    const left = await this.#halt();
    for (const { settle } of left) settle(false);
    await this.#told;
    return left.map((entry) => entry.toEvent());
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #pending(): number {
    return this.#waiting.size + this.#underWay.size;
  }

  /** Sends after the caller's own work, in a microtask that test tools cannot replace. */
  async #sendMore(): Promise<void> {
    // oxlint-disable-next-line typescript/await-thenable -- the engine's own microtask is wanted
    await undefined;
    const { concurrency = 4 } = this.#options;
    while (this.#state !== "halted" && this.#underWay.size < concurrency && (!this.#outage || this.#mayProbe)) {
      const entry = this.#findNext();
      if (entry === undefined) return;
      this.#waiting.delete(entry);
      const sending = entry.run(() => this.#send(entry));
      this.#underWay.set(entry, sending);
    }
  }

  /**
   * The first event, but those of troubled pages come last. As a probe, any event of a page that has not failed, so that many
   * poison messages cannot hold up the others; otherwise the one sent least.
   */
  #findNext(): Entry | undefined {
    const ready = [...this.#waiting].filter(({ isResting }) => !isResting);
    const untried = ready.filter(({ pageId }) => !this.#troubled.has(pageId));
    if (this.#outage === undefined) return untried[0] ?? ready[0];
    const probe = untried[Math.floor(this.#tools.random() * untried.length)];
    return probe ?? ready.sort((one, other) => one.repeats - other.repeats)[0];
  }

  async #send(entry: Entry): Promise<void> {
    const { now, random, writes = "documented" } = this.#tools;
    const isProbe = this.#outage !== undefined;
    if (this.#outage) this.#outage = { ...this.#outage, probes: this.#outage.probes + 1 };
    this.#mayProbe = false;
    const deliveredBefore = this.#tally.delivered;
    const { event, idempotencyKey, mayHaveBeenApplied } = entry;
    const onBegin = (name: CallName) => (entry.call = name);
    const options = { signal: this.#aborter.signal, idempotencyKey };
    const failure = await this.#track(event, options, { mayHaveBeenApplied, onBegin }).then(
      () => undefined,
      (error: unknown) => classify(error, writes),
    );
    const isAlone = failure?.isSuspect === true && this.#failsAlone(entry, deliveredBefore);
    this.#underWay.delete(entry);
    if (failure === undefined) {
      this.#lastDeliveredAtMs = now();
      this.#leave(entry, "delivered");
      entry.settle(true);
    } else if (entry.mayRepeat(failure, isAlone)) {
      this.#waiting.add(entry);
      entry.isResting = isAlone;
      if (isAlone)
        void this.#wait(chooseDelay(failure.error, entry.repeats, random()), () => (entry.isResting = false));
    } else {
      this.#leave(entry, "failed");
      this.#lose(entry, { kind: "failed", error: failure.error });
    }
    this.#noteService(entry, isAlone ? undefined : failure, isProbe);
    if (this.#pending === 0) this.#endWaits();
    void this.#sendMore();
  }

  /** Whether others were delivered since this event, or the first of its page that failed, was sent. Then the service works. */
  #failsAlone({ pageId }: Entry, deliveredBefore: number): boolean {
    const before = this.#troubled.get(pageId) ?? deliveredBefore;
    this.#troubled.set(pageId, before);
    return this.#tally.delivered > before && this.#tools.now() - this.#lastDeliveredAtMs < evidenceMs;
  }

  /** Opens or closes the circuit. Events that were sent before it opened say nothing new. */
  #noteService({ call }: Entry, failure: Failure | undefined, isProbe: boolean): void {
    if (this.#state === "halted" || (this.#outage !== undefined && !isProbe)) return;
    const { now, random, report } = this.#tools;
    const { sinceMs, probes } = this.#outage ?? { sinceMs: now(), probes: 0 };
    const event = { type: "queue", pending: this.#pending } as const;
    if (failure?.isOutage === true) {
      const { error } = failure;
      const delayMs = chooseDelay(error, probes, random());
      this.#outage = { sinceMs, error, probes };
      void this.#wait(delayMs, () => (this.#mayProbe = true));
      if (call) report?.({ ...event, state: "paused", delayMs, error, ...call });
    } else if (isProbe) {
      this.#outage = undefined;
      if (call) report?.({ ...event, state: "resumed", outageMs: now() - sinceMs, ...call });
    }
  }

  async #wait(delayMs: number, then: () => void): Promise<void> {
    try {
      await this.#sleep(delayMs, this.#waits.signal);
    } catch {
      return; // The queue has ended, or there is nothing left to wait for.
    }
    then();
    void this.#sendMore();
  }

  /** Waits for nothing more: the next event that is pushed is the probe. */
  #endWaits(): void {
    this.#waits.abort();
    this.#waits = new AbortController();
    this.#mayProbe = true;
  }

  /** Waits for a promise, but not longer than the limit. Keeps the process alive meanwhile. */
  async #within<Value>(timeoutMs: number, work: Promise<Value>, signal?: AbortSignal): Promise<Value | undefined> {
    const ending = new AbortController();
    const release = holdProcess();
    const aborted = new Promise<undefined>((resolve) => onAbort(signal, () => resolve(undefined), ending.signal));
    const timedOut = timeoutMs === Infinity ? aborted : this.#passTime(timeoutMs, ending.signal);
    try {
      return await Promise.race([work, aborted, timedOut]);
    } finally {
      ending.abort();
      release();
    }
  }

  /** Waits, and lets a process that was busy meanwhile read the responses that have arrived. */
  async #passTime(delayMs: number, signal: AbortSignal): Promise<undefined> {
    const endAtMs = this.#tools.now() + delayMs;
    try {
      await this.#sleep(Math.min(delayMs, longestTimerMs), signal);
      const lateMs = this.#tools.now() - endAtMs;
      if (lateMs > 0) await this.#sleep(Math.min(lateMs, 1000), signal);
      await inLaterTurn();
    } catch {
      // The work was done before.
    }
  }

  /** Sends no more, aborts the calls under way so that their outcome is known, and returns the remaining events. */
  async #halt(): Promise<Entry[]> {
    this.#state = "halted";
    this.#endWaits();
    this.#aborter.abort(this.#options.signal?.reason);
    await Promise.all(this.#underWay.values());
    const left = [...this.#waiting];
    for (const entry of left) this.#leave(entry, "dropped");
    return left;
  }

  async #end(kind: "timeout" | "aborted"): Promise<void> {
    for (const entry of await this.#halt()) {
      const error =
        kind === "aborted"
          ? abortedBefore(endpoints.trackEvent, this.#options.signal, entry.mayHaveBeenApplied)
          : (entry.error ?? this.#outage?.error);
      this.#lose(entry, error === undefined ? { kind } : { kind, error });
    }
    await this.#told;
  }

  /** Counts an event that is no longer pending. */
  #leave(entry: Entry, how: "delivered" | "failed" | "dropped"): void {
    this.#waiting.delete(entry);
    this.#pendingBytes -= entry.bytes;
    this.#tally[how] += 1;
    this.#troubled.delete(entry.pageId);
    if (this.#pending === 0) this.#releaseProcess();
  }

  /** Tells `onLost` in a later turn, together with what else is lost until then. */
  #lose(entry: Entry, reason: LossReason): void {
    this.#losses.push({ entry, reason });
    this.#told ??= this.#tellLosses();
  }

  async #tellLosses(): Promise<void> {
    await inLaterTurn();
    this.#told = undefined;
    this.#isTelling = true;
    for (const { entry, reason } of this.#losses.splice(0)) {
      entry.run(() => notify(this.#options.onLost, entry.toEvent(), reason));
      entry.settle(false);
    }
    this.#isTelling = false;
  }
}

/** Calls back when a signal aborts, or has aborted, unless another one aborts before. */
function onAbort(signal: AbortSignal | undefined, callback: () => void, unless: AbortSignal): void {
  if (signal?.aborted) callback();
  else signal?.addEventListener("abort", callback, { once: true, signal: unless });
}

/** Waits for a later turn of the event loop. Test tools replace timers, but not `MessageChannel`. */
async function inLaterTurn(): Promise<void> {
  if (typeof MessageChannel === "undefined") return new Promise((resolve) => void setTimeout(resolve));
  const { port1, port2 } = new MessageChannel();
  const turn = new Promise((resolve) => port1.addEventListener("message", resolve));
  port1.start();
  port2.postMessage(undefined);
  await turn;
  port1.close();
}

/** The longest time that a timer can run, in milliseconds. */
const longestTimerMs = 2_147_483_647;

/** What to do when the process ends by itself. */
const lastActs = new Set<() => void>();
let isListening = false;

/**
 * Keeps the process alive for so long at most; returns how to let it go. Until then, a process that ends because
 * nothing keeps it alive any more calls `onEnd`.
 */
function holdProcess(forMs = longestTimerMs, onEnd = () => {}): () => void {
  const timer = setTimeout(() => undefined, forMs);
  lastActs.add(onEnd);
  if (!isListening) globalThis.process?.on?.("beforeExit", () => lastActs.forEach((act) => act()));
  isListening = true;
  return () => {
    clearTimeout(timer);
    lastActs.delete(onEnd);
  };
}
