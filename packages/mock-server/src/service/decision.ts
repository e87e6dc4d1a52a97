import { writeRateLimit } from "@landing-page-service/contract";
import { spellHeaders } from "../exchange/headers.ts";
import type { Outcome, Refusal } from "../exchange/outcome.ts";
import type { PlainAnswer } from "../exchange/plain.ts";
import type { RateState } from "../state/limiter.ts";
import type { Strike } from "../testing/faults.ts";

/** What is to be answered, and how the answer is to break. */
export interface Decision {
  readonly outcome: Outcome;
  readonly wire?: PlainAnswer["wire"];
  /** Whether a planned fault decided. */
  readonly isPlanned?: boolean;
}

/** What callers without an account are answered. Source: spec, "Authentication". */
export const unauthorized: Refusal = {
  refused: 401,
  detail:
    "The API key is missing or invalid: expected Authorization: Bearer <API_KEY>. In this mock, any key that begins with test_ opens an account of its own.",
  headers: { "WWW-Authenticate": "Bearer" },
};

/** What clients are told that outlive their test. */
const testEnded =
  "The test that this mock was made for has ended: a client kept from it, in a module perhaps, or a call that nobody awaited sends it still. Build the client in each test, with its mock.clientOptions, and await what it begins.";

/** What they are answered. */
export const outlived: Refusal = { refused: 421, detail: testEnded };

/** What is answered when an account is another by now. */
export const resetMeanwhile: Refusal = {
  refused: 503,
  detail: "The account was reset while this request was under way.",
};

/** Where a caller stood in its window when its request came. */
interface RateMoment {
  readonly rate: RateState;
  readonly startedAtMs: number;
}

/** What a planned fault asks for. */
export function planned({ status, headers = {}, content, wire }: Strike, { rate, startedAtMs }: RateMoment): Decision {
  if (status === undefined) return { outcome: { refused: 500, detail: "A planned fault." }, ...(wire && { wire }) };
  const all = status === 429 ? { ...exhausted(rate, startedAtMs), ...spellHeaders(headers) } : spellHeaders(headers);
  if (content === undefined) {
    return {
      outcome: status >= 400 ? { refused: status, detail: "A planned fault.", headers: all } : { status, headers: all },
    };
  }
  return { outcome: { status, headers: { "Content-Type": content.type, ...all }, body: content.text } };
}

/** What is answered when a window is used up. */
export function tooMany({ rate, startedAtMs }: RateMoment): Refusal {
  const headers = exhausted(rate, startedAtMs);
  return {
    refused: 429,
    detail: `The account's ${rate.limit} requests of this window are used up; the next one begins in ${headers["Retry-After"]} s.`,
    headers,
  };
}

/** Headers that tell a caller to wait until the window ends. */
function exhausted(rate: RateState, nowMs: number): Record<string, string> {
  const waitSeconds = Math.max(Math.ceil((rate.resetAtMs - nowMs) / 1000), 1);
  return { ...writeRateLimit({ ...rate, remaining: 0 }), "Retry-After": String(waitSeconds) };
}
