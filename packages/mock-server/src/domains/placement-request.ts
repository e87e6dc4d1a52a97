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
}

/**
 * Reads a page once for all that is asked of it.
 * @throws {RangeError} when its locale is not a BCP 47 tag.
 */
export function readRequest(page: AssignablePage): PlacementRequest {
  const words = readPageWords(page);
  const language = readLanguage([...words.title, ...words.meta_description, ...words.content], page.locale);
  const ctaHost = URL.parse(page.cta.url)?.hostname.replace(/\.$/, "");
  const isEnglish = isPerhapsEnglish(language);
  return { slug: page.slug, words, language, isEnglish, supporting: isEnglish ? labelOnly : slugAndLabel, ctaHost };
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
