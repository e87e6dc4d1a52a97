// Learns how errors look: what is known of each, and one template for all that one can explain.
import { isDeepStrictEqual } from "node:util";
import type { FieldProblem } from "@landing-page-service/contract";
import type { AnswerTemplate, AnswerTemplates, Subject } from "@landing-page-service/contract/dialect";
import type { Exchange } from "./exchange.ts";
import { lettersOf } from "./explain-text.ts";
import { learnShape } from "./learn-answer.ts";
import type { Lesson } from "./learn.ts";
import { bodiesOf, commonFacts, type Sight } from "./samples.ts";
import { speaksOfField } from "./telling.ts";
import type { Step, Visit } from "./visit.ts";

/** Errors of one name. */
export interface Alike {
  /** A name among `errors`: the status that our reference service answers, or `malformed`. */
  readonly name: string;
  readonly sights: readonly Sight[];
}

/** The errors that a service answered, by name, those of bodies that are no JSON last. */
export function seeRefusals(visit: Visit, exchanges: readonly Exchange[]): readonly Alike[] {
  const { steps } = visit;
  const seenAt = (status: number) => exchanges.find(({ answer }) => answer?.status === status);
  const shown: [number, Exchange | undefined][] = [
    [400, steps["invalid-create"]],
    [401, steps["anonymous-list"]],
    [404, steps.updateDeleted],
    [409, steps.twin],
    [429, seenAt(429)],
    [500, seenAt(500)],
  ];
  const seen = shown.map(([status, best]): Alike => {
    const actual = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    const isOne = actual >= 400 && (status !== 409 || actual === 409);
    return { name: String(status), sights: isOne ? seeErrors(visit, exchanges, actual, best) : [] };
  });
  return [...seen, { name: "malformed", sights: seeMalformed(visit) }].filter(({ sights }) => sights.length > 0);
}

/** The template that most statuses have, and those of all others. */
export function learnErrors(
  all: readonly Alike[],
  note: Lesson["note"],
): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const subjects: readonly Subject[] = ["answer", "error", "field"];
  const lesson: Lesson = { path: "error", name: "", subjects, isInPage: false, note, headlines: findHeadlines(all) };
  const one = join(all, lesson);
  if (one !== undefined && ownStatus(one) === undefined) return { error: learnError(one.sights, lesson) };
  // A body as a whole may be refused as a wrong field is, and then is no case of its own.
  const [refusals, others] = [all.filter(isRefusal), all.filter((alike) => !isRefusal(alike))];
  const refusal = join(refusals, lesson);
  const learned = [...(refusal === undefined ? refusals : [refusal]), ...others].map((alike): Named => {
    const template = learnError(alike.sights, { ...lesson, path: `errors/${alike.name}` });
    const status = ownStatus(alike);
    return { name: alike.name, template: status === undefined ? template : { status, ...template } };
  });
  return nameTemplates(learned);
}

function isRefusal({ name }: Alike): boolean {
  return name === "400" || name === "malformed";
}

/** The status that this service answers; `undefined` where it is that of our reference service. */
function ownStatus({ name, sights: [first] }: Alike): number | undefined {
  const usual = name === "malformed" ? 400 : Number(name);
  return first?.facts.status === usual ? undefined : first?.facts.status;
}

/** All of them as one, by the name of the first, where one template explains them; `undefined` where none does. */
function join(all: readonly Alike[], lesson: Lesson): Alike | undefined {
  const [first] = all;
  const sights = all.flatMap((one) => one.sights);
  const kinds = new Set(sights.map(({ exchange }) => exchange.answer?.headers["content-type"]));
  let isWhole = kinds.size === 1 && new Set(all.map(ownStatus)).size === 1;
  if (isWhole) learnError(sights, { ...lesson, note: () => void (isWhole = false) });
  return isWhole && first ? { ...first, sights } : undefined;
}

interface Named {
  readonly name: string;
  readonly template: AnswerTemplate;
}

/** The template that most statuses have is that of all others too, and rather one that blames no field. */
function nameTemplates(learned: readonly Named[]): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const weigh = (alike: readonly Named[]) => alike.length * 2 - (speaksOfField(alike[0]?.template) ? 1 : 0);
  const statuses = learned.filter(({ name }) => name !== "malformed");
  const groups = [...Map.groupBy(statuses, ({ template }) => JSON.stringify(template)).values()];
  const [error] = groups.toSorted((one, other) => weigh(other) - weigh(one))[0] ?? [];
  if (error === undefined) return {};
  // A refused body is answered as any other 400 unless it is told apart.
  const usual = learned.find(({ name }) => name === "400")?.template ?? error.template;
  const others = learned.filter(
    ({ name, template }) => !isDeepStrictEqual(template, name === "malformed" ? usual : error.template),
  );
  const errors = Object.fromEntries(others.map(({ name, template }) => [name, template]));
  return { error: error.template, ...(others.length > 0 && { errors }) };
}

/** The texts that errors of more than one status have in them. */
function findHeadlines(seen: readonly Alike[]): ReadonlySet<unknown> {
  const statuses = new Map<unknown, Set<number>>();
  const visit = (value: unknown, status: number): void => {
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visit(inner, status);
    else statuses.set(value, (statuses.get(value) ?? new Set()).add(status));
  };
  for (const { sights } of seen) for (const { value, facts } of bodiesOf(sights)) visit(value, facts.status);
  return new Set([...statuses].filter(([, { size }]) => size > 1).map(([value]) => value));
}

/** An error whose headline is the same at any status; where that is all it says, it is what went wrong. */
function learnError(sights: readonly Sight[], { headlines, ...lesson }: Lesson): AnswerTemplate {
  const template = learnShape(sights, { ...lesson, ...(headlines && { headlines }) });
  return JSON.stringify(template).includes("detail}") ? template : learnShape(sights, lesson);
}

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
function seeErrors(visit: Visit, exchanges: readonly Exchange[], status: number, best: Exchange | undefined): Sight[] {
  const { steps } = visit;
  const fields = new Map(Object.entries(wrongFields).map(([step, field]) => [steps[step as Step], field])); // why: its own keys
  const seen = new Set([best, ...exchanges].filter((exchange) => exchange?.answer?.status === status));
  return [...seen].flatMap((exchange) => {
    // A list that is not found is one without pages.
    if (exchange === undefined || (status === 404 && isList(exchange))) return [];
    if (!(fields.has(exchange) || blamesNoField.has(status) || status >= 500)) return [];
    const field = fields.get(exchange);
    if (field === undefined) return [seeError(exchange, undefined)];
    // Only of a wrong request does nobody know how many fields are blamed; the mock server blames this one for all others.
    const isCertain = status !== 400 && status !== 422;
    const blamed = seeError(exchange, `${isList(exchange) ? "" : "#/"}${field}`);
    return [
      isCertain || isNamedIn(exchange, field) ? blamed : { ...seeError(exchange, undefined), wanted: blamed.facts },
    ];
  });
}

/** The refusals of bodies that are no JSON, which blame the body as a whole. */
function seeMalformed({ steps }: Visit): Sight[] {
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
