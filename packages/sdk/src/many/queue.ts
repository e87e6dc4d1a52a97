import { endpoints } from "@landing-page-service/contract";
import { ConfigurationError } from "../report/errors.ts";
import { findCallbackProblems, findRangeProblems } from "../input.ts";
import { checkOptions, type Names, namesOnly } from "../options.ts";
import { type CallName, type QueueEvent, notify } from "../report/events.ts";
import { abortedBefore } from "../call/outcome.ts";
import { type Sleep, sleepInBackground } from "../call/timers.ts";
import { chooseDelay, CircuitBreaker, classify, type Failure, type Outage } from "./circuit-breaker.ts";
import {
  type EndOptions,
  endOptions,
  Entry,
  type EventCounts,
  type EventQueue,
  type EventQueueOptions,
  type FlushOptions,
  flushOptions,
  type LossReason,
  type PushedEvent,
  type QueuedEvent,
  type QueueTools,
  type Track,
} from "./queued-events.ts";
import { holdProcess, inLaterTurn, longestTimerMs } from "./runtime.ts";

/**
 * Makes a queue over a function that sends one event.
 *
 * @throws {ConfigurationError} when an option is out of range.
 */
export function createEventQueue(track: Track, options: EventQueueOptions, tools: QueueTools): EventQueue {
  const least = { capacity: 1, capacityBytes: 1, concurrency: 1 };
  refuse([...findRangeProblems(options, least), ...findCallbackProblems(options, "onLost")]);
  return new BufferedQueue(track, options, tools);
}

/** Pending events keep the process alive for so long after the last push, in milliseconds. */
const holdMs = 30_000;

/** For so long, in milliseconds, the delivery of an event shows that the service works and the failure of another is its own. */
const evidenceMs = 60_000;

class BufferedQueue implements EventQueue {
  readonly #track: Track;
  readonly #tools: QueueTools;
  readonly #sleep: Sleep;
  readonly #options: EventQueueOptions;
  readonly #breaker: CircuitBreaker;
  readonly #aborter = new AbortController();
  // A Set keeps the order and forgets its first entry without moving the others.
  readonly #waiting = new Set<Entry>();
  readonly #underWay = new Map<Entry, Promise<void>>();
  readonly #tally = { accepted: 0, delivered: 0, failed: 0, dropped: 0 };
  #pendingBytes = 0;
  /** Pages whose events fail, each with the number of deliveries before the first of them was sent. */
  readonly #troubled = new Map<string, number>();
  #lastDeliveredAtMs = Number.NEGATIVE_INFINITY;
  #losses: { entry: Entry; reason: LossReason }[] = [];
  #telling: Promise<void> | undefined;
  #isTelling = false;
  #closing: Promise<void> | undefined;
  #pause = new AbortController();
  #release = () => {};
  /** Whether new events are refused, and whether waiting ones are no longer sent either. */
  #state: "open" | "closing" | "halted" = "open";

  constructor(track: Track, options: EventQueueOptions, tools: QueueTools) {
    this.#track = track;
    this.#options = options;
    this.#tools = tools;
    this.#sleep = tools.sleep ?? sleepInBackground;
    this.#breaker = new CircuitBreaker(tools);
    const { signal } = options;
    const abort = () => void this.#end("aborted");
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true, signal: this.#aborter.signal });
  }

  get counts(): EventCounts {
    return { ...this.#tally, pending: this.#pending };
  }

  get outage(): Outage | undefined {
    return this.#breaker.outage;
  }

  readonly push = (event: PushedEvent): boolean => {
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
    this.#release();
    this.#release = holdProcess(holdMs, () => void this.#end("timeout"));
    void this.#sendSoon();
    return true;
  };

  readonly flush = async (options: FlushOptions = {}): Promise<boolean> => {
    const { timeoutMs, signal } = readOptions(flushOptions, options, Infinity);
    const entries = [...this.#underWay.keys(), ...this.#waiting];
    const delivered = Promise.all(entries.map(({ whenGone }) => whenGone)).then((all) => all.every(Boolean));
    const areDelivered = await this.#within(timeoutMs, delivered, signal);
    await this.#telling;
    return areDelivered ?? false;
  };

  readonly close = async (options: EndOptions = {}): Promise<void> => {
    const { timeoutMs } = readOptions(endOptions, options, 30_000);
    if (this.#state === "open") this.#state = "closing";
    await (this.#closing ??= this.#within(timeoutMs, this.flush()).then(() => this.#end("timeout")));
    await this.#telling;
  };

  readonly drain = async (options: EndOptions = {}): Promise<QueuedEvent[]> => {
    const { timeoutMs } = readOptions(endOptions, options, 5000);
    this.#state = "halted";
    await this.#within(timeoutMs, Promise.all(this.#underWay.values()));
    await this.#halt();
    const left = [...this.#waiting];
    for (const entry of left) {
      this.#leave(entry, "dropped");
      entry.settle(false);
    }
    await this.#telling;
    return left.map((entry) => entry.toEvent());
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #pending(): number {
    return this.#waiting.size + this.#underWay.size;
  }

  /** Sends after the caller's own work, in a microtask that test tools cannot replace. */
  async #sendSoon(): Promise<void> {
    // oxlint-disable-next-line typescript/await-thenable -- the engine's own microtask is wanted
    await undefined;
    this.#sendMore();
  }

  #sendMore(): void {
    const { concurrency = 4 } = this.#options;
    while (this.#state !== "halted" && this.#underWay.size < concurrency && this.#breaker.allows) {
      const entry = this.#breaker.outage === undefined ? this.#findNext() : this.#findProbe();
      if (entry === undefined) return;
      this.#waiting.delete(entry);
      const isProbe = this.#breaker.send();
      this.#underWay.set(
        entry,
        entry.run(() => this.#send(entry, isProbe)),
      );
    }
  }

  /** The first event, but those of troubled pages come last. */
  #findNext(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#waiting) {
      if (entry.isResting) continue;
      if (!this.#troubled.has(entry.pageId)) return entry;
      first ??= entry;
    }
    return first;
  }

  /** Any event of a page that has not failed, so that many poison messages cannot stand before the others; else the one sent least. */
  #findProbe(): Entry | undefined {
    const ready = [...this.#waiting].filter(({ isResting }) => !isResting);
    const untried = ready.filter(({ pageId }) => !this.#troubled.has(pageId));
    if (untried.length > 0) return untried[Math.floor(this.#tools.random() * untried.length)] ?? untried[0];
    return ready.sort((one, other) => one.repeats - other.repeats)[0];
  }

  async #send(entry: Entry, isProbe: boolean): Promise<void> {
    const deliveredBefore = this.#tally.delivered;
    const failure = await this.#attempt(entry);
    const isAlone = failure?.isSuspect === true && this.#failsAlone(entry, deliveredBefore);
    this.#underWay.delete(entry);
    if (failure === undefined) {
      this.#lastDeliveredAtMs = this.#tools.now();
      this.#leave(entry, "delivered");
    } else if (entry.mayRepeat(failure, isAlone)) {
      this.#waiting.add(entry);
      if (isAlone) this.#rest(entry, failure);
    } else {
      this.#leave(entry, "failed");
    }
    this.#noteService(entry, isAlone ? undefined : failure, isProbe);
    if (failure === undefined) entry.settle(true);
    else if (!this.#waiting.has(entry)) this.#lose(entry, { kind: "failed", error: failure.error });
    if (this.#pending === 0) {
      // The next event that is pushed is the probe, so nothing has to wait.
      this.#pause.abort();
      this.#breaker.halfOpen();
    }
    this.#sendMore();
  }

  /** Sends an event once; returns why that failed. */
  async #attempt(entry: Entry): Promise<Failure | undefined> {
    try {
      const { event, idempotencyKey, mayHaveBeenApplied } = entry;
      const onBegin = (name: CallName) => (entry.call = name);
      await this.#track(event, { signal: this.#aborter.signal, idempotencyKey, mayHaveBeenApplied, onBegin });
      return undefined;
    } catch (error) {
      return classify(error, this.#tools.writes ?? "documented");
    }
  }

  /** Whether others were delivered since this event, or the first of its page that failed, was sent. Then the service works. */
  #failsAlone({ pageId }: Entry, deliveredBefore: number): boolean {
    const before = this.#troubled.get(pageId) ?? deliveredBefore;
    this.#troubled.set(pageId, before);
    return this.#tally.delivered > before && this.#tools.now() - this.#lastDeliveredAtMs < evidenceMs;
  }

  /** Keeps an event for a while that fails alone. */
  #rest(entry: Entry, failure: Failure): void {
    entry.isResting = true;
    const delayMs = chooseDelay(failure, entry.repeats, this.#tools.random());
    void this.#wait(delayMs, () => (entry.isResting = false));
  }

  /** Opens or closes the circuit. Events that were sent before it opened say nothing new. */
  #noteService(entry: Entry, failure: Failure | undefined, isProbe: boolean): void {
    if (this.#state === "halted" || (this.#breaker.outage !== undefined && !isProbe)) return;
    const event = { type: "queue", pending: this.#pending, ...entry.call } as const;
    if (failure?.isOutage === true) {
      const delayMs = this.#breaker.open(failure);
      this.#report({ ...event, state: "paused", delayMs, error: failure.error });
      this.#pause.abort();
      this.#pause = new AbortController();
      void this.#wait(delayMs, () => this.#breaker.halfOpen(), this.#pause.signal);
    } else if (isProbe) {
      this.#report({ ...event, state: "resumed", outageMs: this.#breaker.close() });
    }
  }

  async #wait(delayMs: number, then: () => void, signal?: AbortSignal): Promise<void> {
    const ending = this.#aborter.signal;
    try {
      await this.#sleep(delayMs, signal ? AbortSignal.any([ending, signal]) : ending);
    } catch {
      return; // The queue has ended, or there is nothing left to wait for.
    }
    then();
    this.#sendMore();
  }

  /** Waits for some work, but no longer than told; keeps the process alive meanwhile. */
  async #within<Value>(timeoutMs: number, work: Promise<Value>, signal?: AbortSignal): Promise<Value | undefined> {
    const ending = new AbortController();
    const release = holdProcess();
    const races: Promise<Value | undefined>[] = [work];
    if (timeoutMs < Infinity) races.push(this.#passTime(Math.min(timeoutMs, longestTimerMs), ending.signal));
    if (signal !== undefined) races.push(untilAborted(signal, ending.signal));
    try {
      return await Promise.race(races);
    } finally {
      ending.abort();
      release();
    }
  }

  /** Waits, and lets a process that was busy meanwhile read the responses that have arrived. */
  async #passTime(delayMs: number, signal: AbortSignal): Promise<undefined> {
    const endAtMs = this.#tools.now() + delayMs;
    try {
      await this.#sleep(delayMs, signal);
      const lateMs = this.#tools.now() - endAtMs;
      if (lateMs > 0) await this.#sleep(Math.min(lateMs, 1000), signal);
      await new Promise<void>(inLaterTurn);
    } catch {
      // The work was done before.
    }
  }

  /** Sends no more, and aborts the calls under way, so that it is known what became of them. */
  async #halt(): Promise<void> {
    this.#state = "halted";
    this.#aborter.abort(this.#options.signal?.reason);
    await Promise.all(this.#underWay.values());
  }

  async #end(kind: "timeout" | "aborted"): Promise<void> {
    await this.#halt();
    const { signal } = this.#options;
    for (const entry of this.#waiting) {
      this.#leave(entry, "dropped");
      const error =
        kind === "aborted"
          ? abortedBefore(endpoints.trackEvent, signal, entry.mayHaveBeenApplied)
          : (entry.error ?? this.#breaker.outage?.error);
      this.#lose(entry, error === undefined ? { kind } : { kind, error });
    }
    await this.#telling;
  }

  /** Counts an event that is no longer pending. */
  #leave(entry: Entry, how: "delivered" | "failed" | "dropped"): void {
    this.#waiting.delete(entry);
    this.#pendingBytes -= entry.bytes;
    this.#tally[how] += 1;
    this.#troubled.delete(entry.pageId);
    if (this.#pending === 0) this.#release();
  }

  #lose(entry: Entry, reason: LossReason): void {
    this.#losses.push({ entry, reason });
    this.#telling ??= new Promise((resolve) => inLaterTurn(() => resolve(this.#tellLosses())));
  }

  #tellLosses(): void {
    const losses = this.#losses;
    this.#losses = [];
    this.#telling = undefined;
    this.#isTelling = true;
    for (const { entry, reason } of losses) {
      entry.run(() => notify(this.#options.onLost, entry.toEvent(), reason));
      entry.settle(false);
    }
    this.#isTelling = false;
  }

  /** Reports an event that names a call. Calls have names when somebody listens. */
  #report(event: Omit<QueueEvent, "callId" | "operation"> & Partial<CallName>): void {
    const { callId, operation, ...rest } = event;
    if (callId !== undefined && operation !== undefined) this.#tools.report?.({ ...rest, callId, operation });
  }
}

function untilAborted(signal: AbortSignal, ending: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true, signal: ending });
  });
}

function readOptions<Options extends FlushOptions>(
  names: Names<Options>,
  options: Options,
  defaultMs: number,
): { timeoutMs: number; signal: AbortSignal | undefined } {
  checkOptions(namesOnly(names), options);
  const { timeoutMs = defaultMs, signal } = options;
  if (!(typeof timeoutMs === "number" && timeoutMs >= 0))
    refuse([{ pointer: "#/timeoutMs", detail: "expected a number of 0 or more" }]);
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    refuse([{ pointer: "#/signal", detail: "expected an AbortSignal" }]);
  return { timeoutMs, signal };
}

function refuse(problems: { pointer: string; detail: string }[]): void {
  if (problems.length === 0) return;
  const details = problems.map(({ pointer, detail }) => `${pointer.slice(2)}: ${detail}`);
  throw new ConfigurationError(`Event queue: ${details.join(", ")}`);
}
