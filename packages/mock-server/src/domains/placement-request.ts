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
  /** Host of `cta.url`; `undefined` when that is no URL. */
  ctaHost: string | undefined;
  /** Fields whose words only count where another field has them too. */
  supporting: ReadonlySet<PageField>;
  /** See `Assignment.floor`. */
  floor: number;
}

/**
 * More than this much evidence it takes to match at all, however rare or common the words are in the catalogue. A keyword in
 * the title has it on a bare page; one that says something in its content as well must bear the title out: "Driving change" is
 * about no cars. A topic in the slug has it, and a keyword in title and content; a topic in the content, or three keywords there, has not.
 */
const floors = { bare: 3, worded: 3.25 };

/** Different telling words of a content from which on it says something. */
const worded = 6;

/**
 * Reads a page once for all that is asked of it.
 * @throws {RangeError} when its locale is not a BCP 47 tag.
 */
export function readRequest({ title, slug, meta_description, content, cta, locale }: AssignablePage): PlacementRequest {
  const singles = true;
  const words = {
    title: readWords(title, { singles }),
    slug: readWords(slug, { singles }),
    meta_description: readWords(meta_description ?? "", { singles }),
    content: readWords(stripMarkup(content), { singles }),
    "cta.label": readWords(cta.label, { singles }),
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
    ctaHost: URL.parse(cta.url)?.hostname.replace(/\.$/, ""),
  };
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
