// Seeds, snapshots, imports and exports: records in and out of accounts. What fails leaves every account as it was.
import {
  freezeDeep,
  nearest,
  type PageRecord,
  pageRecordSchema,
  parseJson,
  recordedEventSchema,
} from "@landing-page-service/contract";
import * as z from "zod";
import { createPage, type OperationContext, recordEvent } from "../api/operations.ts";
import type { Assignment } from "../domains/network.ts";
import { ArgumentError, parseArgument, gotInstead, showLiteral } from "../argument.ts";
import { isRefusal, type Refusal } from "../http-types.ts";
import type { Account } from "../state/accounts.ts";
import { type AccountState, pageUrl, type RememberedResult } from "../state/account-state.ts";
import {
  assignedPageSchema,
  type EntryKind,
  entrySchemas,
  headerSchema,
  type LoadCounts,
  type RememberedAnswer,
  type StateRecord,
  stateVersion,
  storedEventSchema,
  takeSnapshot,
} from "../state/records.ts";
import type { Context } from "./context.ts";

/** Text or bytes in pieces of any length, such as a stream of a file. */
export type LineSource = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Brings records in and out of the accounts of a service. */
export class StateTransfer {
  readonly #context: Context;
  /** What a reset goes back to. */
  #beginning: readonly StateRecord[] = [];
  /** Accounts that the last records named: they are never evicted. */
  #named: ReadonlySet<string> = new Set();

  constructor(context: Context) {
    this.#context = context;
  }

  isNamed({ id }: Account): boolean {
    return this.#named.has(id);
  }

  /** Puts all accounts where records say, and makes that the beginning. @throws {TypeError} when a record is not valid. */
  begin(seed: readonly StateRecord[]): void {
    if (seed.length > 0) this.#beginWith(this.#load(seed, "seed"));
  }

  /** Puts an account where it began, in a fresh rate window. */
  reset(account: Account): void {
    const own = this.#beginning.filter((record) => "account" in record && record.account === account.id);
    const content = this.#load(own, "seed").accounts.get(account.id);
    this.#context.replaceState(account, content ?? { state: this.#context.accounts.newState(account.id) });
    account.assignmentRules = [];
  }

  /** The same for all accounts, and the clock. */
  resetAll(): void {
    this.#put(this.#load(this.#beginning, "seed"));
    for (const account of this.#context.accounts.all()) account.assignmentRules = [];
  }

  snapshot(): StateRecord[] {
    return takeSnapshot(this.#context.accounts.all(), this.#context.aheadMs);
  }

  /** Puts back what all accounts held. */
  restore(records: readonly StateRecord[]): LoadCounts {
    return this.#put(this.#load(records, "records"));
  }

  /** Puts the records of one account, whichever, into an account. */
  restoreAccount(records: readonly StateRecord[], account: Account): LoadCounts {
    const loader = this.#load(records, "records");
    if (loader.accounts.size > 1)
      throw new ArgumentError(`expected the records of one account, got those of ${loader.accounts.size}`);
    const content = loader.accounts.values().next().value;
    this.#context.replaceState(account, content ?? { state: this.#context.accounts.newState(account.id) });
    return loader.counts;
  }

  /** The lines of the current state, written one by one. */
  exportLines(): Iterable<string> {
    return writeLines(this.snapshot());
  }

  /** Puts all accounts where an export left them, and makes that the beginning. */
  async importLines(source: LineSource): Promise<LoadCounts> {
    const loader = new RecordLoader(this.#context);
    await readLines(source, loader);
    return this.#beginWith(loader);
  }

  #beginWith(loader: RecordLoader): LoadCounts {
    const counts = this.#put(loader);
    this.#beginning = this.snapshot();
    return counts;
  }

  #load(records: readonly StateRecord[], name: string): RecordLoader {
    if (!Array.isArray(records)) throw new ArgumentError(`${name}: expected an array of records${gotInstead(records)}`);
    const loader = new RecordLoader(this.#context);
    for (const [index, record] of records.entries()) loader.load(record, `${name}[${index}]`);
    loader.finish();
    return loader;
  }

  #put(loader: RecordLoader): LoadCounts {
    const { accounts } = this.#context;
    this.#named = new Set(loader.accounts.keys());
    const known = Array.from(loader.accounts, ([id, content]) => [accounts.byId(id), content, id] as const);
    const unknown = known.find(([account]) => account === undefined);
    if (unknown !== undefined)
      throw new ArgumentError(
        `The service has no account with the id ${JSON.stringify(unknown[2])}: it neither begins with test_ nor is it the id of one of its accounts`,
      );
    for (const account of accounts.all())
      if (!loader.accounts.has(account.id))
        this.#context.replaceState(account, { state: accounts.newState(account.id) });
    for (const [account, content] of known) if (account !== undefined) this.#context.replaceState(account, content);
    this.#context.aheadMs = loader.aheadMs;
    return loader.counts;
  }
}

function* writeLines(records: readonly StateRecord[]): Generator<string> {
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** What is put into an account, once all its records have come. */
interface LoadedAccount {
  readonly state: AccountState;
  plan?: Account["limiter"]["ownPlan"];
  aheadMs?: number | undefined;
  /** Whether a record held its plan, its clock or its last ids. */
  hasStanding: boolean;
}

/** Builds states from records, beside those in use. `place` names the record in errors. */
class RecordLoader {
  readonly accounts = new Map<string, LoadedAccount>();
  /** How far the service's clock is to be ahead, in milliseconds. */
  aheadMs = 0;
  readonly counts: LoadCounts = { accounts: 0, pages: 0, events: 0 };
  readonly #context: Context;
  #records = 0;
  #promised: number | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** @throws {TypeError} when the value is no record, or does not fit those before it. */
  load(value: unknown, place: string): void {
    const kind = kindOf(value, place);
    if (kind === "version") {
      if (this.#records > 0) throw new ArgumentError(`${place}: a version stands in the first record only`);
      const { records, aheadMs = 0 } = readHeader(value, place);
      this.#promised = records;
      this.aheadMs = aheadMs;
    } else {
      const { account } = parse(z.looseObject({ account: z.string() }), value, place);
      this.#take[kind](this.#account(account), value, place);
    }
    this.#records += 1;
  }

  /** Makes sure that all records came. @throws {TypeError} when the first one says another number. */
  finish(): void {
    const came = this.#records - 1;
    if (this.#promised === undefined || this.#promised === came) return;
    throw new ArgumentError(
      `expected ${this.#promised} records after the first, which says so, got ${came}: something is missing, or "records" was not changed with them`,
    );
  }

  #account(id: string): LoadedAccount {
    const account = this.accounts.get(id) ?? { state: this.#context.accounts.newState(id), hasStanding: false };
    this.accounts.set(id, account);
    this.counts.accounts = this.accounts.size;
    return account;
  }

  readonly #take: Record<EntryKind, (account: LoadedAccount, value: unknown, place: string) => void> = {
    standing: (account, value, place) => {
      if (account.hasStanding) throw new ArgumentError(`${place}: another record says how this account stands`);
      const { plan, aheadMs, ...lastIds } = parse(entrySchemas.standing, value, place);
      account.state.ids.continueAfter(lastIds);
      Object.assign(account, { plan, aheadMs, hasStanding: true });
    },
    page: ({ state }, value, place) => {
      const { page, assignment } = parse(entrySchemas.page, value, place);
      const { id, ...rest } = page;
      const knownId = readId(state, id, place);
      if ("domains" in page) addPage(state, parse(assignedPageSchema, { page }, place).page, assignment, place);
      else this.#createPage(state, rest, knownId, `${place}: page`);
      this.counts.pages += 1;
    },
    event: ({ state }, value, place) => {
      const { event } = parse(entrySchemas.event, value, place);
      if ("id" in event) state.addEvent(parse(storedEventSchema, { event }, place).event);
      else this.#recordEvent(state, event, `${place}: event`);
      this.counts.events += 1;
    },
    create: ({ state }, value, place) => {
      const { create } = parse(entrySchemas.create, value, place);
      const page = parseBody(pageRecordSchema, create, `${place}: create.body`);
      state.idempotency.createPage.set(create.key, remember(create, { status: 201, page }));
    },
    track: ({ state }, value, place) => {
      const { track } = parse(entrySchemas.track, value, place);
      const event = parseBody(recordedEventSchema, track, `${place}: track.body`);
      const page = this.#context.config.findPage(state.pages, event.pageId)?.record;
      state.idempotency.trackEvent.set(track.key, remember(track, { status: 202, event, page }));
    },
  };

  /** Makes a page as a create does, by the same rules. */
  #createPage(state: AccountState, page: unknown, id: string | undefined, place: string): void {
    const { inputs } = this.#context.config;
    const input = inputs.createPage.check(page);
    if (isRefusal(input)) throw refusalError(input, place);
    const outcome = createPage(input, this.#operationContext(state), id);
    if (isRefusal(outcome)) throw refusalError(outcome, place);
  }

  /** Takes an event as a request does, by the same rules. */
  #recordEvent(state: AccountState, event: unknown, place: string): void {
    const input = this.#context.config.inputs.event.check(event);
    const outcome = isRefusal(input) ? input : recordEvent(input, this.#operationContext(state));
    if (isRefusal(outcome)) throw refusalError(outcome, place);
  }

  #operationContext(state: AccountState): OperationContext {
    return { ...this.#context.config, state, assignmentRules: [], nowMs: this.#context.now() };
  }
}

function readId({ pages, ids }: AccountState, id: unknown, place: string): string | undefined {
  if (id === undefined) return undefined;
  if (typeof id !== "string" || !ids.note(id))
    throw new ArgumentError(`${place}: page.id: no page can have the id ${showLiteral(id)}`);
  if (pages.get(id) !== undefined) throw new ArgumentError(`${place}: page.id: another page has the id ${id}`);
  return id;
}

/** Adds a page that has its domains. */
function addPage({ pages }: AccountState, page: PageRecord, assignment: object | undefined, place: string): void {
  for (const { name, url } of page.domains) {
    if (!url.startsWith(pageUrl(name, ""))) throw new ArgumentError(`${place}: ${url} is no URL on ${name}`);
    if (pages.isTaken(url)) throw new ArgumentError(`${place}: another page has the URL ${url}`);
  }
  // why: the schema has checked what is read of it
  const explained = freezeDeep(structuredClone(assignment)) as Assignment | undefined;
  pages.set({ record: freezeDeep(page), explain: () => explained });
}

function parseBody<Value>(schema: z.ZodType<Value>, { body }: RememberedAnswer, place: string): Value {
  return parse(schema, parseJson(body), place);
}

function remember(
  { fingerprint, expiresAtMs }: RememberedAnswer,
  result: RememberedResult["result"],
): RememberedResult {
  return { fingerprint, expiresAtMs, result };
}

/** Every wrong field on a line of its own. */
function refusalError({ detail, errors = [] }: Refusal, place: string): ArgumentError {
  const lines = errors.map(({ pointer, detail: rule }) => `\n  ${pointer}: ${rule}`);
  return new ArgumentError(`${place}: ${lines.length === 0 ? detail : `wrong fields${lines.join("")}`}`);
}

/** The kind of a record, by the field that it has. */
const kinds: Readonly<Record<string, EntryKind | "version">> = {
  version: "version",
  page: "page",
  event: "event",
  create: "create",
  track: "track",
  plan: "standing",
  aheadMs: "standing",
  lastId: "standing",
  lastNumber: "standing",
};

function kindOf(value: unknown, place: string): EntryKind | "version" {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  const names = isRecord ? Object.keys(value) : [];
  const known = Object.keys(kinds);
  const kind = kinds[known.find((name) => names.includes(name)) ?? ""];
  if (kind !== undefined) return kind;
  const meant = names.map((name) => nearest(name, known)).find((name) => name !== undefined);
  const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
  throw new ArgumentError(
    `${place}: expected a record such as {"account": "test_shop", "page": {…}}, or one with an event, a create or a plan${gotInstead(value)}${hint}`,
  );
}

function readHeader(value: unknown, place: string): z.infer<typeof headerSchema> {
  const { version } = parse(z.looseObject({ version: z.unknown() }), value, place);
  if (version === stateVersion) return parse(headerSchema, value, place);
  throw new ArgumentError(
    `${place}: expected version ${stateVersion} of the format, got version ${showLiteral(version).slice(0, 100)}, which another release wrote`,
  );
}

/** @throws {TypeError} that names each wrong field. */
function parse<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  return parseArgument(where, schema, value, "field");
}

/** Longest line, in characters: a page's record has at most a few million. Beyond it, a file is something else. */
const longestLine = 16 * 1024 * 1024;

/**
 * Reads newline-delimited JSON piece by piece. It holds one line at a time.
 *
 * @throws {TypeError} that names the wrong line.
 */
async function readLines(source: LineSource, loader: RecordLoader): Promise<void> {
  if (!isSource(source)) throw new ArgumentError(`expected a text, or pieces of one${gotInstead(source)}`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let begun = "";
  let isEmpty = true;
  const read = (line: string): void => {
    number += 1;
    if (line.trim() === "") return;
    isEmpty = false;
    loader.load(parseLine(number === 1 ? line.replace(/^\uFEFF/, "") : line, number), `line ${number}`);
  };
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (cause) {
      throw new ArgumentError(`line ${number + 1}: expected UTF-8, here or shortly after`, { cause });
    }
  };
  for await (const piece of source) {
    if (typeof piece !== "string" && !ArrayBuffer.isView(piece))
      throw new ArgumentError(`line ${number + 1}: expected text or bytes${gotInstead(piece)}`);
    const lines = (typeof piece === "string" ? piece : decode(piece)).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      read(begun + line);
      begun = "";
    }
    begun += rest;
    if (begun.length > longestLine)
      throw new ArgumentError(`line ${number + 1}: expected a record, got more than ${longestLine} characters`);
  }
  read(begun + decode());
  if (isEmpty) throw new ArgumentError("line 1: expected a record, got nothing at all");
  loader.finish();
}

function isSource(source: unknown): boolean {
  const pieces = Object(source) as object; // why: the platform says `any`
  return Symbol.asyncIterator in pieces || Symbol.iterator in pieces;
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ArgumentError(
      `line ${number}: expected a record as JSON on one line, got ${JSON.stringify(line.slice(0, 60))}`,
      {
        cause,
      },
    );
  }
}
