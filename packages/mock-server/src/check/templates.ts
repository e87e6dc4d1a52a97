// Combines the learned templates into the templates of a dialect.
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
import { endpointOf, type Observation, type Observed, type ResponseName } from "./facts.ts";
import { type Path, valueAt } from "./json.ts";
import { learn } from "./learn.ts";
import { aboutPage, compareResponses, learnResponse, readExchange, subjectsOf } from "./responses.ts";

type Answers = Partial<AnswerTemplates>;

/** The learned templates, and the values that no fact explains. */
export interface Learned {
  /** The observations, without the errors that turned out to be successes. */
  readonly observed: Observed;
  /** All learned templates. */
  readonly all: Answers;
  /** The learned templates that differ from the reference dialect. */
  readonly answers: Answers;
  /** Values that no fact explains, by their path in the dialect. */
  readonly unexplained: ReadonlyMap<string, unknown>;
}

/** Learns the template of one kind of response, or one template for these observations. */
type Learn = (name: ResponseName, joined?: readonly Observation[], isNoted?: boolean) => AnswerTemplate | undefined;

/** Learns a template from each kind of response. `listPath` is the path of the array or object with the pages of a list. */
export function learnTemplates(given: Observed, listPath: Path | undefined): Learned {
  const notes = new Map<string, unknown>();
  const known = new Map<string, Json>();
  const note = (path: string, value: unknown): void => void (notes.has(path) || notes.set(path, value));
  const place = { name: "", known, note };
  let observed = given;
  const lists = observed.get("listPages") ?? [];
  const elements = lists.flatMap(({ pages }) => pages);
  const listedPage =
    elements.length === 0 ? undefined : learn(elements, { ...place, path: "listedPage", subjects: aboutPage });
  if (listedPage !== undefined && listPath !== undefined) {
    // A list of one page may have an object instead of an array.
    const isMap = !lists.some(({ exchange }) => Array.isArray(valueAt(jsonOf(exchange), listPath)));
    known.set(["listPages/body", ...listPath].join("/"), isMap ? { "{id}": "{listedPage}" } : ["{listedPage}"]);
  } else if (lists[0] !== undefined)
    notes.set("listPages/body", jsonOf(lists[0].exchange) ?? lists[0].exchange.answer?.body);
  const learnOne: Learn = (name, joined, isNoted = joined === undefined) =>
    learnResponse(joined ?? observed.get(name) ?? [], {
      ...place,
      path: name,
      subjects: subjectsOf(name),
      note: isNoted ? note : () => undefined,
    });
  const created = learnOne("createPage");
  const recordPath = findRecord(observed.get("createPage")?.[0]);
  const page = recordPath ? (valueAt(created?.body, recordPath) as Json) : listedPage; // why: a part of JSON
  const withPage = (template: AnswerTemplate | undefined) =>
    template?.body === undefined ? template : { ...template, body: replace(template.body, page, "{page}") };
  const found = {
    page,
    listedPage: listedPage && replace(listedPage, page, "{page}"),
    ...(listedPage !== undefined && learnLists(observed, learnOne)),
    createPage: withPage(created),
    updatePage: withPage(learnOne("updatePage")),
    deletePage: withPage(learnOne("deletePage")),
    trackEvent: withPage(learnOne("trackEvent")),
  };
  const learned: Answers = Object.fromEntries(Object.entries(found).filter(([, template]) => template !== undefined));
  observed = withoutAccepted(observed, learned, notes);
  const entries = Object.entries({ ...learned, ...learnErrors(observed, learnOne) });
  const reference = new Map<string, unknown>(Object.entries(referenceDialect.answers));
  return {
    observed,
    all: Object.fromEntries(entries),
    answers: Object.fromEntries(
      entries.filter(([name, template]) => !isDeepStrictEqual(template, reference.get(name))),
    ),
    unexplained: new Map([...notes].map(([path, value]) => [namePage(path, recordPath), value])),
  };
}

/**
 * Leaves out the requests that the service accepted although it should refuse them. A success reports an error if it lacks a part of its
 * template and shows no page. It must also lack the identifier or have a message, because other parts may vary. A message with
 * another status than that of the template is enough.
 */
function withoutAccepted(observed: Observed, answers: Answers, varied: ReadonlyMap<string, unknown>): Observed {
  const shapes = readAnswers(resolveDialect({ answers }).answers).endpoints;
  const isError = ({ exchange, facts }: Observation): boolean => {
    const endpoint = endpointOf(exchange);
    if (facts.error === undefined || !hasSucceeded(exchange)) return true;
    const { values, repeated, missing } = readExchange(shapes[endpoint], exchange);
    const isShown = /^(?:create|update)/.test(endpoint) && (values.id ?? values.slug) !== undefined;
    const lacks = missing.filter(({ pointer }) => !varied.has(`${endpoint}/body${pointer.slice(1)}`));
    if (answers[endpoint] === undefined || isShown || repeated.page?.length) return false;
    const { detail } = facts.error;
    if (detail !== "" && answers[endpoint].status !== exchange.answer.status) return true;
    const isUsual = observed.get(endpoint)?.some((one) => one.exchange.answer?.body.includes(detail)) === true;
    return lacks.some(({ name }) => name === "id") || (lacks.length > 0 && !isUsual);
  };
  const kept = [...observed].map(([name, all]) => [name, all.filter(isError)] as const);
  return new Map(kept.filter(([name, all]) => all.length > 0 || !name.startsWith("errors/")));
}

/** The place of a part of the created page in the template of a page. */
function namePage(path: string, recordPath: Path | undefined): string {
  const start = recordPath && ["createPage/body", ...recordPath].join("/");
  return start !== undefined && `${path}/`.startsWith(`${start}/`) ? `page${path.slice(start.length)}` : path;
}

/** Replaces every part of a template that equals `part`. */
function replace(template: Json, part: Json | undefined, by: Json): Json {
  if (isDeepStrictEqual(template, part)) return by;
  if (Array.isArray(template)) return template.map((item) => replace(item, part, by));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, replace(inner, part, by)]));
}

/** The path of the page in the response to a create, where a client without a dialect finds it. */
function findRecord(created: Observation | undefined): Path | undefined {
  const [shown] = created?.pages ?? [];
  return shown && findPagePath(shown.value, { sent: { ...shown.page } });
}

/** Counts the places of a kind of response where a dialect does not render what the service sent. */
function countMisses(observed: Observed, name: ResponseName, answers: Answers): number {
  return compareResponses({ answers }, new Map([[name, observed.get(name) ?? []]]), { isExact: true }).length;
}

const emptyNames = ["emptyList", "emptyAccount"] as const;

/**
 * Learns one template from lists and empty lists, because an empty list shows what follows the pages. Learns a template of its own for
 * empty lists if the common template would render lists worse, or does not render empty lists.
 */
function learnLists(observed: Observed, learnOne: Learn): Answers {
  const learnFrom = (observations: readonly Observation[], isNoted = false): Answers => {
    const listPages = learnOne("listPages", observations, isNoted);
    return listPages ? { listPages } : {};
  };
  const lists = observed.get("listPages") ?? [];
  const missesOf = (all: readonly Observation[]) => countMisses(observed, "listPages", learnFrom(all));
  const [empty = [], account = []] = emptyNames.map((name) => observed.get(name) ?? []);
  const joined = [lists.concat(empty, account), lists.concat(account), lists.concat(empty)];
  const least = missesOf(lists);
  const answers: { -readonly [Name in keyof Answers]: Answers[Name] } = learnFrom(
    joined.find((all) => missesOf(all) <= least) ?? lists,
    true,
  );
  for (const name of emptyNames) {
    const template = learnOne(name);
    if (template && countMisses(observed, name, answers) > countMisses(observed, name, { [name]: template }))
      answers[name] = template;
  }
  return answers;
}

/** Learns a template for all errors, and others for the statuses whose errors it does not render. Prefers few templates. */
function learnErrors(observed: Observed, learnOne: Learn): Answers {
  const names = [...observed.keys()].filter((name) => name.startsWith("errors/"));
  const own = new Map(names.map((name) => [name, withoutStatus(name, learnOne(name))]));
  const all = names.flatMap((name) => observed.get(name) ?? []);
  const joined = names.slice(0, 1).map((name) => withoutStatus(name, learnOne(name, all)));
  const dialects = [...own.values(), ...joined].map((template) => {
    const { status = 0, ...withDefault } = template;
    // An error that was not observed, such as a 429, keeps its status.
    const error = status < 300 ? withDefault : template;
    const errors: { [status: string]: AnswerTemplate } = {};
    for (const name of names) {
      const template = own.get(name) ?? {};
      const shared = template.status === undefined ? [] : [{ ...error, status: template.status }];
      const count = (answers: Answers) => countMisses(observed, name, answers);
      if (count({ error, errors }) > count({ error: template }))
        errors[keyOf(name)] = shared.find((one) => count({ error: one }) <= count({ error: template })) ?? template;
    }
    const others = Object.keys(errors).filter((name) => name !== "malformed").length;
    // Prefers a template that names no field, because errors of other statuses are about no field.
    const blames = /\{error\.(?:field|pointer)/.test(JSON.stringify(error)) ? 1 : 0;
    return { rank: others * 2 + blames, answers: { error, ...(Object.keys(errors).length > 0 && { errors }) } };
  });
  return dialects.toSorted((one, other) => one.rank - other.rank)[0]?.answers ?? {};
}

/** The template of an error without its status if that is the default. */
function withoutStatus(name: ResponseName, { status, ...template }: AnswerTemplate = {}): AnswerTemplate {
  const isDefault = status === (name === "errors/malformed" ? 400 : Number(keyOf(name)));
  return isDefault || status === undefined ? template : { status, ...template };
}

/** The key of an error in a dialect. */
function keyOf(name: ResponseName): string {
  return name.slice("errors/".length);
}
