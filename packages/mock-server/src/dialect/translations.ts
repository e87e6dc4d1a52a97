// The answers of our reference service, written in a dialect: a thin translation at the single exit.
import {
  type Dialect,
  type EndpointName,
  parseJson,
  type Problem,
  problemMediaType,
  problemSchema,
  rateLimitHeaderNames,
  type Reading,
  referenceDialect,
} from "@landing-page-service/contract";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";

type JsonObject = Record<string, unknown>;

/**
 * Writes an answer of our reference service in a dialect. Only what the reference service itself would write is
 * translated; anything else, such as the body of a planned fault, passes through as it is.
 * Gap: see docs/spec-gaps.md, the rows about answers
 */
export function translateAnswer(
  endpoint: EndpointName | undefined,
  request: Pick<PlainRequest, "path">,
  answer: PlainAnswer,
  dialect: Dialect,
  nowMs: number,
): PlainAnswer {
  if (dialect === referenceDialect) return answer;
  const timed = { ...answer, bodyBytes: undefined, headers: translateReset(answer.headers, dialect, nowMs) };
  if (answer.status >= 400) return translateError(timed, dialect);
  if (endpoint === undefined || answer.status < 200 || answer.status >= 300) return timed;
  return successes[endpoint](timed, dialect, request.path);
}

const successes: Record<EndpointName, (answer: PlainAnswer, dialect: Dialect, path: string) => PlainAnswer> = {
  listPages: (answer, dialect) => translateJson(answer, (list) => listIn(dialect, list)),
  createPage: translateCreated,
  updatePage: (answer, dialect) => translateJson(answer, (page) => recordIn(dialect, page)),
  deletePage: translateDeleted,
  trackEvent: translateTracked,
};

// Gap: unit of X-RateLimit-Reset, see docs/spec-gaps.md#reset-unit
function translateReset(headers: Record<string, string>, dialect: Dialect, nowMs: number): Record<string, string> {
  const name = findHeader(headers, rateLimitHeaderNames.reset);
  const written = name === undefined ? undefined : headers[name];
  // A planned fault may have put anything there; only a moment in seconds, as the reference service writes it, has a unit to change.
  if (name === undefined || written === undefined || !/^\d{9,11}$/.test(written)) return headers;
  return { ...headers, [name]: String(resetIn[dialect["reset-unit"]](Number(written), nowMs)) };
}

const resetIn: Record<Reading<"reset-unit">, (resetAtSeconds: number, nowMs: number) => number> = {
  "epoch-seconds": (resetAtSeconds) => resetAtSeconds,
  seconds: (resetAtSeconds, nowMs) => Math.max(0, Math.ceil(resetAtSeconds - nowMs / 1000)),
  "epoch-milliseconds": (resetAtSeconds) => resetAtSeconds * 1000,
};

// Gap: success statuses and bodies, see docs/spec-gaps.md#create-status
function translateCreated(answer: PlainAnswer, dialect: Dialect): PlainAnswer {
  const created = translateJson(answer, (page) => recordIn(dialect, page));
  if (dialect["create-status"] === "201-page" || answer.status !== 201) return created;
  return { ...created, status: 200, headers: withoutHeader(created.headers, "Location") };
}

// Gap: see docs/spec-gaps.md#delete-status
function translateDeleted(answer: PlainAnswer, dialect: Dialect, path: string): PlainAnswer {
  if (answer.status !== 204 || dialect["delete-status"] === "204-empty") return answer;
  if (dialect["delete-status"] === "200-empty") return { ...answer, status: 200 };
  const id = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  return withJson({ ...answer, status: 200 }, { ...identifierIn(dialect, id), deleted: true });
}

// Gap: see docs/spec-gaps.md#event-status
function translateTracked(answer: PlainAnswer, dialect: Dialect): PlainAnswer {
  return answer.status === 202 ? trackedAs[dialect["event-status"]](answer) : answer;
}

const trackedAs: Record<Reading<"event-status">, (answer: PlainAnswer) => PlainAnswer> = {
  "202-receipt": (answer) => answer,
  "200-receipt": (answer) => ({ ...answer, status: 200 }),
  "201-receipt": (answer) => ({ ...answer, status: 201 }),
  "204-empty": (answer) => withoutBody({ ...answer, status: 204 }),
  "200-text": (answer) => withText({ ...answer, status: 200 }, "text/plain", "ok"),
};

// Gap: see docs/spec-gaps.md#list-envelope and #list-total
function listIn(dialect: Dialect, list: JsonObject): unknown {
  const { data, total, ...window } = list;
  if (!Array.isArray(data)) return list;
  const pages = data.map((page: unknown) => (isObject(page) ? pageIn(dialect, page) : page));
  if (dialect["list-envelope"] === "array") return pages;
  return { [dialect["list-envelope"]]: pages, ...totalIn(dialect, total), ...window };
}

function totalIn(dialect: Dialect, total: unknown): JsonObject {
  if (dialect["list-total"] === "none") return {};
  const [outer = "", inner] = dialect["list-total"].split(".");
  return { [outer]: inner === undefined ? total : { [inner]: total } };
}

// Gap: see docs/spec-gaps.md#record-wrapper
function recordIn(dialect: Dialect, page: JsonObject): JsonObject {
  const record = pageIn(dialect, page);
  return dialect["record-wrapper"] === "bare" ? record : { [dialect["record-wrapper"]]: record };
}

// Gap: see docs/spec-gaps.md#page-record and #page-states
function pageIn(dialect: Dialect, page: JsonObject): JsonObject {
  const { id, ...fields } = page;
  if (dialect["page-record"] === "minimal") {
    for (const name of ["domains", "created_at", "updated_at"]) delete fields[name];
    if (fields["meta_description"] === null) delete fields["meta_description"];
  }
  return {
    ...identifierIn(dialect, id),
    ...fields,
    ...(dialect["page-record"] === "extended" && { version: 1, author: { name: "API" }, tags: [] }),
    ...(dialect["page-states"] === "status" && { status: "published" }),
  };
}

// Gap: see docs/spec-gaps.md#page-id and #page-id-type
function identifierIn(dialect: Dialect, id: unknown): JsonObject {
  return { [dialect["page-id"]]: dialect["page-id-type"] === "integer" ? Number(id) : id };
}

// Gap: see docs/spec-gaps.md#error-body
function translateError(answer: PlainAnswer, dialect: Dialect): PlainAnswer {
  const problem = readProblem(answer);
  return problem === undefined ? answer : errorAs[dialect["error-body"]](answer, problem);
}

const errorAs: Record<Reading<"error-body">, (answer: PlainAnswer, problem: Problem) => PlainAnswer> = {
  problem: (answer) => answer,
  "error-object": (answer, problem) =>
    withJson(answer, {
      error: { type: problem.title.toLowerCase().replaceAll(/[^a-z]+/g, "_"), message: problem.detail },
    }),
  "error-string": (answer, problem) => withJson(answer, { error: problem.detail }),
  message: (answer, problem) => withJson(answer, { message: problem.detail }),
  errors: (answer, problem) => withJson(answer, { errors: errorList(problem) }),
  text: (answer, problem) => withText(answer, "text/plain", problem.detail),
  html: (answer, problem) => withText(answer, "text/html", errorHtml(problem)),
  empty: withoutBody,
};

function readProblem(answer: PlainAnswer): Problem | undefined {
  const mediaType = findHeader(answer.headers, "Content-Type");
  if (mediaType === undefined || !answer.headers[mediaType]?.startsWith(problemMediaType)) return undefined;
  return problemSchema.safeParse(parseJson(answer.body ?? "")).data;
}

function fieldName(pointer: string): string {
  return pointer.replace(/^#\//, "").replaceAll("/", ".");
}

function errorList({ detail, errors = [] }: Problem): { field?: string; message: string }[] {
  if (errors.length === 0) return [{ message: detail }];
  return errors.map((error) => ({ field: fieldName(error.pointer), message: error.detail }));
}

function errorHtml(problem: Problem): string {
  const heading = escapeHtml(`${problem.status} ${problem.title}`);
  const message = escapeHtml(problem.detail);
  return `<!doctype html>\n<html><head><title>${heading}</title></head>\n<body><h1>${heading}</h1><p>${message}</p></body></html>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function translateJson(answer: PlainAnswer, translate: (value: JsonObject) => unknown): PlainAnswer {
  const value = parseJson(answer.body ?? "");
  return isObject(value) ? { ...answer, body: JSON.stringify(translate(value)) } : answer;
}

function withJson(answer: PlainAnswer, value: unknown): PlainAnswer {
  return withText(answer, "application/json", JSON.stringify(value));
}

function withText(answer: PlainAnswer, mediaType: string, body: string): PlainAnswer {
  const contentType = mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
  return {
    ...answer,
    headers: { ...withoutHeader(answer.headers, "Content-Type"), "Content-Type": contentType },
    body,
  };
}

function withoutBody(answer: PlainAnswer): PlainAnswer {
  return { ...answer, headers: withoutHeader(answer.headers, "Content-Type"), body: undefined };
}

function findHeader(headers: Record<string, string>, name: string): string | undefined {
  return Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
}

function withoutHeader(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name.toLowerCase()));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
