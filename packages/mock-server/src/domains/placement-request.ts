import type { AssignablePage, PageField, PlacedPages } from "./assignment.ts";
import { hasPhrase, type PageWords, readPageWords } from "./domain-index.ts";
import { isPerhapsEnglish, readLanguage } from "./page-locale.ts";
import type { PolicyRequest } from "./policy.ts";
import { readWords } from "./words.ts";

/** What is read of a page to place it. */
export interface PlacementRequest extends PolicyRequest {
  slug: string;
  words: PageWords;
  isEnglish: boolean;
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
export const floors = { bare: 3, worded: 3.25 };

/** Different telling words of a content from which on it says something. */
const worded = 6;

/**
 * Reads a page once for all that is asked of it.
 * @throws {RangeError} when its locale is not a BCP 47 tag.
 */
export function readRequest(page: AssignablePage): PlacementRequest {
  const words = readPageWords(page);
  const language = readLanguage([...words.title, ...words.meta_description, ...words.content], page.locale);
  const ctaHost = URL.parse(page.cta.url)?.hostname.replace(/\.$/, "");
  const isEnglish = isPerhapsEnglish(language);
  const telling = new Set(words.content.flatMap(({ text, isTelling }) => (isTelling ? text : [])));
  const floor = telling.size < worded ? floors.bare : floors.worded;
  return {
    slug: page.slug,
    words,
    language,
    isEnglish,
    supporting: isEnglish ? labelOnly : slugAndLabel,
    floor,
    ctaHost,
  };
}

/** A call to action only supports what the page says elsewhere; so does a slug, which is often English anywhere. */
const labelOnly: ReadonlySet<PageField> = new Set(["cta.label"]);
const slugAndLabel: ReadonlySet<PageField> = new Set(["cta.label", "slug"]);

/** Whether a rule is for this page. */
export function isMeant({ slug, words = [] }: PlacedPages, request: PlacementRequest): boolean {
  if (slug !== undefined && slug !== request.slug) return false;
  const { title, meta_description, content, slug: slugWords } = request.words;
  const reading = request.isEnglish ? "stem" : "text";
  return words.every((word) =>
    [title, meta_description, content, slugWords].some((text) => hasPhrase(text, readWords(word), reading)),
  );
}
