import type { AnalyticsEvent, CreatePage, PageRecord } from "@landing-page-service/contract";
import type { Assignment } from "../domains/assignment.ts";
import type { Account, AccountState } from "./accounts.ts";
import type { StoredEvent } from "./event.ts";
import type { StoredAnswer } from "./idempotency.ts";
import type { LastIds } from "./ids.ts";
import type { Plan } from "./limiter.ts";
import { readAssignment } from "./store.ts";
import type { StoredPage } from "./stored-page.ts";

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
  /** The page as it is listed; one without `domains` is made as a create makes it, placement included. */
  page: PageRecord | SeedPage;
  /** Why the page was placed where it is, as it was decided. @defaultValue unknown; of a page without `domains`, decided anew */
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

/** A create that is answered again when its key comes again. */
export interface CreateEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The key and its answer. */
  create: RememberedAnswer;
}

/** An event's submission that is answered again when its key comes again. */
export interface TrackEntry {
  /** Id of the account; a sandbox's is its key. */
  account: string;
  /** The key and its answer. */
  track: RememberedAnswer;
}

/** A remembered `Idempotency-Key` and the answer it got. */
export interface RememberedAnswer {
  /** The key. */
  key: string;
  /** SHA-256 of the request's body in base 64. */
  fingerprint: string;
  /** Moment the key is forgotten, milliseconds since 1970 UTC. */
  expiresAtMs: number;
  /** Status that was answered. */
  status: number;
  /** Headers that were answered beside those of every answer. */
  headers: Record<string, string>;
  /** Body that was answered. */
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

/** Lines per piece of an export: enough to make pieces worth writing, few enough to hold. */
const linesPerPiece = 64;

/** What an account holds at one moment. */
export interface HeldAccount {
  readonly id: string;
  readonly standing: Omit<AccountEntry, "account">;
  readonly pages: readonly HeldPage[];
  readonly events: readonly StoredEvent[];
  readonly creates: readonly [string, StoredAnswer][];
  readonly tracks: readonly [string, StoredAnswer][];
}

type HeldPage = Readonly<Pick<StoredPage, "text" | "assignment">>;

/**
 * Holds on to what accounts hold now: writing takes time, and pages of different moments may claim one URL. The texts are
 * shared with the accounts, so this takes little room.
 */
export function holdStill(accounts: readonly Account[]): HeldAccount[] {
  return accounts.map(({ id, state, limiter, aheadMs }) => ({
    id,
    standing: {
      ...(limiter.ownPlan !== undefined && { plan: limiter.ownPlan }),
      ...(aheadMs !== 0 && { aheadMs }),
      ...state.ids.last,
    },
    pages: Array.from(state.pages.all, ({ text, assignment }) => ({ text, assignment })),
    events: Array.from(state.events),
    creates: Array.from(state.idempotency.createPage.entries()),
    tracks: Array.from(state.idempotency.trackEvent.entries()),
  }));
}

/** What is put into an account. */
export interface AccountContent {
  readonly state: AccountState;
  /** Plan in force; `undefined` for the account's first one. */
  readonly plan?: Plan | undefined;
  /** How far its clock is ahead of the service's, in milliseconds. @defaultValue 0 */
  readonly aheadMs?: number | undefined;
}

/** Makes what an account held once more, in an empty state of the account. */
export function rebuild(
  { standing, pages, events, creates, tracks }: HeldAccount,
  state: AccountState,
): AccountContent {
  for (const { text, assignment } of pages) {
    const record = JSON.parse(text) as PageRecord; // the store wrote this text from a record
    state.pages.claimUrls(record);
    state.pages.insert(record, assignment);
    state.ids.note(record.id);
  }
  for (const event of events) state.events.push(event);
  for (const [key, answer] of creates) state.idempotency.createPage.restore(key, answer);
  for (const [key, answer] of tracks) state.idempotency.trackEvent.restore(key, answer);
  state.ids.goOnAfter(standing);
  return { state, ...standing };
}

/** An export: a line for each record. */
export function* writeLines(accounts: readonly HeldAccount[], aheadMs = 0): Generator<string> {
  const records = accounts.reduce((sum, account) => sum + countRecords(account), 0);
  const header: StateHeader = { version: stateVersion, records, ...(aheadMs !== 0 && { aheadMs }) };
  yield `${JSON.stringify(header)}\n`;
  for (const account of accounts) yield* writeAccount(account);
}

function countRecords({ standing, pages, events, creates, tracks }: HeldAccount): number {
  return (isEmptyObject(standing) ? 0 : 1) + pages.length + events.length + creates.length + tracks.length;
}

function isEmptyObject(value: object): boolean {
  return Object.keys(value).length === 0;
}

function* writeAccount({ id, standing, pages, events, creates, tracks }: HeldAccount): Generator<string> {
  const account = `{"account":${JSON.stringify(id)}`;
  if (!isEmptyObject(standing)) yield `${JSON.stringify({ account: id, ...standing })}\n`;
  for (let start = 0; start < pages.length; start += linesPerPiece) {
    const piece = pages.slice(start, start + linesPerPiece);
    yield piece.map((page) => `${account},${writePage(page)}}\n`).join("");
  }
  for (const event of events) yield `${account},"event":${JSON.stringify(event)}}\n`;
  for (const remembered of creates) yield `${account},"create":${writeRemembered(remembered)}}\n`;
  for (const remembered of tracks) yield `${account},"track":${writeRemembered(remembered)}}\n`;
}

function writeRemembered([key, { fingerprint, expiresAtMs, answer }]: readonly [string, StoredAnswer]): string {
  const { status, headers = {}, body = "" } = answer;
  const remembered: RememberedAnswer = { key, fingerprint, expiresAtMs, status, headers, body };
  return JSON.stringify(remembered);
}

function writePage({ text, assignment }: HeldPage): string {
  if (assignment === undefined) return `"page":${text}`;
  const told = typeof assignment === "string" ? assignment : JSON.stringify(readAssignment({ assignment }));
  return `"page":${text},"assignment":${told}`;
}

/** What accounts hold, as values. */
export function takeSnapshot(accounts: readonly HeldAccount[], aheadMs?: number): StateRecord[] {
  return Array.from(writeLines(accounts, aheadMs)).flatMap(
    (piece) =>
      piece
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as StateRecord), // writeLines wrote it from one
  );
}
