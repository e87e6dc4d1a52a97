// Reads snapshots and exports back into states.
import { type PageRecord, pageRecordSchema } from "@landing-page-service/contract";
import * as z from "zod";
import { AccountState } from "./accounts.ts";
import { isHeader } from "../exchange/headers.ts";
import { pageUrl } from "./urls.ts";
import { isIdempotencyKey } from "./idempotency.ts";
import type { LoadCounts } from "./snapshot.ts";
import { urlPath } from "./store.ts";

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
