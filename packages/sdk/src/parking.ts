// What a queue does in an outage: it sends nothing but, now and then, one event that shows whether it is over.
import { probeDelay, type Verdict } from "./outage.ts";
import type { Outage, QueueTools } from "./queued-event.ts";
import type { QueueEntry } from "./queue-entry.ts";

interface Park extends Outage {
  readonly untilMs: number;
  readonly delayMs: number;
  probes: number;
  /** The event under way that shows whether the outage is over. */
  probe?: QueueEntry;
  isDue?: boolean;
  timer?: Promise<void>;
}

/** Waits out outages for a queue. */
export class Parking {
  readonly #tools: QueueTools;
  readonly #signal: AbortSignal;
  readonly #wake: () => void;
  #park: Park | undefined;

  /** Takes what ends it for good, and whom to tell when an event may go again. */
  constructor(tools: QueueTools, signal: AbortSignal, wake: () => void) {
    this.#tools = tools;
    this.#signal = signal;
    this.#wake = wake;
  }

  get outage(): Outage | undefined {
    return this.#park && { sinceMs: this.#park.sinceMs, error: this.#park.error, probes: this.#park.probes };
  }

  /** Whether this event may go out, in an outage as the one that shows whether it is over; if it is too early, somebody is sent to wait. */
  mayGo(entry: QueueEntry): boolean {
    const park = this.#park;
    if (park === undefined) return true;
    if (park.probe !== undefined) return false;
    if (park.isDue === true || this.#tools.now() >= park.untilMs) {
      park.probe = entry;
      park.probes += 1;
      return true;
    }
    const wake = () => {
      park.isDue = true;
      this.#wake();
    };
    // A clock that was set back must not make the wait longer.
    const leftMs = Math.min(park.untilMs - this.#tools.now(), park.delayMs);
    park.timer ??= this.#tools.sleep(leftMs, this.#signal).then(wake, () => undefined);
    return false;
  }

  /** Parks after an event that would not have fared better had it been another, and goes on after a probe that got through. */
  look(failure: (Verdict & { readonly error: Error }) | undefined, entry: QueueEntry, pending: number): void {
    const before = this.#park;
    if (this.#signal.aborted) return;
    const { now, random, report } = this.#tools;
    if (failure?.isOutage !== true) {
      if (before?.probe !== entry) return;
      this.#park = undefined;
      if (entry.call)
        report?.({ type: "queue", state: "open", outageMs: now() - before.sinceMs, pending, ...entry.call });
      return;
    }
    // Sent before the outage was noticed: it says nothing new.
    if (before !== undefined && before.probe !== entry) return;
    const delayMs = probeDelay(failure, before?.probes ?? 0, random());
    const { error } = failure;
    const sinceMs = before?.sinceMs ?? now();
    this.#park = { sinceMs, untilMs: now() + delayMs, delayMs, error, probes: before?.probes ?? 0 };
    if (entry.call) report?.({ type: "queue", state: "parked", delayMs, pending, error, ...entry.call });
  }
}
