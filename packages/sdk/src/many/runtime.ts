// What the queue needs of the runtime: async context, turns of the event loop, and a process that ends when it should.

const asyncHooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");

/** Returns a function that runs others in the present async context, where the runtime has one (Node, Bun, Deno, workerd). */
export function captureContext(): <Value>(work: () => Value) => Value {
  return asyncHooks?.AsyncLocalStorage.snapshot() ?? ((work) => work());
}

/** Calls back in a later turn of the event loop. Test tools replace timers, but not `MessageChannel`. */
export function inLaterTurn(callback: () => void): void {
  if (typeof MessageChannel === "undefined") return void setTimeout(callback);
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}

/** The longest time that a timer can run, in milliseconds. */
export const longestTimerMs = 2_147_483_647;

/** What to do when the process ends by itself. */
const lastActs = new Set<() => void>();
let isListening = false;

/**
 * Keeps the process alive for so long at most; returns how to let it go. Until then, a process that ends because
 * nothing keeps it alive any more calls `onEnd`.
 */
export function holdProcess(forMs = longestTimerMs, onEnd?: () => void): () => void {
  const timer = setTimeout(() => undefined, forMs);
  if (onEnd !== undefined) lastActs.add(onEnd);
  if (!isListening) globalThis.process?.on?.("beforeExit", () => lastActs.forEach((act) => act()));
  isListening = true;
  return () => {
    clearTimeout(timer);
    if (onEnd !== undefined) lastActs.delete(onEnd);
  };
}
