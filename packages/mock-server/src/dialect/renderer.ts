// What an operation did, as a response in the words of a dialect.
import {
  type EndpointName,
  type PageRecord,
  rateLimitHeaderNames,
  type Reading,
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
import { isRefusal, type PlainAnswer, type Refusal, type Success, type TextOutcome } from "../http-types.ts";

/** What is rendered besides what an operation did. */
export interface RenderContext {
  /** The endpoint that was reached. A refusal needs none. */
  readonly endpoint: EndpointName | undefined;
  readonly path: string;
  /** Scheme and host that were called. */
  readonly origin: string | undefined;
  /** The three headers of the rate limit, where there is one. */
  readonly rateHeaders?: Record<string, string>;
  readonly requestId: string;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** Writes a response in a dialect. This is the only place where JSON of the API is written. Gap: see docs/spec-gaps.md */
export type Render = (outcome: Success | Refusal | TextOutcome, context: RenderContext) => PlainAnswer;

/** Writes responses outside the mocked API: those of the control API, and refusals of the HTTP adapter. */
export const renderReference: Render = (outcome, context) =>
  (reference ??= createRenderer(referenceDialect))(outcome, context);

let reference: Render | undefined;

/** Makes the renderer of a dialect. */
export function createRenderer(dialect: Dialect): Render {
  const shapes = readAnswers(dialect.answers);
  const { "reset-unit": resetUnit, "page-id-type": idType } = dialect.switches;
  return (outcome, context) => {
    const { endpoint, nowMs, requestId, rateHeaders } = context;
    const base = { Date: new Date(nowMs).toUTCString(), "X-Request-Id": requestId, ...rateHeaders };
    const own = "headers" in outcome ? outcome.headers : undefined;
    const headers = translateReset({ ...base, ...own }, resetUnit, nowMs);
    if (isRefusal(outcome)) return renderRefusal(shapes, outcome, context, headers);
    if ("text" in outcome) return writeText(outcome, headers);
    if (endpoint === undefined) throw new Error("A result needs the endpoint that it is of.");
    const { facts, pages } = readFacts(outcome, context, idType);
    const isEmpty = pages?.length === 0;
    const empty = facts.list?.total === 0 ? shapes.emptyAccount : shapes.emptyList;
    return renderShape(isEmpty ? empty : shapes.endpoints[endpoint], facts, headers, pages);
  };
}

type Page = NonNullable<Facts["page"]>;

function readFacts(
  { status, page, previous, changes, pages, list, event }: Success,
  context: RenderContext,
  idType: Reading<"page-id-type">,
): { facts: Facts; pages: Page[] | undefined } {
  const toPage = (record: Readonly<PageRecord>): Page => ({
    ...record,
    id: idType === "integer" ? Number(record.id) : record.id,
  });
  const facts: Facts = {
    ...commonFacts(context, status),
    page: page && toPage(page),
    previous: previous && toPage(previous),
    changes: changes && { ...changes },
    list: list && { ...list, count: pages?.length ?? 0 },
    event,
  };
  return { facts, pages: pages?.map(toPage) };
}

function commonFacts({ path, origin = "https://landing-pages.test", requestId, nowMs }: RenderContext, status: number) {
  return { status, now: new Date(nowMs).toISOString(), requestId, path, origin };
}

/** Gap: see docs/spec-gaps.md#error-body */
function renderRefusal(
  shapes: AnswerShapes,
  refusal: Refusal,
  context: RenderContext,
  headers: Record<string, string>,
): PlainAnswer {
  const { refused, detail, errors = [] } = refusal;
  const isMalformed = refused === 400 && errors.some(({ pointer }) => pointer === "#");
  const shape = isMalformed ? shapes.malformed : (shapes.errors.get(refused) ?? shapes.error);
  const status = shape.status ?? refused;
  const error = { reason: titles[status] ?? titleOf(refused), detail, errors };
  return renderShape(shape, { ...commonFacts(context, status), error }, headers);
}

const titles: Readonly<Record<number, string>> = {
  ...statusTitles,
  417: "Expectation Failed",
  421: "Misdirected Request",
  431: "Request Header Fields Too Large",
};

function titleOf(status: number): string {
  return titles[status] ?? (status >= 500 ? "Server Error" : "Error");
}

const mediaTypes = { json: "application/json", text: "text/plain; charset=utf-8", html: "text/html; charset=utf-8" };

function renderShape(
  shape: AnswerShape,
  facts: Facts,
  headers: Record<string, string>,
  pages?: readonly Page[],
): PlainAnswer {
  const status = shape.status ?? facts.status;
  const { headers: written, text } = renderResponse(shape, { ...facts, status }, pages);
  // A dialect can also leave the type out, with an empty one.
  const isTyped = shape.headers.some(([name]) => name.toLowerCase() === "content-type");
  const usualType = shape.body && !isTyped ? { "Content-Type": mediaTypes[shape.body.kind] } : {};
  // A fault may have set the type, which the dialect leaves then.
  const ownType = headers["Content-Type"] === undefined ? {} : { "Content-Type": headers["Content-Type"] };
  const all = new Map<string, [string, string]>();
  // A header of the dialect replaces one of the service, in whatever case both are written.
  for (const some of [headers, usualType, written, ownType])
    for (const [name, value] of Object.entries(some)) all.set(name.toLowerCase(), [name, value]);
  return { status, headers: Object.fromEntries(all.values()), body: text };
}

function writeText({ status, text, pieces }: TextOutcome, given: Record<string, string>): PlainAnswer {
  const headers = text === undefined ? given : { "Content-Type": "application/json", ...given };
  return { status, headers, body: text, ...(pieces && { pieces }) };
}

// Gap: unit of X-RateLimit-Reset, see docs/spec-gaps.md#reset-unit
function translateReset(
  headers: Record<string, string>,
  unit: Reading<"reset-unit">,
  nowMs: number,
): Record<string, string> {
  const { reset } = rateLimitHeaderNames;
  const written = headers[reset];
  // A planned fault may have put anything there. Only a timestamp in seconds has a unit to change.
  if (unit === "epoch-seconds" || written === undefined || !/^\d{9,11}$/.test(written)) return headers;
  const resetAtSeconds = Number(written);
  const seconds = Math.max(0, Math.ceil(resetAtSeconds - nowMs / 1000));
  return { ...headers, [reset]: String(unit === "seconds" ? seconds : resetAtSeconds * 1000) };
}
