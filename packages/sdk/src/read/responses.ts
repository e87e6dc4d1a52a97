// Makes the result of a call from the response and the request. A reader finds pages in a response by the templates of a dialect
// if the client has one, else by the reference schema if it fits, else by structure.
import {
  type CreatePage,
  defaultListLimit,
  type FieldProblem,
  findPageProblems,
  isObject,
  type ListQuery,
  type Page,
  type PageList,
  type PartialPage,
  type UpdatePage,
} from "@landing-page-service/contract";
import {
  findProblem,
  type FoundPage,
  type FoundProblem,
  inferList,
  inferPage,
  isRefusal,
  type Layout,
  referenceListSchema,
  referencePageSchema,
  toPointer,
} from "@landing-page-service/contract/internal";
import type { MismatchEvent } from "../report/events.ts";
import { describeFields, nameKind, quote } from "../report/messages.ts";
import { isCutShort, isHtmlDocument } from "./body.ts";

/** A response whose body has been read. */
export interface HttpResponse {
  /** HTTP status. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** The body: whole if the call needs it, otherwise as much as was received. */
  readonly text: string;
  /** The body as JSON, with integers beyond 2^53 as strings; `undefined` if it is not JSON. */
  readonly json: unknown;
}

/** The call that a response is for. */
export interface PageRequest {
  /** Name of the endpoint. */
  readonly endpoint: "createPage" | "updatePage";
  /** Body of the request. */
  readonly sent: object;
  /** Identifier of the page that is updated; absent for a create. */
  readonly id?: string;
}

/** A page that was found in a response. */
export interface ReadPageResult<Fields extends object = object> {
  /** Documented fields under their documented names, and all others unchanged. */
  readonly page: FoundPage & { id: string } & Fields;
  /** The fields of the page, unchanged. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Where the page was found by structure; absent if a schema or a dialect was used. */
  readonly layout?: Layout;
}

/** A list that was found in a response. */
export interface ReadListResult {
  /** Pages in the order of the response. */
  readonly pages: readonly ReadPageResult[];
  /** Number of all pages of the account; absent if the response does not say. */
  readonly total?: number | undefined;
  /** Largest number of pages that the response may have; absent if it does not say. */
  readonly limit?: number | undefined;
  /** Number of pages before the first one; absent if the response does not say. */
  readonly offset?: number | undefined;
  /** Where list and total were found by structure; absent if a schema or a dialect was used. */
  readonly places?: { readonly list: string; readonly total: string };
}

/** Finds pages, lists and problems in responses. `readBy` makes one from a dialect. `Fields` are the fields that the service adds to a page. */
export interface ResponseReader<Fields extends object = object> {
  /** @throws {UnexpectedResponse} when the identifier of the page is neither in the response nor in the request. */
  readonly readPage: (response: HttpResponse, request: PageRequest) => ReadPageResult<Fields>;
  /** @throws {UnexpectedResponse} when the response has no list, or a page of it has no identifier. */
  readonly readList: (response: HttpResponse, offset: number) => ReadListResult;
  /** @throws {UnexpectedResponse} when the response to a call without a result reports a failure or is an HTML document. */
  readonly checkDone: (response: HttpResponse, endpoint: "deletePage" | "trackEvent") => void;
  /** Finds the problem in an error response. */
  readonly readProblem: (response: HttpResponse) => FoundProblem;
}

/** How a client reads responses. */
export interface ReadOptions {
  readonly reader: ResponseReader;
  /** Whether a page that lacks a documented field is refused. */
  readonly strict: boolean;
  /** Called for each part of a response that is missing, or in a different place than in the reference dialect. */
  readonly onMismatch: (mismatch: Pick<MismatchEvent, "where" | "expected" | "found">) => void;
}

/** The error of a response that does not contain what the call needs. */
export class UnexpectedResponse extends Error {
  readonly problems: readonly FieldProblem[];
  /** What was expected. */
  readonly wanted: string;

  constructor(problems: readonly FieldProblem[], wanted = "the expected response") {
    super("unexpected response");
    this.problems = problems;
    this.wanted = wanted;
  }
}

/**
 * Reads the created page, and takes missing fields from `sent`, the JSON of the request.
 * Gap: see docs/spec-gaps.md#create-status and #record-wrapper
 *
 * @throws {UnexpectedResponse} when its identifier is not certain.
 */
export function readCreated(response: HttpResponse, sent: string, options: ReadOptions): Page {
  const input = JSON.parse(sent) as CreatePage; // why: it was checked before it was sent
  const { title, content, slug, meta_description = null, cta } = input;
  const found = options.reader.readPage(response, { endpoint: "createPage", sent: input });
  return completePage(found, { title, content, slug, meta_description, cta }, options);
}

/**
 * Reads the updated page, and takes missing fields from `sent`, the JSON of the request. The identifier is always `id`.
 *
 * @throws {UnexpectedResponse} when the response reports a failure, is an HTML document or JSON that is cut short, or lacks a field and
 * the client is strict.
 */
export function readUpdated(response: HttpResponse, id: string, sent: string, options: ReadOptions): PartialPage {
  if (isCutShort(response.text)) throw unexpected("a page", describeBody(response));
  const changes = JSON.parse(sent) as UpdatePage; // why: it was checked before it was sent
  const found = options.reader.readPage(response, { endpoint: "updatePage", sent: changes, id });
  const { title, content, slug, meta_description, cta } = changes;
  // If only a part of `cta` was sent, the whole is unknown.
  const whole = [cta?.type, cta?.label, cta?.url].includes(undefined) ? undefined : cta;
  return completePage(found, { title, content, slug, meta_description, cta: whole }, options);
}

/**
 * Reads a list of pages.
 * Gap: see docs/spec-gaps.md#list-envelope and #list-total
 *
 * @throws {UnexpectedResponse} when there is no list, or a page in it has no certain identifier.
 */
export function readPageList(response: HttpResponse, query: ListQuery, options: ReadOptions): PageList {
  const requested = { limit: query.limit ?? defaultListLimit, offset: query.offset ?? 0 };
  if (response.status === 416) return { data: [], ...requested };
  const found = options.reader.readList(response, requested.offset);
  const { pages, places, total, limit, offset = requested.offset } = found;
  if (places !== undefined) {
    reportDifference("list", "#/data", places.list, options);
    reportDifference("total", "#/total", places.total, options);
  }
  // Elements of a list are alike, so the layout of the first is reported.
  const data = pages.map((page, index) => {
    const found = index === 0 ? page : { page: page.page, record: page.record };
    return completePage(found, {}, options, `${places?.list ?? "#/data"}/${index}`);
  });
  return { data, ...(total !== undefined && { total }), limit: limit || requested.limit, offset };
}

/**
 * Checks the response to a call without a result. Any success counts, unless its body reports a failure.
 *
 * @throws {UnexpectedResponse} when it reports a failure or is an HTML document. The body of a 404 to a repeated delete does not matter.
 */
export function readDone(response: HttpResponse, endpoint: "deletePage" | "trackEvent", { reader }: ReadOptions): void {
  if (response.status < 300) reader.checkDone(response, endpoint);
}

/** Whether an error response to a list only means that there is nothing to list. A 416 does; a 404 does if its body is an empty list. */
export function isEmptyListError(response: HttpResponse, reader: ResponseReader): boolean {
  if (response.status === 416) return !isHtmlDocument(response);
  try {
    return response.status === 404 && reader.readList(response, 0).pages.length === 0;
  } catch {
    return false;
  }
}

/** Makes the reader of a client without a dialect. `apiHost` is the host of the service itself, which is no domain of a page. */
export function readByStructure(apiHost: string): ResponseReader {
  return {
    readPage(response, { endpoint, sent, id }) {
      const { status, headers, text, json } = response;
      const reference = referencePageSchema.safeParse(json).data;
      if (reference !== undefined && (id ?? reference.id) === reference.id)
        return { page: reference, record: reference };
      checkUsable(response, "a page", { request: { sent: { ...sent }, id } });
      // A bare string may be the identifier.
      const found = inferPage({ status, headers, body: json ?? text.trim() }, { apiHost, sent: { ...sent }, id });
      const foundId = endpoint === "updatePage" ? id : found.page.id;
      if (foundId !== undefined) return { ...found, page: Object.assign(found.page, { id: foundId }) };
      const uncertain = `neither the page, the fields around it, nor a link shows it for certain; ${passDialect}`;
      const hint = isCutShort(text) ? undefined : uncertain;
      throw unexpected("the identifier of the page", describeBody(response), "#", status === 202 ? isAccepted : hint);
    },
    readList(response, requestedOffset) {
      const { status, headers, text, json } = response;
      const reference = referenceListSchema.safeParse(json).data;
      if (reference !== undefined) {
        const { data, ...counts } = reference;
        return { ...counts, pages: data.map((page) => ({ page, record: page })) };
      }
      checkUsable(response, "a list of pages");
      const isEmpty = text.trim() === "" && (status === 204 || status === 205);
      if (json === undefined && !isEmpty) throw unexpected("a list of pages", describeBody(response));
      const found = inferList({ status, headers, body: json }, { apiHost }, requestedOffset);
      if (found.kind === "none" && isMessage(json)) throw unexpected("a list of pages", describeBody(response));
      if (found.kind === "none")
        throw unexpected("a list of pages", `${describeBody(response)}: ${found.found}`, "#", passDialect);
      const { path, total, limit, offset } = found;
      const places = { list: toPointer(path), total: total === undefined ? "nothing" : toPointer(total.path) };
      const pages = found.pages as ReadListResult["pages"]; // why: an element without an identifier is no page
      return { pages, total: total?.value, limit, offset, places };
    },
    checkDone: (response) => checkUsable(response, "a response of the service"),
    readProblem: ({ text }) => findProblem(text),
  };
}

/** Says what a 202 without a page means. */
export const isAccepted = "a 202 says that the service creates the page later; `find` it by its slug then";

const passDialect =
  "run `npx landing-pages-mock check --write-dialect dialect.json` and pass `read: readBy(dialect)`, see the guide Responses";

/**
 * Throws if a success reports a failure or is an HTML document, which comes from a proxy or a login page. Other bodies that are not JSON pass.
 *
 * @throws {UnexpectedResponse} that describes the response.
 */
export function checkUsable(response: HttpResponse, expected: string, check: RefusalCheck = {}): void {
  const { request, isExpected, failure } = check;
  if (isHtmlDocument(response)) throw unexpected(expected, `an HTML document: ${quote(response.text.slice(0, 2000))}`);
  if (failure !== undefined || isRefusal(response.json, request, isExpected))
    throw unexpected(expected, `a reported failure${quoteRefusal(failure ?? findProblem(response.text))}`);
}

/** What decides whether a body reports a failure. */
interface RefusalCheck {
  readonly request?: Parameters<typeof isRefusal>[1];
  /** Whether a dialect expects the value at a path. */
  readonly isExpected?: Parameters<typeof isRefusal>[2];
  /** The failure that the body reports by a dialect. */
  readonly failure?: FoundProblem | undefined;
}

/** Adds known fields that the response leaves out. A strict client adds nothing and accepts whole pages only. */
function completePage(found: ReadPageResult, known: object, options: ReadOptions, pointer = "#"): Page {
  const { page, record, layout } = found;
  if (options.strict) return checkWhole(page, record, pointer);
  if (layout !== undefined) reportLayout(record, layout, pointer, options);
  const complete: Record<string, unknown> = page;
  for (const [name, value] of Object.entries(known))
    if (value !== undefined && complete[name] === undefined) complete[name] = value;
  return page as Page; // why: after a create nothing is missing, and other callers return a `PartialPage`
}

/** Checks that a page has every documented field, in its documented type. */
function checkWhole(page: FoundPage, record: ReadPageResult["record"], pointer: string): Page {
  const { created_at: _created, updated_at: _updated, ...fields } = record;
  const found = Object.entries(page).filter(([name]) => /^(?:id|domains|created_at|updated_at)$/.test(name));
  const whole = { meta_description: null, ...fields, ...Object.fromEntries(found) };
  const problems = findPageProblems(whole);
  if (problems.length === 0) return whole as Page; // why: the schema has just said so
  const errors = problems.map((problem) => ({ pointer: pointer + problem.pointer.slice(1), detail: problem.detail }));
  throw new UnexpectedResponse(errors, "the whole pages that `strict` requires");
}

/** Reports which parts of a page are in a different place than in the reference dialect. */
function reportLayout(record: ReadPageResult["record"], layout: Layout, pointer: string, options: ReadOptions): void {
  const isFound = layout["record"] !== undefined || layout["id"] !== undefined;
  for (const [name, path] of Object.entries(layout)) {
    if ((name === "meta_description" && record[name] === null) || (name !== "record" && !isFound)) continue;
    // A page in a list is read by itself, so its paths begin at the element.
    const found = path === undefined ? "nothing" : toPointer(path, pointer);
    reportDifference(name, name === "record" ? pointer : `${pointer}/${name}`, found, options);
  }
}

function reportDifference(where: string, expected: string, found: string, { onMismatch }: ReadOptions): void {
  if (found !== expected) onMismatch({ where, expected, found });
}

/** Makes the error of a response whose value at a JSON pointer is not the expected one. */
export function unexpected(expected: string, received: string, pointer = "#", hint?: string): UnexpectedResponse {
  const detail = `expected ${expected}, got ${received}${hint === undefined ? "" : `; ${hint}`}`;
  return new UnexpectedResponse([{ pointer, detail }]);
}

/** Describes the body of a response. */
function describeBody({ text, json }: HttpResponse): string {
  if (text.trim() === "") return "an empty body";
  const kind = isCutShort(text) ? "JSON that is cut short" : "something that is not JSON";
  if (json === undefined) return `${kind}: ${quote(text.slice(0, 2000))}`;
  const names = isObject(json) ? Object.keys(json).slice(0, 10) : [];
  const named = names.length === 0 ? "an empty object" : quote(`an object with ${names.join(", ")}`);
  return (isObject(json) ? named : nameKind(json)) + (refusalName.test(text) ? quoteRefusal(findProblem(text)) : "");
}

/** Whether a body is only a message. No dialect would help to find a list in it. */
function isMessage(body: unknown): boolean {
  const isFlat = isObject(body) && Object.values(body).every((value) => typeof value !== "object" || value === null);
  return isFlat && refusalName.test(JSON.stringify(body));
}

const refusalName = /"(?:\w*(?:errors?|message|msg)|detail|reason|fault|problem)"\s*:/i;

/** Quotes the message of a failure that a success reports. */
function quoteRefusal({ detail, errors }: FoundProblem): string {
  const message = describeFields(errors) || quote(detail);
  return message && `, which says: ${message}`;
}
