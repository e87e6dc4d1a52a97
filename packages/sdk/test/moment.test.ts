import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidInputError } from "../src/index.ts";
import { failureOf, scripted, setUp, somePage, status } from "./setup.ts";

const pad = (value: number) => String(value).padStart(2, "0");

test("a time in any spelling of RFC 3339 is sent as the same time in the documented shape", () =>
  fc.assert(
    fc.asyncProperty(
      fc.date({ min: new Date("0001-01-02T00:00:00Z"), max: new Date("9998-12-30T00:00:00Z"), noInvalidDate: true }),
      fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
      fc.constantFrom("T", "t", " "),
      fc.constantFrom(":", ""),
      fc.constantFrom("", ".5", ".999999999"),
      async (date, offsetMinutes, between, colon, fraction) => {
        const { client, requests } = scripted([status(204)]);
        const local = new Date(Math.floor(date.getTime() / 1000) * 1000 + offsetMinutes * 60_000).toISOString();
        const minutes = Math.abs(offsetMinutes);
        const zone = `${offsetMinutes < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}${colon}${pad(minutes % 60)}`;
        const timestamp = local.replace("T", between).replace(".000Z", fraction + zone);

        await client.analytics.track({ pageId: "pg_1", timestamp });

        const sent = `${date.toISOString().slice(0, 19)}Z`;
        expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ pageId: "pg_1", timestamp: sent });
      },
    ),
    { numRuns: 300 },
  ));

test("a Date of another realm is as good", async () => {
  const { client, requests } = scripted([status(204)]);
  const timestamp = runInNewContext("new Date(Date.UTC(2026, 4, 6, 7, 8, 9))") as Date; // why: the script says so

  await client.analytics.track({ pageId: "pg_1", timestamp });

  expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ timestamp: "2026-05-06T07:08:09Z" });
});

test.each([
  ["2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"],
  ["2026-05-06T07:08+02:00", "2026-05-06T05:08:00Z"],
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
])("%j is refused as a timestamp, and nothing is sent", async (timestamp) => {
  const { client, requests } = scripted([status(204)]);

  const error = await failureOf(client.analytics.track({ pageId: "pg_1", timestamp: timestamp as string })); // why: what plain JavaScript may pass

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toHaveProperty(
    "message",
    expect.stringContaining("timestamp: expected a Date, or an ISO 8601 string with a time and an offset"),
  );
  expect(requests).toEqual([]);
});

test("the service stores the timestamp that was meant", async () => {
  const { client, account } = setUp();
  const page = await client.pages.create(somePage);

  await client.analytics.track({ pageId: page.id, timestamp: "2026-05-06T09:08:09.5+02:00" });

  expect(account.events).toMatchObject([{ timestamp: "2026-05-06T07:08:09Z" }]);
});
