// Writes responses with the templates of a dialect.
import { STATUS_CODES } from "node:http";
import {
  type EndpointName,
  type PageRecord,
  rateLimitHeaderNames,
  type Interpretation,
  statusTitles,
} from "@landing-page-service/contract";
import {
  type AnswerShape,
  type AnswerShapes,
  type Dialect,
  type Facts,
  readAnswers,
  referenceDialect,
} from "@landing-page-service/contract/dialect";
import { renderResponse } from "@landing-page-service/contract/internal";
import type { PlainAnswer, Refusal, RequestOutcome, TextOutcome } from "../http-types.ts";

/** Facts about a request that its response may contain. */
interface RenderContext {
  /** The endpoint of the request. A refusal needs none. */
  readonly endpoint?: EndpointName | undefined;
  readonly path?: string;
  /** Scheme and host that were called. */
  readonly origin?: string | undefined;
  /** The three headers of the rate limit, if there is one. */
  readonly rateHeaders?: Record<string, string>;
  readonly requestId: string;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** Writes a response in a dialect. Only this writes JSON of the API. Gap: see docs/spec-gaps.md */
export type Render = (outcome: RequestOutcome, context: RenderContext) => PlainAnswer;

/** Makes the renderer of a dialect. */
export function createRenderer(dialect: Dialect): Render {
  const shapes = readAnswers(dialect.answers);
  const { "reset-unit": resetUnit, "page-id-type": idType } = dialect.switches;
  const toPage = (record: Readonly<PageRecord>): Page => {
    return { ...record, id: idType === "integer" ? Number(record.id) : record.id };
  };
  return (outcome, context) => {
    const { endpoint, path = "", origin = "https://landing-pages.test", nowMs, requestId, rateHeaders } = context;
    const now = new Date(nowMs);
    const base = { Date: now.toUTCString(), "X-Request-Id": requestId, ...rateHeaders };
    const own = "headers" in outcome ? outcome.headers : undefined;
    const all = { ...base, ...own };
    const headers = resetUnit === "epoch-seconds" ? all : translateReset(all, resetUnit, nowMs);
    if ("text" in outcome) return writeText(outcome, headers);
    const common = { now: now.toISOString(), requestId, path, origin };
    if ("refused" in outcome) {
      const { refused, detail, errors = [], faultHeaders } = outcome;
      const shape = shapeOf(outcome, shapes);
      const { status: sent = refused } = shape;
      const status = sent < 300 ? refused : sent;
      const error = { reason: titleOf(statusTitles[status] === undefined ? refused : status), detail, errors };
      // A test that plans a 503 gets one, although the service reports its failures in a 200.
      const planned = { ...shape, status: faultHeaders === undefined ? sent : status };
      return renderShape(planned, { ...common, status, error }, headers, faultHeaders);
    }
    if (endpoint === undefined) throw new Error("A result needs its endpoint.");
    const { status, page, previous, changes, pages, list, event } = outcome;
    const empty = list?.total === 0 ? shapes.emptyAccount : shapes.emptyList;
    const shape = pages?.length === 0 ? empty : shapes.endpoints[endpoint];
    const facts: Facts = {
      ...common,
      status: shape.status ?? status,
      page: page && toPage(page),
      previous: previous && toPage(previous),
      changes: changes && { ...changes },
      list: list && { ...list, count: pages?.length ?? 0 },
      pages: pages?.map(toPage),
      event,
    };
    return renderShape(shape, facts, headers);
  };
}

type Page = NonNullable<Facts["page"]>;

/** Gap: see docs/spec-gaps.md#error-body */
function shapeOf({ refused, errors = [] }: Refusal, shapes: AnswerShapes): AnswerShape {
  if (refused === 400 && errors.some(({ pointer }) => pointer === "#")) return shapes.malformed;
  return shapes.errors.get(refused) ?? shapes.error;
}

function titleOf(status: number): string {
  return statusTitles[status] ?? STATUS_CODES[status] ?? (status >= 500 ? "Server Error" : "Error");
}

const mediaTypes = { json: "application/json", text: "text/plain; charset=utf-8", html: "text/html; charset=utf-8" };

function renderShape(
  shape: AnswerShape,
  facts: Facts,
  headers: HeaderFields,
  faultHeaders: HeaderFields = {},
): PlainAnswer {
  const { status = facts.status } = shape;
  const { headers: written, text } = renderResponse(shape, facts);
  // An empty type in a dialect removes the header.
  const isTyped = shape.headers.some(([name]) => name.toLowerCase() === "content-type");
  const usualType = shape.body && !isTyped ? { "Content-Type": mediaTypes[shape.body.kind] } : {};
  return { status, headers: mergeHeaders(headers, usualType, written, faultHeaders), body: text };
}

type HeaderFields = Readonly<Record<string, string>>;

function writeText({ status, text, pieces, faultHeaders = {} }: TextOutcome, given: HeaderFields): PlainAnswer {
  const usualType = text === undefined ? {} : { "Content-Type": "application/json" };
  const headers = mergeHeaders(usualType, given, faultHeaders);
  return { status, headers, body: text, ...(pieces && { pieces }) };
}

/** Merges headers. A later one replaces an earlier one with the same name, whatever the letter case. */
function mergeHeaders(...parts: readonly HeaderFields[]): Record<string, string> {
  const merged = new Map<string, [name: string, value: string]>();
  for (const part of parts)
    for (const [name, value] of Object.entries(part)) merged.set(name.toLowerCase(), [name, value]);
  return Object.fromEntries(merged.values());
}

// Gap: unit of X-RateLimit-Reset, see docs/spec-gaps.md#reset-unit
function translateReset(headers: HeaderFields, unit: Interpretation<"reset-unit">, nowMs: number): HeaderFields {
  const { reset } = rateLimitHeaderNames;
  const written = headers[reset];
  if (written === undefined) return headers;
  const seconds = Math.max(0, Math.ceil(Number(written) - nowMs / 1000));
  return { ...headers, [reset]: String(unit === "seconds" ? seconds : Number(written) * 1000) };
}

/** Writes responses outside the mocked API, such as those of the control API. */
export const renderReference: Render = createRenderer(referenceDialect);
