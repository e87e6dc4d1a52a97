// What a call gives back, made from the response and from what the caller knows already. A response is read by the reference schema
// where it fits, else by its structure; by a dialect where the client has one.
import {
  type CreatePage,
  defaultListLimit,
  type FieldProblem,
  findPageProblems,
  type ListQuery,
  type Page,
  type PageFields,
  type PageList,
  type PartialPage,
  redact,
  type UpdatePage,
} from "@landing-page-service/contract";
import {
  type FoundPage,
  type FoundProblem,
  inferList,
  inferPage,
  isRefusal,
  type Layout,
  parseExactJson,
  referenceListSchema,
  referencePageSchema,
} from "@landing-page-service/contract/internal";
import type { Call } from "../call/call.ts";
import type { Answer, Unexpected } from "../call/outcome.ts";
import type { Mismatch, ReportInCall } from "../report/events.ts";
import { describeFields, quote } from "../report/messages.ts";
import { hideKey, isCutShort, isHtmlDocument, readProblem } from "./body.ts";

/** Says that a response does not hold what the call is for, and why. */
export class UnexpectedResponse extends Error {
  readonly problems: readonly FieldProblem[];
  /** What was looked for. */
  readonly wanted: string;

  constructor(problems: readonly FieldProblem[], wanted = "what was asked for") {
    super("unexpected response");
    this.problems = problems;
    this.wanted = wanted;
  }
}

/** What is read of a response. */
export type HttpResponse = Pick<Answer, "status" | "headers" | "text" | "isCut">;

/** A page that was found in a response. */
export interface ReadPageResult<Fields extends object = object> {
  /** Documented fields under their names, all others as they came; without `id` where that is not certain. */
  readonly page: FoundPage & Fields;
  /** The fields of the page as they came. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Where it was found; absent by a dialect, which says so itself. */
  readonly layout?: Layout;
  /** Where the identifier should be. */
  readonly idPointer?: string;
}

/** A list that was found in a response. */
export interface ReadListResult {
  readonly pages: readonly ReadPageResult[];
  readonly total?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Where the list and the total were found; absent by a dialect. */
  readonly places?: { readonly list: string; readonly total: string | undefined };
}

/** Reads responses in one way, made by `readBy` from a dialect. `Fields` are those that the service adds to a page. */
export interface ResponseReader<Fields extends object = object> {
  /** @throws {UnexpectedResponse} when the response has none. */
  readonly readPage: (
    response: HttpResponse,
    request: { readonly endpoint: "createPage" | "updatePage"; readonly sent: object; readonly id?: string },
  ) => ReadPageResult<Fields>;
  /** @throws {UnexpectedResponse} when the response has none. */
  readonly readList: (response: HttpResponse, offset: number) => ReadListResult;
  /** Whether a response says that there are no pages, although its status is that of an error. */
  readonly isEmptyList: (response: HttpResponse) => boolean;
  /** `undefined` when the response says nothing of the problem. */
  readonly readProblem: (status: number, text: string) => FoundProblem | undefined;
}

/** How a client reads responses. */
export interface ReadOptions {
  /** Host of the service itself, which is no domain of a page. */
  readonly apiHost: string;
  /** Whether a page that lacks a documented field is refused. */
  readonly strict: boolean;
  /** Reads by a dialect. @defaultValue by the reference schema, else by structure */
  readonly reader?: ResponseReader | undefined;
  /** Told of everything that is not where our reference service has it. */
  readonly onMismatch: (mismatch: Mismatch) => void;
}

/**
 * Reads the page that a create made, completed by what was sent, the JSON text of the request.
 * Gap: see docs/spec-gaps.md#create-status and #record-wrapper
 *
 * @throws {UnexpectedResponse} when its identifier is not certain.
 */
export function readCreated(response: HttpResponse, sent: string, options: ReadOptions): Page {
  const parsed = parseResponse(response, "a page", options);
  const reference = options.reader === undefined ? referencePageSchema.safeParse(parsed.body).data : undefined;
  if (reference !== undefined) return reference;
  const input = JSON.parse(sent) as CreatePage; // why: it was checked before it was sent
  const found = findPage(response, parsed, { endpoint: "createPage", sent: input }, options);
  const { id } = found.page;
  if (id === undefined) throw missingId(found, response, parsed.body);
  if (options.strict) return checkWhole(found, "");
  if (found.layout !== undefined) noteMismatches(found.record, found.layout, "#", options);
  const { title, content, slug, meta_description = null, cta } = input;
  return complete(found.page, { id, title, content, slug, meta_description, cta });
}

/**
 * Reads what came back for an update, completed by the identifier and the changes; no response changes the identifier.
 *
 * @throws {UnexpectedResponse} when it refuses, is an HTML document, or is incomplete and the client is strict.
 */
export function readUpdated(response: HttpResponse, id: string, sent: string, options: ReadOptions): PartialPage {
  const parsed = parseResponse(response, "a page", options);
  const reference = options.reader === undefined ? referencePageSchema.safeParse(parsed.body).data : undefined;
  if (reference?.id === id) return reference;
  const changes = JSON.parse(sent) as UpdatePage; // why: it was checked before it was sent
  const found = findPage(response, parsed, { endpoint: "updatePage", sent: changes, id }, options);
  found.page.id = id;
  if (options.strict) return checkWhole(found, "");
  if (found.layout !== undefined && response.isCut !== true) noteMismatches(found.record, found.layout, "#", options);
  return complete(found.page, { id, ...readChanges(changes) });
}

/**
 * Reads a list of pages, wherever it is in the response.
 * Gap: see docs/spec-gaps.md#list-envelope and #list-total
 *
 * @throws {UnexpectedResponse} when there is none, or a page of it cannot be told from others.
 */
export function readPageList(response: HttpResponse, query: ListQuery, options: ReadOptions): PageList {
  const asked = { limit: query.limit ?? defaultListLimit, offset: query.offset ?? 0 };
  if (response.status === 416) return { data: [], ...asked };
  const parsed = parseResponse(response, "a list of pages", options);
  const reference = options.reader === undefined ? referenceListSchema.safeParse(parsed.body).data : undefined;
  if (reference !== undefined) {
    const { data, total, limit = asked.limit, offset = asked.offset } = reference;
    return { data, total, limit, offset };
  }
  const found = options.reader?.readList(response, asked.offset) ?? findList(response, parsed, options);
  const data = found.pages.map((page, index) => {
    const pointer = `${found.places?.list ?? "#"}/${index}`;
    const { id } = page.page;
    if (options.strict) return checkWhole(page, pointer.slice(1));
    if (id === undefined) throw unexpected("the identifier of a page", "none", page.idPointer ?? pointer);
    return complete(page.page, { id });
  });
  const { places, total, limit = asked.limit, offset = asked.offset } = found;
  if (places !== undefined) noteListMismatches(found, places, options);
  return { data, ...(total !== undefined && { total }), limit: limit || asked.limit, offset };
}

/**
 * Reads a response to what has no result: a success, whatever it says, unless it says no.
 *
 * @throws {UnexpectedResponse} when it refuses or is an HTML document; that of a 404 to a repeated delete only explains the status.
 */
export function readDone(response: HttpResponse): void {
  if (response.text !== "" && response.status < 300) parseResponse(response, "an answer of the service");
}

/** Whether a refused list says no more than that there is nothing to list: a 416 as such, a 404 by an empty list. */
export function saysNothingStored(response: HttpResponse, reader?: ResponseReader): boolean {
  const { status, headers, text } = response;
  if (reader !== undefined && status === 404) return reader.isEmptyList(response);
  if (status === 416) return !isHtmlDocument(response);
  if (status !== 404) return false;
  const body = parseExactJson(text);
  const found = body === undefined ? undefined : inferList({ status, headers, body });
  return found?.kind === "list" && found.pages.length === 0;
}

/** A body that was parsed; `undefined` where it is not JSON. */
interface Parsed {
  readonly body: unknown;
}

/** An HTML document is a proxy's or a login page. Other texts that are not JSON say nothing, and hide nothing. */
function parseResponse(response: HttpResponse, expected: string, options?: ReadOptions): Parsed {
  const { status, text, isCut } = response;
  if (isCut === true) options?.onMismatch({ where: "body", expected: "all of a body", found: "part of it" });
  if (isHtmlDocument(response)) throw unexpected(expected, `an HTML document: ${quote(text.slice(0, 2000))}`);
  const body = parseExactJson(text);
  if (isRefusal(body)) throw unexpected(expected, `a refusal${repeatRefusal(text)}`);
  const isList = expected.startsWith("a list");
  if (isList && body === undefined && text.trim() === "" && status !== 204 && status !== 205)
    throw unexpected(expected, "an empty body");
  if (isList && body === undefined && text.trim() !== "") throw unexpected(expected, describeWhole(undefined, text));
  return { body };
}

function findPage(
  response: HttpResponse,
  { body }: Parsed,
  request: Parameters<ResponseReader["readPage"]>[1],
  { reader, apiHost }: ReadOptions,
): ReadPageResult {
  if (reader !== undefined) return reader.readPage(response, request);
  const { status, headers, text, isCut } = response;
  const { sent, id } = request;
  // A text alone may be the identifier.
  const whole = body ?? (isCut === true ? undefined : text.trim());
  return notTooDeep(() => inferPage({ status, headers, body: whole }, { apiHost, sent: { ...sent }, id }));
}

function findList(response: HttpResponse, { body }: Parsed, { apiHost }: ReadOptions): ReadListResult {
  const { status, headers, text } = response;
  const found = notTooDeep(() => inferList({ status, headers, body }, { apiHost }));
  if (found.kind === "none")
    throw unexpected("a list of pages", `${describeWhole(body, text)} with ${found.found}`, "#", passDialect);
  const { pages, path, total, limit, offset } = found;
  const where = total === undefined || typeof total.path === "string" ? total?.path : pointerTo(total.path);
  return { pages, total: total?.count, limit, offset, places: { list: pointerTo(path), total: where?.toString() } };
}

/** Refuses what is nested deeper than the stack. */
function notTooDeep<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw unexpected("a page", "JSON that is nested too deeply");
    throw error;
  }
}

const passDialect =
  "run `npx landing-pages-mock check --write-dialect dialect.json` and pass `read: readBy(dialect)`, see the guide Responses";

function missingId({ idPointer }: ReadPageResult, { text }: HttpResponse, body: unknown): UnexpectedResponse {
  if (idPointer !== undefined) return unexpected("the identifier of the page", "nothing", idPointer);
  const hint = `it is not certain in the record, beside it, or in a link to the page: ${passDialect}`;
  return unexpected("the identifier of the page", describeWhole(body, text), "#", hint);
}

/** Checks that a page has every documented field, in its documented type. */
function checkWhole({ page, record }: ReadPageResult, pointer: string): Page {
  const { id, domains, created_at, updated_at } = page;
  const { meta_description = null, created_at: _created, updated_at: _updated, ...fields } = record;
  const whole = { ...fields, ...definedOnly({ id, domains, meta_description, created_at, updated_at }) };
  const problems = findPageProblems(whole);
  if (problems.length === 0) return whole as unknown as Page; // why: the schema has just said so
  throw new UnexpectedResponse(
    problems.map((problem) => ({ pointer: `#${pointer}${problem.pointer.slice(1)}`, detail: problem.detail })),
    "the whole records that `strict` is for",
  );
}

function noteListMismatches(
  { pages: [first] }: ReadListResult,
  { list, total }: NonNullable<ReadListResult["places"]>,
  options: ReadOptions,
): void {
  const { onMismatch } = options;
  if (list !== "#/data") onMismatch({ where: "list", expected: "#/data", found: list });
  if (total !== "#/total") onMismatch({ where: "total", expected: "#/total", found: total ?? "nothing" });
  if (first?.layout !== undefined) noteMismatches(first.record, first.layout, `${list}/0`, options, `${list}/0`);
}

/** Tells which documented fields are elsewhere than in our reference service. */
function noteMismatches(
  record: ReadPageResult["record"],
  layout: Layout,
  top: string,
  { onMismatch }: ReadOptions,
  base = "#",
): void {
  const at = (path: readonly string[] | undefined) => (path === undefined ? "nothing" : pointerTo(path, base));
  const tell = (where: string, expected: string, found: string) => {
    if (found !== expected) onMismatch({ where, expected, found });
  };
  tell("record", top, at(layout.record));
  if (layout.record === undefined && layout.id === undefined) return;
  tell("id", `${top}/id`, at(layout.id?.path));
  for (const where of ["title", "content", "slug", "meta_description", "created_at", "updated_at"] as const)
    if (!(where === "meta_description" && record[where] === null))
      tell(where, `${top}/${where}`, at(layout.fields[where]));
  tell("cta", `${top}/cta`, at(layout.cta?.path));
  tell("domains", `${top}/domains`, at(layout.domains[0]?.path));
}

function pointerTo(path: readonly string[], base = "#"): string {
  return base + path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
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

/** Adds what is known of a page where the response does not say it. */
function complete<Known extends object>(page: FoundPage, known: Known): FoundPage & Known {
  const missing = Object.entries(known).filter(([name]) => page[name] === undefined);
  return Object.assign(page, Object.fromEntries(missing)) as FoundPage & Known; // why: all of them are there now
}

/** Makes the error of a response that holds something else than was expected at a JSON pointer. */
export function unexpected(expected: string, received: string, pointer = "#", hint?: string): UnexpectedResponse {
  const detail = `expected ${expected}, got ${received}${hint === undefined ? "" : `; ${hint}`}`;
  return new UnexpectedResponse([{ pointer, detail }]);
}

/** Says what came as a whole response. */
function describeWhole(body: unknown, text: string): string {
  if (body !== undefined) return describe(body) + (refusalName.test(text) ? repeatRefusal(text) : "");
  return text.trim() === "" ? "an empty body" : `something that is not JSON: ${quote(text.slice(0, 2000))}`;
}

const refusalName = /"(?:\w*errors?|message|detail|reason|fault|problem)"\s*:/i;

/** Repeats what a service says that refuses with a success. */
function repeatRefusal(text: string): string {
  const { detail, errors } = readProblem(text);
  const said = describeFields(errors) || detail;
  return said && `, which says: ${said}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const names = Object.keys(value).slice(0, 10);
  return names.length === 0 ? "an empty object" : quote(`an object with ${names.join(", ")}`);
}

/** Makes the value of a success, and reports what of it is elsewhere than documented, each place once for all that share `told`. */
export function readValue<Value>(
  { read }: Pick<Call<Value>, "read">,
  answer: Answer,
  key: string,
  { report, told }: { readonly report: ReportInCall | undefined; readonly told: Set<string> },
): { readonly kind: "value"; readonly data: Value } | Unexpected {
  const { status, text, rateLimit } = answer;
  const tell = (mismatch: Mismatch) => {
    const place = `${report?.call.operation} ${mismatch.where}`;
    if (report === undefined || told.has(place)) return;
    told.add(place);
    const { where, expected, found } = mismatch;
    report({ type: "mismatch", where, expected: redact(expected, [key]), found: redact(found, [key]) });
  };
  try {
    return { kind: "value", data: read(answer, tell) };
  } catch (error) {
    if (!(error instanceof UnexpectedResponse)) throw error;
    const { wanted } = error;
    // A sentence quotes a part of the text, which may end within the key. So it is made of the text without the key.
    const hidden = hideKey(text, key);
    const errors =
      hidden === text ? error.problems : (findProblems(read, { ...answer, text: hidden }) ?? error.problems);
    const flaw = isCutShort(text) ? "CUT_SHORT" : undefined;
    return { kind: "unexpected", status, errors, wanted, rateLimit, text, flaw };
  }
}

function findProblems(read: Call<unknown>["read"], answer: Answer): UnexpectedResponse["problems"] | undefined {
  try {
    read(answer, () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof UnexpectedResponse ? error.problems : undefined;
  }
}
