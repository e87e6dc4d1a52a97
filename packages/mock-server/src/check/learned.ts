// Learns from a visit how the answers of a service look: a template for each.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  escapeTemplate,
  type Json,
  referenceDialect,
  type Subject,
} from "@landing-page-service/contract/dialect";
import { readListIn, readPageIn, valueAt } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import { explain, type Sample, type Spot } from "./explain.ts";
import { type Lesson, learnTemplate } from "./learn.ts";
import {
  bodiesOf,
  seeCreates,
  seeDeletes,
  seeErrors,
  seeEvents,
  seeListed,
  seeLists,
  seeUpdates,
  type Sight,
} from "./samples.ts";
import type { Visit } from "./visit.ts";

/** A value that nothing explains, which a dialect keeps as a constant. */
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

const aboutPage: readonly Subject[] = ["answer", "page", "domain"];

/** Learns the answers of a service. `exchanges` is everything that was said, cleaning up included. */
export function learnAnswers(visit: Visit, exchanges: readonly Exchange[]): LearnedAnswers {
  const unexplained = new Map<string, unknown>();
  const note = (path: string, value: unknown) => void (unexplained.has(path) || unexplained.set(path, value));
  const learn = (name: string, sights: readonly Sight[], subjects: readonly Subject[]) =>
    learnAnswer(sights, {
      path: name,
      name: "",
      subjects,
      isInPage: name === "createPage" || name === "updatePage",
      note,
    });
  const learned = {
    ...learnLists(visit, note),
    createPage: learn("createPage", seeCreates(visit), aboutPage),
    updatePage: learn("updatePage", seeUpdates(visit), [...aboutPage, "changes"]),
    deletePage: learn("deletePage", seeDeletes(visit, exchanges), aboutPage),
    trackEvent: learn("trackEvent", seeEvents(visit), ["answer", "event"]),
    ...learnErrors(visit, exchanges, note),
  };
  const named = nameParts(learned, visit);
  // why: what was never seen is not there
  const seen = Object.fromEntries(
    Object.entries(named).filter(([, template]) => template !== undefined),
  ) as Partial<AnswerTemplates>;
  return { answers: dropKnown(named), seen, unexplained: [...unexplained].map(([place, value]) => ({ place, value })) };
}

/** The status, body and telling headers of an answer; `undefined` when it was never seen. */
function learnAnswer(sights: readonly Sight[], lesson: Lesson): AnswerTemplate | undefined {
  const status = sights[0]?.exchange.answer?.status;
  if (status === undefined) return undefined;
  const alike = sights.filter(({ exchange }) => exchange.answer?.status === status);
  return { status, ...learnShape(alike, lesson) };
}

function learnShape(sights: readonly Sight[], lesson: Lesson): AnswerTemplate {
  const body = learnBody(sights, lesson);
  const usualType = "text" in body ? "text/plain" : "html" in body ? "text/html" : "application/json";
  const headers = learnHeaders(sights, lesson, usualType);
  return { ...(Object.keys(headers).length > 0 && { headers }), ...body };
}

function learnBody(sights: readonly Sight[], lesson: Lesson): Pick<AnswerTemplate, "body" | "text" | "html"> {
  const samples = bodiesOf(sights);
  const texts = sights.map(({ exchange }) => exchange.answer?.body ?? "");
  const [first = ""] = texts;
  if (samples[0]?.value !== undefined) {
    const json = samples.filter(({ value }) => value !== undefined);
    return { body: learnTemplate(json, { ...lesson, path: `${lesson.path}/body` }) };
  }
  if (first === "") return {};
  const kind = /^\s*</.test(first) ? "html" : "text";
  const sighted = sights.map(({ facts }, index) => ({ value: texts[index], facts }));
  return { [kind]: learnText(sighted, { ...lesson, path: `${lesson.path}/${kind}`, name: kind }) };
}

/** A text, around what changes in it. */
function learnText(samples: readonly Sample[], lesson: Lesson): string {
  const found = explain(samples, lesson);
  if (found !== undefined) return found;
  const [first = "", ...others] = samples.map(markStatus);
  const isFixed = others.every((text) => text === first);
  if (isFixed || !lesson.subjects.includes("error")) {
    if (!isFixed) lesson.note(lesson.path, first);
    return first;
  }
  // In a page made for people the sentence is what differs between two tags.
  const start = others.reduce((length, text) => Math.min(length, commonLength(first, text)), first.length);
  const end = others.reduce(
    (length, text) => Math.min(length, commonLength(backwards(first), backwards(text))),
    first.length,
  );
  const before = first.slice(0, first.lastIndexOf(">", start - 1) + 1);
  const after = first.slice(first.indexOf("<", Math.max(before.length, first.length - end)));
  return `${before}{detail}${after}`;
}

/** A text as a template, its status and the name of that as holes. */
function markStatus({ value, facts }: Sample): string {
  const { status, error } = facts;
  const text = escapeTemplate(String(value));
  if (error === undefined || error.reason === "") return text;
  return text
    .replaceAll(`${status} ${error.reason}`, "{status} {reason}")
    .replaceAll(`>${error.reason}<`, ">{reason}<")
    .replaceAll(`>${status}<`, ">{status}<");
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function backwards(text: string): string {
  return Array.from({ length: text.length }, (_, index) => text[text.length - 1 - index]).join("");
}

/** Headers that say something about the answer; all others are left to the server. */
function learnHeaders(sights: readonly Sight[], lesson: Lesson, usualType: string): Record<string, string> {
  const [first] = sights;
  const headers: Record<string, string> = {};
  for (const name of Object.keys(first?.exchange.answer?.headers ?? {})) {
    if (
      /^(?:date|x-ratelimit-.*|x-request-id|request-id|content-length|retry-after|etag|age|server|via|connection)$/.test(
        name,
      )
    )
      continue;
    const samples = sights.map(({ exchange, facts }) => ({ value: exchange.answer?.headers[name], facts }));
    const spot: Spot = { ...lesson, path: `${lesson.path}/headers/${name}`, name };
    const hole = samples.every(({ value }) => value !== undefined) ? explain(samples, spot) : undefined;
    if (hole !== undefined && /\{(?:id|total|count|limit|offset|slug|domain|event|code)/.test(hole))
      headers[spellHeader(name)] = hole.replace(/:text\}/g, "}");
  }
  const type = first?.exchange.answer?.headers["content-type"] ?? "";
  const hasBody = (first?.exchange.answer?.body ?? "") !== "";
  if (hasBody && type !== "" && type.split(";")[0]?.trim() !== usualType)
    headers["Content-Type"] = escapeTemplate(type);
  return headers;
}

function spellHeader(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function learnLists(
  visit: Visit,
  note: Lesson["note"],
): Pick<Partial<AnswerTemplates>, "listPages" | "emptyList" | "listedPage"> {
  const sights = seeLists(visit, false);
  const [first] = sights;
  const list = readListIn(first?.exchange);
  const lesson: Lesson = { path: "listPages", name: "", subjects: ["answer", "list"], isInPage: false, note };
  const empty = learnAnswer(seeLists(visit, true), { ...lesson, path: "emptyList" });
  if (list === undefined) return empty === undefined ? {} : { emptyList: empty };
  const listedPage = learnTemplate(seeListed(visit, sights), {
    ...lesson,
    path: "listedPage",
    subjects: aboutPage,
    isInPage: true,
  });
  const same = sights.filter(({ exchange }) => readListIn(exchange)?.place === list.place);
  const listPath = `listPages/body${list.place.slice(1).replaceAll("~1", "/").replaceAll("~0", "~")}`;
  const listPages = learnAnswer(same, { ...lesson, listPath, listedPage: "{listedPage}" });
  return { listedPage, ...(listPages && { listPages }), ...(empty && { emptyList: empty }) };
}

/** The request whose answer shows best how an error of each status looks. */
function learnErrors(
  { steps }: Visit,
  exchanges: readonly Exchange[],
  note: Lesson["note"],
): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const seenAt = (status: number) => exchanges.find(({ answer }) => answer?.status === status);
  const shown: [number, Exchange | undefined][] = [
    [400, steps["invalid-create"]],
    [401, steps["anonymous-list"]],
    [404, steps.updateDeleted],
    [409, steps.twin],
    [429, seenAt(429)],
    [500, seenAt(500)],
  ];
  const lesson: Lesson = { path: "error", name: "", subjects: ["answer", "error", "field"], isInPage: false, note };
  const seen = shown.flatMap(([status, best]) => {
    const actual = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    if (actual < 400 || (status === 409 && actual !== 409)) return [];
    return [{ status, actual, sights: seeErrors({ steps }, exchanges, actual, best) }];
  });
  const one = seen.every(({ status, actual }) => status === actual)
    ? learnOne(
        seen.flatMap(({ sights }) => sights),
        lesson,
      )
    : undefined;
  return one === undefined ? learnEach(seen, lesson) : { error: one };
}

/** One template that explains every error, where there is one. */
function learnOne(sights: readonly Sight[], lesson: Lesson): AnswerTemplate | undefined {
  let isWhole = true;
  const template = learnShape(sights, { ...lesson, note: () => void (isWhole = false) });
  const kinds = new Set(sights.map(({ exchange }) => exchange.answer?.headers["content-type"]));
  return isWhole && kinds.size === 1 ? template : undefined;
}

interface SeenErrors {
  readonly status: number;
  readonly actual: number;
  readonly sights: readonly Sight[];
}

/** A template for each status; the one that most have is that of all others too. */
function learnEach(seen: readonly SeenErrors[], lesson: Lesson): Pick<Partial<AnswerTemplates>, "error" | "errors"> {
  const learned = seen.map(({ status, actual, sights }): [string, AnswerTemplate] => {
    const shape = learnShape(sights, { ...lesson, path: `errors/${status}` });
    return [String(status), actual === status ? shape : { status: actual, ...shape }];
  });
  const [most] = [...Map.groupBy(learned, ([, template]) => JSON.stringify(template)).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const error = most?.[0]?.[1];
  if (error === undefined) return {};
  const others = learned.filter(([, template]) => JSON.stringify(template) !== JSON.stringify(error));
  return { error, ...(others.length > 0 && { errors: Object.fromEntries(others) }) };
}

type Learned = { -readonly [Name in keyof AnswerTemplates]?: AnswerTemplates[Name] | undefined };

/** Gives the page a name, so that it is written once: as a list shows it, or as a create answers it. */
function nameParts(learned: Learned, visit: Visit): Learned {
  const { listedPage, createPage, ...others } = learned;
  const pointer = readPageIn(visit.steps.create)?.places["record"] ?? "#";
  const record = valueAt(createPage?.body, pointer);
  const isPage = isObject(record) && JSON.stringify(record).includes("{slug}");
  const page = isPage ? (record as Json) : listedPage; // why: it is a part of a template
  if (page === undefined) return learned;
  const put = (template: AnswerTemplate | undefined) =>
    template?.body === undefined ? template : { ...template, body: replaceIn(template.body, page) };
  return {
    ...others,
    page,
    listedPage: listedPage && replaceIn(listedPage, page),
    createPage: put(createPage),
    updatePage: put(others.updatePage),
    deletePage: put(others.deletePage),
  };
}

function replaceIn(template: Json, page: Json): Json {
  if (isDeepStrictEqual(template, page)) return "{page}";
  if (Array.isArray(template)) return template.map((item) => replaceIn(item, page));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, replaceIn(value, page)]));
}

/** Leaves out what our reference service answers too, and an empty list that is the list without its pages. */
function dropKnown({ emptyList, ...learned }: Learned): Partial<AnswerTemplates> {
  const list = learned.listPages;
  const isAlike =
    list !== undefined &&
    isDeepStrictEqual(emptyList, { ...list, ...(list.body !== undefined && { body: withoutPages(list.body) }) });
  const all = { ...learned, ...(emptyList !== undefined && !isAlike && { emptyList }) };
  const reference = referenceDialect.answers;
  const differing = Object.entries(all).filter(
    ([name, template]) =>
      template !== undefined && !isDeepStrictEqual(template, reference[name as keyof AnswerTemplates]), // why: its own keys
  );
  return Object.fromEntries(differing) as Partial<AnswerTemplates>; // why: as above
}

function withoutPages(template: Json): Json {
  if (Array.isArray(template))
    return template.length === 1 && template[0] === "{listedPage}" ? [] : template.map(withoutPages);
  if (!isObject(template)) return template;
  if (template["{id}"] === "{listedPage}") return {};
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, withoutPages(value)]));
}
