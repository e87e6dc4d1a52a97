// Combines the learned templates into the templates of a dialect.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  referenceDialect,
} from "@landing-page-service/contract/dialect";
import { jsonOf } from "./client.ts";
import type { Observation, Observed, ResponseName } from "./facts.ts";
import { entriesOf, type Leaf, listLeaves, type Path, valueAt } from "./json.ts";
import { isSentence, learn } from "./learn.ts";
import { aboutPage, compareResponses, learnResponse, subjectsOf } from "./responses.ts";

type Answers = Partial<AnswerTemplates>;

/** The learned templates, and the values that no fact explains. */
export interface Learned {
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
export function learnTemplates(observed: Observed, listPath: Path | undefined): Learned {
  const notes = new Map<string, unknown>();
  const known = new Map<string, Json>();
  const note = (path: string, value: unknown): void => void (notes.has(path) || notes.set(path, value));
  const place = { name: "", known, headlines: listHeadlines(observed), note };
  const lists = observed.get("listPages") ?? [];
  const elements = lists.flatMap(({ pages }) => pages);
  const listedPage =
    elements.length === 0 ? undefined : learn(elements, { ...place, path: "listedPage", subjects: aboutPage });
  if (listedPage !== undefined && listPath !== undefined) {
    const isMap = !Array.isArray(valueAt(jsonOf(lists[0]?.exchange), listPath));
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
  const recordPath = findRecord(created?.body);
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
    ...learnErrors(observed, learnOne),
  };
  const entries = Object.entries(found).filter(([, template]) => template !== undefined);
  const reference = new Map<string, unknown>(Object.entries(referenceDialect.answers));
  return {
    all: Object.fromEntries(entries),
    answers: Object.fromEntries(
      entries.filter(([name, template]) => !isDeepStrictEqual(template, reference.get(name))),
    ),
    unexplained: new Map([...notes].map(([path, value]) => [namePage(path, recordPath), value])),
  };
}

/** The place of a part of the created page in the template of a page. */
function namePage(path: string, recordPath: Path | undefined): string {
  const start = recordPath && ["createPage/body", ...recordPath].join("/");
  return start !== undefined && `${path}/`.startsWith(`${start}/`) ? `page${path.slice(start.length)}` : path;
}

/**
 * Lists the sentences in errors that are headlines. The message of an error is at a place whose text differs between two errors. A
 * headline is at a place whose text is the same. To know whether the text at a place differs, it compares errors of one status, else what
 * other statuses show about the place, else errors of different statuses.
 */
function listHeadlines(observed: Observed): ReadonlySet<string> {
  const errors = [...observed].filter(([name]) => name.startsWith("errors/"));
  const statuses = errors.map(([, observations]) => {
    const bodies = observations.map(({ exchange }) => listLeaves(jsonOf(exchange)));
    const sentences = bodies.map((leaves) => leaves.filter(({ text }) => isSentence(text)));
    return { sentences, own: comparePlaces(sentences) };
  });
  const others = new Map(
    statuses.flatMap(({ own }) => [...own]).toSorted(([, one], [, other]) => Number(one) - Number(other)),
  );
  const across = comparePlaces(statuses.flatMap(({ sentences }) => sentences));
  const headlines = statuses.flatMap(({ sentences, own }) => {
    const differs = ({ path }: Leaf) =>
      [own, others, across].map((places) => places.get(path.join("/"))).find((known) => known !== undefined);
    return sentences.flatMap((leaves) =>
      leaves.some(differs) ? leaves.filter((leaf) => differs(leaf) === false) : [],
    );
  });
  return new Set(headlines.map(({ text }) => text));
}

/** Whether the texts at each place differ between errors. A place that only one error has is left out. */
function comparePlaces(errors: readonly (readonly Leaf[])[]): ReadonlyMap<string, boolean> {
  const distinct = new Map(errors.map((leaves) => [JSON.stringify(leaves), leaves])).values();
  const byPlace = Map.groupBy([...distinct].flat(), ({ path }) => path.join("/"));
  return new Map(
    [...byPlace].flatMap(([place, leaves]) =>
      leaves.length > 1 ? [[place, new Set(leaves.map(({ text }) => text)).size > 1] as const] : [],
    ),
  );
}

/** Replaces every part of a template that equals `part`. */
function replace(template: Json, part: Json | undefined, by: Json): Json {
  if (isDeepStrictEqual(template, part)) return by;
  if (Array.isArray(template)) return template.map((item) => replace(item, part, by));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, replace(inner, part, by)]));
}

/** The path of the smallest part of a template that contains all its page placeholders. */
function findRecord(template: Json | undefined): Path | undefined {
  const most = countFields(template);
  if (most < 2 || typeof template !== "object") return undefined;
  const descend = (part: unknown): Path => {
    const next = entriesOf(part).find(([, inner]) => typeof inner === "object" && countFields(inner) === most);
    return next === undefined ? [] : [next[0], ...descend(next[1])];
  };
  return descend(template);
}

function countFields(part: unknown): number {
  return new Set(JSON.stringify(part ?? null).match(/"\{(?:id|title|content|slug|cta)[^"]*\}"/g)).size;
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
  const dialects = [...own.values(), ...joined].map((error) => {
    const errors: { [status: string]: AnswerTemplate } = {};
    for (const name of names) {
      const template = own.get(name) ?? {};
      if (countMisses(observed, name, { error, errors }) > countMisses(observed, name, { error: template }))
        errors[keyOf(name)] = template;
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
