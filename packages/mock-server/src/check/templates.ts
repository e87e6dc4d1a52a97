// Learns the templates of a dialect from everything that a check observed.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Facts,
  type Json,
  readTemplate,
  referenceDialect,
  renderTemplate,
  type Repeated,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { type EndpointName, isObject, parseJson } from "@landing-page-service/contract";
import { jsonOf } from "./client.ts";
import type { Observation, Observed } from "./facts.ts";
import { entriesOf, listLeaves, type Path, valueAt } from "./json.ts";
import { learn, learnString, type Place, type Sample } from "./learn.ts";
import { listAt } from "./pages.ts";

/** What was learned. */
export interface Learned {
  /** All templates that were learned. */
  readonly all: Partial<AnswerTemplates>;
  /** Those that differ from the templates of our reference service. */
  readonly answers: Partial<AnswerTemplates>;
  /** Values that nothing explains, by their place in the templates of the dialect. */
  readonly unexplained: ReadonlyMap<string, unknown>;
}

const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];
const aboutErrors: readonly Subject[] = ["answer", "error", "field"];

/** Learns every template of which there is a response; `listPath` is the way to what holds the pages of a list. */
export function learnTemplates(observed: Observed, listPath: Path | undefined): Learned {
  const unexplained = new Map<string, unknown>();
  const note: Place["note"] = (path, value) => void (unexplained.has(path) || unexplained.set(path, value));
  const place = (path: string, subjects: readonly Subject[] = []): Place => {
    return { path, name: "", subjects: [...aboutPage, ...subjects], note };
  };
  const creates = observed.get("createPage") ?? [];
  const path = findRecord(learnResponse(creates, { ...place("createPage"), note: () => undefined })?.body);
  const records = path && samplesOf(creates, path);
  const lists = learnLists(observed, listPath, place);
  const page = records ? learn(records, place("page")) : lists.listedPage;
  const about = (name: EndpointName, subjects?: readonly Subject[], known?: Place["known"]) => {
    const template = learnResponse(observed.get(name), { ...place(name, subjects), ...(known && { known }) });
    return template?.body === undefined ? template : { ...template, body: replace(template.body, page, "{page}") };
  };
  const all = dropMissing({
    page,
    ...lists,
    listedPage: lists.listedPage && replace(lists.listedPage, page, "{page}"),
    createPage: about("createPage", [], path && new Map([[["createPage", "body", ...path].join("/"), "{page}"]])),
    updatePage: about("updatePage", ["changes"]),
    deletePage: about("deletePage"),
    trackEvent: about("trackEvent", ["event"]),
    ...learnErrors(observed, note),
  });
  const known = new Map<string, unknown>(Object.entries(referenceDialect.answers));
  const own = Object.entries(all).filter(([name, template]) => !isDeepStrictEqual(template, known.get(name)));
  return { all, answers: Object.fromEntries(own), unexplained };
}

/** Drops `undefined`. */
function dropMissing(templates: {
  [Name in keyof AnswerTemplates]?: AnswerTemplates[Name] | undefined;
}): Partial<AnswerTemplates> {
  return Object.fromEntries(Object.entries(templates).filter(([, template]) => template !== undefined));
}

/** The template with every part that is this one replaced. */
function replace(template: Json, part: Json | undefined, by: Json): Json {
  if (isDeepStrictEqual(template, part)) return by;
  if (Array.isArray(template)) return template.map((item) => replace(item, part, by));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, replace(inner, part, by)]));
}

/** What the bodies of responses have at a place, as samples. */
function samplesOf(observations: readonly Observation[], path: Path = []): Sample[] {
  return observations.map(({ exchange, facts, pages }) => ({ value: valueAt(jsonOf(exchange), path), facts, pages }));
}

/** The way to the smallest part of a template that has all placeholders about the page that the whole has. */
function findRecord(template: Json | undefined): Path | undefined {
  const most = countFields(template);
  if (most < 2 || typeof template !== "object") return undefined;
  const descend = (part: unknown): Path => {
    const next = entriesOf(part).find(([, inner]) => typeof inner === "object" && countFields(inner) === most);
    return next === undefined ? [] : [next[0], ...descend(next[1])];
  };
  return descend(template);
}

function countFields(template: unknown): number {
  return new Set(JSON.stringify(template ?? null).match(/"\{(?:id|title|content|slug|cta)[^"]*\}"/g)).size;
}

/** The template of responses that look as the first of them does. */
function learnResponse(observations: readonly Observation[] = [], place: Place): AnswerTemplate | undefined {
  const first = observations[0]?.exchange.answer;
  if (first === undefined) return undefined;
  const same = observations.filter(({ exchange: { answer } }) => {
    const isStatus = answer?.status === first.status || first.status >= 400;
    return isStatus && (answer?.body === "") === (first.body === "");
  });
  const headers = learnHeaders(same, place);
  const start = { status: first.status, ...(Object.keys(headers).length > 0 && { headers }) };
  if (first.body === "") return start;
  const bodies = samplesOf(same);
  if (bodies.every(({ value }) => value !== undefined))
    return { ...start, body: learn(bodies, { ...place, path: `${place.path}/body` }) };
  const kind = kindOf(first.body);
  const texts = same.map(({ exchange, facts }) => ({ value: exchange.answer?.body, facts }));
  return { ...start, [kind]: learnString(texts, { ...place, path: `${place.path}/${kind}` }) };
}

/** What a body is called in a template. */
export function kindOf(body: string): "body" | "html" | "text" {
  return parseJson(body) !== undefined ? "body" : /^\s*</.test(body) ? "html" : "text";
}

const usualTypes = { body: "application/json", html: "text/html", text: "text/plain" };

/** Where a page is, how many there are in all, what comes next, and a media type that is not the usual one. */
function learnHeaders(observations: readonly Observation[], place: Place): Record<string, string> {
  const headers: Record<string, string> = {};
  const learnHeader = (name: string, header = name): void => {
    const values = observations.map(({ exchange, facts }) => ({ value: exchange.answer?.headers[name], facts }));
    const inner: Place = { ...place, name, path: `${place.path}/headers/${header}` };
    if (values.every(({ value }) => value !== undefined)) headers[header] = learnString(values, inner);
  };
  learnHeader("location", "Location");
  const [first] = observations;
  const { "content-type": type = "" } = first?.exchange.answer?.headers ?? {};
  const body = first?.exchange.answer?.body ?? "";
  if (body !== "" && type.split(";")[0] !== usualTypes[kindOf(body)]) headers["Content-Type"] = type;
  if (!place.subjects.includes("list")) return headers;
  learnHeader("link");
  const totals = (name: string) => observations.map(({ exchange }) => exchange.answer?.headers[name]);
  for (const name of Object.keys(first?.exchange.answer?.headers ?? {})) {
    const isTotal = totals(name).every((value, index) => value === String(observations[index]?.facts.list?.total));
    if (isTotal && new Set(totals(name)).size > 1) headers[name] = "{total}";
  }
  return headers;
}

/** The list around its pages, and lists without pages if they look different. */
function learnLists(
  observed: Observed,
  listPath: Path | undefined,
  place: (path: string) => Place,
): Pick<Partial<AnswerTemplates>, "listPages" | "listedPage" | "emptyList" | "emptyAccount"> {
  const all = observed.get("listPages") ?? [];
  const lists = all.filter(({ facts }) => facts.list?.count !== 0);
  const elements = lists.flatMap(({ exchange, facts, pages = [] }) =>
    listAt(jsonOf(exchange), listPath).flatMap(({ value }, index) => {
      const page = pages[index];
      return page === undefined ? [] : [{ value, facts: { ...facts, page } }];
    }),
  );
  const [first] = all;
  if (listPath === undefined || elements.length === 0) {
    if (first?.exchange.answer !== undefined)
      place("").note("listPages/body", jsonOf(first.exchange) ?? first.exchange.answer.body);
    return {};
  }
  const isMap = !Array.isArray(valueAt(jsonOf(lists[0]?.exchange), listPath));
  const pages: Json = isMap ? { "{id}": "{listedPage}" } : ["{listedPage}"];
  const subjects: readonly Subject[] = ["answer", "list"];
  const known = new Map([[["listPages", "body", ...listPath].join("/"), pages]]);
  const listPages = learnResponse(lists, { ...place("listPages"), subjects, known });
  const withoutPages: AnswerTemplate = {
    ...listPages,
    ...(listPages?.body !== undefined && { body: replace(listPages.body, pages, isMap ? {} : []) }),
  };
  const learnEmpty = (name: "emptyList" | "emptyAccount", { status, body }: AnswerTemplate) => {
    const none = observed.get(name) ?? [];
    const isLike = ({ exchange, facts }: Observation) =>
      exchange.answer?.status === status && isDeepStrictEqual(render(body, facts, subjects), jsonOf(exchange));
    return none.every(isLike) ? undefined : learnResponse(none, { ...place(name), subjects });
  };
  const emptyList = learnEmpty("emptyList", withoutPages);
  const emptyAccount = learnEmpty("emptyAccount", emptyList ?? withoutPages);
  return {
    ...(listPages && { listPages }),
    listedPage: learn(elements, place("listedPage")),
    ...(emptyList && { emptyList }),
    ...(emptyAccount && { emptyAccount }),
  };
}

/** The value that a template writes; nothing if there is no template. */
function render(
  template: Json | undefined,
  facts: Facts,
  subjects: readonly Subject[],
  repeats: readonly Repeated[] = [],
) {
  if (template === undefined) return undefined;
  return renderTemplate(readTemplate(template, { path: "", subjects, parts: {}, repeats }), facts);
}

type Named = readonly [name: string, observations: readonly Observation[]];

/** One template where one explains all errors; else that of most statuses, and those of the others. */
function learnErrors(observed: Observed, note: Place["note"]): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const all = [...observed].flatMap(([name, some]): Named[] => {
    return name.startsWith("errors/") ? [[name.slice("errors/".length), some]] : [];
  });
  // What several errors have in them is no detail of any.
  const texts = all.flatMap(([, some]) => [
    ...new Set(some.flatMap(({ exchange }) => listLeaves(jsonOf(exchange)).map(({ text }) => text))),
  ]);
  const shared = new Set(texts.filter((text, index) => texts.indexOf(text) < index));
  const learnError = (path: string, some: readonly Observation[], noteAt = note): AnswerTemplate => {
    const { status: _, ...template } =
      learnResponse(some, { path, name: "", subjects: aboutErrors, note: noteAt, shared }) ?? {};
    return template;
  };
  /** All as one, where one template explains them. */
  const join = (some: readonly Named[]): readonly Named[] => {
    const observations = some.flatMap(([, observations]) => observations);
    const kinds = observations.map(
      ({ exchange: { answer } }) => `${answer?.headers["content-type"]} ${answer?.body === ""}`,
    );
    const notes: string[] = [];
    const { body } = learnError("error", observations, (path) => void notes.push(path));
    const isExplained = ({ exchange, facts }: Observation) =>
      body === undefined || isShaped(render(body, facts, aboutErrors, ["field"]), jsonOf(exchange));
    const isOne = new Set(kinds).size === 1 && new Set(some.map(ownStatus)).size === 1 && notes.length === 0;
    return isOne && observations.every(isExplained) ? [[some[0]?.[0] ?? "", observations]] : some;
  };
  // A body as a whole may be refused as a wrong field is.
  const [refusals, others] = [true, false].map((wanted) =>
    all.filter(([name]) => /^(?:400|malformed)$/.test(name) === wanted),
  );
  const one = join(all);
  const joined = one.length === 1 ? one : [...join(refusals ?? []), ...(others ?? [])];
  const learned = joined.map(([name, some]) => {
    const status = ownStatus([name, some]);
    const template = learnError(joined.length === 1 ? "error" : `errors/${name}`, some);
    return { name, template: status === undefined ? template : { status, ...template } };
  });
  return chooseUsual(learned);
}

/** The template of most statuses, rather one that blames no field, and those of the others. */
function chooseUsual(learned: readonly { readonly name: string; readonly template: AnswerTemplate }[]) {
  const groups = Map.groupBy(
    learned.filter(({ name }) => name !== "malformed"),
    ({ template }) => JSON.stringify(template),
  );
  const ranked = [...groups].map(([text, same]) => {
    return { template: same[0]?.template, rank: same.length * 2 - (/\{error\.(?:field|pointer)/.test(text) ? 1 : 0) };
  });
  const error = ranked.toSorted((some, other) => other.rank - some.rank)[0]?.template;
  if (error === undefined) return {};
  const refusal = learned.find(({ name }) => name === "400")?.template ?? error;
  const others = learned.filter(
    ({ name, template }) => !isDeepStrictEqual(template, name === "malformed" ? refusal : error),
  );
  const errors = Object.fromEntries(others.map(({ name, template }) => [name, template]));
  return { error, ...(others.length > 0 && { errors }) };
}

/** The status of this service; `undefined` if it is that of our reference service. */
function ownStatus([name, [first]]: Named): number | undefined {
  return first?.facts.status === (name === "malformed" ? 400 : Number(name)) ? undefined : first?.facts.status;
}

/** Whether two values have the same fields, of the same types. */
function isShaped(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return Array.isArray(one) === Array.isArray(other);
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every(
    (name) => Object.hasOwn(one, name) && Object.hasOwn(other, name) && isShaped(one[name], other[name]),
  );
}
