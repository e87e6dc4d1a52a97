import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readHttpDate, readRateLimit, writeRateLimit } from "../src/index.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const inHalfAMinute = nowMs / 1000 + 30;
const httpDate = (offsetMs: number) => new Date(nowMs + offsetMs).toUTCString();
const hourMs = 3_600_000;

const read = (headers: Record<string, string>) => readRateLimit(new Headers(headers), nowMs);
const resetAtMs = (reset: string | number, date = "") =>
  read({ "X-RateLimit-Reset": String(reset), Date: date })?.resetAtMs;

test.each<[string, Record<string, string>]>([
  ["the documented", { "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "20" }],
  ["those without the X-", { "RateLimit-Limit": "60", "RateLimit-Remaining": "3", "RateLimit-Reset": "20" }],
  ["another hyphen", { "X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "3", "X-Rate-Limit-Reset": "20" }],
  ["a later draft", { RateLimit: '"default";r=3;t=20', "RateLimit-Policy": '"default";q=60;w=60' }],
  ["an earlier draft", { RateLimit: "limit=60, remaining=3, reset=20" }],
])("a rate limit is read from headers of several kinds: %s", (_title, headers) => {
  expect(read(headers)).toEqual({ limit: 60, remaining: 3, resetAtMs: nowMs + 20_000, observedAtMs: nowMs });
});

test("one readable header is enough; without any there is no rate limit", () => {
  const unknown = { limit: undefined, remaining: undefined, resetAtMs: undefined, observedAtMs: nowMs };

  expect(read({ "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "soon" })).toEqual({ ...unknown, remaining: 7 });
  expect(read({ Date: httpDate(0) })).toBeUndefined();
});

test.each<[string, number]>([
  ["0", nowMs],
  [" 30 ", nowMs + 30_000],
  ["999999999", nowMs + 999_999_999_000],
  ["1000000000", 1_000_000_000_000],
  [String(inHalfAMinute), nowMs + 30_000],
  ["99999999999", 99_999_999_999_000],
  ["100000000000", 100_000_000_000],
  [String(nowMs + 30_000), nowMs + 30_000],
  ["0.25", nowMs + 250],
  [String((nowMs + 30_500) / 1000), nowMs + 30_500],
  [httpDate(30_000), nowMs + 30_000],
  [new Date(nowMs + 30_500).toISOString(), nowMs + 30_500],
])("the size of a reset tells its unit, and a date is read: %s", (reset, expected) => {
  expect(resetAtMs(reset)).toBe(expected);
});

test.each(["", "-1", "+30", "1e3", "0x10", "NaN", "30s", "30, 60", "Sun, 01 Mar 2026", "9".repeat(17)])(
  "a reset that names no time is ignored: %j",
  (reset) => {
    expect(read({ "X-RateLimit-Limit": "60", "X-RateLimit-Reset": reset })).toMatchObject({ limit: 60 });
    expect(resetAtMs(reset)).toBeUndefined();
  },
);

test.each([
  ["a clock that is 90 s slow", inHalfAMinute - 90, httpDate(-90_000)],
  ["that clock, in milliseconds", (inHalfAMinute - 90) * 1000, httpDate(-90_000)],
  ["that clock, in seconds from now", 30, httpDate(-90_000)],
  ["a word", inHalfAMinute, "yesterday"],
  ["a year", inHalfAMinute, "2031"],
  ["an ISO date, which is no HTTP date", inHalfAMinute, "2031-01-01T00:00:00Z"],
  ["a date that a cache kept for three days", inHalfAMinute, httpDate(-72 * hourMs)],
  ["a clock that is three days slow", inHalfAMinute - 72 * 3600, httpDate(-72 * hourMs)],
  ["a clock that is three days fast", inHalfAMinute + 72 * 3600, httpDate(72 * hourMs)],
])("a reset is corrected by the service's Date if that is plausible: %s", (_title, reset, date) => {
  expect(resetAtMs(reset, date)).toBe(nowMs + 30_000);
});

test("an HTTP date is read in each of its three forms", () => {
  const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const years = 31_557_600;
  fc.assert(
    fc.property(fc.integer({ min: -40 * years, max: 49 * years }), (offsetSeconds) => {
      const date = new Date(nowMs + offsetSeconds * 1000);
      const [weekday = "", day = "", month = "", year = "", time = ""] = date.toUTCString().split(/,? /);
      const forms = [
        date.toUTCString(),
        `${weekdays[date.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
        `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
      ];
      expect(forms.map((form) => readHttpDate(form, nowMs))).toEqual(forms.map(() => date.getTime()));
    }),
  );
  // A year of two digits that would be more than 50 years ahead is past.
  expect(readHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", nowMs)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
});

test.each(["Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 08:49:37 1994", "Sun Foo  6 08:49:37 1994", "06-Nov-94", null])(
  "%j is no HTTP date",
  (text) => expect(readHttpDate(text, nowMs)).toBeUndefined(),
);

test("repeated headers count once if their values are the same, and not at all if they differ", () => {
  const values = fc.record({
    "X-RateLimit-Limit": fc.nat().map(String),
    "X-RateLimit-Remaining": fc.nat().map(String),
    "X-RateLimit-Reset": fc.constantFrom("7", String(inHalfAMinute), String(nowMs + 30_000)),
    Date: fc.integer({ min: -90_000, max: 90_000 }).map(httpDate),
  });
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 4 }), fc.constantFrom(",", ", ", " ,  "), (once, times, comma) => {
      const repeated = Object.entries(once).map(([name, value]) => [name, Array(times).fill(value).join(comma)]);
      expect(read(Object.fromEntries(repeated) as typeof once)).toEqual(read(once)); // why: the same names
    }),
  );
  const different = { "X-RateLimit-Limit": "10, 100", "X-RateLimit-Remaining": "1,", "X-RateLimit-Reset": "," };
  expect(read(different)).toBeUndefined();
});

test("each value of any header is a whole number of 0 or more, or missing", () => {
  const header = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.integer().map(String), fc.double().map(String));
  const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "date"];
  fc.assert(
    fc.property(fc.record(Object.fromEntries(names.map((name) => [name, header]))), (values) => {
      const rateLimit = readRateLimit({ get: (name) => values[name.toLowerCase()] ?? null }, nowMs);

      for (const value of [rateLimit?.limit, rateLimit?.remaining])
        expect(value === undefined || (Number.isSafeInteger(value) && value >= 0)).toBe(true);
      expect(rateLimit?.resetAtMs === undefined || Number.isFinite(rateLimit.resetAtMs)).toBe(true);
    }),
  );
});

test("headers that the service writes are read back, and a caller who waits for the reset is never early", () => {
  const resets = fc.integer({ min: nowMs, max: nowMs + 24 * hourMs });
  fc.assert(
    fc.property(fc.nat(), fc.nat(), resets, (limit, remaining, resetAtMs) => {
      const written = readRateLimit(new Headers(writeRateLimit({ limit, remaining, resetAtMs })), nowMs);

      expect(written).toMatchObject({ limit, remaining });
      expect(written?.resetAtMs).toBeGreaterThanOrEqual(resetAtMs);
      expect(written?.resetAtMs).toBeLessThan(resetAtMs + 1000);
    }),
  );
});
