// What is known of every error of a visit: which field, if any, it may blame.
import type { FieldProblem } from "@landing-page-service/contract";
import type { Exchange } from "./exchange.ts";
import { lettersOf } from "./explain-text.ts";
import { commonFacts, type Sight } from "./samples.ts";
import { isEmptyNotFound, type Step, type Visit } from "./visit.ts";

// Not imported: an import of node:http reads every export of it, WebSocket too, which loads all of fetch.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The field that is wrong in what a step sends; of all others nobody knows whether one is to blame. */
const wrongFields: Partial<Record<Step, string>> = {
  "invalid-create": "title",
  "without-title": "title",
  "without-content": "content",
  "without-slug": "slug",
  "without-cta": "cta",
  "invalid-update": "title",
  updateTooLong: "title",
  updateSlugFormat: "slug",
  updateDescription: "meta_description",
  twin: "slug",
  eventUnknown: "pageId",
  "invalid-event": "timestamp",
  "invalid-list": "limit",
};

/** Statuses that blame the request as a whole. */
const blamesNoField = new Set([401, 403, 404, 410, 429]);

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && /^\/api\/content(?:\?|$)/.test(request.path);
}

/** Every answer with a status of an error, the one that shows it best first. */
export function seeErrors(
  visit: Visit,
  exchanges: readonly Exchange[],
  status: number,
  best: Exchange | undefined,
): Sight[] {
  const { steps } = visit;
  const isEmptyList = (exchange: Exchange) => status === 404 && isEmptyNotFound(visit) && isList(exchange);
  const fields = new Map(Object.entries(wrongFields).map(([step, field]) => [steps[step as Step], field])); // why: its own keys
  const seen = new Set([best, ...exchanges].filter((exchange) => exchange?.answer?.status === status));
  return [...seen].flatMap((exchange) => {
    if (exchange === undefined || isEmptyList(exchange)) return [];
    if (!(fields.has(exchange) || blamesNoField.has(status) || status >= 500)) return [];
    const field = fields.get(exchange);
    const isBlamed = field !== undefined && isNamedIn(exchange, field);
    return [seeError(exchange, isBlamed ? `${isList(exchange) ? "" : "#/"}${field}` : undefined)];
  });
}

/** The refusals of bodies that are no JSON, which blame the body as a whole. */
export function seeMalformed({ steps }: Visit): Sight[] {
  const seen = [steps["malformed-create"], steps["malformed-update"], steps["malformed-event"]];
  const status = seen[0]?.answer?.status ?? 0;
  return seen.flatMap((exchange) =>
    exchange === undefined || status < 400 || exchange.answer?.status !== status ? [] : [seeError(exchange, "#")],
  );
}

function seeError(exchange: Exchange, pointer: string | undefined): Sight {
  const errors: FieldProblem[] = pointer === undefined ? [] : [{ pointer, detail: "" }];
  const reason = STATUS_CODES[exchange.answer?.status ?? 0] ?? "";
  return { exchange, facts: { ...commonFacts(exchange), error: { reason, detail: "", errors } } };
}

/** Whether an answer names a field, in any spelling: a service may blame none. */
function isNamedIn({ answer }: Exchange, field: string): boolean {
  return lettersOf(answer?.body ?? "").includes(lettersOf(field));
}
