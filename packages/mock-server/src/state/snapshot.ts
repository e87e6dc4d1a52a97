import type { PageRecord } from "@landing-page-service/contract";
import type { Account } from "./accounts.ts";
import type { StoredEvent } from "./event.ts";
import type { StoredAnswer } from "./idempotency.ts";
import type { StoredPage } from "./stored-page.ts";

/** One thing that an account holds, as plain data: a page, an event, or a remembered `Idempotency-Key`. */
export type StateRecord =
  | {
      /** Id of the account; a sandbox's is its key. */
      account: string;
      /** The page as it is listed. */
      page: PageRecord;
      /** Pages that domains with a capacity served when it was placed. */
      loads?: Record<string, number> | undefined;
      /** The page as it was placed, where it has changed since. */
      origin?: PageRecord | undefined;
    }
  | {
      /** Id of the account; a sandbox's is its key. */
      account: string;
      /** The event, with the defaults filled in. */
      event: StoredEvent;
    }
  | {
      /** Id of the account; a sandbox's is its key. */
      account: string;
      /** A create that is answered again when its key comes again. */
      create: RememberedCreate;
    };

/** A remembered `Idempotency-Key` and the answer it got. */
export interface RememberedCreate {
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

/** What a service or an account holds at one moment, fit for JSON. Rate windows, faults and the journal are no part of it. */
export interface Snapshot {
  /** Version of this format. */
  version: 1;
  /** In the order of accounts, each with its pages, events and remembered keys, oldest first. */
  records: StateRecord[];
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

/** Lines per piece of an export: enough to make pieces worth writing, few enough to hold. */
const linesPerPiece = 64;

/** What an account holds at one moment. */
interface HeldAccount {
  readonly id: string;
  readonly pages: readonly HeldPage[];
  readonly events: readonly StoredEvent[];
  readonly creates: readonly [string, StoredAnswer][];
}

type HeldPage = Readonly<Pick<StoredPage, "text" | "loads" | "origin">>;

/**
 * Holds on to what accounts hold now: writing takes time, and pages of different moments may claim one URL. The texts are
 * shared with the accounts, so this takes little room.
 */
export function holdStill(accounts: readonly Account[]): HeldAccount[] {
  return accounts.map(({ id, state }) => ({
    id,
    pages: Array.from(state.pages.all, ({ text, loads, origin }) => ({ text, loads, origin })),
    events: Array.from(state.events),
    creates: Array.from(state.idempotency.entries()),
  }));
}

/** An export: a line with the version, then a line for each record. */
export function* writeLines(accounts: readonly HeldAccount[]): Generator<string> {
  yield `{"version":1}\n`;
  yield* writeRecords(accounts);
}

/** What accounts hold, in pieces of whole lines. */
function* writeRecords(accounts: readonly HeldAccount[]): Generator<string> {
  for (const { id, pages, events, creates } of accounts) {
    const account = `{"account":${JSON.stringify(id)}`;
    for (let start = 0; start < pages.length; start += linesPerPiece) {
      const piece = pages.slice(start, start + linesPerPiece);
      yield piece.map((page) => `${account},${writePage(page)}}\n`).join("");
    }
    for (const event of events) yield `${account},"event":${JSON.stringify(event)}}\n`;
    for (const [key, { fingerprint, expiresAtMs, answer }] of creates) {
      const { status, headers = {}, body = "" } = answer;
      const create: RememberedCreate = { key, fingerprint, expiresAtMs, status, headers, body };
      yield `${account},"create":${JSON.stringify(create)}}\n`;
    }
  }
}

function writePage({ text, loads, origin }: HeldPage): string {
  const parts = [`"page":${text}`];
  if (loads !== undefined) parts.push(`"loads":${JSON.stringify(loads)}`);
  if (origin !== undefined) parts.push(`"origin":${origin}`);
  return parts.join(",");
}

/** Takes what accounts hold as a snapshot. */
export function takeSnapshot(accounts: readonly HeldAccount[]): Snapshot {
  const records = Array.from(writeRecords(accounts)).flatMap(
    (piece) =>
      piece
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as StateRecord), // writeRecords wrote it from one
  );
  return { version: 1, records };
}
