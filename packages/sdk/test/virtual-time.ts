// The client loads ky with its first request. Here it is loaded before time can jump.
import "ky";
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
  let isJumping = false;
  let isOver = false;
  onTestFinished(() => void (isOver = true));

  const jump = (idleRounds: number) => {
    if (idleRounds > 0) return void setImmediate(jump, idleRounds - 1);
    isJumping = false;
    if (isOver) return undefined;
    const [next] = [...sleepers].sort((one, other) => one.atMs - other.atMs);
    if (next === undefined) return undefined;
    nowMs = Math.max(nowMs, next.atMs);
    next.wake();
    if (sleepers.size > 0) startJump();
    return undefined;
  };
  const startJump = () => {
    if (isJumping) return;
    isJumping = true;
    jump(20);
  };

  const sleep: Sleep = (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = {
        atMs: nowMs + delayMs,
        wake: () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          slept.push(delayMs);
          resolve();
        },
      };
      const abort = () => {
        sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      sleepers.add(sleeper);
      startJump();
    });

  return {
    now: () => nowMs,
    sleep,
    /** Lengths of the sleeps that ran to their end, in milliseconds. */
    slept,
    advance: (ms: number) => (nowMs += ms),
    /** Sleeps under way. */
    sleeping: () => sleepers.size,
  };
}
