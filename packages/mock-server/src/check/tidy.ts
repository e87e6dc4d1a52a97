// Makes a short file of learned templates: each is written once, and not at all where it is known.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  referenceDialect,
} from "@landing-page-service/contract/dialect";
import { readPageIn, valueAt } from "./answers.ts";
import type { Visit } from "./visit.ts";

/** Templates as they were learned; what was never seen is `undefined`. */
export type Learned = { -readonly [Name in keyof AnswerTemplates]?: AnswerTemplates[Name] | undefined };

/** Gives the page a name, so that it is written once: as a list shows it, or as a create answers it. */
export function nameParts(learned: Learned, visit: Visit): Learned {
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
export function dropKnown({ emptyList, ...learned }: Learned): Partial<AnswerTemplates> {
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
  if (isDeepStrictEqual(Object.values(template), ["{listedPage}"])) return {};
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, withoutPages(value)]));
}
