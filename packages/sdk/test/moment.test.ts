import * as fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidInputError } from "../src/index.ts";
import { failureOf, scripted, setUp, somePage, status } from "./setup.ts";

const pad = (value: number, length = 2) => String(value).padStart(length, "0");
const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 }).map((all) => all.join(""));

test("a moment in any spelling of ISO 8601 is sent as the same moment in the documented shape", () =>
  fc.assert(
    fc.asyncProperty(
      fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9998-12-31T00:00:00Z"), noInvalidDate: true }),
      fc.option(fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })),
      fc.option(digits),
      fc.record({
        isBasic: fc.boolean(),
        between: fc.constantFrom("T", "t", " "),
        mark: fc.constantFrom(".", ","),
        minus: fc.constantFrom("-", "\u2212"),
        zulu: fc.constantFrom("Z", "z"),
        parts: fc.constantFrom("second", "minute", "hour"),
        offset: fc.constantFrom("+HH:MM", "+HHMM"),
      }),
      async (moment, offsetMinutes, fraction, spelling) => {
        const { client, requests } = scripted([status(204)]);
        const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000 }[spelling.parts];
        const local = Math.floor((moment.getTime() + (offsetMinutes ?? 0) * 60_000) / unitMs) * unitMs;
        const timestamp = spell(new Date(local), offsetMinutes, fraction, spelling);

        await client.analytics.track({ pageId: "pg_1", timestamp });

        const part = (BigInt(fraction ?? "0") * BigInt(unitMs / 1000)) / 10n ** BigInt(fraction?.length ?? 0);
        const atMs = local - (offsetMinutes ?? 0) * 60_000 + Number(part) * 1000;
        expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
          pageId: "pg_1",
          timestamp: new Date(atMs).toISOString().replace(".000Z", "Z"),
        });
      },
    ),
    { numRuns: 300 },
  ));

function spell(
  local: Date,
  offsetMinutes: number | null,
  fraction: string | null,
  how: { isBasic: boolean; between: string; mark: string; minus: string; zulu: string; parts: string; offset: string },
): string {
  const [dash, colon] = how.isBasic ? ["", ""] : ["-", ":"];
  const date = [pad(local.getUTCFullYear(), 4), pad(local.getUTCMonth() + 1), pad(local.getUTCDate())].join(dash);
  const count = { second: 3, minute: 2, hour: 1 }[how.parts];
  const time = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()]
    .slice(0, count)
    .map((part) => pad(part));
  const minutes = Math.abs(offsetMinutes ?? 0);
  const sign = (offsetMinutes ?? 0) < 0 ? how.minus : "+";
  const between = how.offset === "+HH:MM" ? ":" : "";
  const zone =
    offsetMinutes === null ? how.zulu : `${sign}${pad(Math.floor(minutes / 60))}${between}${pad(minutes % 60)}`;
  return `${date}${how.between}${time.join(colon)}${fraction === null ? "" : how.mark + fraction}${zone}`;
}

test.each([
  ["2026-12-31T23:59:60Z", "2026-12-31T23:59:59Z"],
  ["2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"],
  ["2026-05-06T07+02", "2026-05-06T05:00:00Z"],
  ["2024-02-29T00:00:00.999999999-00:00", "2024-02-29T00:00:00Z"],
])("%s is sent as %s", async (timestamp, sent) => {
  const { client, requests } = scripted([status(204)]);

  await client.analytics.track({ pageId: "pg_1", timestamp });

  expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ timestamp: sent });
});

test.each([
  "yesterday",
  "",
  "2026-05-06",
  "2026-05-06T07:08:09",
  "2026-02-30T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-05-06T25:00:00Z",
  "2026-05-06T24:00:01Z",
  "2026-05-06T07:60:00Z",
  "2026-05-06T07:08:61Z",
  "2026-05-06T07:08:09+24:00",
  "2026-05-06T07:08:09+02:60",
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-01:00",
  "2026-0506T07:08:09Z",
  "1767323045",
  1_767_323_045_000,
  new Date(Number.NaN),
  {},
])("%j is refused as a moment, and nothing is sent", async (timestamp) => {
  const { client, requests } = scripted([status(204)]);

  const error = await failureOf(client.analytics.track({ pageId: "pg_1", timestamp: timestamp as string })); // why: what plain JavaScript may pass

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toHaveProperty(
    "message",
    expect.stringContaining("timestamp: expected a Date, or an ISO 8601 text with a time and an offset"),
  );
  expect(requests).toEqual([]);
});

test("the service stores the moment that was meant", async () => {
  const { client, account } = setUp();
  const page = await client.pages.create(somePage);

  await client.analytics.track({ pageId: page.id, timestamp: "2026-05-06T09:08:09.5+02:00" });

  expect(account.events).toMatchObject([{ timestamp: "2026-05-06T07:08:09Z" }]);
});
