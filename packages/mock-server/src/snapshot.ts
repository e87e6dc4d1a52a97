import { type PageRecord, pageRecordSchema } from "@landing-page-service/contract";
import * as z from "zod";
import { type Account, AccountState } from "./accounts.ts";
import type { StoredEvent } from "./analytics.ts";
import { isHeader } from "./answers.ts";
import { type StoredAnswer, isIdempotencyKey } from "./idempotency.ts";
import type { StoredPage } from "./store.ts";
import { urlPath } from "./store.ts";
import { pageUrl } from "./domains/urls.ts";

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

const stateRecordSchema = z.union([
  z.strictObject({
    account: z.string(),
    page: pageRecordSchema,
    loads: z.record(z.string(), z.int().min(0)).optional(),
    origin: pageRecordSchema.optional(),
  }),
  z.strictObject({
    account: z.string(),
    event: z.strictObject({
      id: z.string(),
      pageId: z.string(),
      timestamp: z.string(),
      type: z.string(),
      properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).exactOptional(),
    }),
  }),
  z.strictObject({
    account: z.string(),
    create: z.strictObject({
      key: z.string().refine(isIdempotencyKey, { error: "expected an Idempotency-Key" }),
      fingerprint: z.string(),
      expiresAtMs: z.number(),
      status: z.literal(201),
      headers: z
        .record(z.string(), z.string())
        .refine((headers) => Object.entries(headers).every(([name, value]) => isHeader(name, value)), {
          error: "expected what HTTP can carry",
        }),
      body: z.string(),
    }),
  }),
]);

/**
 * Builds states out of records, beside those in use: a load that fails half-way leaves everything as it was.
 * `place` says in an error where the record stood.
 */
export class StateLoader {
  readonly states = new Map<string, AccountState>();
  readonly counts: LoadCounts = { accounts: 0, pages: 0, events: 0 };

  readonly #noteId: (id: string) => boolean;

  /** @param noteId - takes note of a page's identifier; `false` when no page can have it. */
  constructor(noteId: (id: string) => boolean) {
    this.#noteId = noteId;
  }

  /** @throws {TypeError} when the record is not one, or does not fit those before it. */
  load(value: unknown, place: string): void {
    const result = stateRecordSchema.safeParse(value);
    if (!result.success) throw new TypeError(`${place}: ${explain(result.error, value)}`);
    const record = result.data;
    const state = this.#state(record.account);
    if ("page" in record) {
      const { page, loads, origin } = record;
      if (!this.#noteId(page.id)) throw new TypeError(`${place}: no page can have the id ${JSON.stringify(page.id)}`);
      loadPage(state, page, { loads, origin }, place);
      this.counts.pages += 1;
    } else if ("event" in record) {
      state.events.push(record.event);
      this.counts.events += 1;
    } else {
      const { key, fingerprint, expiresAtMs, ...answer } = record.create;
      state.idempotency.restore(key, { fingerprint, expiresAtMs, answer });
    }
  }

  #state(account: string): AccountState {
    const known = this.states.get(account);
    if (known !== undefined) return known;
    const state = new AccountState();
    this.states.set(account, state);
    this.counts.accounts += 1;
    return state;
  }
}

function loadPage(
  { pages }: AccountState,
  page: PageRecord,
  { loads, origin }: { loads: Record<string, number> | undefined; origin: PageRecord | undefined },
  place: string,
): void {
  if (pages.get(page.id) !== undefined) throw new TypeError(`${place}: the page ${page.id} comes twice`);
  for (const { name, url } of page.domains) {
    if (!url.startsWith(pageUrl(name, ""))) throw new TypeError(`${place}: ${url} is no URL on ${name}`);
    const path = urlPath(name, url);
    if (pages.urls.isTaken(name, path)) throw new TypeError(`${place}: another page has the URL ${url}`);
    // A part cut out of the URL would keep the whole URL alive; mostly it is the slug anyway.
    pages.urls.claim(name, path === page.slug ? page.slug : path);
  }
  pages.insert(page, { loads, origin: origin && JSON.stringify(origin) });
}

/** Reads newline-delimited JSON piece by piece into a loader; at most one line is held at a time. */
export async function readLines(source: LineSource, loader: StateLoader): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let begun = "";
  const read = (line: string): void => {
    number += 1;
    if (line.trim() === "") return;
    const value = parseLine(line, number);
    if (number === 1) checkHeader(value);
    else loader.load(value, `line ${number}`);
  };
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (cause) {
      throw new TypeError(`line ${number + 1}: expected UTF-8, here or shortly after`, { cause });
    }
  };
  for await (const piece of source) {
    const lines = (typeof piece === "string" ? piece : decode(piece)).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      read(begun + line);
      begun = "";
    }
    begun += rest;
  }
  read(begun + decode());
  if (number === 1 && begun === "") throw new TypeError("line 1: expected an export, got nothing");
}

/** Text or bytes in pieces of any length, such as a stream of a file. */
export type LineSource = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** @throws {TypeError} when a snapshot or export is not of a version that is known. */
export function checkHeader(value: unknown): void {
  if (typeof value === "object" && value !== null && "version" in value && value.version === 1) return;
  throw new TypeError(`expected an export or snapshot of version 1, got ${JSON.stringify(value)?.slice(0, 100)}`);
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new TypeError(`line ${number}: expected JSON, got ${JSON.stringify(line.slice(0, 60))}`, { cause });
  }
}

/** The first wrong place of the kind of record it was meant to be. */
function explain(error: z.ZodError, value: unknown): string {
  const issue = error.issues[0];
  const kind = ["page", "event", "create"].findIndex(
    (name) => typeof value === "object" && value !== null && name in value,
  );
  const problem = issue?.code === "invalid_union" ? issue.errors[kind]?.[0] : issue;
  if (problem === undefined) return `expected an account with a page, an event or a create`;
  return `${problem.path.map(String).join(".")}: ${problem.message}`;
}
