import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readHttpDate, readRateLimit, writeRateLimit } from "../src/index.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const inHalfAMinute = nowMs / 1000 + 30;

function read(headers: Record<string, string>) {
  return readRateLimit(new Headers(headers), nowMs);
}

function resetAtMs(reset: string, date?: string) {
  return read({ "X-RateLimit-Reset": reset, ...(date !== undefined && { Date: date }) })?.resetAtMs;
}

test("the three headers are read as they are documented", () => {
  const rateLimit = read({
    "X-RateLimit-Limit": "60",
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(inHalfAMinute),
  });

  expect(rateLimit).toEqual({ limit: 60, remaining: 0, resetAtMs: nowMs + 30_000, observedAtMs: nowMs });
});

test("a response without any of the three says nothing about the rate limit", () => {
  expect(read({ Date: new Date(nowMs).toUTCString() })).toBeUndefined();
});

test("one readable header is enough", () => {
  expect(read({ "X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "soon" })).toEqual({
    limit: undefined,
    remaining: 7,
    resetAtMs: undefined,
    observedAtMs: nowMs,
  });
});

test.each([
  ["0", nowMs],
  ["30", nowMs + 30_000],
  ["999999999", nowMs + 999_999_999_000],
  ["1000000000", 1_000_000_000_000],
  [String(inHalfAMinute), nowMs + 30_000],
  ["99999999999", 99_999_999_999_000],
  ["100000000000", 100_000_000_000],
  [String(nowMs + 30_000), nowMs + 30_000],
  [" 30 ", nowMs + 30_000],
])("the unit of a reset is recognised by its size: %s", (reset, expected) => {
  expect(resetAtMs(reset)).toBe(expected);
});

test.each(["2031", "Tue, 2031", "yesterday", "2031-01-01T00:00:00Z"])("a Date of %j moves no reset", (date) => {
  const inOneMinute = nowMs / 1000 + 60;

  expect(resetAtMs(String(inOneMinute), date)).toBe(nowMs + 60_000);
});

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

test("an HTTP date is read in each of its three forms", () => {
  const moments = fc.integer({ min: nowMs / 1000 - 40 * 31_557_600, max: nowMs / 1000 + 49 * 31_557_600 });
  fc.assert(
    fc.property(moments, (seconds) => {
      const date = new Date(seconds * 1000);
      const [weekday = "", day = "", month = "", year = "", time = ""] = date.toUTCString().split(/,? /);
      const forms = [
        date.toUTCString(),
        `${weekdays[date.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
        `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
      ];
      expect(forms.map((form) => readHttpDate(form, nowMs))).toEqual(forms.map(() => date.getTime()));
    }),
  );
});

test.each(["Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 08:49:37 1994", "Sun Foo  6 08:49:37 1994", "06-Nov-94", null])(
  "%j is no HTTP date",
  (text) => expect(readHttpDate(text, nowMs)).toBeUndefined(),
);

test("a year of two digits that would be more than 50 years ahead is one of the past", () => {
  expect(readHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", nowMs)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
});

test("a clock that is wrong on either side does no harm", () => {
  const serverSlowBy90s = new Date(nowMs - 90_000).toUTCString();

  expect(resetAtMs(String(inHalfAMinute - 90), serverSlowBy90s)).toBe(nowMs + 30_000);
  expect(resetAtMs(String((inHalfAMinute - 90) * 1000), serverSlowBy90s)).toBe(nowMs + 30_000);
  expect(resetAtMs("30", serverSlowBy90s)).toBe(nowMs + 30_000);
  expect(resetAtMs(String(inHalfAMinute), "yesterday")).toBe(nowMs + 30_000);
});

test("a Date that a cache has kept is not believed where the reader's own clock makes the reset one of the coming hour", () => {
  const kept = (hours: number) => new Date(nowMs - hours * 3_600_000).toUTCString();

  expect(resetAtMs(String(inHalfAMinute), kept(72))).toBe(nowMs + 30_000);
  expect(resetAtMs(String(inHalfAMinute), kept(-72))).toBe(nowMs + 30_000);
  expect(resetAtMs(String(inHalfAMinute - 72 * 3600), kept(72))).toBe(nowMs + 30_000);
  expect(resetAtMs(String(inHalfAMinute + 72 * 3600), kept(-72))).toBe(nowMs + 30_000);
});

test.each(["", "-1", "+30", "1e3", "0x10", "NaN", "30s", "30, 60", "Sun, 01 Mar 2026", "9".repeat(17)])(
  "a reset that names no time is ignored: %j",
  (reset) => {
    expect(read({ "X-RateLimit-Limit": "60", "X-RateLimit-Reset": reset })).toEqual({
      limit: 60,
      remaining: undefined,
      resetAtMs: undefined,
      observedAtMs: nowMs,
    });
  },
);

test("headers that were sent several times with the same values are read as if they had been sent once", () => {
  const values = fc.record({
    "X-RateLimit-Limit": fc.nat().map(String),
    "X-RateLimit-Remaining": fc.nat().map(String),
    "X-RateLimit-Reset": fc.constantFrom("7", String(inHalfAMinute), String(nowMs + 30_000)),
    Date: fc.integer({ min: -90_000, max: 90_000 }).map((ms) => new Date(nowMs + ms).toUTCString()),
  });
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 4 }), fc.constantFrom(",", ", ", " ,  "), (once, times, comma) => {
      const repeated = Object.entries(once).map(([name, value]) => [name, Array(times).fill(value).join(comma)]);
      expect(read(Object.fromEntries(repeated) as typeof once)).toEqual(read(once)); // why: the same names
    }),
  );
});

test("headers that were sent several times with different values say nothing", () => {
  expect(read({ "X-RateLimit-Limit": "10, 100", "X-RateLimit-Remaining": "1,", "X-RateLimit-Reset": "," })).toBe(
    undefined,
  );
});

test("whatever a server sends, each value is a whole number of 0 or more, or missing", () => {
  const header = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.integer().map(String), fc.double().map(String));
  fc.assert(
    fc.property(header, header, header, header, (limit, remaining, reset, date) => {
      const values: Record<string, string> = {
        "x-ratelimit-limit": limit,
        "x-ratelimit-remaining": remaining,
        "x-ratelimit-reset": reset,
        date,
      };

      const rateLimit = readRateLimit({ get: (name) => values[name.toLowerCase()] ?? null }, nowMs);

      for (const value of [rateLimit?.limit, rateLimit?.remaining])
        expect(value === undefined || (Number.isSafeInteger(value) && value >= 0)).toBe(true);
      expect(rateLimit?.resetAtMs === undefined || Number.isFinite(rateLimit.resetAtMs)).toBe(true);
    }),
  );
});

test("what the service writes is read back, and a caller who waits for it is never early", () => {
  const state = fc.record({
    limit: fc.nat(),
    remaining: fc.nat(),
    resetAtMs: fc.integer({ min: nowMs, max: nowMs + 86_400_000 }),
  });
  fc.assert(
    fc.property(state, (written) => {
      const read = readRateLimit(new Headers(writeRateLimit(written)), nowMs);

      expect(read).toMatchObject({ limit: written.limit, remaining: written.remaining });
      expect(read?.resetAtMs).toBeGreaterThanOrEqual(written.resetAtMs);
      expect(read?.resetAtMs).toBeLessThan(written.resetAtMs + 1000);
    }),
  );
});

test.each([
  ["without the X-", { "RateLimit-Limit": "60", "RateLimit-Remaining": "3", "RateLimit-Reset": "20" }],
  ["with another hyphen", { "X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "3", "X-Rate-Limit-Reset": "20" }],
  ["in the one field of a later draft", { RateLimit: '"default";r=3;t=20', "RateLimit-Policy": '"default";q=60;w=60' }],
  ["in the one field of an earlier draft", { RateLimit: "limit=60, remaining=3, reset=20" }],
])("the limit is read %s where the documented headers are missing", (_title, headers) => {
  expect(readRateLimit(new Headers(headers), 1_000_000)).toEqual({
    limit: 60,
    remaining: 3,
    resetAtMs: 1_020_000,
    observedAtMs: 1_000_000,
  });
});

test.each([
  ["1.5", 1500],
  ["0.25", 250],
  [new Date(nowMs + 30_000).toUTCString(), 30_000],
  [new Date(nowMs + 30_500).toISOString(), 30_500],
  [String((nowMs + 30_500) / 1000), 30_500],
])("a reset with a fraction, or as a date, is read: %j", (reset, aheadMs) => {
  expect(read({ "X-RateLimit-Reset": reset })?.resetAtMs).toBe(nowMs + aheadMs);
});
