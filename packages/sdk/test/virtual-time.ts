// The client loads ky with its first request. Here it is loaded before time can jump.
import "ky";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Sleep } from "../src/index.ts";

/**
 * A clock that stops while there is work to do. When everything waits, it jumps to the end of the shortest sleep. It stops for good when
 * the test has finished: a queue in an outage would go on for ever.
 */
export function createVirtualTime(startMs = Date.UTC(2026, 0, 1)) {
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const slept: number[] = [];
  let nowMs = startMs;
  const state = { isRunning: false, isOver: false };
  onTestFinished(() => void (state.isOver = true));

  const run = async () => {
    if (state.isRunning) return;
    state.isRunning = true;
    while (sleepers.size > 0 && !state.isOver) {
      for (let round = 0; round < 20; round += 1) await nextTurn();
      const [next] = [...sleepers].sort((one, other) => one.atMs - other.atMs);
      nowMs = Math.max(nowMs, next?.atMs ?? 0);
      next?.wake();
    }
    state.isRunning = false;
  };

  const sleep: Sleep = (delayMs, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wake = () => resolve(void slept.push(delayMs));
    const abort = () => reject(signal?.reason);
    const sleeper = { atMs: nowMs + delayMs, wake };
    sleepers.add(sleeper);
    signal?.addEventListener("abort", abort);
    void run();
    return promise.finally(() => {
      sleepers.delete(sleeper);
      signal?.removeEventListener("abort", abort);
    });
  };

  return {
    now: () => nowMs,
    /** Milliseconds since the test began. */
    elapsedMs: () => nowMs - startMs,
    sleep,
    /** Lengths of the sleeps that ran to their end, in milliseconds. */
    slept,
    advance: (ms: number) => (nowMs += ms),
    /** Sleeps under way. */
    sleeping: () => sleepers.size,
  };
}
