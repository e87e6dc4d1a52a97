import type { AssignablePage, PageField, PageMatch } from "./assignment.ts";
import { isPerhapsEnglish, type PageLanguage, readLanguage, readTag } from "./language.ts";
import { isTelling, splitWords, stemEnglish } from "./words.ts";

/** What an assignment reads of a page. */
export interface ReadPage {
  slug: string;
  /** The words of each field, in the order of an explanation. */
  words: ReadonlyMap<PageField, readonly string[]>;
  language: PageLanguage;
  /** Whether it is English, or may be. */
  isEnglish: boolean;
  ctaUrl: string;
  /** Number of different words of the content that can say what it is about. */
  tellingWords: number;
}

/** Reads a page once for all that is decided about it. @throws {RangeError} when its locale is no BCP 47 tag. */
export function readPage({ title, slug, meta_description, content, cta, locale }: AssignablePage): ReadPage {
  const words = new Map<PageField, string[]>([
    ["title", readWords(title)],
    ["slug", splitWords(slug, { singles: true })],
    ["meta_description", readWords(meta_description ?? "")],
    ["content", readWords(stripMarkup(content))],
    ["cta.label", readWords(cta.label)],
  ]);
  // Slugs and calls to action are often English, whatever the page is.
  const prose = (["title", "meta_description", "content"] as const).flatMap((field) => words.get(field) ?? []);
  const language = locale === undefined ? readLanguage(prose) : { locale: readTag(locale) };
  const tellingWords = new Set(words.get("content")?.filter(isTelling)).size;
  return { slug, words, language, isEnglish: isPerhapsEnglish(language), ctaUrl: cta.url, tellingWords };
}

/** Whether a page has the slug and all the words of a match, in any form, outside its call to action. */
export function isMatch({ slug, words = [] }: PageMatch, page: ReadPage): boolean {
  const stem = page.isEnglish ? stemEnglish : (word: string) => word;
  const texts = Array.from(page.words, ([field, some]) =>
    field === "cta.label" ? "" : ` ${some.map(stem).join(" ")} `,
  );
  const hasPhrase = (phrase: string): boolean => {
    const read = splitWords(phrase);
    const wanted = ` ${read.map(stem).join(" ")} `;
    return texts.some((text) => text.includes(wanted));
  };
  return (slug === undefined || slug === page.slug) && words.every(hasPhrase);
}

/** The words of a text. Parts joined by hyphens are one word too: `e-bike` is an `ebike`. */
function readWords(text: string): string[] {
  const joined = Array.from(text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi), ([, one, other]) => `${one}${other} `);
  return splitWords(joined.join("") + text, { singles: true });
}

/**
 * The text that a reader of HTML sees: without tags, comments, styles and scripts. Only tags that HTML has are removed, so that
 * other text in angle brackets stays. Linear in the length of the text.
 */
function stripMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  const visible = text
    .split("<!--")
    .map((part, index) => (index === 0 || !part.includes("-->") ? part : part.slice(part.indexOf("-->") + 3)))
    .join(" ")
    .split(/<(?=\/?(?:script|style)\b)/i)
    .filter((part) => !/^(?:script|style)\b/i.test(part))
    .join("<");
  return visible.replace(tag, " ").replace(accented, "$1").replaceAll("&szlig;", "ß").replace(entity, " ");
}

const tag =
  /<\/?(?:a|abbr|address|article|aside|audio|b|blockquote|body|br|button|canvas|caption|center|cite|code|col|dd|details|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|script|section|select|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|u|ul|video|wbr)(?:[\s/][^<>]*)?>/gi;

/** Words are compared without accents, so a letter may lose its own. */
const accented = /&([a-z])(?:acute|caron|cedil|circ|grave|ring|slash|tilde|uml);/gi;
const entity = /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi;
