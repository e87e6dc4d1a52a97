// Chance that repeats, and time that jumps from timer to timer.
import { vi } from "vitest";
import type { Sleep } from "../src/index.ts";

/** Chance that is the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lets time jump from timer to timer until the work is done; gives how long that took. Tests that use it take no other time. */
export async function runThrough(work: Promise<unknown>, mostMs: number): Promise<void> {
  const state = { isDone: false, idleRounds: 0 };
  const end = () => void (state.isDone = true);
  void work.then(end).catch(end);
  const endMs = Date.now() + mostMs;
  while (!state.isDone) {
    for (let round = 0; round < 4 && !state.isDone; round += 1) await new Promise((resolve) => setImmediate(resolve));
    if (state.isDone) break;
    if (Date.now() > endMs) throw new Error(`not over after ${mostMs} ms: ${vi.getTimerCount()} timers left`);
    state.idleRounds = vi.getTimerCount() === 0 ? state.idleRounds + 1 : 0;
    if (state.idleRounds > 200) throw new Error("nothing is left to happen, and the work is not done");
    if (state.idleRounds === 0) vi.advanceTimersToNextTimer();
  }
  await work;
}

/** One timer, however long: what the client would do itself looks at the clock four times a second. */
export const sleep: Sleep = (delayMs, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", abort, { once: true });
  });
