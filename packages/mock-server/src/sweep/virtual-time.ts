// For the duration of a sweep, the platform's timers and clocks ask in which run they are; outside of any, they are what they were.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";
import { VirtualClock, VirtualTimer } from "./virtual-clock.ts";

/** One run of a flow, found by whatever happens in it. */
export interface RunContext {
  readonly clock: VirtualClock;
  /** What was thrown or rejected where nobody caught it. */
  readonly unhandled: unknown[];
}

const contexts = new AsyncLocalStorage<RunContext>();

/** Calls a function in a run: on its clock, with its unhandled rejections. */
export function runIn<Value>(context: RunContext, call: () => Value): Value {
  return contexts.run(context, call);
}

const clockHere = (): VirtualClock | undefined => contexts.getStore()?.clock;

type Callback = (...values: unknown[]) => void;
type Patch = readonly [holder: object, name: string, value: unknown];

let sweeps = 0;
let restore: (() => void) | undefined;

/** Puts virtual time in place until the function it gives is called; of several at the same time, until the last. */
export function virtualizeTime(): () => void {
  sweeps += 1;
  restore ??= apply(listPatches());
  return () => {
    sweeps -= 1;
    if (sweeps > 0) return;
    restore?.();
    restore = undefined;
  };
}

function apply(patches: readonly Patch[]): () => void {
  const before = patches.map(
    ([holder, name]) => [holder, name, Object.getOwnPropertyDescriptor(holder, name)] as const,
  );
  for (const [holder, name, value] of patches)
    Object.defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: true });
  syncBuiltinESMExports();
  return () => {
    for (const [holder, name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, descriptor);
    }
    syncBuiltinESMExports();
  };
}

function listPatches(): Patch[] {
  const timers = process.getBuiltinModule("node:timers");
  const promises = process.getBuiltinModule("node:timers/promises");
  const { setTimeout, clearTimeout, setInterval, clearInterval, Date } = globalThis;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const realNow = performance.now.bind(performance);
  const set = { setTimeout: timerIn(setTimeout, false), setInterval: timerIn(setInterval, true) };
  const waitHere = waitIn(promises.setTimeout);
  Object.defineProperty(set.setTimeout, promisify.custom, { value: waitHere });
  const clear = { clearTimeout: clearIn(clearTimeout), clearInterval: clearIn(clearInterval) };
  const all = Object.entries({ ...set, ...clear });
  const nowHere = (): number => clockHere()?.nowMs ?? Date.now();
  const dateIn = new Proxy(Date, {
    get: (target, name) => (name === "now" ? nowHere : (Reflect.get(target, name) as unknown)), // why: `get` gives any
    apply: () => new Date(nowHere()).toString(),
    construct: (target, values, newTarget): Date =>
      Reflect.construct(target, values.length === 0 ? [nowHere()] : values, newTarget),
  });
  return [
    ...all.map(([name, value]): Patch => [globalThis, name, value]),
    ...all.map(([name, value]): Patch => [timers, name, value]),
    [promises, "setTimeout", waitHere],
    [promises, "setInterval", intervalIn(promises.setInterval)],
    [promises.scheduler, "wait", (delayMs: number, options?: WaitOptions) => waitHere(delayMs, undefined, options)],
    [AbortSignal, "timeout", timeoutIn(timeout)],
    [globalThis, "Date", dateIn],
    [performance, "now", () => clockHere()?.nowMs ?? realNow()],
  ];
}

function timerIn(real: (callback: Callback, delayMs?: number, ...values: unknown[]) => unknown, repeats: boolean) {
  return (callback: Callback, delayMs = 1, ...values: unknown[]): unknown => {
    const clock = clockHere();
    if (clock === undefined || typeof callback !== "function") return real(callback, delayMs, ...values);
    return clock.set({ callback: () => callback(...values), delayMs, repeats, isService: false });
  };
}

function clearIn(real: (timer: never) => void) {
  return (timer: unknown): void => {
    const known = timer instanceof VirtualTimer ? timer : clockHere()?.find(timer);
    if (known === undefined)
      real(timer as never); // why: the platform's own function says what it takes
    else known.close();
  };
}

interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function waitIn(real: <Value>(delayMs?: number, value?: Value, options?: WaitOptions) => Promise<Value>) {
  return async (delayMs = 1, value?: unknown, options: WaitOptions = {}): Promise<unknown> => {
    const clock = clockHere();
    if (clock === undefined) return real(delayMs, value, options);
    await sleepOrAbort(clock, delayMs, options.signal);
    return value;
  };
}

/** As the platform's: an aborted wait rejects with an `AbortError` whose cause is the reason. */
async function sleepOrAbort(clock: VirtualClock, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (cause) {
    const error = new Error("The operation was aborted", { cause });
    throw Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
  }
}

function intervalIn(real: <Value>(delayMs?: number, value?: Value, options?: WaitOptions) => AsyncIterable<Value>) {
  return (delayMs = 1, value?: unknown, options: WaitOptions = {}): AsyncIterable<unknown> => {
    const clock = clockHere();
    return clock === undefined
      ? real(delayMs, value, options)
      : repeat(clock, { delayMs, value, signal: options.signal });
  };
}

async function* repeat(
  clock: VirtualClock,
  { delayMs, value, signal }: { delayMs: number; value: unknown; signal: AbortSignal | undefined },
): AsyncGenerator {
  for (;;) {
    await sleepOrAbort(clock, delayMs, signal);
    yield value;
  }
}

function timeoutIn(real: (delayMs: number) => AbortSignal) {
  return (delayMs: number): AbortSignal => {
    const clock = clockHere();
    if (clock === undefined) return real(delayMs);
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    clock.set({ callback: () => controller.abort(reason), delayMs, repeats: false, isService: false }).unref();
    return controller.signal;
  };
}

/** The sweeps that are going on: whose a rejection is that does not tell, if any of them knows. */
const owners = new Set<() => RunContext | undefined>();
let restoreListeners: (() => void) | undefined;

/**
 * Takes over what the process does about rejections that nobody handles, until the function it gives is called; of several
 * sweeps at the same time, until the last. Those of a run go to the run; `alone` tells whose the others are.
 */
export function catchUnhandled(alone: () => RunContext | undefined): () => void {
  owners.add(alone);
  restoreListeners ??= replaceListeners((reason, promise, before) => {
    const context = contexts.getStore() ?? [...owners].map((find) => find()).find((found) => found !== undefined);
    if (context !== undefined) context.unhandled.push(reason);
    else if (before.length === 0) throw reason;
    else for (const other of before) other.call(process, reason, promise);
  });
  return () => {
    owners.delete(alone);
    if (owners.size > 0) return;
    restoreListeners?.();
    restoreListeners = undefined;
  };
}

type Listener = NodeJS.UnhandledRejectionListener;
type Judge = (reason: unknown, promise: Promise<unknown>, before: readonly Listener[]) => void;

function replaceListeners(judge: Judge): () => void {
  const before = process.listeners("unhandledRejection");
  const listener: Listener = (reason, promise) => judge(reason, promise, before);
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", listener);
  return () => {
    process.off("unhandledRejection", listener);
    for (const other of before) process.on("unhandledRejection", other);
  };
}

let attributes: Promise<boolean> | undefined;

/** Whether this release of Node tells in which run a rejection nobody handles was begun. */
export function canAttribute(): Promise<boolean> {
  return (attributes ??= probeAttribution());
}

async function probeAttribution(): Promise<boolean> {
  const probe: RunContext = { clock: new VirtualClock(0), unhandled: [] };
  let isTold = false;
  const restore = replaceListeners(() => (isTold = contexts.getStore() === probe));
  // why: this is the rejection that nobody handles
  // oxlint-disable-next-line typescript/no-floating-promises
  runIn(probe, () => Promise.reject(new Error("a probe")));
  await new Promise((resolve) => setImmediate(resolve));
  restore();
  return isTold;
}
