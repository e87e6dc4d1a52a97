// The one place that knows that services answer differently: where a record, a list or an error message is found in a body.
import {
  defaultListLimit,
  type FieldProblem,
  findFieldProblems,
  type ListQuery,
  type Page,
  type PageList,
  pageSchema,
} from "@landing-page-service/contract";
import type { ApiProblem } from "./call-errors.ts";
import { quote } from "./messages.ts";

type Json = Record<string, unknown>;

/** Says that a body is not what was asked for, and why. */
export class UnexpectedAnswer extends Error {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super("unexpected answer");
    this.problems = problems;
  }
}

/**
 * Reads a page, wrapped or not, and presents it in the one shape of `Page`.
 * Gap: see docs/spec-gaps.md#record-wrapper, #page-id, #page-id-type and #page-record
 *
 * @throws {UnexpectedAnswer} when there is none.
 */
export function readPage(text: string): Page {
  const body = parse(text, "a page");
  const record = isPageLike(body) || !isRecord(body) ? body : ([body.data, body.page].find(isPageLike) ?? body);
  return toPage(record, "", text);
}

/**
 * Reads a list of pages, whatever is around it.
 * Gap: see docs/spec-gaps.md#list-envelope and #list-total
 *
 * @throws {UnexpectedAnswer} when there is none.
 */
export function readPageList(text: string, query: ListQuery): PageList {
  const body = parse(text, "a list of pages");
  const envelope = isRecord(body) ? body : {};
  const records = Array.isArray(body)
    ? body
    : ["data", "items", "results", "pages", "content"]
        .map((key) => envelope[key])
        .find((value) => Array.isArray(value));
  if (records === undefined) throw unexpected("a list of pages", describe(body));
  const data = records.map((record, index) => toPage(record, `/${index}`, text));
  const total = readCount(envelope, ["total", "total_count", "totalCount"], 0);
  const limit = readCount(envelope, ["limit"], 1) ?? query.limit ?? defaultListLimit;
  const offset = readCount(envelope, ["offset"], 0) ?? query.offset ?? 0;
  return total === undefined ? { data, limit, offset } : { data, total, limit, offset };
}

/** Finds what an error body says, whatever its shape; a body that says nothing gives an empty detail. Gap: see docs/spec-gaps.md#error-body */
export function readProblem(text: string): ApiProblem {
  const trimmed = text.trim();
  const body = tryParse(trimmed);
  if (typeof body === "string") return { detail: quote(body), errors: [] };
  if (Array.isArray(body)) return summarise("", undefined, readFieldProblems(body));
  if (!isRecord(body)) return { detail: quote(trimmed.startsWith("<") ? readHtml(trimmed) : trimmed), errors: [] };
  const inner = isRecord(body.error) ? body.error : body;
  const said = [inner.detail, inner.message, body.error, body.detail, body.message, inner.title, inner.description];
  const type = [inner.type, inner.code, body.type, body.code].find(
    (value) => typeof value === "string" && value !== "about:blank",
  );
  const errors = readFieldProblems(inner.errors ?? body.errors ?? inner.details ?? body.details);
  return summarise(said.find((value) => typeof value === "string") ?? "", type, errors);
}

/** Finds the service's name for a request. */
export function readRequestId(headers: Headers): string | undefined {
  return headers.get("X-Request-Id") ?? headers.get("Request-Id") ?? undefined;
}

function summarise(detail: unknown, type: unknown, errors: FieldProblem[]): ApiProblem {
  const said = typeof detail === "string" && detail !== "" ? detail : (errors[0]?.detail ?? "");
  return { detail: quote(said), errors, ...(typeof type === "string" ? { type: quote(type) } : {}) };
}

function toPage(value: unknown, pointer: string, text: string): Page {
  if (!isRecord(value)) throw unexpected("a page", describe(value), pointer);
  // Parsed a moment ago and nobody else's, so it is completed in place: a copy of every page would cost more than checking it.
  value.id = readId(value.id ?? value._id ?? value.page_id, text);
  value.meta_description ??= null;
  value.domains ??= [];
  if (value.created_at === null) delete value.created_at;
  if (value.updated_at === null) delete value.updated_at;
  const problems = findFieldProblems(pageSchema, value);
  if (problems.length === 0) return value as unknown as Page; // why: the schema has just said so
  throw new UnexpectedAnswer(
    problems.map(({ detail, ...problem }) => ({ pointer: `#${pointer}${problem.pointer.slice(1)}`, detail })),
  );
}

function readId(id: unknown, text: string): unknown {
  if (typeof id !== "number") return id;
  if (Number.isSafeInteger(id)) return String(id);
  // Beyond 2^53 a number has lost digits, and the id would name another page; the text still has them.
  const written = [...text.matchAll(/"(?:id|_id|page_id)"\s*:\s*(\d{16,})/g)].map((match) => match[1] ?? "");
  const [digits, ...others] = new Set(written.filter((candidate) => Number(candidate) === id));
  return others.length === 0 ? digits : undefined;
}

function isPageLike(value: unknown): value is Json {
  return isRecord(value) && ("id" in value || "_id" in value || "page_id" in value);
}

/** Finds a count at the top, or under `meta` or `pagination`. */
function readCount(envelope: Json, names: readonly string[], least: number): number | undefined {
  for (const holder of [envelope, envelope.meta, envelope.pagination]) {
    if (!isRecord(holder)) continue;
    for (const name of names) {
      const value = holder[name];
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
    }
  }
  return undefined;
}

/** Reads a list of problems, or a map from field to messages. */
function readFieldProblems(errors: unknown): FieldProblem[] {
  if (Array.isArray(errors)) return errors.slice(0, 100).map((error) => readFieldProblem("", error));
  if (!isRecord(errors)) return [];
  return Object.entries(errors)
    .slice(0, 100)
    .map(([field, error]: [string, unknown]) =>
      readFieldProblem(field, Array.isArray(error) ? (error as unknown[])[0] : error),
    );
}

function readFieldProblem(field: string, error: unknown): FieldProblem {
  if (!isRecord(error)) return { pointer: quote(field), detail: typeof error === "string" ? quote(error) : "" };
  const pointer = [error.pointer, error.field, error.path, error.param, error.parameter, error.name].find(
    (value) => value !== undefined,
  );
  const detail = [error.detail, error.message, error.msg, error.title, error.code].find(
    (value) => typeof value === "string",
  );
  return {
    pointer: quote(Array.isArray(pointer) ? pointer.join("/") : typeof pointer === "string" ? pointer : field),
    detail: quote(typeof detail === "string" ? detail : ""),
  };
}

/** An HTML page says what it is in its title or its first heading. */
function readHtml(html: string): string {
  const found = /<(title|h1)\b[^>]*>([^<]{1,500})</i.exec(html.slice(0, 20_000));
  return found?.[2] ?? "an HTML page";
}

function parse(text: string, expected: string): unknown {
  if (text.trim() === "") throw unexpected(expected, "an empty body");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unexpected(expected, `something that is not JSON: ${quote(text.slice(0, 2000))}`);
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unexpected(expected: string, received: string, pointer = ""): UnexpectedAnswer {
  return new UnexpectedAnswer([{ pointer: `#${pointer}`, detail: `expected ${expected}, got ${received}` }]);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (!isRecord(value)) return `a ${typeof value}`;
  const names = Object.keys(value).slice(0, 10);
  return names.length === 0 ? "an empty object" : quote(`an object with ${names.join(", ")}`);
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
