import type { RateLimit } from "@landing-page-service/contract";

// A reset in whole seconds may be told up to this much later than it comes.
const mostRoundingMs = 999;

/**
 * Tells when a window ends, closer than a reset in whole seconds does: on short windows the rounding would be most of the wait.
 *
 * Where a window begins with its first request, it is no longer than from the sending of that request to the reset it was
 * told. Windows begin at different fractions of a second, so the shortest such span soon comes close to the true length,
 * and never below it. Where windows begin by the clock instead, the first 429 tells, and the headers are believed again.
 */
export class WindowClock {
  #lengthMs = Number.POSITIVE_INFINITY;
  #window: { readonly resetAtMs: number; readonly endsByMs: number } | undefined;
  #isTrusted = true;

  /** Takes what an answer says, and when its request was sent, milliseconds since 1970 UTC. */
  hear({ limit, remaining, resetAtMs, observedAtMs }: RateLimit, sentAtMs: number): void {
    if (limit === undefined || remaining !== limit - 1 || resetAtMs === undefined || sentAtMs >= resetAtMs) return;
    this.#lengthMs = Math.min(this.#lengthMs, resetAtMs - sentAtMs);
    this.#window = { resetAtMs, endsByMs: observedAtMs + this.#lengthMs };
  }

  /** Gives the moment at which a window that was told to reset at this one has ended: the same, or up to a second before. */
  endOf(resetAtMs: number): number {
    if (!this.#isTrusted || this.#window?.resetAtMs !== resetAtMs || resetAtMs % 1000 !== 0) return resetAtMs;
    return Math.max(resetAtMs - mostRoundingMs, Math.min(resetAtMs, this.#window.endsByMs));
  }

  /** Says that it was too early. */
  distrust(): void {
    this.#isTrusted = false;
  }
}
