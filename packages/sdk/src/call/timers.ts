import type { Sleep } from "../options.ts";

/** Longest delay of a timer. With a longer one, the timer would fire at once. */
export const longestTimerMs = 2_147_483_647;

/** Waits on a timer. If `keepsProcess` is false, the timer does not keep the process alive. */
export async function sleep(delayMs: number, signal: AbortSignal | undefined, keepsProcess = true): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer: ReturnType<typeof setTimeout> & { unref?: () => unknown } = setTimeout(resolve, delayMs);
  if (!keepsProcess) timer.unref?.();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}

/** Makes a sleep for a clock that a test moves. It ends when its time has passed on that clock or on a timer. */
export function sleepBy(now: () => number): typeof sleep {
  const pollMs = 250;
  return async (delayMs, signal, keepsProcess) => {
    const endAtMs = now() + delayMs;
    for (let leftMs = delayMs; leftMs > 0 && now() < endAtMs; leftMs -= pollMs)
      await sleep(Math.min(leftMs, pollMs), signal, keepsProcess);
  };
}

/**
 * Returns how much longer to wait after a timer that fired late, in milliseconds. A process that was busy runs its late timers before it
 * reads its sockets. One more second lets it read the responses that have already arrived.
 */
export function graceAfter(lateMs: number): number {
  return lateMs > 50 ? 1000 : 0;
}

/**
 * Runs a caller's own `sleep`, then yields to the event loop. In tests a sleep may end at once, and a loop that waits for nothing else
 * would keep every timer from running.
 */
export function takeTurns(sleep: Sleep): Sleep {
  return async (delayMs, signal) => {
    await sleep(delayMs, signal);
    await laterTurn();
    signal?.throwIfAborted();
  };
}

/** Waits for a later turn of the event loop. Test tools replace timers, but not `MessageChannel`, which an old Workers runtime lacks. */
export async function laterTurn(): Promise<void> {
  if (typeof MessageChannel === "undefined") return new Promise((resolve) => void setTimeout(resolve));
  const { port1, port2 } = new MessageChannel();
  const turn = new Promise((resolve) => port1.addEventListener("message", resolve));
  port1.start();
  port2.postMessage(undefined);
  await turn;
  port1.close();
}
