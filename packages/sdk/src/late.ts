// Time runs out in a process that was busy or frozen: its timer runs first, and what has come meanwhile still lies in the sockets.

/** Longest time for it, in milliseconds. */
const longestMs = 1000;

/**
 * Calls back in another turn of the event loop: the platform's own, also where a test has put timers of its own in its place.
 * Browsers have none.
 */
const nextTurn: (callback: () => void) => unknown = globalThis.setImmediate ?? setTimeout;

/** For how much longer to listen after a timer that was so late, in milliseconds. */
export function graceFor(lateMs: number): number {
  return lateMs > 0 ? Math.min(lateMs, longestMs) : 0;
}

/** Calls back when what lies in the sockets has been read: one turn of the event loop for it, one for what that leads to. */
export function afterReading(callback: () => void): void {
  nextTurn(() => nextTurn(callback));
}
