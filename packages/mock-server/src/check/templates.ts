// Learns the templates of a dialect from everything that a check observed.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type DialectFile,
  type Facts,
  type Json,
  readTemplate,
  referenceDialect,
  renderTemplate,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { jsonOf } from "./client.ts";
import { learnErrors } from "./errors.ts";
import { entriesOf, listTexts, type Path, valueAt } from "./json.ts";
import { bodiesOf, learnAnswer } from "./learn-answer.ts";
import { learn, type Lesson, type Sample } from "./learn.ts";
import type { Observation, Observed } from "./observe.ts";
import { listAt } from "./pages.ts";
import type { Observations } from "./probes.ts";

/** A value that nothing explains: the dialect has it as a constant. */
export interface Unexplained {
  /** Where it is in the answers of the dialect, such as `listPages/body/total`. */
  readonly place: string;
  /** The value, as the first answer had it. */
  readonly value: unknown;
  /** Line of the dialect file to edit by hand, from 1; `undefined` when the file does not have the place. */
  readonly line: number | undefined;
}

/** What was learned. */
export interface Learned {
  /** The templates that differ from those of our reference service. */
  readonly answers: Partial<AnswerTemplates>;
  /** All templates that were learned. */
  readonly all: Partial<AnswerTemplates>;
  readonly unexplained: readonly Omit<Unexplained, "line">[];
}

const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];

/** Learns every template of which there is an answer. */
export function learnTemplates(seen: Observations, { answers, errors }: Observed): Learned {
  const unexplained = new Map<string, unknown>();
  const note = (path: string, value: unknown): void => void (unexplained.has(path) || unexplained.set(path, value));
  const lesson = (path: string, subjects: readonly Subject[]): Lesson => ({ path, name: "", subjects, note });
  const records = listRecords(answers.createPage);
  const elements = listElements(seen, answers.listPages);
  const ofCreate = records.length === 0 ? undefined : learn(records, lesson("page", aboutPage));
  const ofList = elements.length === 0 ? undefined : learn(elements, lesson("listedPage", aboutPage));
  const page = ofCreate ?? ofList;
  const name = (template: AnswerTemplate | undefined) =>
    template?.body === undefined
      ? template
      : { ...template, body: replace(template.body, (part) => (isDeepStrictEqual(part, page) ? "{page}" : undefined)) };
  const about = (path: string, observations: readonly Observation[], subjects: readonly Subject[] = []) =>
    name(learnAnswer(observations, lesson(path, [...aboutPage, ...subjects])));
  const list = learnList(seen, answers, lesson("listPages", ["answer", "list"]), elements.length > 0);
  const all: Partial<AnswerTemplates> = dropMissing({
    page,
    listedPage: ofList && (isDeepStrictEqual(ofList, page) ? "{page}" : ofList),
    ...list,
    createPage: about("createPage", answers.createPage),
    updatePage: about("updatePage", answers.updatePage, ["changes"]),
    deletePage: about("deletePage", answers.deletePage),
    trackEvent: about("trackEvent", answers.trackEvent, ["event"]),
    ...learnErrors(errors, note),
  });
  return {
    all,
    answers: dropKnown(all),
    unexplained: [...unexplained].map(([place, value]) => ({ place, value })),
  };
}

/** Only what is there. */
function dropMissing(templates: {
  [Name in keyof AnswerTemplates]?: AnswerTemplates[Name] | undefined;
}): Partial<AnswerTemplates> {
  return Object.fromEntries(
    Object.entries(templates).filter(([, template]) => template !== undefined),
  ) as Partial<AnswerTemplates>; // why: its own members
}

/** The record of the page in each answer to a create: the smallest object that has all that is known of it. */
function listRecords(observations: readonly Observation[]): Sample[] {
  const bodies = bodiesOf(observations);
  const [first] = bodies;
  const path = first && findRecord(first);
  if (path === undefined) return [];
  // A part may stand under the identifier of its page.
  const nameOf = (name: string, facts: Facts) =>
    name === String(first?.facts.page?.id) ? String(facts.page?.id) : name;
  return bodies.flatMap(({ value, facts }) => {
    const record = valueAt(
      value,
      path.map((name) => nameOf(name, facts)),
    );
    return record === undefined ? [] : [{ value: record, facts }];
  });
}

function findRecord({ value, facts }: Sample): Path | undefined {
  const { id, title, content, slug, cta } = facts.page ?? {};
  const known = [title, content, slug, cta?.label].map(String);
  const count = (part: unknown) => {
    const texts = new Set(listTexts(part));
    return known.filter((text) => texts.has(text)).length;
  };
  const has = (part: unknown) => listTexts(part).includes(String(id));
  const most = count(value);
  if (most === 0 || typeof value !== "object") return undefined;
  const path: string[] = [];
  for (let part: unknown = value; ;) {
    const isWhole = has(part);
    const next = entriesOf(part).find(
      ([, inner]) => typeof inner === "object" && count(inner) === most && (!isWhole || has(inner)),
    );
    if (next === undefined) return path;
    path.push(next[0]);
    part = next[1];
  }
}

/** The elements of lists of which it is known what was sent. */
function listElements(seen: Observations, lists: readonly Observation[]): Sample[] {
  return lists.flatMap(({ exchange, facts, pages }) => {
    const elements = listAt(jsonOf(exchange), seen.listPath);
    return elements.flatMap(({ value }, index) => {
      const page = pages?.[index];
      return page === undefined ? [] : [{ value, facts: { ...facts, page } }];
    });
  });
}

/** The list, around its pages, and the lists without pages where they look otherwise. */
function learnList(
  seen: Observations,
  answers: Observed["answers"],
  lesson: Lesson,
  isFound: boolean,
): Partial<AnswerTemplates> {
  const { listPath } = seen;
  const learnEmpty = (path: string, observations: readonly Observation[], usual: AnswerTemplate | undefined) =>
    observations.every((one) => usual !== undefined && isAlike(usual, one))
      ? undefined
      : learnAnswer(observations, { ...lesson, path, known: findAlike(usual, observations, path) });
  if (listPath === undefined || !isFound) {
    const shown = seen.listings.made?.exchanges[0];
    if (shown?.answer !== undefined) lesson.note("listPages/body", jsonOf(shown) ?? shown.answer.body);
    return {};
  }
  const lists = answers.listPages.filter(({ facts }) => facts.list?.count !== 0);
  const isMap = !Array.isArray(valueAt(jsonOf(lists[0]?.exchange), listPath));
  const pages: Json = isMap ? { "{id}": "{listedPage}" } : ["{listedPage}"];
  const place = ["listPages", "body", ...listPath].join("/");
  const listPages = learnAnswer(lists, { ...lesson, known: new Map([[place, pages]]) });
  const usual = listPages?.body === undefined ? listPages : { ...listPages, body: withoutPages(listPages.body) };
  const emptyList = learnEmpty("emptyList", answers.emptyList, usual);
  const emptyAccount = learnEmpty("emptyAccount", answers.emptyAccount, emptyList ?? usual);
  return dropMissing({ listPages, emptyList, emptyAccount });
}

const isPages = (part: Json): boolean =>
  typeof part === "object" && isDeepStrictEqual(Object.values(part ?? {}), ["{listedPage}"]);

function withoutPages(body: Json): Json {
  return replace(body, (part) => (isPages(part) ? (Array.isArray(part) ? [] : {}) : undefined));
}

/** What a template of a list writes. */
function render(template: Json, facts: Facts): unknown {
  const node = readTemplate(template, { path: "", subjects: ["answer", "list"], parts: {}, repeats: [] });
  return renderTemplate(node, facts);
}

function isAlike(template: AnswerTemplate, { exchange, facts }: Observation): boolean {
  const { status = 0, body = "" } = exchange.answer ?? {};
  const written = template.body === undefined ? undefined : render(template.body, facts);
  return template.status === status && isDeepStrictEqual(written, body === "" ? undefined : jsonOf(exchange));
}

/** The parts of a template of a list that explain what stands at their place in one without pages, by the way to them. */
function findAlike(
  usual: AnswerTemplate | undefined,
  observations: readonly Observation[],
  path: string,
): Map<string, Json> {
  const alike = new Map<string, Json>();
  const bodies = bodiesOf(observations);
  const visit = (template: Json, way: Path): void => {
    for (const [name, inner] of entriesOf(template)) visit(inner as Json, [...way, name]); // why: a part of JSON
    const isSame = bodies.every(({ value, facts }) => isDeepStrictEqual(valueAt(value, way), render(template, facts)));
    if (isSame && typeof template === "string") alike.set([path, "body", ...way].join("/"), template);
  };
  if (usual?.body !== undefined) visit(usual.body, []);
  return alike;
}

/** Leaves out what our reference service answers too. */
function dropKnown(all: Partial<AnswerTemplates>): Partial<AnswerTemplates> {
  const known = new Map<string, unknown>(Object.entries(referenceDialect.answers));
  const differing = Object.entries(all).filter(([name, template]) => !isDeepStrictEqual(template, known.get(name)));
  return Object.fromEntries(differing) as Partial<AnswerTemplates>; // why: its own members
}

function replace(template: Json, by: (part: Json) => Json | undefined): Json {
  const replaced = by(template);
  if (replaced !== undefined || typeof template !== "object" || template === null) return replaced ?? template;
  if (Array.isArray(template)) return template.map((item) => replace(item, by));
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, replace(inner, by)]));
}

/** Tells on which line of a dialect file, as it is written, a place stands. */
export function lineOf(file: DialectFile, way: Path): number | undefined {
  if (valueAt(file, way) === undefined) return undefined;
  const mark = crypto.randomUUID();
  const marked = (value: unknown, [name, ...rest]: Path): unknown => {
    if (name === undefined) return mark;
    const entries = entriesOf(value).map(([key, inner]) => [key, key === name ? marked(inner, rest) : inner]);
    return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
  };
  const lines = JSON.stringify(marked(file, way), undefined, 2).split("\n");
  return lines.findIndex((line) => line.includes(mark)) + 1;
}
