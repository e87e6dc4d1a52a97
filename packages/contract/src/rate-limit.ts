import { freezeDeep } from "./json.ts";

/** Names of the three headers of every response. Source: spec, "Limits". */
export const rateLimitHeaderNames = freezeDeep({
  /** Requests allowed in one window. */
  limit: "X-RateLimit-Limit",
  /** Requests left in this window. */
  remaining: "X-RateLimit-Remaining",
  /** Time at which the window resets. */
  reset: "X-RateLimit-Reset",
} as const);

/** The rate limit of the caller according to a response. Source: spec, "Limits". */
export interface RateLimit {
  /** Requests allowed in one window, 0 or more; `undefined` when the header is missing or unreadable. */
  limit: number | undefined;
  /** Requests left in this window, 0 or more; `undefined` when the header is missing or unreadable. */
  remaining: number | undefined;
  /** Time at which the window ends, milliseconds since 1970 UTC on the reader's clock; `undefined` when the header is missing or unreadable. */
  resetAtMs: number | undefined;
  /** When the response was read, in milliseconds since 1970 UTC on the reader's clock. */
  observedAtMs: number;
}

/** Looks up headers by name in any case, such as `Headers`. */
export interface HeaderLookup {
  /** The header's value, or `null` when it is missing. */
  get(name: string): string | null;
}

/**
 * Reads the three rate-limit headers; `undefined` when none of them is readable.
 *
 * The spec leaves the unit of the reset open, so it is recognised by its size: below 1e9 seconds from now, below 1e11 seconds
 * since 1970, else milliseconds since 1970. If `nowMs` and the `Date` of the response differ by a second or more, the timestamp
 * is moved by the difference, so that a wrong clock on either side does no harm. A value may have fractions of a second. Anything
 * other than a plain non-negative number is ignored.
 * Gap: unit of X-RateLimit-Reset, see docs/spec-gaps.md#reset-unit. Source: spec, "Limits".
 *
 * @throws {TypeError} when `headers` cannot look up a header.
 */
export function readRateLimit(headers: HeaderLookup, nowMs: number): RateLimit | undefined {
  if (typeof headers?.get !== "function")
    throw new TypeError("`readRateLimit` takes the headers of a response, such as `response.headers`.");
  const limit = readInteger(readHeader(headers, "Limit", "limit|q"));
  const remaining = readInteger(readHeader(headers, "Remaining", "remaining|r"));
  const resetAtMs = readMoment(readHeader(headers, "Reset", "reset|t"), nowMs, headers.get("Date"));
  if (limit === undefined && remaining === undefined && resetAtMs === undefined) return undefined;
  return { limit, remaining, resetAtMs, observedAtMs: nowMs };
}

/**
 * Writes the three headers as the mock server does: the reset in whole seconds since 1970, rounded up so that a
 * caller who waits for it is never early. Source: spec, "Limits".
 */
export function writeRateLimit(state: { limit: number; remaining: number; resetAtMs: number }): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(state.limit),
    "X-RateLimit-Remaining": String(state.remaining),
    "X-RateLimit-Reset": String(Math.ceil(state.resetAtMs / 1000)),
  };
}

/**
 * Reads an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`, in milliseconds since 1970 UTC, also in its two obsolete forms,
 * `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`; `undefined` for anything else. The current time decides the century of a
 * year of two digits. Source: RFC 9110, section 5.6.7.
 */
export function readHttpDate(text: string | null, nowMs = Date.now()): number | undefined {
  if (text === null) return undefined;
  const atMs = readOneDate(text, nowMs) ?? readOneDate(readRepeated(text), nowMs);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function readOneDate(text: string, nowMs: number): number | undefined {
  // `Date.parse` alone would read a date into almost anything that ends in a number.
  if (httpDate.test(text)) return Date.parse(text);
  const parts = httpDates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { day, month, time, shortYear } = parts;
  const parse = (year: number | string) => Date.parse(`${day} ${month} ${year} ${time} GMT`);
  if (shortYear === undefined) return parse(parts.year ?? "");
  const year = new Date(nowMs).getUTCFullYear();
  const atMs = parse(year - (year % 100) + Number(shortYear));
  return atMs > nowMs + 50 * 366 * 86_400_000 ? parse(year - (year % 100) + Number(shortYear) - 100) : atMs;
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const httpDates = [
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<shortYear>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/**
 * Returns the value of a header that was sent several times with the same value, for example by several proxies. `fetch` joins such
 * values, as in `1, 1`. Any other value is returned unchanged. Source: RFC 9110, section 5.2
 */
function readRepeated(text: string): string {
  return text.length > longestRepeated ? text : text.trim().replace(/^(.+?)(?:\s*,\s*\1)+$/, "$1");
}

/** Longest value that is checked for repetition. Real values are shorter, and the check of a longer one would be slow. */
const longestRepeated = 500;

/** Reads the documented header. If it is missing, reads the header without `X-`, or a parameter of the single field of later IETF drafts. */
function readHeader(headers: HeaderLookup, name: string, parameters: string): string | null {
  const field = `${headers.get("RateLimit") ?? ""};${headers.get("RateLimit-Policy") ?? ""}`;
  return (
    headers.get(`X-RateLimit-${name}`) ??
    headers.get(`RateLimit-${name}`) ??
    headers.get(`X-Rate-Limit-${name}`) ??
    new RegExp(`(?:^|[;,\\s])(?:${parameters})\\s*=\\s*([\\d.]+)`, "i").exec(field)?.[1] ??
    null
  );
}

function readInteger(text: string | null): number | undefined {
  const digits = readRepeated(text ?? "");
  return /^\d{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;
}

/**
 * Reads a header that contains a timestamp, in milliseconds since 1970 UTC on the reader's clock: seconds from now below 1e9, seconds
 * since 1970 below 1e11, else milliseconds since 1970; an HTTP date, or an ISO 8601 date with an offset. `undefined` for anything else.
 */
export function readMoment(text: string | null, nowMs: number, date: string | null): number | undefined {
  const value = readRepeated(text ?? "");
  const number = /^\d{1,16}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined;
  if (number !== undefined && number < 1e9) return nowMs + number * 1000;
  const isoMs = isoDate.test(value) ? Date.parse(value) : Number.NaN;
  const atMs = number === undefined ? (readHttpDate(text, nowMs) ?? isoMs) : number < 1e11 ? number * 1000 : number;
  return Number.isNaN(atMs) ? undefined : atMs + readClockSkewMs(date, nowMs, atMs);
}

const isoDate = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

const hourMs = 3_600_000;

/**
 * How far the reader's clock is ahead of the service's clock, in milliseconds, by the `Date` of a response. 0 if the `Date` seems to come
 * from a cache on the way: it is an hour or more off, but the timestamp in the response is within the next hour of the reader's clock.
 */
function readClockSkewMs(date: string | null, nowMs: number, namedAtMs: number): number {
  const differenceMs = nowMs - (readHttpDate(date, nowMs) ?? nowMs);
  const isSoon = namedAtMs > nowMs - 1000 && namedAtMs <= nowMs + hourMs;
  const isCached = isSoon && Math.abs(differenceMs) >= hourMs;
  // `Date` has whole seconds, so a difference below one second means nothing.
  const isEqual = differenceMs >= 0 && differenceMs < 1000;
  return isCached || isEqual ? 0 : differenceMs;
}
