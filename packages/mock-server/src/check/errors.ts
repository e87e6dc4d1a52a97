// The errors of a check, and the template that explains them.
import { isDeepStrictEqual } from "node:util";
import { type FieldProblem, statusTitles } from "@landing-page-service/contract";
import type { AnswerTemplate, AnswerTemplates } from "@landing-page-service/contract/dialect";
import { type Exchange, jsonOf } from "./client.ts";
import { learnAnswer } from "./learn-answer.ts";
import type { Note } from "./learn.ts";
import { listTexts } from "./json.ts";
import { commonFacts, type ErrorsOfOneName, type Observation } from "./observe.ts";
import type { Observations, ProbeName } from "./probes.ts";

/** The field that is wrong in what a probe sends. */
const wrongFields: Partial<Record<ProbeName, string>> = {
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

/** The errors that a service answered, by name, those of bodies that are no JSON last. */
export function observeErrors(seen: Observations, exchanges: readonly Exchange[]): ErrorsOfOneName[] {
  const { probes } = seen;
  const answered = (status: number) => exchanges.find(({ answer }) => answer?.status === status);
  const shown: readonly (readonly [number, Exchange | undefined])[] = [
    [400, probes["invalid-create"]],
    [401, probes["anonymous-list"]],
    [404, probes.updateDeleted],
    [409, probes.twin],
    [429, answered(429)],
    [500, answered(500)],
  ];
  const named = shown.map(([name, best]): ErrorsOfOneName => {
    const status = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    const isOne = status >= 400 && (name !== 409 || status === 409);
    return { name: String(name), observations: isOne ? observeStatus(seen, exchanges, status, best) : [] };
  });
  const malformed = [probes["malformed-create"], probes["malformed-update"], probes["malformed-event"]];
  const [first] = malformed;
  const same = malformed.filter((one) => one !== undefined && one.answer?.status === first?.answer?.status);
  const isError = (first?.answer?.status ?? 0) >= 400;
  const observations = isError ? same.flatMap((one) => (one === undefined ? [] : [observeError(one, "#")])) : [];
  return [...named, { name: "malformed", observations }].filter(({ observations: { length } }) => length > 0);
}

/** Every error of a status of which it is known whether a field is to blame, the one that shows it best first. */
function observeStatus(
  { probes }: Observations,
  exchanges: readonly Exchange[],
  status: number,
  best: Exchange | undefined,
): Observation[] {
  const fields = new Map(Object.entries(wrongFields).map(([name, field]) => [probes[name as ProbeName], field])); // why: its own keys
  const isTold = (exchange: Exchange) =>
    fields.has(exchange) || [401, 403, 404, 410, 429].includes(status) || status >= 500;
  // A list that is not found is one without pages.
  const isError = (exchange: Exchange) => exchange.answer?.status === status && !(status === 404 && isList(exchange));
  return [...new Set([best, ...exchanges])].flatMap((exchange) => {
    if (exchange === undefined || !isError(exchange) || !isTold(exchange)) return [];
    const field = fields.get(exchange);
    // Of a wrong request nobody knows how many fields are blamed; for other statuses the mock server blames this one.
    const isNamed = field !== undefined && ((status !== 400 && status !== 422) || namesField(exchange, field));
    return [observeError(exchange, isNamed ? `${isList(exchange) ? "" : "#/"}${field}` : undefined)];
  });
}

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && /^\/api\/content(?:\?|$)/.test(request.path);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

function isRefusal({ name }: ErrorsOfOneName): boolean {
  return name === "400" || name === "malformed";
}

/** Whether an answer names a field, in any spelling: a service may blame none. */
function namesField({ answer }: Exchange, field: string): boolean {
  return lettersOf(answer?.body ?? "").includes(lettersOf(field));
}

function observeError(exchange: Exchange, pointer: string | undefined): Observation {
  const errors: FieldProblem[] = pointer === undefined ? [] : [{ pointer, detail: "" }];
  const reason = statusTitles[exchange.answer?.status ?? 0] ?? "";
  return { exchange, facts: { ...commonFacts(exchange), error: { reason, detail: "", errors } } };
}

/** One template where one explains all errors; else that of most statuses, and those of the others. */
export function learnErrors(
  all: readonly ErrorsOfOneName[],
  note: Note,
): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const shared = sharedTexts(all);
  const one = join(all, shared);
  if (one !== undefined && ownStatus(one) === undefined) return { error: learnError(one, shared, note) };
  // A body as a whole may be refused as a wrong field is.
  const refusal = join(all.filter(isRefusal), shared);
  const joined = refusal === undefined ? all : [refusal, ...all.filter((some) => !isRefusal(some))];
  const learned = joined.map((some) => {
    const status = ownStatus(some);
    return {
      name: some.name,
      template: { ...(status !== undefined && { status }), ...learnError(some, shared, note) },
    };
  });
  const weigh = (same: typeof learned) =>
    same.length * 2 - (/\{error\.(?:field|pointer)/.test(JSON.stringify(same)) ? 1 : 0);
  const groups = Map.groupBy(
    learned.filter(({ name }) => name !== "malformed"),
    ({ template }) => JSON.stringify(template),
  );
  const error = [...groups.values()].toSorted((some, other) => weigh(other) - weigh(some))[0]?.[0]?.template;
  if (error === undefined) return {};
  const usual = learned.find(({ name }) => name === "400")?.template ?? error;
  const others = learned.filter(
    ({ name, template }) => !isDeepStrictEqual(template, name === "malformed" ? usual : error),
  );
  const errors = Object.fromEntries(others.map(({ name, template }) => [name, template]));
  return { error, ...(others.length > 0 && { errors }) };
}

/** The status that this service answers; `undefined` where it is that of our reference service. */
function ownStatus({ name, observations: [first] }: ErrorsOfOneName): number | undefined {
  return first?.facts.status === (name === "malformed" ? 400 : Number(name)) ? undefined : first?.facts.status;
}

/** All of them as one, where one template explains them. */
function join(all: readonly ErrorsOfOneName[], shared: ReadonlySet<string>): ErrorsOfOneName | undefined {
  const [first] = all;
  const observations = all.flatMap((one) => one.observations);
  const kinds = new Set(
    observations.map(({ exchange: { answer } }) => `${answer?.headers["content-type"]} ${answer?.body === ""}`),
  );
  let isWhole = first !== undefined && kinds.size === 1 && new Set(all.map(ownStatus)).size === 1;
  if (isWhole) learnError({ name: "", observations }, shared, () => void (isWhole = false));
  return isWhole && first ? { name: first.name, observations } : undefined;
}

function learnError({ name, observations }: ErrorsOfOneName, shared: ReadonlySet<string>, note: Note): AnswerTemplate {
  const path = name === "" ? "error" : `errors/${name}`;
  const lesson = { path, name: "", subjects: ["answer", "error", "field"] as const, note, shared };
  const { status: _, ...template } = learnAnswer(observations, lesson) ?? {};
  return template;
}

/** The texts that errors of more than one status have in them: no detail of any. */
function sharedTexts(all: readonly ErrorsOfOneName[]): ReadonlySet<string> {
  const texts = all.flatMap(({ observations }) =>
    observations.flatMap(({ exchange, facts }) =>
      listTexts(jsonOf(exchange)).map((text) => ({ text, status: facts.status })),
    ),
  );
  const groups = Map.groupBy(texts, ({ text }) => text);
  return new Set(
    [...groups].flatMap(([text, same]) => (new Set(same.map(({ status }) => status)).size > 1 ? [text] : [])),
  );
}
