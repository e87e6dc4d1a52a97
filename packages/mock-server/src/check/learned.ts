// Learns from a visit how the answers of a service look: a template for each.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  readTemplate,
  referenceDialect,
  renderTemplate,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { hasSucceeded, readListIn } from "./exchange.ts";
import { explain } from "./explain.ts";
import type { Sample } from "./explain-text.ts";
import { type Lesson, learnTemplate } from "./learn.ts";
import { learnAnswer } from "./learn-answer.ts";
import { learnErrors } from "./learn-errors.ts";
import { learnPage, pathAt, seeRecords } from "./learn-page.ts";
import { type ListedSample, seeListed } from "./list-samples.ts";
import { bodiesOf, commonFacts, type Sight } from "./samples.ts";
import type { Sights } from "./sights.ts";
import { mapTemplate } from "./telling.ts";

/** A value that nothing explains: a dialect keeps it as a constant; a list whose pages were not found is left to our reference service. */
export interface Unexplained {
  /** Where it stands, such as `createPage/body/token`. */
  readonly place: string;
  /** The value as it first came. */
  readonly value: unknown;
}

/** The templates of a service, and what stayed unexplained. */
export interface LearnedAnswers {
  /** Templates that differ from those of our reference service. */
  readonly answers: Partial<AnswerTemplates>;
  readonly unexplained: readonly Unexplained[];
  /** All templates that were seen, also those that are as our reference service has them. */
  readonly seen: Readonly<Partial<AnswerTemplates>>;
}

const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];

/** Learns the answers of a service. */
export function learnAnswers(sights: Sights): LearnedAnswers {
  const { visit, answers, refusals } = sights;
  const { listPages: lists, createPage, updatePage, deletePage } = answers;
  const unexplained = new Map<string, unknown>();
  const note = (path: string, value: unknown) => void (unexplained.has(path) || unexplained.set(path, value));
  const list = readListIn(lists[0]?.exchange);
  const [listed, knownPages] = seeListed(sights, lists);
  const aboutRecord = { name: "", subjects: aboutPage, isInPage: true, note };
  const { page, paths = [] } =
    learnPage(
      seeRecords("createPage", createPage),
      listed.length === 0 ? undefined : { path: "listedPage", samples: listed },
      [seeRecords("updatePage", updatePage), seeRecords("deletePage", deletePage)],
      aboutRecord,
    ) ?? {};
  const known = new Map<string, Json>([...paths].map((path) => [path, "{page}"]));
  const listedPage =
    listed.length === 0 ? undefined : learnTemplate(listed, { ...aboutRecord, path: "listedPage", known });
  // Where no other answer shows a page, it is as a list has it.
  const whole = page ?? listedPage;
  const namePage = (template: Json) =>
    mapTemplate(template, (part) => (isDeepStrictEqual(part, whole) ? "{page}" : undefined));
  const learn = (name: string, seen: readonly Sight[], subjects: readonly Subject[], isInPage = false) => {
    const learned = learnAnswer(seen, { path: name, name: "", subjects, isInPage, note, known });
    return learned?.body === undefined ? learned : { ...learned, body: namePage(learned.body) };
  };
  const aboutList: Lesson = { path: "listPages", name: "", subjects: ["answer", "list"], isInPage: false, note };
  const listPages = list && learnList(list.place, lists, { ...aboutList, pages: knownPages }, listed);
  const learnEmpty = (path: string, seen: readonly Sight[], noteAt: Lesson["note"] = note) =>
    learnAnswer(seen, {
      ...aboutList,
      path,
      known: findAlike(listPages?.body, bodiesOf(seen), `${path}/body`),
      note: noteAt,
    });
  const learned = {
    page: whole,
    listedPage: listedPage && namePage(listedPage),
    listPages,
    ...learnEmptyLists(answers.emptyList, answers.emptyAccount, learnEmpty),
    createPage: learn("createPage", createPage, aboutPage, true),
    updatePage: learn("updatePage", updatePage, [...aboutPage, "changes", "change"], true),
    deletePage: learn("deletePage", deletePage, aboutPage),
    trackEvent: learn("trackEvent", answers.trackEvent, [...aboutPage, "event"]),
    ...learnErrors(refusals, note),
  };
  // why: what was never seen is not there
  const seen = Object.fromEntries(
    Object.entries(learned).filter(([, template]) => template !== undefined),
  ) as Partial<AnswerTemplates>;
  const shown = (list === undefined ? visit.views.made?.exchanges : undefined)?.filter(hasSucceeded) ?? [];
  const unread = shown.map((exchange) => ({ exchange, facts: commonFacts(exchange) }));
  for (const { value } of bodiesOf(unread).slice(0, 1)) note("listPages/body", value ?? shown[0]?.answer?.body);
  return {
    answers: dropKnown(seen),
    seen,
    unexplained: [...unexplained].map(([place, value]) => ({ place, value })),
  };
}

/** One template for the list after the last page and that of an account without pages, or one for each. */
function learnEmptyLists(
  past: readonly Sight[],
  account: readonly Sight[],
  learn: (path: string, seen: readonly Sight[], note?: Lesson["note"]) => AnswerTemplate | undefined,
): Partial<AnswerTemplates> {
  const kinds = new Set(
    [...past, ...account].map(({ exchange: { answer } }) => `${answer?.status} ${answer?.body === ""}`),
  );
  let isOne = kinds.size === 1;
  const both = learn("emptyList", [...past, ...account], () => void (isOne = false));
  if (isOne) return { emptyList: both };
  return { emptyList: learn("emptyList", past), emptyAccount: learn("emptyAccount", account) };
}

/** Leaves out what our reference service answers too, and an empty list that is the list without its pages. */
function dropKnown(seen: Partial<AnswerTemplates>): Partial<AnswerTemplates> {
  const { listPages, emptyList } = seen;
  const body = listPages?.body === undefined ? {} : { body: withoutPages(listPages.body) };
  const known = {
    ...referenceDialect.answers,
    ...(listPages && isDeepStrictEqual(emptyList, { ...listPages, ...body }) && { emptyList }),
  };
  const differing = Object.entries(seen).filter(
    ([name, template]) => !isDeepStrictEqual(template, known[name as keyof AnswerTemplates]), // why: its own keys
  );
  return Object.fromEntries(differing) as Partial<AnswerTemplates>; // why: as above
}

function withoutPages(body: Json): Json {
  return mapTemplate(body, (part) => {
    const isPages = typeof part === "object" && isDeepStrictEqual(Object.values(part ?? {}), ["{listedPage}"]);
    return isPages ? (Array.isArray(part) ? [] : {}) : undefined;
  });
}

/** A list, around its pages: an array of them, or a map by their names. */
function learnList(
  place: string,
  sights: readonly Sight[],
  lesson: Lesson,
  listed: readonly ListedSample[],
): AnswerTemplate | undefined {
  const keys = listed.flatMap(({ key, facts }) => (key === undefined ? [] : [{ value: key, facts }]));
  const spot = { ...lesson, subjects: aboutPage, isInPage: true, name: "id" };
  const key = keys.length === 0 ? undefined : (explain(keys, spot)?.replaceAll(":text}", "}") ?? "{id}");
  const pages: Json = key === undefined ? ["{listedPage}"] : { [key]: "{listedPage}" };
  const known = new Map(listed.length === 0 ? [] : [[pathAt("listPages", place), pages]]);
  const same = sights.filter(({ exchange }) => readListIn(exchange)?.place === place);
  return learnAnswer(same, { ...lesson, known });
}

/** The parts of the answer to a list that explain what stands at their place in one without pages, by the way to them. */
function findAlike(list: Json | undefined, samples: readonly Sample[], path: string): Map<string, Json> {
  if (typeof list === "object" && list !== null) {
    const parts = Object.entries(list).map(([name, inner]) => {
      const within = samples.map(({ value, facts }) => ({
        value: new Map(Object.entries(value ?? {})).get(name),
        facts,
      }));
      return findAlike(inner, within, `${path}/${name}`);
    });
    return new Map(parts.flatMap((part) => part.entries().toArray()));
  }
  // A link to other pages is null where there are none.
  const parts = { listedPage: { kind: "constant", value: null } } as const;
  const node = readTemplate(list ?? null, { path, subjects: [...aboutPage, "list"], parts, repeats: [] });
  const isAlike = samples.every(({ value, facts }) => isDeepStrictEqual(value, renderTemplate(node, facts)));
  return new Map(isAlike && list !== undefined ? [[path, list]] : []);
}
