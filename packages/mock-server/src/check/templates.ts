// Learns the templates of a dialect from the observed responses.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  readAnswers,
  referenceDialect,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import { findPagePath } from "@landing-page-service/contract/internal";
import { hasSucceeded, jsonOf } from "./client.ts";
import { compareResponses, kindOf, mediaTypes, readExchange } from "./compare.ts";
import { endpointOf, type Observation, type Observed, type ResponseName } from "./facts.ts";
import { entriesOf, type Path, stepsOf, placeOf, valueAt } from "./json.ts";
import { learn, type Place } from "./learn.ts";

type Answers = Partial<AnswerTemplates>;

const emptyNames = ["emptyList", "emptyAccount"] as const;
type Lists = { [Name in "listPages" | (typeof emptyNames)[number]]?: AnswerTemplate };

/** The learned templates, and the values that no fact explains. */
export interface Learned {
  /** The observations, without the errors that turned out to be successes. */
  readonly observed: Observed;
  /** All learned templates. */
  readonly all: Answers;
  /** The learned templates that differ from the reference dialect. */
  readonly answers: Answers;
  /** Constants that are not the same in every response, by their path in the dialect. */
  readonly unexplained: ReadonlyMap<string, unknown>;
  /** Places where responses differ from the templates in more than a constant. */
  readonly varies: readonly string[];
}

/** Learns the template of one kind of response, or one template for these observations. */
type Learn = (name: ResponseName, joined?: readonly Observation[]) => AnswerTemplate | undefined;

/**
 * Learns a template from each kind of response, and renders them to find what they do not explain. `listPath` is the path of the array
 * or object with the pages of a list.
 */
export function learnTemplates(given: Observed, listPath: Path | undefined): Learned {
  const known = new Map<string, Json>();
  const learnOne: Learn = (name, joined = given.get(name) ?? []) =>
    learnResponse(joined, { name: "", known, path: name });
  const lists = given.get("listPages") ?? [];
  const elements = lists.flatMap(({ pages }) => pages);
  const listedPage = elements.length > 0 ? learn(elements, { name: "", path: "listedPage" }) : undefined;
  if (listedPage !== undefined && listPath !== undefined) {
    // A list of one page may have an object instead of an array.
    const isMap = !lists.some(({ exchange }) => Array.isArray(valueAt(jsonOf(exchange), listPath)));
    known.set(["listPages/body", ...listPath].join("/"), isMap ? { "{id}": "{listedPage}" } : ["{listedPage}"]);
  }
  const created = learnOne("createPage");
  const page = findPage(given.get("createPage")?.[0], created) ?? listedPage;
  const templates = {
    listedPage,
    ...(listedPage !== undefined && learnLists(given, learnOne)),
    createPage: created,
    ...Object.fromEntries((["updatePage", "deletePage", "trackEvent"] as const).map((name) => [name, learnOne(name)])),
  };
  const learned: Answers = { ...(page !== undefined && { page }), ...insertPage(templates, page) };
  const observed = withoutAccepted(given, learned);
  const all: Answers = { ...learned, ...learnErrors(observed, learnOne) };
  const differences = compareResponses({ answers: all }, observed, listPath);
  const unexplained = new Map<string, unknown>();
  for (const { place, found } of differences) {
    const path = findPlace(all, place);
    const value = valueAt(all, path);
    if (value !== undefined && found !== "nothing") unexplained.set(placeOf(path), value);
  }
  if (listedPage === undefined && lists[0] !== undefined)
    unexplained.set("listPages/body", jsonOf(lists[0].exchange) ?? lists[0].exchange.answer?.body);
  const reference: unknown = referenceDialect.answers;
  const others = Object.entries(all).filter(([name, own]) => !isDeepStrictEqual(own, valueAt(reference, [name])));
  return {
    observed,
    all,
    answers: Object.fromEntries(others),
    unexplained,
    varies: differences.flatMap(({ place, isConstant }) => (isConstant ? [] : place)),
  };
}

/** Replaces every part of the templates that is the template of a page. */
function insertPage(templates: object, page: Json | undefined): Answers {
  const isPage = (part: unknown) => part !== undefined && isDeepStrictEqual(part, page);
  const text = JSON.stringify(templates, (_, part: unknown) => (isPage(part) ? "{page}" : part));
  return JSON.parse(text) as Answers; // why: it was written from templates
}

/** The page in the template of a create, where a client without a dialect finds it in the response. */
function findPage(observation: Observation | undefined, template: AnswerTemplate | undefined): Json | undefined {
  const [shown] = observation?.pages ?? [];
  const path = shown && findPagePath(shown.value, { sent: { ...shown.page } });
  return path && (valueAt(template?.body, path) as Json | undefined); // why: a part of JSON
}

/** The path in the templates of a place in a response. Templates insert those of pages, and one may be that of several errors. */
function findPlace(answers: Answers, place: string): Path {
  const steps = [...stepsOf(place)];
  if (steps[0] === "errors" && valueAt(answers, steps.slice(0, 2)) === undefined) steps.splice(0, 2, "error");
  let path: string[] = [];
  for (const step of steps) {
    const names = entriesOf(valueAt(answers, path)).map(([name]) => name);
    // A question mark after the name of a field marks it as optional, and a single element may be repeated.
    const found = names.find((own) => own === step || own.startsWith(`${step}?`));
    path.push(found ?? (names.length === 1 ? names[0] : undefined) ?? step);
    for (const inserted of ["listedPage", "page"]) if (valueAt(answers, path) === `{${inserted}}`) path = [inserted];
  }
  return path;
}

/** Learns a template from the responses that have the status of the first one, and a body if it has one. */
function learnResponse(observations: readonly Observation[], place: Place): AnswerTemplate | undefined {
  const first = observations[0]?.exchange.answer;
  if (first === undefined) return undefined;
  const same = observations.filter(({ exchange: { answer } }) => {
    const isStatus = answer?.status === first.status || first.status >= 400;
    return isStatus && (answer?.body === "") === (first.body === "");
  });
  const headers = learnHeaders(same, place);
  const start = { status: first.status, ...(Object.keys(headers).length > 0 && { headers }) };
  if (first.body === "") return start;
  const bodies = same.map(({ exchange, facts }) => ({ value: jsonOf(exchange), facts }));
  if (bodies.every(({ value }) => value !== undefined))
    return { ...start, body: learn(bodies, { ...place, path: `${place.path}/body` }) };
  const kind = kindOf(first.body) === "HTML" ? "html" : "text";
  const texts = same.map(({ exchange, facts }) => ({ value: exchange.answer?.body, facts }));
  return { ...start, [kind]: learn(texts, { ...place, path: `${place.path}/${kind}` }) };
}

/** Learns the headers: `Location`, `Link`, a total, and a media type other than the default. */
function learnHeaders(observations: readonly Observation[], place: Place): Record<string, string> {
  const samples = observations.map(({ exchange, facts }) => ({ value: exchange.answer?.headers, facts }));
  const headers: Record<string, string> = {};
  for (const [name, template] of entriesOf(learn(samples, { ...place, path: `${place.path}/headers` }))) {
    if (name === "location") headers["Location"] = String(template);
    // The mock server leaves out a link to a page of the list that does not exist.
    if (name === "link" || (name === "link?" && /\{(?:next|previous)_/.test(String(template))))
      headers["link"] = String(template);
    if (template === "{total:text}") headers[name] = "{total}";
  }
  const answer = observations[0]?.exchange.answer;
  const type = answer?.headers["content-type"];
  if (type !== undefined && type.split(";")[0] !== mediaTypes[kindOf(answer?.body ?? "")])
    headers["Content-Type"] = type;
  return headers;
}

/**
 * Leaves out the requests that the service accepted although it should refuse them. A success reports an error if it lacks the identifier
 * of the page, or if it lacks another part of its template and has a message that successes do not have.
 */
function withoutAccepted(observed: Observed, answers: Answers): Observed {
  const shapes = readAnswers(resolveDialect({ answers }).answers).endpoints;
  const isError = ({ exchange, facts }: Observation): boolean => {
    const endpoint = endpointOf(exchange);
    if (facts.error === undefined || !hasSucceeded(exchange)) return true;
    const { values, repeated, missing } = readExchange(shapes[endpoint], exchange);
    const isShown = /^(?:create|update)/.test(endpoint) && (values.id ?? values.slug) !== undefined;
    if (answers[endpoint] === undefined || isShown || repeated.page?.length) return false;
    const { detail } = facts.error;
    if (detail !== "" && answers[endpoint].status !== exchange.answer.status) return true;
    const isUsual = observed.get(endpoint)?.some((one) => one.exchange.answer?.body.includes(detail)) === true;
    return missing.some(({ name }) => name === "id") || (missing.length > 0 && !isUsual);
  };
  const kept = [...observed].map(([name, all]) => [name, all.filter(isError)] as const);
  return new Map(kept.filter(([name, all]) => all.length > 0 || !name.startsWith("errors/")));
}

/** Counts the places of a kind of response where a dialect does not render what the service sent. */
function countMisses(observed: Observed, name: ResponseName, answers: Answers): number {
  return compareResponses({ answers }, new Map([[name, observed.get(name) ?? []]])).length;
}

/**
 * Learns one template from lists and empty lists, because an empty list shows what follows the pages. Learns a template of its own for
 * empty lists if the common template would render lists worse, or does not render empty lists.
 */
function learnLists(observed: Observed, learnOne: Learn): Lists {
  const empty = emptyNames.flatMap((name) => observed.get(name) ?? []);
  const joined = learnOne("listPages", [...(observed.get("listPages") ?? []), ...empty]);
  const own = learnOne("listPages");
  if (joined === undefined || own === undefined) return {};
  const misses = (name: ResponseName, answers: Answers) => countMisses(observed, name, answers);
  const isJoined = misses("listPages", { listPages: joined }) <= misses("listPages", { listPages: own });
  const answers: Lists = { listPages: isJoined ? joined : own };
  for (const name of emptyNames) {
    const template = learnOne(name);
    if (template && misses(name, answers) > misses(name, { [name]: template })) answers[name] = template;
  }
  return answers;
}

/** Learns a template for all errors, and others for the statuses whose errors it does not render. Prefers few templates. */
function learnErrors(observed: Observed, learnOne: Learn): Answers {
  const kinds = [...observed].filter(([name]) => name.startsWith("errors/"));
  const own = kinds.map(([name]) => ({ name, key: name.slice("errors/".length), template: learnOne(name) ?? {} }));
  const joined = learnOne(
    "errors/all",
    kinds.flatMap(([, all]) => all),
  );
  const candidates = [...own.map(({ template }) => template), joined ?? {}].map(({ status: _, ...error }): Answers => {
    const errors: Record<string, AnswerTemplate> = {};
    for (const { name, key, template } of own) {
      const misses = (answers: Answers) => countMisses(observed, name, answers);
      const { status, ...usual } = template;
      const isUsual = status === (key === "malformed" ? 400 : Number(key));
      if (misses({ error, errors }) > misses({ error: template })) errors[key] = isUsual ? usual : template;
    }
    return Object.keys(errors).length > 0 ? { error, errors } : { error };
  });
  // A template that names no field also fits the errors of other statuses.
  const rank = ({ error, errors = {} }: Answers): number =>
    Object.keys(errors).filter((key) => key !== "malformed").length * 2 +
    Number(/\{error\.(?:field|pointer)/.test(JSON.stringify(error)));
  const [best] = candidates.toSorted((one, other) => rank(one) - rank(other));
  return kinds.length === 0 ? {} : (best ?? {});
}
