// Makes a short file of learned templates: each is written once, and not at all where it is known.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@landing-page-service/contract";
import {
  type AnswerTemplate,
  type AnswerTemplates,
  type Json,
  referenceDialect,
} from "@landing-page-service/contract/dialect";

/** Templates as they were learned; what was never seen is `undefined`. */
export type Learned = { -readonly [Name in keyof AnswerTemplates]?: AnswerTemplates[Name] | undefined };

/** Writes the page once, wherever else it stands: as a list shows it where no other answer does. */
export function nameParts({ page, listedPage, ...others }: Learned): Learned {
  const whole = page ?? listedPage;
  if (whole === undefined) return others;
  const put = (template: AnswerTemplate | undefined) =>
    template?.body === undefined ? template : { ...template, body: replaceIn(template.body, whole) };
  return {
    ...others,
    page: whole,
    listedPage: listedPage && replaceIn(listedPage, whole),
    createPage: put(others.createPage),
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
