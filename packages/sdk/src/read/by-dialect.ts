/**
 * Reads responses exactly by the templates of a dialect. A client that does not use it does not load it.
 *
 * @module dialect
 */
import type { EndpointName, FieldProblem, PageFields } from "@landing-page-service/contract";
import { type AnswerShapes, readAnswers, resolveDialect } from "@landing-page-service/contract/dialect";
import {
  findProblem,
  fitsBetter,
  type FoundProblem,
  holdsObjects,
  type InferRequest,
  isHeadline,
  isWithin,
  listErrors,
  type ReadFacts,
  readPageFacts,
  readProblemFacts,
  readResponse,
  type TemplatePart,
  toPointer,
} from "@landing-page-service/contract/internal";
import { checkUsable, type HttpResponse, isAccepted, type ResponseReader, unexpected } from "./responses.ts";

export type { HttpResponse, PageRequest, ReadListResult, ReadPageResult, ResponseReader } from "./responses.ts";

/**
 * Makes the `read` option of a client: it reads responses exactly as a dialect describes them, and guesses nothing.
 * Fields that the dialect does not name are kept. Fields that a response leaves out are taken from the request.
 *
 * @param dialect - a dialect, as `landing-pages-mock check --write-dialect` writes it, or the name of a preset. Imported as a JSON
 * module, TypeScript knows the fields that the service adds to a page.
 * @throws {TypeError} when `dialect` is not a dialect; the message names the place of the mistake.
 *
 * @example
 * ```ts
 * import dialect from "./dialect.json" with { type: "json" };
 * const client = new LandingPages({ read: readBy(dialect) });
 * ```
 */
export function readBy<const Dialect extends object | string>(
  dialect: Dialect,
): ResponseReader<DialectFields<Dialect>> {
  const shapes = readAnswers(resolveDialect(dialect ?? null).answers);
  const reader: ResponseReader = {
    readPage(response, { endpoint, sent, id }) {
      const facts = readSuccess(shapes, response, endpoint, "a page", { sent: { ...sent }, id });
      if (id === undefined && isJob(response.status, shapes.endpoints[endpoint].status, facts, sent))
        throw unexpected("a page", "a job", "#", isAccepted);
      return toPage(facts, id);
    },
    readList: (response, offset) => readList(shapes, response, offset),
    checkDone: (response, endpoint) => void readSuccess(shapes, response, endpoint, "a response of the service"),
    readProblem: (response) => readProblem(shapes, response),
  };
  return reader as ResponseReader<DialectFields<Dialect>>; // why: the dialect names the fields that the service adds
}

/**
 * Reads a success by the template of its endpoint.
 *
 * @throws {UnexpectedResponse} when it fits the template of an error better, or a part that the template does not have reports a failure.
 */
function readSuccess(
  shapes: AnswerShapes,
  response: HttpResponse,
  endpoint: EndpointName,
  expected: string,
  request?: InferRequest,
): ReadFacts {
  const empty = endpoint === "listPages" ? [shapes.emptyList, shapes.emptyAccount] : [];
  const others = empty.filter((shape) => shape !== shapes.endpoints.listPages);
  const facts = readResponse(shapes.endpoints[endpoint], response);
  const own = [facts, ...others.map((shape) => readResponse(shape, response))];
  const errors = listErrors(shapes, response.status).map((shape) => readResponse(shape, response));
  const isFailure = errors.some((error) => own.every((one) => fitsBetter(error, one)));
  const failure = isFailure ? readProblem(shapes, response) : undefined;
  const isExpected = (path: readonly string[]) => {
    // The dialect expects an error status for an empty list.
    if (response.status >= 300) return true;
    const isPart = ({ pointer }: TemplatePart) => isWithin(pointer, toPointer(path));
    return own.some(({ found, missing }) => {
      return found.some((part) => part.name === "constant" && isPart(part)) && !missing.some(isPart);
    });
  };
  checkUsable(response, expected, { request, isExpected, failure });
  return facts;
}

const documented = /^(?:id|title|content|slug|meta_description|cta|domains|created_at|updated_at)$/;

/** Makes a page of the fields that a dialect names and all others, unchanged. It has the identifier of the request, if there is one. */
function toPage(facts: ReadFacts, requestedId?: string) {
  const record = facts.record ?? {};
  const others = Object.entries(record).filter(([name]) => !documented.test(name));
  const page = readPageFacts(facts);
  const id = requestedId ?? page.id;
  if (id !== undefined) return { page: { ...Object.fromEntries(others), ...page, id }, record };
  throw missing("the identifier of the page", "id", facts);
}

/** Makes the error of a response without a part that its template has. */
function missing(expected: string, name: TemplatePart["name"], facts: ReadFacts) {
  const pointer = facts.missing.find((each) => each.name === name)?.pointer;
  return unexpected(pointer === undefined ? expected : `${expected} at ${pointer}`, "nothing", pointer);
}

/** Whether a 202 describes a job: the dialect expects another status, and the response repeats nothing of the page. */
function isJob(status: number, expected: number | undefined, { values }: ReadFacts, sent: object): boolean {
  const { title, slug } = { title: undefined, slug: undefined, ...sent };
  const repeats = values.title === title || values.slug === slug;
  return status === 202 && expected !== 202 && !repeats;
}

function readList(shapes: AnswerShapes, response: HttpResponse, requestedOffset: number) {
  const facts = readSuccess(shapes, response, "listPages", "a list of pages");
  const { repeated, values } = facts;
  const [limit, offset, total] = [values.limit, values.offset, values.total].map(asCount);
  const found = response.status < 300 ? repeated.page : undefined;
  const pages = found ?? (isEmpty(shapes, response, requestedOffset) ? [] : undefined);
  if (pages !== undefined) return { pages: pages.map((page) => toPage(page)), total, limit, offset };
  throw missing("a list of pages", "page", facts);
}

function asCount(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Whether a response matches the template for a list without pages, and contains nothing that may be a page. */
function isEmpty({ emptyList, emptyAccount }: AnswerShapes, response: HttpResponse, offset: number): boolean {
  if (response.status === 204) return true;
  return [emptyList, emptyAccount].some((shape) => {
    if (response.status !== (shape.status ?? 200)) return false;
    const { found, missing, values } = readResponse(shape, response);
    const others = leaveOut(response.json, new Set(found.map(({ pointer }) => pointer)));
    // The list itself may be missing if the response says that there are no more pages.
    const total = asCount(values.total) ?? (missing.length === 0 ? 0 : Infinity);
    const isWhole = missing.every(({ name }) => name === "page");
    return isWhole && total <= offset && !holdsObjects(others);
  });
}

/** Returns a JSON value without the parts at these JSON pointers; `undefined` if nothing is left. */
function leaveOut(value: unknown, pointers: ReadonlySet<string>, pointer = "#"): unknown {
  if (pointers.has(pointer)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const rest = leaveOut(inner, pointers, toPointer([name], pointer));
    return rest === undefined ? [] : [[name, rest]];
  });
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
}

/**
 * Reads an error body by the template for its status. If there are several, the one that fits best counts. What the template does not
 * find, or finds only as a headline, is read by structure.
 */
function readProblem(shapes: AnswerShapes, response: HttpResponse): FoundProblem {
  const candidates = [...listErrors(shapes, response.status), shapes.error];
  const read = candidates.map((shape) => readResponse(shape, response));
  const [best] = read.toSorted((one, other) => one.missing.length - other.missing.length);
  const found = findProblem(response.text);
  const { detail, errors } = best ? readProblemFacts(best) : found;
  const choose = (own: string, other = found.detail) => ((own === "" || isHeadline(own)) && other !== "" ? other : own);
  const sameField = ({ pointer }: FieldProblem) => found.errors.find((each) => each.pointer === pointer)?.detail;
  const improved = errors.map((error) => ({ ...error, detail: choose(error.detail, sameField(error)) }));
  return detail === "" && errors.length === 0 ? found : { ...found, detail: choose(detail), errors: improved };
}

/**
 * The fields that a dialect adds to a page, from its template `answers.page`. Constants of JSON have their types; placeholders and
 * strings are unknown. A field is optional, because lists and updates may leave it out.
 */
export type DialectFields<Dialect> = Dialect extends { readonly answers: { readonly page: infer Page extends object } }
  ? { [Name in AddedName<keyof Page>]?: FieldValue<FieldOf<Page, Name>> }
  : object;

/** A name that is not documented; `live?` in a template is the optional field `live`. */
type AddedName<Name> = Exclude<PlainName<Name>, keyof PageFields>;
type PlainName<Name> = Name extends `${string}{${string}` | "..." | "...?"
  ? never
  : Name extends `${infer Plain}?${string}`
    ? Plain
    : Name & string;

type FieldOf<Page, Name extends string> = {
  [Key in keyof Page]: PlainName<Key> extends Name ? Page[Key] : never;
}[keyof Page];

type FieldValue<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends readonly (infer Item)[]
      ? FieldValue<Item>[]
      : Value extends string | null
        ? unknown
        : { [Name in keyof Value as PlainName<Name>]?: FieldValue<Value[Name]> };
