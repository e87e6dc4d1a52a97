// What a call gives back, made from the answer that came and from what the caller knows already.
import {
  type Answer as SeenAnswer,
  type Asked,
  type CreatePage,
  defaultListLimit,
  type FieldProblem,
  findPage,
  findPageProblems,
  findPages,
  type FoundPage,
  isObject,
  type ListQuery,
  type Page,
  type PageList,
  type PageFields,
  type PartialPage,
  readBody,
  saysEmpty,
  type UpdatePage,
} from "@landing-page-service/contract";
import { readProblem } from "./body.ts";
import { asCount, fits, readEnvelope } from "./documented.ts";
import { isHtmlDocument } from "./html-document.ts";
import { describeFields, quote } from "./report/messages.ts";
import type { Mismatch } from "./report/events.ts";
import type { Answer as AnswerThatCame } from "./call/outcome.ts";

/** Says that an answer does not hold what the call is for, and why. */
export class UnexpectedAnswer extends Error {
  readonly problems: readonly FieldProblem[];
  /** What was looked for. */
  readonly wanted: string;

  constructor(problems: readonly FieldProblem[], wanted = "what was asked for") {
    super("unexpected answer");
    this.problems = problems;
    this.wanted = wanted;
  }
}

/** What is read of an answer. */
type Answer = Pick<AnswerThatCame, "status" | "headers" | "text" | "isCut">;

/** How a client reads answers. */
export interface Reading {
  /** Host of the service itself, which is no domain of a page. */
  readonly apiHost: string;
  /** Whether a record that lacks a documented field is refused. */
  readonly strict: boolean;
  /** Where the last list was that held pages. */
  readonly lists: { last?: Asked["last"] };
  /** Told of everything that is not where our reference service has it. */
  readonly onMismatch: (mismatch: Mismatch) => void;
}

/**
 * Reads the page that a create made, completed by what was sent, the JSON text of the request.
 * Gap: see docs/spec-gaps.md#create-status and #record-wrapper
 *
 * @throws {UnexpectedAnswer} when its identifier cannot be told for certain.
 */
export function readCreated(answer: Answer, sent: string, reading: Reading): Page {
  const seen = see(answer, "a page", reading);
  if (fits(seen.body)) return seen.body;
  const input = JSON.parse(sent) as CreatePage; // why: it was checked before it was sent
  const { body = answer.isCut === true ? undefined : answer.text.trim() } = seen; // A text alone may be the identifier.
  const found = findPage({ ...seen, body }, { apiHost: reading.apiHost, sent: { ...input } });
  if (found.page.id === undefined)
    throw unexpected(
      "the identifier of the page",
      describeWhole(seen.body, answer.text),
      "it was looked for in the record, beside it, and in links to the page",
    );
  if (reading.strict) return checkWhole(found, "");
  noteMismatches(found, "#", reading);
  const { title, content, slug, meta_description = null, cta } = input;
  return complete(found.page, { id: found.page.id, title, content, slug, meta_description, cta });
}

/**
 * Reads what an update answered, completed by the identifier and the changes; no answer changes the identifier.
 *
 * @throws {UnexpectedAnswer} when it is an HTML document, or incomplete and the client is strict.
 */
export function readUpdated(answer: Answer, id: string, sent: string, reading: Reading): PartialPage {
  const seen = see(answer, "a page", reading);
  if (fits(seen.body) && seen.body.id === id) return seen.body;
  const changes = JSON.parse(sent) as UpdatePage; // why: it was checked before it was sent
  const found = findPage(seen, { apiHost: reading.apiHost, sent: { ...changes }, id });
  if (reading.strict) return checkWhole({ ...found, page: { ...found.page, id } }, "");
  if (answer.isCut !== true) noteMismatches(found, "#", reading);
  return complete(found.page, { id, ...readChanges(changes) });
}

/**
 * Reads a list of pages, wherever it is in the answer.
 * Gap: see docs/spec-gaps.md#list-envelope and #list-total
 *
 * @throws {UnexpectedAnswer} when there is none, or a page of it cannot be told from others.
 */
export function readPageList(answer: Answer, query: ListQuery, reading: Reading): PageList {
  const window = (told: { limit?: unknown; offset?: unknown }) => ({
    limit: asCount(told.limit, 1) ?? query.limit ?? defaultListLimit,
    offset: asCount(told.offset, 0) ?? query.offset ?? 0,
  });
  if (answer.status === 416) return { data: [], ...window({}) };
  const seen = see(answer, "a list of pages", reading);
  const whole = readEnvelope(seen.body);
  if (whole !== undefined) return { data: whole.data, total: whole.total, ...window(whole.told) };
  const asked: Asked = { apiHost: reading.apiHost, offset: query.offset, last: reading.lists.last };
  const found = findPages(seen, asked, answer.text);
  if (found.kind === "none") {
    if (saysEmpty(seen.body, answer.status)) return { data: [], ...window({}) };
    throw unexpected("a list of pages", `${found.found}${repeatRefusal(seen.body, answer.text)}`);
  }
  const data = found.pages.map((page, index) => {
    const pointer = `${found.place.slice(1)}/${index}`;
    if (reading.strict) return checkWhole(page, pointer);
    const { id } = page.page;
    if (id === undefined) throw unexpected("the identifier of a page", describe(page.record), undefined, pointer);
    return complete(page.page, { id });
  });
  if (found.place !== "#/data") reading.onMismatch({ where: "list", expected: "#/data", found: found.place });
  if (found.total?.place !== "#/total")
    reading.onMismatch({ where: "total", expected: "#/total", found: found.total?.place ?? "nothing" });
  const [first] = found.pages;
  if (first !== undefined) {
    noteMismatches(first, `${found.place}/0`, reading);
    reading.lists.last = { place: found.place, beside: found.beside };
  }
  const total = found.total === undefined ? {} : { total: found.total.count };
  return { data, ...total, ...window({ limit: found.limit, offset: found.offset }) };
}

/**
 * Reads an answer to what has no result: a success, whatever it says.
 *
 * @throws {UnexpectedAnswer} when it is an HTML document; that of a 404 to a repeated delete only explains the status.
 */
export function readDone(answer: Answer): void {
  if (answer.text !== "" && answer.status < 300) see(answer, "an answer of the service");
}

/** Whether a refused list says no more than that there is nothing to list: a 404 in its words, a 416 as such. */
export function saysNothingStored(answer: Answer): boolean {
  if (answer.status !== 404 && answer.status !== 416) return false;
  const body = readBody(answer.text);
  return answer.status === 416 ? !isHtmlDocument(answer, body) : body.kind === "json" && saysEmpty(body.value, 404);
}

/** An HTML document is a proxy's or a login page, not the service's; other texts that are no JSON say nothing, and hide nothing. */
function see(answer: Answer, expected: string, reading?: Reading): SeenAnswer {
  const { status, headers, text, isCut } = answer;
  if (isCut) reading?.onMismatch({ where: "body", expected: "all of a body", found: "part of it" });
  const body = readBody(text, headers.get("content-type") ?? "");
  if (isHtmlDocument(answer, body)) throw unexpected(expected, `an HTML document: ${quote(text.slice(0, 2000))}`);
  const isList = expected.startsWith("a list");
  if (isList && body.kind === "empty" && status !== 204 && status !== 205) throw unexpected(expected, "an empty body");
  if (isList && body.kind === "text") throw unexpected(expected, describeWhole(undefined, text));
  return { status, headers, body: body.kind === "json" ? body.value : undefined };
}

/** Checks that a record has every documented field, in its documented type. */
function checkWhole({ page, record = {} }: FoundPage, pointer: string): Page {
  const { id, domains, created_at, updated_at } = page;
  const { meta_description = null, created_at: _created, updated_at: _updated, ...fields } = record;
  const whole = { ...fields, ...definedOnly({ id, domains, meta_description, created_at, updated_at }) };
  const problems = findPageProblems(whole);
  if (problems.length === 0) return whole as unknown as Page; // why: the schema has just said so
  throw new UnexpectedAnswer(
    problems.map((problem) => ({ pointer: `#${pointer}${problem.pointer.slice(1)}`, detail: problem.detail })),
    "the whole records that `strict` is for",
  );
}

const referencePlaces = [
  "id",
  "title",
  "content",
  "slug",
  "meta_description",
  "cta",
  "domains",
  "created_at",
  "updated_at",
];

function noteMismatches({ places, record }: FoundPage, top: string, { onMismatch }: Reading): void {
  if (record === undefined && places["id"] === undefined)
    return onMismatch({ where: "record", expected: top, found: "nothing" });
  if (places["record"] !== top) onMismatch({ where: "record", expected: top, found: places["record"] ?? "nothing" });
  for (const where of referencePlaces) {
    const expected = `${top}/${where}`;
    const found = places[where] ?? "nothing";
    if (found !== expected && !(where === "meta_description" && record?.["meta_description"] === null))
      onMismatch({ where, expected, found });
  }
}

/** The changes as fields of the page; a `cta` that was sent in part says nothing of the whole. */
function readChanges({ title, content, slug, meta_description, cta }: UpdatePage): Partial<PageFields> {
  const { type, label, url } = cta ?? {};
  const whole = type !== undefined && label !== undefined && url !== undefined ? { type, label, url } : undefined;
  return definedOnly({ title, content, slug, meta_description, cta: whole });
}

function definedOnly<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }; // why: optional ones are gone when they are undefined
}

/** Adds what is known of a page, where the answer does not say it. The page is ours: a copy for each would be a copy of all that it holds. */
function complete<Known extends object>(page: FoundPage["page"], known: Known): FoundPage["page"] & Known {
  const entries: [string, unknown][] = Object.entries(known);
  for (const [name, value] of entries) if (page[name] === undefined) page[name] = value;
  return page as FoundPage["page"] & Known; // why: all of them are there now
}

function unexpected(expected: string, received: string, hint?: string, pointer = ""): UnexpectedAnswer {
  const detail = `expected ${expected}, got ${received}${hint === undefined ? "" : `; ${hint}`}`;
  return new UnexpectedAnswer([{ pointer: `#${pointer}`, detail }]);
}

/** Says what came as a whole answer. */
function describeWhole(body: unknown, text: string): string {
  if (body !== undefined) return describe(body) + repeatRefusal(body, text);
  return text.trim() === "" ? "an empty body" : `something that is not JSON: ${quote(text.slice(0, 2000))}`;
}

/** Repeats what a service says that refuses with a success. */
function repeatRefusal(body: unknown, text: string): string {
  if (!isObject(body) || !Object.keys(body).some((name) => refusalName.test(name))) return "";
  const { detail, errors } = readProblem(text);
  const said = describeFields(errors) || detail;
  return said && `, which says: ${said}`;
}

const refusalName = /^(?:errors?|message|detail|reason|fault|problem)$/i;

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (!isObject(value)) return `a ${typeof value}`;
  const names = Object.keys(value).slice(0, 10);
  return names.length === 0 ? "an empty object" : quote(`an object with ${names.join(", ")}`);
}
