// Reads records into new states, so that an error changes no account.
import { freezeDeep, pageRecordSchema } from "@landing-page-service/contract";
import type * as z from "zod";
import { bodyPointer, readFields } from "../api/input.ts";
import { createPage, type OperationContext, recordEvent } from "../api/operations.ts";
import { ArgumentError, gotInstead, parseArgument, showLiteral } from "../argument.ts";
import type { Assignment } from "../domains/network.ts";
import type { Outcome } from "../http-types.ts";
import { type AccountState, pageUrl } from "../state/account-state.ts";
import type { Plan } from "../state/plan.ts";
import {
  accountRecordSchema,
  copyJson,
  headerSchema,
  type LoadCounts,
  type StateRecord,
  storedEventSchema,
} from "../state/records.ts";
import type { RuntimeConfig } from "./runtime-config.ts";

/** New content of an account. `place` says in errors which record named it first. */
export interface AccountContent {
  readonly state: AccountState;
  readonly place?: string;
  /** Plan in use; `undefined` for the first plan of the account. */
  plan?: Plan | undefined;
  /** How far its clock is ahead of the service's, in milliseconds. @defaultValue 0 */
  aheadMs?: number | undefined;
}

/** Parts of the service that a loader needs. */
export interface LoaderParts {
  readonly config: RuntimeConfig;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
  readonly newState: (accountId: string) => AccountState;
}

/** Builds the states of accounts from records. `place` says in errors which record is wrong. */
export class RecordLoader {
  readonly accounts = new Map<string, AccountContent>();
  readonly counts: LoadCounts = { accounts: 0, pages: 0, events: 0 };
  /** How far the service's clock will be ahead, in milliseconds. */
  aheadMs = 0;
  readonly #parts: LoaderParts;
  #header: { readonly place?: string; readonly records?: number | undefined } = {};
  #count = 0;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  /** Reads all records of a list. @throws {TypeError} when it is not a list, or a record is not valid. */
  loadAll(records: readonly StateRecord[], name: string): this {
    if (!Array.isArray(records)) throw new ArgumentError(`${name}: expected an array of records${gotInstead(records)}`);
    for (const [index, record] of records.entries()) this.load(record, `${name}[${index}]`);
    return this.finish();
  }

  /** Reads one record. @throws {TypeError} when it is not valid, or contradicts an earlier one. */
  load(value: unknown, place: string): void {
    if (this.#count === 0 && typeof value === "object" && value !== null && "version" in value) {
      const { records, aheadMs = 0 } = parseArgument(place, headerSchema, value, "field");
      this.#header = { place, records };
      this.aheadMs = aheadMs;
    } else this.#loadRecord(parseArgument(place, accountRecordSchema, value, "field"), place);
    this.#count += 1;
  }

  /** Checks that no record is missing. @throws {TypeError} when the header says another number. */
  finish(): this {
    const { place, records } = this.#header;
    const came = this.#count - 1;
    if (records === undefined || records === came) return this;
    throw new ArgumentError(`${place}: records: expected ${records} records after this one, got ${came}`);
  }

  #loadRecord(record: z.output<typeof accountRecordSchema>, place: string): void {
    const { account, plan, aheadMs, lastId, lastNumber = 0, page, assignment, event, remembered } = record;
    const content: AccountContent = this.accounts.get(account) ?? { state: this.#parts.newState(account), place };
    const { state } = content;
    this.accounts.set(account, content);
    this.counts.accounts = this.accounts.size;
    if (plan !== undefined) content.plan = plan;
    if (aheadMs !== undefined) content.aheadMs = aheadMs;
    if (lastId !== undefined) state.ids.last = lastId;
    state.lastNumber = Math.max(state.lastNumber, lastNumber);
    if (page !== undefined) this.#loadPage(state, page, assignment, `${place}: page`);
    if (event !== undefined) this.#loadEvent(state, event, `${place}: event`);
    if (remembered !== undefined) state.remember(freezeDeep(remembered));
  }

  #loadPage(state: AccountState, page: object, assignment: Assignment | undefined, place: string): void {
    const { id: givenId, ...fields } = page as { id?: unknown }; // why: its fields are checked below
    const id = this.#readId(state, givenId, `${place}.id`);
    if (!("domains" in page)) {
      const input = readFields(this.#parts.config.inputs.createPage, fields, bodyPointer);
      accept("refused" in input ? input : createPage(input.value, this.#context(state), id), place);
    } else {
      const record = freezeDeep(parseArgument(place, pageRecordSchema, page, "field"));
      for (const { name, url } of record.domains) {
        if (!url.startsWith(pageUrl(name, ""))) throw new ArgumentError(`${place}: ${url} is no URL on ${name}`);
        if (state.pages.isTaken(name, url)) throw new ArgumentError(`${place}: another page has the URL ${url}`);
      }
      const explained = assignment && freezeDeep(copyJson(assignment));
      state.pages.set(record.id, { record, explain: () => explained });
    }
    this.counts.pages += 1;
  }

  #readId(state: AccountState, id: unknown, place: string): string | undefined {
    if (id === undefined) return undefined;
    const isInteger = this.#parts.config.switches["page-id-type"] === "integer";
    if (typeof id !== "string" || !(isInteger ? /^[1-9]\d{0,14}$/ : /^[\w-]{1,100}$/).test(id))
      throw new ArgumentError(`${place}: no page can have the id ${showLiteral(id)}`);
    if (state.pages.has(id)) throw new ArgumentError(`${place}: another page has the id ${id}`);
    if (isInteger) state.lastNumber = Math.max(state.lastNumber, Number(id));
    return id;
  }

  #loadEvent(state: AccountState, event: object, place: string): void {
    if ("id" in event) state.addEvent(parseArgument(place, storedEventSchema, event, "field"));
    else {
      const input = readFields(this.#parts.config.inputs.event, event, bodyPointer);
      accept("refused" in input ? input : recordEvent(input.value, this.#context(state)), place);
    }
    this.counts.events += 1;
  }

  #context(state: AccountState): OperationContext {
    return { ...this.#parts.config, state, assignmentRules: [], nowMs: this.#parts.nowMs };
  }
}

/** Checks that an endpoint accepts a record. @throws {TypeError} with a line for each wrong field. */
function accept(outcome: Outcome, place: string): void {
  if (!("refused" in outcome)) return;
  const { detail, errors = [] } = outcome;
  const lines = errors.map(({ pointer, detail: rule }) => `\n  ${pointer}: ${rule}`);
  throw new ArgumentError(`${place}: ${lines.length === 0 ? detail : `wrong fields${lines.join("")}`}`);
}

/** Text or bytes in pieces of any length, such as a stream of a file. */
export type LineSource = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Longest line, in characters. The record of a page has a few million at most, so a file with a longer line is something else. */
const longestLine = 16 * 1024 * 1024;

/** Reads newline-delimited JSON into a loader, piece by piece. @throws {TypeError} that names the wrong line. */
export async function loadLines(source: LineSource, loader: RecordLoader): Promise<void> {
  const pieces = Object(source) as object; // why: the platform says `any`
  if (!(Symbol.asyncIterator in pieces || Symbol.iterator in pieces))
    throw new ArgumentError(`expected a string, or pieces of one${gotInstead(source)}`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let begun = "";
  let isEmpty = true;
  const decode = (piece: Uint8Array | undefined): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (cause) {
      throw new ArgumentError(`line ${number}: expected UTF-8, in this line or one of the next`, { cause });
    }
  };
  const read = (line: string): void => {
    // `trim` also removes a byte order mark.
    const text = line.trim();
    if (text !== "") loader.load(parseLine(text, number), `line ${number}`);
    isEmpty &&= text === "";
    number += 1;
  };
  for await (const piece of source) {
    if (typeof piece !== "string" && !ArrayBuffer.isView(piece))
      throw new ArgumentError(`line ${number}: expected text or bytes${gotInstead(piece)}`);
    const lines = (begun + (typeof piece === "string" ? piece : decode(piece))).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) read(line);
    if (begun.length > longestLine)
      throw new ArgumentError(`line ${number}: expected a record, got more than ${longestLine} characters`);
  }
  read(begun + decode(undefined));
  if (isEmpty) throw new ArgumentError("line 1: expected a record, got nothing at all");
  loader.finish();
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const got = JSON.stringify(line.slice(0, 60));
    throw new ArgumentError(`line ${number}: expected a record as JSON on one line, got ${got}`, { cause });
  }
}
