import type { AssignablePage, PageField, PlacedPages } from "./assignment.ts";
import { stripMarkup } from "./markup.ts";
import { isPerhapsEnglish, type PageLanguage, readLanguage } from "./page-locale.ts";
import { countTelling, findPhrase, readWords, type Word } from "./words.ts";

/** The words of a page, field by field. */
export type PageWords = Readonly<Record<PageField, readonly Word[]>>;

/** What is read of a page to place it. */
export interface PlacementRequest {
  slug: string;
  words: PageWords;
  language: PageLanguage;
  isEnglish: boolean;
  /** Where the call to action leads. */
  ctaUrl: string;
  /** Fields whose words only count where another field has them too. */
  supporting: ReadonlySet<PageField>;
  /** See `Assignment.floor`. */
  floor: number;
}

/**
 * More than this much evidence it takes to match at all, however rare or common the words are in the catalogue. A keyword in
 * the title has it on a bare page; one that says something in its content as well must bear the title out: "Driving change" is
 * about no cars. A topic in the slug has it, and a keyword in title and content; a topic in the content, or three keywords there, has not.
 * Where no other domain shares a word, a topic and a keyword in the content are enough.
 */
export const floors = { alone: 2, bare: 3, worded: 3.25 };

/** Different telling words of a content from which on it says something. */
const worded = 6;

/**
 * Reads a page once for all that is asked of it.
 * @throws {RangeError} when its locale is not a BCP 47 tag.
 */
export function readRequest({ title, slug, meta_description, content, cta, locale }: AssignablePage): PlacementRequest {
  const words = {
    title: readText(title),
    slug: readWords(slug, { singles: true }),
    meta_description: readText(meta_description ?? ""),
    content: readText(stripMarkup(content)),
    "cta.label": readText(cta.label),
  };
  const language = readLanguage([words.title, words.meta_description, words.content], locale);
  const isEnglish = isPerhapsEnglish(language);
  return {
    slug,
    words,
    language,
    isEnglish,
    supporting: isEnglish ? labelOnly : slugAndLabel,
    floor: countTelling(words.content, worded) < worded ? floors.bare : floors.worded,
    ctaUrl: cta.url,
  };
}

/** The words of a text, single characters of unspaced scripts too, and what hyphens join as one word beside its parts: `e-bike` is an `ebike`. */
function readText(text: string): Word[] {
  if (!text.includes("-")) return readWords(text, { singles: true });
  const joined = text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi);
  return readWords([text, ...Array.from(joined, ([, one, other]) => `${one}${other}`)].join(" "), { singles: true });
}

/** A call to action only supports what the page says elsewhere; so does a slug, which is often English anywhere. */
const labelOnly: ReadonlySet<PageField> = new Set(["cta.label"]);
const slugAndLabel: ReadonlySet<PageField> = new Set(["cta.label", "slug"]);

/** Whether a rule is for this page. */
export function isMeant({ slug, words = [] }: PlacedPages, request: PlacementRequest): boolean {
  if (slug !== undefined && slug !== request.slug) return false;
  const { "cta.label": _, ...texts } = request.words;
  const reading = request.isEnglish ? "stem" : "text";
  return words.every((word) => {
    const phrase = readWords(word).map((part) => part[reading]);
    return Object.values(texts).some((text) => findPhrase(text, phrase, reading).length > 0);
  });
}
