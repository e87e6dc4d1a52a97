// Seeds, snapshots, imports and exports: what accounts hold as plain data, in one format.
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
 * one per line. What a service writes begins with a {@link StateHeader}; a list written by hand may do without.
 */
export type StateRecord = StateHeader | AccountRecord;

/** The first record of what a service wrote. */
export interface StateHeader {
  /** Version of this format. */
  version: typeof stateVersion;
  /** Number of the records that follow, so that a file which was cut short is noticed. @defaultValue not checked */
  records?: number;
  /** How far the service's clock was moved ahead, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number;
}

/** What an account holds, or a part of it. Of pages and events of one account the older come first. */
export interface AccountRecord {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** Plan that was put in force for it. @defaultValue the one it has anyway */
  plan?: Plan;
  /** How far its clock was moved ahead of the service's, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number;
  /** The 26 characters after the prefix of the last page or event that got any. */
  lastId?: string;
  /** The number of the last page, where pages have numbers. */
  lastNumber?: number;
  /** A page as it is listed; one without `domains` is made as a create makes it, assignment included. */
  page?: PageRecord | SeedPage;
  /** The assignment of the page with its explanation, as it was decided. @defaultValue unknown; of a page without `domains`, decided anew */
  assignment?: Assignment | undefined;
  /** An event; one without `id` is taken as a request would be. */
  event?: StoredEvent | AnalyticsEvent;
  /** What a request with an `Idempotency-Key` did. */
  remembered?: RememberedRequest;
}

/** A page as a person writes it. */
export interface SeedPage extends CreatePage {
  /** Identifier of the page, so that events and tests can name it: letters, digits, `_` and `-`, at most 100 (an integer where the dialect has those). @defaultValue a new one */
  id?: string;
}

/** How much an import or a restore brought in. */
export interface LoadCounts {
  /** Accounts that now hold something. */
  accounts: number;
  /** Pages read. */
  pages: number;
  /** Events read. */
  events: number;
}

/** Version of the format, in the first record of what a service wrote. */
const stateVersion = 3;

/** What accounts hold, as records that a caller may change. */
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
    ...(ownPlan !== undefined && { plan: ownPlan }),
    ...(aheadMs !== 0 && { aheadMs }),
    ...(ids.last !== undefined && { lastId: ids.last }),
    ...(lastNumber > 0 && { lastNumber }),
  };
  return copyJson([
    ...(Object.keys(standing).length > 0 ? [{ account, ...standing }] : []),
    ...Array.from(pages.values(), ({ record, explain }): AccountRecord => {
      const assignment = explain();
      return { account, page: record, ...(assignment && { assignment }) };
    }),
    ...events.map((event): AccountRecord => ({ account, event })),
    ...Array.from(remembered.values(), (request): AccountRecord => ({ account, remembered: request })),
  ]);
}

/** Clocks are moved within the years that timestamps can write. */
const aheadMs = optional(z.number().min(-3e14).max(3e14));

/** Checks the first record of what a service wrote. */
export const headerSchema = z.strictObject({
  version: z.literal(stateVersion, { error: "expected 3; another release wrote this" }),
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

/** Reasons are kept as they are, because another release may have written them. */
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

/** Checks a record about an account. A page or an event may be as a request sends it, which its endpoint checks. */
export const accountRecordSchema = z
  .strictObject(
    {
      account: z.string(),
      plan: optional(planSchema),
      aheadMs,
      lastId: optional(z.string().refine(isIdText, { error: "expected what follows the prefix of an id" })),
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
    error: "must have a page, an event or a plan besides",
  });
