// The format of seeds, snapshots, imports and exports: the content of accounts as plain data.
import {
  type AnalyticsEvent,
  type CreatePage,
  type PageRecord,
  pageRecordSchema,
  recordedEventSchema,
} from "@landing-page-service/contract";
import * as z from "zod";
import { integer, optional } from "../argument.ts";
import type { Assignment } from "../domains/assignment.ts";
import { isIdempotencyKey, isIdText, type RememberedRequest, type StoredEvent } from "./account-state.ts";
import type { Account } from "./accounts.ts";
import { type Plan, planSchema } from "./plan.ts";

/**
 * One record of a state, as plain data fit for JSON. Seeds, snapshots, imports and exports are all lists of these, in files
 * one per line. A service writes a {@link StateHeader} first; a list written by hand does not need one.
 */
export type StateRecord = StateHeader | AccountRecord;

/** The first record that a service writes. */
export interface StateHeader {
  /** Version of this format. */
  version: typeof stateVersion;
  /** Number of the records that follow, which shows whether a file was cut short. @defaultValue not checked */
  records?: number | undefined;
  /** How far the service's clock was moved ahead, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number | undefined;
}

/** The content of an account, or a part of it. Older pages and events of an account come first. */
export interface AccountRecord {
  /** Id of the account, which is the key if a `test_` key opened it. */
  account: string;
  /** Plan that replaced its first one. @defaultValue its first plan */
  plan?: Plan | undefined;
  /** How far its clock was moved ahead of the service's, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number | undefined;
  /** The 26 characters after the prefix of its last identifier. */
  lastId?: string | undefined;
  /** The number of the last page, if ids are integers. */
  lastNumber?: number | undefined;
  /** A page with the fields of a list. A page without `domains` is created as by a request, which also assigns it. */
  page?: PageRecord | SeedPage | undefined;
  /** The assignment of the page with its explanation, as it was decided. @defaultValue unknown, or decided again for a page without `domains` */
  assignment?: Assignment | undefined;
  /** An event. An event without `id` is accepted as from a request. */
  event?: StoredEvent | AnalyticsEvent | undefined;
  /** The result of a request with an `Idempotency-Key`. */
  remembered?: RememberedRequest | undefined;
}

/** A page in a seed, as written by hand. */
export interface SeedPage extends CreatePage {
  /** Identifier of the page, so that events and tests can name it: letters, digits, `_` and `-`, at most 100 (an integer where the dialect has those). @defaultValue a new one */
  id?: string | undefined;
}

/** Counts of what an import or a restore loaded. */
export interface LoadCounts {
  /** Accounts that have content now. */
  accounts: number;
  /** Pages read. */
  pages: number;
  /** Events read. */
  events: number;
}

/** Version of the format, in the first record. */
const stateVersion = 3;

/** Copies the content of accounts into records. */
export function takeSnapshot(accounts: readonly Account[], aheadMs = 0): StateRecord[] {
  const records = accounts.flatMap(listRecords);
  return [{ version: stateVersion, records: records.length, ...(aheadMs !== 0 && { aheadMs }) }, ...records];
}

/** Copies plain data. In jest, `structuredClone` would give arrays and objects of another realm, which `deepStrictEqual` refuses. */
export function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value; // why: plain data is the same after JSON
}

function listRecords({ id: account, state, ownPlan, aheadMs }: Account): AccountRecord[] {
  const { pages, events, remembered, ids, lastNumber } = state;
  const standing = {
    plan: ownPlan,
    aheadMs: aheadMs || undefined,
    lastId: ids.last,
    lastNumber: lastNumber || undefined,
  };
  return copyJson([
    ...(Object.values(standing).some((value) => value !== undefined) ? [{ account, ...standing }] : []),
    ...Array.from(pages.values(), ({ record, explain }) => ({ account, page: record, assignment: explain() })),
    ...events.map((event): AccountRecord => ({ account, event })),
    ...Array.from(remembered.values(), (request): AccountRecord => ({ account, remembered: request })),
  ]);
}

/** How far a clock can be ahead: the years that a timestamp can have. */
const aheadMs = optional(z.number().min(-3e14).max(3e14));

/** Checks the first record that a service writes. */
export const headerSchema = z.strictObject({
  version: z.literal(stateVersion, { error: "expected 3 (another release wrote this)" }),
  records: optional(integer(0)),
  aheadMs,
});

/** Checks an event that has its id. */
export const storedEventSchema = z.strictObject({
  id: z.string(),
  pageId: z.string(),
  timestamp: z.string(),
  type: z.string(),
  properties: optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});

/** Checks only these fields of an assignment, because another release may have written the others. */
const assignmentSchema = z.looseObject({
  domains: z.array(z.looseObject({ name: z.string() })),
  explanation: optional(z.string()),
});

const rememberedSchema = z
  .strictObject({
    endpoint: z.enum(["createPage", "trackEvent"]),
    key: z.string().refine(isIdempotencyKey, { error: "expected an Idempotency-Key" }),
    fingerprint: z.string(),
    expiresAtMs: z.number(),
    page: optional(pageRecordSchema),
    event: optional(recordedEventSchema),
  })
  .refine(({ endpoint, page, event }) => (endpoint === "createPage" ? page : event) !== undefined, {
    error: "must have the page that was created, or the event that was tracked",
  });

/** Checks a record about an account. Its endpoint checks a page or an event without the fields of a stored one. */
export const accountRecordSchema = z
  .strictObject(
    {
      account: z.string(),
      plan: optional(planSchema),
      aheadMs,
      lastId: optional(z.string().refine(isIdText, { error: "expected the 26 characters after the prefix of an id" })),
      lastNumber: optional(integer(0)),
      page: optional(z.looseObject({})),
      assignment: optional(
        z.custom<Assignment>((value) => assignmentSchema.safeParse(value).success, {
          error: "expected the explanation of an assignment",
        }),
      ),
      event: optional(z.looseObject({})),
      remembered: optional(rememberedSchema),
    },
    {
      error: ({ code }) =>
        code === "invalid_type" ? 'expected a record such as {"account": "test_shop", "page": {…}}' : undefined,
    },
  )
  .refine((record) => Object.keys(record).length > 1, {
    error: "must also have a page, an event or a plan",
  });
