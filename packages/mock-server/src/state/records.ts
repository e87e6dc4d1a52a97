import * as z from "zod";
import {
  type AnalyticsEvent,
  type CreatePage,
  type PageRecord,
  pageRecordSchema,
} from "@landing-page-service/contract";
import { integer, optional } from "../argument.ts";
import type { Assignment } from "../domains/assignment.ts";
import { isHeader } from "../http-types.ts";
import {
  copyPage,
  isIdempotencyKey,
  isIdText,
  type LastIds,
  type RememberedResult,
  type StoredEvent,
} from "./account-state.ts";
import type { Account } from "./accounts.ts";
import { type Plan, planSchema } from "./limiter.ts";

/**
 * One record of a state, as plain data fit for JSON. Seeds, snapshots, imports and exports are all lists of these, in files
 * one per line. What a service writes begins with a {@link StateHeader}; a list written by hand may do without.
 */
export type StateRecord = StateHeader | AccountEntry | PageEntry | EventEntry | CreateEntry | TrackEntry;

/** The first record of what a service wrote. */
export interface StateHeader {
  /** Version of this format. */
  version: typeof stateVersion;
  /** Number of the records that follow, so that a file which was cut short is noticed. @defaultValue not checked */
  records?: number;
  /** How far the service's clock was moved ahead, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number;
}

/** How an account stands, before what it holds. At least one of its members beside `account` is there. */
export interface AccountEntry extends LastIds {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** Plan that was put in force for it. @defaultValue the one it has anyway */
  plan?: Plan;
  /** How far its clock was moved ahead of the service's, in milliseconds; negative when it was set back. @defaultValue 0 */
  aheadMs?: number;
}

/** A page of an account. Of one account's pages the older come first. */
export interface PageEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The page as it is listed; one without `domains` is made as a create makes it, assignment included. */
  page: PageRecord | SeedPage;
  /** The assignment with its explanation, as it was decided. @defaultValue unknown; of a page without `domains`, decided anew */
  assignment?: Assignment | undefined;
}

/** A page as a person writes it. */
export interface SeedPage extends CreatePage {
  /** Identifier of the page, so that events and tests can name it: letters, digits, `_` and `-`, at most 100 (an integer where the dialect has those). @defaultValue a new one */
  id?: string;
}

/** An event of an account, the older first. */
export interface EventEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The event; one without `id` is taken as a request would be. */
  event: StoredEvent | AnalyticsEvent;
}

/** A create whose response is repeated when its key comes again. */
export interface CreateEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The key and its response. */
  create: RememberedAnswer;
}

/** An event whose response is repeated when its key comes again. */
export interface TrackEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The key and its response. */
  track: RememberedAnswer;
}

/** A remembered `Idempotency-Key` and its response. */
export interface RememberedAnswer {
  /** The key. */
  key: string;
  /** SHA-256 of the request's body in base 64. */
  fingerprint: string;
  /** When the key is forgotten, milliseconds since 1970 UTC. */
  expiresAtMs: number;
  /** Status of the response. */
  status: number;
  /** Headers of the response beside those that every response has. */
  headers: Record<string, string>;
  /** Body of the response. */
  body: string;
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
export const stateVersion = 2;

/** What accounts hold, as records. */
export function takeSnapshot(accounts: readonly Account[], aheadMs = 0): StateRecord[] {
  const records = accounts.flatMap(listRecords);
  return [{ version: stateVersion, records: records.length, ...(aheadMs !== 0 && { aheadMs }) }, ...records];
}

function listRecords({ id: account, state, limiter, aheadMs }: Account): StateRecord[] {
  const standing = {
    ...(limiter.ownPlan !== undefined && { plan: limiter.ownPlan }),
    ...(aheadMs !== 0 && { aheadMs }),
    ...state.ids.last,
  };
  const pages = Array.from(state.pages, ({ record, explain }): PageEntry => {
    const assignment = explain();
    return { account, page: copyPage(record), ...(assignment && { assignment }) };
  });
  const { createPage, trackEvent } = state.idempotency;
  return [
    ...(Object.keys(standing).length > 0 ? [{ account, ...standing }] : []),
    ...pages,
    ...state.events.map((event): EventEntry => ({ account, event: copyEvent(event) })),
    ...Array.from(createPage.entries(), (remembered) => ({ account, create: writeRemembered(remembered) })),
    ...Array.from(trackEvent.entries(), (remembered) => ({ account, track: writeRemembered(remembered) })),
  ];
}

/** The format keeps what the reference service would send. */
function writeRemembered([key, remembered]: readonly [string, RememberedResult]): RememberedAnswer {
  const { fingerprint, expiresAtMs, result } = remembered;
  const { status, page, event } = result;
  const headers = event === undefined && page ? { Location: `/api/content/${encodeURIComponent(page.id)}` } : {};
  return { key, fingerprint, expiresAtMs, status, headers, body: JSON.stringify(event ?? page) };
}

/** An event for a caller, who may change it. */
export function copyEvent({ properties, ...event }: StoredEvent): StoredEvent {
  return { ...event, ...(properties && { properties: { ...properties } }) };
}

/** Clocks are moved within the years that timestamps can write. */
const aheadMs = optional(z.number().min(-3e14).max(3e14));

/** Checks the first record of what a service wrote. */
export const headerSchema = z.strictObject({
  version: z.literal(stateVersion),
  records: optional(integer(0)),
  aheadMs,
});

/** Reasons are kept as they came: they explain what is past, and another release may have given them. */
const assignmentSchema = z.looseObject({
  domains: z.array(z.looseObject({ name: z.string() })),
  explanation: optional(z.string()),
});

const account = z.string();

/** Checks the records about an account, by the field that gives the kind of a record; a page or an event may be as a request sends it. */
export const entrySchemas = {
  standing: z.strictObject({
    account,
    aheadMs,
    lastId: optional(z.string().refine(isIdText, { error: "expected what follows the prefix of an id" })),
    lastNumber: optional(integer(0)),
    plan: optional(planSchema),
  }),
  page: z.strictObject({
    account,
    page: z.looseObject({}),
    assignment: optional(
      z.custom<object>((value) => assignmentSchema.safeParse(value).success, {
        error: "expected the explanation of an assignment",
      }),
    ),
  }),
  event: z.strictObject({ account, event: z.looseObject({}) }),
  create: z.strictObject({ account, create: rememberedSchema(201) }),
  track: z.strictObject({ account, track: rememberedSchema(202) }),
};

/** Kinds of records about an account. */
export type EntryKind = keyof typeof entrySchemas;

/** Checks a page that has its domains. */
export const assignedPageSchema = z.object({ page: pageRecordSchema });

/** Checks an event that has its id. */
export const storedEventSchema = z.object({
  event: z.strictObject({
    id: z.string(),
    pageId: z.string(),
    timestamp: z.string(),
    type: z.string(),
    properties: optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  }),
});

/** A remembered key whose response has the one status there is. */
function rememberedSchema<Status extends number>(status: Status) {
  return z.strictObject({
    key: z.string().refine(isIdempotencyKey, { error: "expected an Idempotency-Key" }),
    fingerprint: z.string(),
    expiresAtMs: z.number(),
    status: z.literal(status),
    headers: z
      .record(z.string(), z.string())
      .refine((headers) => Object.entries(headers).every(([name, value]) => isHeader(name, value)), {
        error: "expected what HTTP can carry",
      }),
    body: z.string(),
  });
}
