// The queue of analytics events. It sends in the background, keeps events during an outage, and counts each event.
import { endpoints } from "@landing-page-service/contract";
import type { CallContext, CallExtras, ResultPromise } from "../call/call.ts";
import { abortedBefore } from "../call/outcome.ts";
import { graceAfter, laterTurn, longestTimerMs } from "../call/timers.ts";
import { checkOptions, endSchema, flushSchema, queueSchema, type WriteOptions } from "../options.ts";
import type { CallName } from "../report/events.ts";
import { notify } from "../report/report.ts";
import { chooseDelay, classify, type Failure, QueueEntry } from "./queue-entry.ts";
import type { EventCounts, EventQueue, EventQueueOptions, LossReason, Outage, QueuedEvent } from "./queued-events.ts";

/** The parts of its client that a queue uses. */
export type QueueContext = Pick<CallContext, "now" | "random" | "wait" | "report" | "retry">;

/** Sends an event whose body `write` returns. */
export type SendBody = (write: () => string, options: WriteOptions, extras?: CallExtras) => ResultPromise<void>;

/** Checks the options of a queue, and adds them, with their defaults, to the parts of its client that it uses. */
function createTools(send: SendBody, context: QueueContext, options: EventQueueOptions) {
  checkOptions(queueSchema, options);
  const { capacity = 1000, capacityBytes = 4 * 1024 * 1024, concurrency = 4, onLost, signal, ...each } = options;
  const { writes = context.retry.writes, ...policy } = each.retry || {};
  const sendEntry = (entry: QueueEntry, signal: AbortSignal) => {
    const { body, idempotencyKey, mayHaveBeenApplied } = entry;
    // The queue retries by itself, so that an event that fails makes room for others.
    const callOptions = { ...each, retry: { maxAttempts: 1, ...policy, writes }, signal, idempotencyKey };
    const onBegin = (call: CallName) => void (entry.call = call);
    return send(() => body, callOptions, { priority: "background", mayHaveBeenApplied, onBegin });
  };
  return { ...context, capacity, capacityBytes, concurrency, onLost, signal, writes, send: sendEntry };
}

/** Time after the last push for which pending events keep the process alive, in milliseconds. */
const holdMs = 30_000;

/** For this long after a delivery, in milliseconds, the service counts as working, so a failure is blamed on the event. */
const evidenceMs = 60_000;

/** A queue. Each of its events is sent by a call of its own. */
export class BufferedQueue implements EventQueue {
  readonly #tools: ReturnType<typeof createTools>;
  /** Ends the calls in flight. */
  readonly #aborter = new AbortController();
  /** Events that wait to be sent, the next one first. Each has the function that ends its wait. */
  readonly #waiting = new Map<QueueEntry, (turn: Turn) => void>();
  /** One promise for each pending event. It resolves after the event has ended and `onLost` was called. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #tally = { accepted: 0, delivered: 0, failed: 0, dropped: 0 };
  /** How many events were lost before the last `flush` returned. */
  #lostBefore = 0;
  #underWay = 0;
  #pendingBytes = 0;
  /** The events that `drain` returns. */
  readonly #left: QueuedEvent[] = [];
  /** Whether the queue takes new events. */
  #isOpen = true;
  /** Why the queue sends no more events; `undefined` while it sends. */
  #ended: "timeout" | "aborted" | "drained" | undefined;
  /** The circuit breaker is closed if there is no outage. During an outage it is half-open if `#mayProbe` is set, otherwise open. */
  #outage: Outage | undefined;
  #mayProbe = false;
  /** Ends the wait for the next probe, and the waits of poison messages. */
  #waits = new AbortController();
  /** For each page with failing events, the number of deliveries before the first failing event was sent. */
  readonly #troubled = new Map<string, number>();
  #lastDeliveredAtMs = Number.NEGATIVE_INFINITY;
  #laterTurn: Promise<void> | undefined;
  #isInOnLost = false;
  #closed: Promise<void> | undefined;
  #releaseProcess = () => {};

  constructor(...parts: Parameters<typeof createTools>) {
    this.#tools = createTools(...parts);
    onAbort(this.#tools.signal, () => void this.#end("aborted"), this.#aborter.signal);
  }

  get counts(): EventCounts {
    const { accepted, delivered, failed, dropped } = this.#tally;
    return { ...this.#tally, pending: accepted - delivered - failed - dropped };
  }

  get outage(): Outage | undefined {
    return this.#outage;
  }

  readonly push: EventQueue["push"] = (event) => {
    const { now, capacity, capacityBytes } = this.#tools;
    const entry = new QueueEntry(event, now());
    const hasRoom = this.counts.pending < capacity && this.#pendingBytes + entry.bytes <= capacityBytes;
    this.#tally.accepted += 1;
    if (!this.#isOpen || !hasRoom) {
      this.#tally.dropped += 1;
      // If `onLost` itself pushes an event that is dropped, do not call `onLost` for it, because that would loop forever.
      if (!this.#isInOnLost) this.#follow(this.#lose(entry, { kind: this.#isOpen ? "full" : "closed" }));
      return false;
    }
    this.#pendingBytes += entry.bytes;
    this.#releaseProcess();
    this.#releaseProcess = holdProcess(holdMs, () => void this.#end("timeout"));
    this.#follow(this.#carry(entry));
    return true;
  };

  readonly flush: EventQueue["flush"] = async (options = {}) => {
    checkOptions(flushSchema, options);
    const known = this.#lostBefore;
    if (!(await this.#settle(options.timeoutMs ?? Infinity, options.signal))) return false;
    this.#lostBefore = this.#tally.failed + this.#tally.dropped;
    return this.#lostBefore === known;
  };

  readonly close: EventQueue["close"] = async (options = {}) => {
    checkOptions(endSchema, options);
    this.#isOpen = false;
    this.#closed ??= this.#settle(options.timeoutMs ?? 30_000).then(() => this.#end("timeout"));
    await this.#closed;
    await Promise.all(this.#tasks);
  };

  readonly drain: EventQueue["drain"] = async (options = {}) => {
    checkOptions(endSchema, options);
    await this.#end("drained", options.timeoutMs ?? 5000);
    return this.#left.splice(0);
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #follow(task: Promise<void>): void {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  /** Follows an event from its push to its end, in the async context of the push. */
  async #carry(entry: QueueEntry): Promise<void> {
    const { send, writes, random } = this.#tools;
    for (;;) {
      const turn = await this.#waitForTurn(entry);
      if (turn === "over") return this.#giveUp(entry);
      const deliveredBefore = this.#tally.delivered;
      const sent = send(entry, this.#aborter.signal).then(() => undefined);
      const failure = await sent.catch((error: unknown) => classify(error, writes));
      this.#underWay -= 1;
      const isAlone = failure?.isSuspect === true && this.#failsAlone(entry, deliveredBefore);
      const mayRepeat = failure !== undefined && entry.mayRepeat(failure, isAlone);
      const loss = failure && ({ kind: "failed", error: failure.error } as const);
      const end = mayRepeat ? undefined : this.#finish(entry, loss?.kind ?? "delivered", loss);
      this.#noteService(entry, isAlone ? undefined : failure, turn === "probe");
      if (this.counts.pending === 0) this.#endWaits();
      this.#sendMore();
      if (end !== undefined) return end;
      if (failure && isAlone && this.#ended === undefined)
        await this.#wait(chooseDelay(failure.error, entry.repeats, random()));
    }
  }

  async #waitForTurn(entry: QueueEntry): Promise<Turn> {
    if (this.#ended !== undefined) return "over";
    const { promise, resolve } = Promise.withResolvers<Turn>();
    this.#waiting.set(entry, resolve);
    this.#sendMore();
    return promise;
  }

  #sendMore(): void {
    while (this.#underWay < this.#tools.concurrency && (this.#outage === undefined || this.#mayProbe)) {
      const entry = this.#findNext();
      if (entry === undefined) return;
      this.#underWay += 1;
      this.#mayProbe = false;
      if (this.#outage) this.#outage = { ...this.#outage, probes: this.#outage.probes + 1 };
      this.#waiting.get(entry)?.(this.#outage ? "probe" : "send");
      this.#waiting.delete(entry);
    }
  }

  /**
   * Returns the event that has waited longest. Events of pages with failures come last. A probe is a random event of a page without
   * failures, so poison messages cannot block the queue.
   */
  #findNext(): QueueEntry | undefined {
    const entries = [...this.#waiting.keys()];
    const untried = entries.filter(({ pageId }) => !this.#troubled.has(pageId));
    return untried[this.#outage ? Math.floor(this.#tools.random() * untried.length) : 0] ?? entries[0];
  }

  /**
   * Whether the service accepted other events since this event was sent (or since the first failed event of the same page was sent), the
   * last of them recently. If so, the event is at fault and not the service.
   */
  #failsAlone({ pageId }: QueueEntry, deliveredBefore: number): boolean {
    const before = this.#troubled.get(pageId) ?? deliveredBefore;
    this.#troubled.set(pageId, before);
    return this.#tally.delivered > before && this.#tools.now() - this.#lastDeliveredAtMs < evidenceMs;
  }

  /** Opens or closes the circuit breaker. During an outage it ignores results of events other than the probe, because those were sent before the outage was noticed. */
  #noteService({ call }: QueueEntry, failure: Failure | undefined, isProbe: boolean): void {
    if (this.#ended !== undefined || (this.#outage !== undefined && !isProbe)) return;
    const { now, random, report } = this.#tools;
    const { sinceMs, probes } = this.#outage ?? { sinceMs: now(), probes: 0 };
    const event = { type: "queue", pending: this.counts.pending } as const;
    if (failure?.isOutage === true) {
      const { error } = failure;
      const delayMs = chooseDelay(error, probes, random());
      this.#outage = { sinceMs, error, probes };
      void this.#wait(delayMs, () => {
        this.#mayProbe = true;
        this.#sendMore();
      });
      if (call) report({ ...event, state: "paused", delayMs, error, ...call });
    } else if (isProbe) {
      this.#outage = undefined;
      if (call) report({ ...event, state: "resumed", outageMs: now() - sinceMs, ...call });
    }
  }

  /** Waits, then calls `then`, unless `#waits` is aborted first. */
  async #wait(delayMs: number, then = () => {}): Promise<void> {
    await this.#tools.wait(delayMs, this.#waits.signal, false).then(then, () => undefined);
  }

  /** Ends all waits, so that the next event that is pushed is the probe. */
  #endWaits(): void {
    this.#waits.abort();
    this.#waits = new AbortController();
    this.#mayProbe = true;
  }

  /**
   * Waits for the end of all pending events, but not longer than the limit. Keeps the process alive meanwhile. Returns whether all have
   * ended.
   */
  async #settle(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const { now, wait } = this.#tools;
    const ending = new AbortController();
    const release = holdProcess();
    const aborted = new Promise<void>((resolve) => onAbort(signal, () => resolve(), ending.signal));
    const passTime = async () => {
      const endAtMs = now() + timeoutMs;
      await wait(Math.min(timeoutMs, longestTimerMs), ending.signal, false);
      // Lets a process that was busy meanwhile read the responses that have arrived.
      await wait(graceAfter(now() - endAtMs), ending.signal, false);
    };
    try {
      const timedOut = timeoutMs === Infinity ? aborted : passTime();
      return (await Promise.race([Promise.all(this.#tasks), aborted, timedOut])) !== undefined;
    } finally {
      ending.abort();
      release();
    }
  }

  /** Takes and sends no more events. Waits up to `graceMs` for the calls in flight, then aborts them. Afterwards no event is pending. */
  async #end(how: "timeout" | "aborted" | "drained", graceMs = 0): Promise<void> {
    this.#isOpen = false;
    this.#ended ??= how;
    for (const endWait of this.#waiting.values()) endWait("over");
    this.#waiting.clear();
    this.#waits.abort();
    if (graceMs > 0) await this.#settle(graceMs);
    this.#aborter.abort(this.#tools.signal?.reason);
    await Promise.all(this.#tasks);
  }

  /** Drops an event that the queue may no longer send. */
  #giveUp(entry: QueueEntry, kind = this.#ended ?? "timeout"): Promise<void> {
    const { signal } = this.#tools;
    if (kind === "drained") this.#left.push(entry.toEvent());
    const latest = entry.error ?? this.#outage?.error;
    const error = kind === "aborted" ? abortedBefore(endpoints.trackEvent, signal, entry.mayHaveBeenApplied) : latest;
    return this.#finish(entry, "dropped", kind === "drained" ? undefined : { kind, ...(error && { error }) });
  }

  /** Counts an event that is no longer pending, and reports it as lost if there is a reason. */
  async #finish(entry: QueueEntry, how: "delivered" | "failed" | "dropped", reason?: LossReason): Promise<void> {
    this.#tally[how] += 1;
    if (how === "delivered") this.#lastDeliveredAtMs = this.#tools.now();
    this.#pendingBytes -= entry.bytes;
    this.#troubled.delete(entry.pageId);
    if (this.counts.pending === 0) this.#releaseProcess();
    if (reason !== undefined) await this.#lose(entry, reason);
  }

  /** Calls `onLost` in a later turn of the event loop. All events that are lost before that turn share it. */
  async #lose(entry: QueueEntry, reason: LossReason): Promise<void> {
    await (this.#laterTurn ??= laterTurn());
    this.#laterTurn = undefined;
    this.#isInOnLost = true;
    notify(this.#tools.onLost, entry.toEvent(), reason);
    this.#isInOnLost = false;
  }
}

/** How the wait of an event ends: it is sent, it is sent as a probe during an outage, or the queue has ended. */
type Turn = "send" | "probe" | "over";

/** Calls `callback` when `signal` aborts, or at once if it has aborted already. Does not call it after `unless` has aborted. */
function onAbort(signal: AbortSignal | undefined, callback: () => void, unless: AbortSignal): void {
  if (signal?.aborted) callback();
  else signal?.addEventListener("abort", callback, { once: true, signal: unless });
}

/** Callbacks for when the process ends by itself. */
const lastActs = new Set<() => void>();
let isListening = false;

/**
 * Keeps the process alive for at most `forMs`, and returns a function that releases it. If the process ends by itself before it is
 * released, `onEnd` is called.
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
