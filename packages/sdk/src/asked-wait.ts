// How long an answer asks to stay away.
import {
  type HeaderLookup,
  readHttpDate,
  readRateLimit,
  readRepeated,
  readServiceNow,
} from "@landing-page-service/contract";

/** What of a failed answer asks for a wait. */
interface FailedAnswer {
  readonly status: number;
  readonly headers: HeaderLookup;
  /** Moment its headers came, milliseconds since 1970 UTC. @defaultValue the present */
  readonly receivedAtMs?: number | undefined;
}

/** The wait an answer asks for, in milliseconds from now; `undefined` when it asks for none or for one long over. */
export function readAskedWait(
  { status, headers, receivedAtMs }: FailedAnswer,
  nowMs: number,
  maxWaitMs: number,
): number | undefined {
  // Headers count from the moment they came; the body may have taken its time.
  const atMs = receivedAtMs ?? nowMs;
  const resetWaitMs = readResetWait(status, headers, atMs, maxWaitMs);
  const retryAfterMs = readRetryAfter(headers, atMs);
  const waitMs = retryAfterMs ?? resetWaitMs ?? 0;
  if (waitMs > 0) return Math.max(0, waitMs - Math.max(0, nowMs - atMs));
  // Whole seconds may be rounded down: what is refused although its window ends about now is refused until this second is over.
  const endsNow = status === 429 && Math.abs(resetWaitMs ?? retryAfterMs ?? Infinity) < 2000;
  return endsNow ? Math.min(1000, maxWaitMs) : undefined;
}

function readResetWait(status: number, headers: HeaderLookup, atMs: number, maxWaitMs: number): number | undefined {
  const rateLimit = readRateLimit(headers, atMs);
  if (rateLimit?.resetAtMs === undefined) return undefined;
  // The reset is on every answer, so alone it asks for nothing.
  if (status !== 429 && !(status >= 500 && rateLimit.remaining === 0)) return undefined;
  const waitMs = rateLimit.resetAtMs - atMs;
  // Reset and Date are whole seconds, so a window of exactly the longest wait can look up to two seconds longer.
  const roundingMs = Math.min(2000, maxWaitMs / 20);
  return waitMs > maxWaitMs && waitMs <= maxWaitMs + roundingMs ? maxWaitMs : waitMs;
}

/**
 * How long `Retry-After` asks to wait, in milliseconds, less than 0 for a date that is past; `undefined` when it says nothing. It holds seconds or an HTTP date, the latter
 * on the service's own clock where it tells it. Source: RFC 9110, section 10.2.3.
 */
export function readRetryAfter(headers: HeaderLookup, nowMs: number): number | undefined {
  const text = readRepeated(headers.get("Retry-After") ?? "");
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const atMs = readHttpDate(text, nowMs);
  return atMs === undefined ? undefined : atMs - readServiceNow(headers.get("Date"), nowMs, atMs);
}
