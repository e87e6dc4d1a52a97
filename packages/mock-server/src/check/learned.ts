// Learns from a visit how the answers of a service look: a template for each.
import { isDeepStrictEqual } from "node:util";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  readHole,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, readListIn } from "./exchange.ts";
import { explain } from "./explain.ts";
import type { Sample } from "./explain-text.ts";
import { seeErrors, seeMalformed } from "./error-samples.ts";
import { type Lesson, learnTemplate } from "./learn.ts";
import { learnAnswer, learnShape } from "./learn-answer.ts";
import { learnPage, pathAt, seeRecords } from "./learn-page.ts";
import { type ListedSample, seeListed, seeLists } from "./list-samples.ts";
import { bodiesOf, commonFacts, seePages, type Sight } from "./samples.ts";
import { holeIn, speaksOfField } from "./telling.ts";
import { dropKnown, nameParts } from "./tidy.ts";
import { shortenIds, type Visit } from "./visit.ts";

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
  /** An answer to a list in which none of the pages is found that were made. */
  readonly listWithout: AnswerTemplate | undefined;
}

const aboutPage: readonly Subject[] = ["answer", "page", "domain", "alias"];

/** Learns the answers of a service. `exchanges` is everything that was said, cleaning up included. */
export function learnAnswers(...said: [visit: Visit, exchanges: readonly Exchange[]]): LearnedAnswers {
  const [visit, exchanges] = shortenIds(said);
  const unexplained = new Map<string, unknown>();
  const note = (path: string, value: unknown) => void (unexplained.has(path) || unexplained.set(path, value));
  const lists = seeLists(visit, false);
  const list = readListIn(lists[0]?.exchange);
  const [listed, knownPages] = seeListed(visit, list === undefined ? [] : lists);
  const sights = seePages(visit, exchanges);
  const aboutRecord = { name: "", subjects: aboutPage, isInPage: true, note };
  const { page, paths = [] } =
    learnPage(
      seeRecords("createPage", sights.createPage),
      listed.length === 0 ? undefined : { path: "listedPage", samples: listed },
      [seeRecords("updatePage", sights.updatePage), seeRecords("deletePage", sights.deletePage)],
      aboutRecord,
    ) ?? {};
  const known = new Map<string, Json>([...paths].map((path) => [path, "{page}"]));
  const learn = (name: string, seen: readonly Sight[], subjects: readonly Subject[], isInPage = false) =>
    learnAnswer(seen, { path: name, name: "", subjects, isInPage, note, known });
  const listedPage =
    listed.length === 0 ? undefined : learnTemplate(listed, { ...aboutRecord, path: "listedPage", known });
  const aboutList: Lesson = { path: "listPages", name: "", subjects: ["answer", "list"], isInPage: false, note };
  const listPages = list && learnList(list.place, lists, { ...aboutList, pages: knownPages }, listed);
  const empty = seeLists(visit, true);
  const learned = {
    page,
    listedPage,
    listPages,
    emptyList: learnAnswer(empty, {
      ...aboutList,
      path: "emptyList",
      known: findAlike(listPages?.body, bodiesOf(empty)),
    }),
    createPage: learn("createPage", sights.createPage, aboutPage, true),
    updatePage: learn("updatePage", sights.updatePage, [...aboutPage, "changes", "change"], true),
    deletePage: learn("deletePage", sights.deletePage, aboutPage),
    trackEvent: learn("trackEvent", sights.trackEvent, [...aboutPage, "event"]),
    ...learnErrors(visit, exchanges, note),
  };
  const named = nameParts(learned);
  // why: what was never seen is not there
  const seen = Object.fromEntries(
    Object.entries(named).filter(([, template]) => template !== undefined),
  ) as Partial<AnswerTemplates>;
  const shown = (list === undefined ? visit.views.made?.exchanges : undefined)?.filter(hasSucceeded) ?? [];
  const unread = shown.map((exchange) => ({ exchange, facts: commonFacts(exchange) }));
  for (const { value } of bodiesOf(unread).slice(0, 1)) note("listPages/body", value);
  const listWithout = learnAnswer(unread, { ...aboutList, subjects: ["answer"], note: () => undefined });
  return {
    listWithout,
    answers: dropKnown(named),
    seen,
    unexplained: [...unexplained].map(([place, value]) => ({ place, value })),
  };
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
function findAlike(list: Json | undefined, samples: readonly Sample[], path = "emptyList/body"): Map<string, Json> {
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
  const hole = holeIn(list);
  const isAlike = samples.every(({ value, facts }) =>
    isDeepStrictEqual(value, hole ? readHole(hole.name, hole.formats, facts) : list),
  );
  return new Map(isAlike && list !== undefined ? [[path, list]] : []);
}

/** The request whose answer shows best how an error of each status looks. */
function learnErrors(
  visit: Visit,
  exchanges: readonly Exchange[],
  note: Lesson["note"],
): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
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
  const seen = shown.flatMap(([status, best]): SeenErrors[] => {
    const actual = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    if (actual < 400 || (status === 409 && actual !== 409)) return [];
    return [{ name: String(status), usual: status, actual, sights: seeErrors(visit, exchanges, actual, best) }];
  });
  const malformed = seeMalformed(visit);
  const actual = malformed[0]?.exchange.answer?.status;
  const all = actual === undefined ? seen : [...seen, { name: "malformed", usual: 400, actual, sights: malformed }];
  const subjects: readonly Subject[] = ["answer", "error", "field"];
  const lesson: Lesson = { path: "error", name: "", subjects, isInPage: false, note, headlines: findHeadlines(all) };
  const one = all.every(({ usual, actual }) => usual === actual) ? learnOne(all, lesson) : undefined;
  return one === undefined ? learnEach(joinMalformed(all, lesson), lesson) : { error: one };
}

/** The texts that errors of more than one status have in them. */
function findHeadlines(seen: readonly SeenErrors[]): ReadonlySet<unknown> {
  const statuses = new Map<unknown, Set<number>>();
  const visit = (value: unknown, status: number): void => {
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visit(inner, status);
    else statuses.set(value, (statuses.get(value) ?? new Set()).add(status));
  };
  for (const { actual, sights } of seen) for (const { value } of bodiesOf(sights)) visit(value, actual);
  return new Set([...statuses].filter(([, { size }]) => size > 1).map(([value]) => value));
}

interface SeenErrors {
  /** Name among `errors`. */
  readonly name: string;
  /** The status that our reference service answers, and the one that this service does. */
  readonly usual: number;
  readonly actual: number;
  readonly sights: readonly Sight[];
}

/** One template that explains every error, where there is one. */
function learnOne(seen: readonly SeenErrors[], lesson: Lesson): AnswerTemplate | undefined {
  let isWhole = true;
  const sights = seen.flatMap((one) => one.sights);
  const template = learnError(sights, { ...lesson, note: () => void (isWhole = false) });
  const kinds = new Set(sights.map(({ exchange }) => exchange.answer?.headers["content-type"]));
  return isWhole && kinds.size === 1 ? template : undefined;
}

/** An error whose headline is the same at any status; where that is all it says, it is what went wrong. */
function learnError(sights: readonly Sight[], { headlines, ...lesson }: Lesson): AnswerTemplate {
  const template = learnShape(sights, { ...lesson, ...(headlines && { headlines }) });
  return JSON.stringify(template).includes("detail}") ? template : learnShape(sights, lesson);
}

/** A body as a whole may be refused as a wrong field is, and then is no case of its own. */
function joinMalformed(seen: readonly SeenErrors[], lesson: Lesson): readonly SeenErrors[] {
  const [refused, malformed] = ["400", "malformed"].map((wanted) => seen.find(({ name }) => name === wanted));
  if (refused === undefined || malformed === undefined || refused.actual !== malformed.actual) return seen;
  if (learnOne([refused, malformed], lesson) === undefined) return seen;
  const joined = { ...refused, sights: [...refused.sights, ...malformed.sights] };
  return [joined, ...seen.filter((one) => one !== refused && one !== malformed)];
}

/** A template for each kind; the one that most have is that of all others too, and rather one that blames no field. */
function learnEach(seen: readonly SeenErrors[], lesson: Lesson): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const learned = seen.map(({ name, usual, actual, sights }): [string, AnswerTemplate] => {
    const shape = learnError(sights, { ...lesson, path: `errors/${name}` });
    return [name, actual === usual ? shape : { status: actual, ...shape }];
  });
  const statuses = learned.filter(([name]) => name !== "malformed");
  const weigh = (alike: typeof learned) => alike.length * 2 - (speaksOfField(alike[0]) ? 1 : 0);
  const [most] = [...Map.groupBy(statuses, ([, template]) => JSON.stringify(template)).values()].toSorted(
    (one, other) => weigh(other) - weigh(one),
  );
  const error = most?.[0]?.[1];
  if (error === undefined) return {};
  // A refused body is answered as any other 400 unless it is told apart.
  const refused = learned.find(([name]) => name === "400")?.[1] ?? error;
  const others = learned.filter(
    ([name, template]) => !isDeepStrictEqual(template, name === "malformed" ? refused : error),
  );
  return { error, ...(others.length > 0 && { errors: Object.fromEntries(others) }) };
}
