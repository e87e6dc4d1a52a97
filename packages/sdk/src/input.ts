// What a caller passes, checked against what the spec documents and written as it travels.
import {
  type CreatePage,
  type Endpoint,
  endpoints,
  type FieldProblem,
  findFieldProblems,
  isObject,
  type ListQuery,
  nearest,
  type UpdatePage,
} from "@landing-page-service/contract";
import { asCount } from "./documented.ts";
import { ConfigurationError, InvalidInputError } from "./report/errors.ts";
import { nameKind } from "./report/messages.ts";
import { callOptions } from "./options.ts";

/** What a caller sends to create a page, or a page that was read. Source: spec, "Create page". */
export interface NewPage extends Omit<CreatePage, "meta_description"> {
  /** Short description of the page or offer. May be left out; `null` is as good. */
  meta_description?: string | null | undefined;
}

/** What a caller sends to change a page: any subset of its fields, or a page that was read and changed. Source: spec, "Update page". */
export interface PageChanges extends Omit<UpdatePage, "meta_description"> {
  /** New short description of the page or offer; `null` is sent as the empty text. */
  meta_description?: string | null | undefined;
}

/** Writes a new page as it travels: what is `null` is left out. */
export function writeNewPage(input: NewPage): unknown {
  return writeFields(input, undefined);
}

/** Writes changes as they travel: a description that is `null` is emptied. */
export function writeChanges(changes: PageChanges): unknown {
  return writeFields(changes, "");
}

const documentedFields = new Set(["title", "content", "slug", "meta_description", "cta"]);

function writeFields(input: object, noDescription: "" | undefined): unknown {
  // Plain JavaScript may pass anything: then that is what is checked and refused.
  if (typeof input !== "object" || input === null || Array.isArray(input) || isOpaque(input)) return input;
  // Only the service says where a page is and what its id is, so this is a page that was read, with whatever else was in the answer.
  const isRead = "id" in input || "domains" in input;
  const fields: { meta_description?: unknown } = isRead
    ? Object.fromEntries(Object.entries(input).filter(([name]) => documentedFields.has(name)))
    : { ...input };
  if (fields.meta_description === null) fields.meta_description = noDescription;
  return fields;
}

/** Whether what an object holds is not in its own members: a promise, a `FormData`, a `Map`. Written as JSON it would be nothing. */
function isOpaque(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return Object.keys(value).length === 0 && proto !== null && !Object.hasOwn(Object(proto), "isPrototypeOf");
}

type Row = Pick<Endpoint, "summary" | "path" | "input">;

/**
 * Writes a body as JSON text, once, so that every attempt sends the same bytes.
 *
 * @throws {InvalidInputError} when it is not what the endpoint documents.
 */
export function writeBody(row: Row, body: unknown): string {
  checkInput(row, body);
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new InvalidInputError(row.summary, [{ pointer: "#", detail: "cannot be written as JSON" }], { cause: error });
  }
}

/**
 * Writes path and query; filters the spec does not name are passed through.
 *
 * @throws {InvalidInputError} when a parameter is not what the endpoint documents.
 * @throws {ConfigurationError} when an option of the call stands among the filters.
 */
export function writeQuery(row: Row, query: ListQuery): string {
  const names = Object.keys(Object(query));
  for (const name of names) {
    if (Object.hasOwn(callOptions, name))
      throw new ConfigurationError(`\`${name}\` is an option, not a filter: options come second, after the filters.`);
  }
  if (!isDocumented(query)) checkInput(row, query);
  let path: string = row.path;
  for (const name of names) {
    const value = query[name];
    if (value === undefined) continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      path += `${path === row.path ? "?" : "&"}${encode(name)}=${encode(String(value))}`;
    else refuse(row, [{ pointer: name, detail: "expected a text, a number or a boolean" }]);
  }
  return path;
}

/** Whether a query is as documented: the schema, which a program's first list would have to make, is only asked what is wrong. */
function isDocumented(query: unknown): boolean {
  if (!isObject(query)) return false;
  const { limit = 1, offset = 0, slug, domain, q } = query;
  const areCounts = asCount(limit, 1) !== undefined && asCount(offset, 0) !== undefined;
  return areCounts && isTextOrAbsent(slug) && isTextOrAbsent(domain) && isTextOrAbsent(q);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Encodes a part of a query; of a letter that is cut in half, what the platform writes of it. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Puts an id into the path, as one encoded segment.
 *
 * @throws {InvalidInputError} when it could lead to another path.
 */
export function writePath(row: Row, id: string): string {
  if (typeof id !== "string")
    refuse(row, [{ pointer: "id", detail: `expected the id of a page as a text, got ${nameKind(id)}` }]);
  const isPlain = id !== "" && id !== "." && id !== ".." && id.isWellFormed();
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  if (!isPlain || /[\u0000-\u001f\u007f-\u009f]/.test(id)) {
    refuse(row, [
      { pointer: "id", detail: 'expected the id of a page: not empty, not "." or "..", no control characters' },
    ]);
  }
  return row.path.replace(":id", () => encodeURIComponent(id));
}

/** Finds the options that are there and are not whole numbers of at least so much. */
export function findRangeProblems(options: object, least: Readonly<Record<string, number>>): FieldProblem[] {
  return Object.entries(least).flatMap(([name, lowest]) => {
    const value: unknown = Reflect.get(options, name);
    const isRight = value === undefined || (Number.isSafeInteger(value) && Number(value) >= lowest);
    return isRight ? [] : [{ pointer: `#/${name}`, detail: `expected a whole number of ${lowest} or more` }];
  });
}

/** Finds the callback that is there and is no function. */
export function findCallbackProblems(options: object, name: string): FieldProblem[] {
  const callback: unknown = Reflect.get(options, name);
  return callback === undefined || typeof callback === "function"
    ? []
    : [{ pointer: `#/${name}`, detail: `expected a function, got ${nameKind(callback)}` }];
}

/** Adds to what is wrong with an input what may have been meant: of a field that is missing, the member that nobody knows and that is called alike. */
export function addHints(problems: readonly FieldProblem[], input: unknown): FieldProblem[] {
  return problems.map(({ pointer, detail }) => {
    const meant = findMeant(pointer.split("/").slice(1), input);
    return { pointer, detail: meant === undefined ? detail : `${detail}; is it what is passed as \`${meant}\`?` };
  });
}

function findMeant([name = "", ...below]: readonly string[], input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const value: unknown = Reflect.get(input, name);
  if (below.length > 0) return findMeant(below, value);
  if (value !== undefined) return undefined;
  const unknown = Object.keys(input).filter((given) => !knownNames.has(given));
  const others = elsewhere[name]?.split(" ") ?? [];
  return nearest(name, unknown) ?? unknown.find((given) => others.includes(given.toLowerCase()));
}

const knownNames = new Set([...documentedFields, "type", "label", "url", "pageId", "timestamp", "properties"]);

/** What people are used to call the fields elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  title: "name headline heading",
  content: "body html text markdown",
  slug: "path handle",
  cta: "button action",
  label: "text caption",
  url: "href link target",
  type: "kind",
  pageId: "page id",
};

function checkInput(row: Row, value: unknown): void {
  if (row.input === undefined) return;
  if (isObject(value) && isOpaque(value)) {
    const kind = value instanceof Promise ? "a promise: await it" : `a ${value.constructor?.name ?? "foreign object"}`;
    refuse(row, [{ pointer: "#", detail: `expected a plain object, received ${kind}` }]);
  }
  const found = findFieldProblems(row.input.schema(), value);
  if (found.length === 0) return;
  // A list of pages given to what takes one.
  const isMany = Array.isArray(value) && row === endpoints.createPage;
  refuse(
    row,
    isMany
      ? found.map((each) => ({ ...each, detail: `${each.detail}; \`createMany\` takes several` }))
      : addHints(found, value),
  );
}

function refuse(row: Row, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidInputError(row.summary, problems);
}
