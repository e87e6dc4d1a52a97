import { nextTurn } from "./late.ts";
import { onAbort } from "./on-abort.ts";

/** Waits so many milliseconds; rejects with the signal's reason as soon as it aborts. */
export type Sleep = (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;

// A wait looks at the clock this often, so that one that was set forward, by a test or by the machine, ends it.
const sliceMs = 250;

/** Makes a wait that ends when the time has passed, be it on the timer or on the given clock. */
export function createSleep(now: () => number): Sleep {
  return (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const endAtMs = now() + delayMs;
      let leftMs = delayMs;
      let timer: ReturnType<typeof setTimeout> | undefined;

      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const tick = () => {
        if (leftMs <= 0 || now() >= endAtMs) {
          unlisten();
          return resolve();
        }
        const nextMs = Math.min(leftMs, sliceMs);
        leftMs -= nextMs;
        timer = setTimeout(tick, nextMs);
      };

      const unlisten = onAbort(signal, abort);
      tick();
    });
}

/**
 * A wait of the caller's that others get their turn after. One that ends at once, as tests have them, may be all that a loop waits
 * for: an outage would then go round for ever before any timer, such as the one that ends it.
 */
export function takeTurns(sleep: Sleep): Sleep {
  return async (delayMs, signal) => {
    await sleep(delayMs, signal);
    await new Promise<void>(nextTurn);
    signal?.throwIfAborted();
  };
}
