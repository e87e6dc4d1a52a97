// Time runs out in a process that was busy or frozen: its timer runs first, and what has come meanwhile still lies in the sockets.

/** Longest time for it, in milliseconds. */
const longestMs = 1000;

/**
 * Calls back in another turn of the event loop: the platform's own, also where a test has put timers of its own in its place.
 * Browsers have none.
 */
export const nextTurn: (callback: () => void) => unknown = globalThis.setImmediate ?? setTimeout;

/** For how much longer to listen after a timer that was so late, in milliseconds. */
export function graceFor(lateMs: number): number {
  return lateMs > 0 ? Math.min(lateMs, longestMs) : 0;
}

/** Calls back when what lies in the sockets has been read: one turn of the event loop for it, one for what that leads to. */
export function afterReading(callback: () => void): void {
  nextTurn(() => nextTurn(callback));
}

/** Calls back so many milliseconds from now, and not before what had come by then was read; gives the way to call it off. */
export function startTimer(callback: () => void, delayMs: number, now: () => number): () => void {
  const endAtMs = now() + delayMs;
  let isOff = false;
  const end = () => afterReading(() => void (isOff || callback()));
  const listenOn = () => {
    const graceMs = graceFor(now() - endAtMs);
    if (graceMs > 0) timer = setTimeout(end, graceMs);
    else end();
  };
  let timer = setTimeout(listenOn, delayMs);
  return () => {
    isOff = true;
    clearTimeout(timer);
  };
}
