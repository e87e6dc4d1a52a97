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
 * More than this much evidence it takes to match at all. A topic in title or slug has it, or three keywords in the content. A
 * keyword in the title has it on a bare page; a content of six telling words must bear it out: "Driving change" is about no cars.
 */
const floors = { bare: 1.9, worded: 2.25, wordedFrom: 6 };

/**
 * Reads a page once for all that is asked of it.
 * @throws {RangeError} when its locale is not a BCP 47 tag.
 */
export function readRequest({ title, slug, meta_description, content, cta, locale }: AssignablePage): PlacementRequest {
  const words = {
    title: hushCustomer(readText(title)),
    slug: hushCustomer(hushDenied(readWords(slug, { singles: true }))),
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
    floor: countTelling(words.content, floors.wordedFrom) < floors.wordedFrom ? floors.bare : floors.worded,
    ctaUrl: cta.url,
  };
}

/** The words of a text, single characters of unspaced scripts too, and what hyphens join as one word before its parts: `e-bike` is an `ebike`. */
function readText(text: string): Word[] {
  const joined = text.includes("-") ? text.matchAll(/\b([a-z\d]+)-(?=([a-z\d]+))/gi) : [];
  const parts = Array.from(joined, ([, one, other]) => `${one}${other}`);
  const words = readWords([...parts, text].join(" "), { singles: true });
  return text.endsWith("?") ? words : hushDenied(words);
}

/** Hushes the two words of what a page says that it is not, and what `or` adds: `not a bank`, `don't sell cars or vans`, `kein Hotel`. */
function hushDenied(words: Word[]): Word[] {
  const denied = new Set<number>();
  words.forEach(({ text }, at) => {
    const isAdded = text === "or" && denied.has(at - 1);
    if (!isAdded && !deniers.has(text)) return;
    let next = at + 1;
    while (links.has(words[next]?.text)) next += 1;
    const isDenied = isAdded || next > at + 1 || (denyingAlone.test(text) && !affirmed.test(words[next]?.text ?? ""));
    if (isDenied) denied.add(next).add(next + 1);
  });
  return denied.size === 0 ? words : hush(words, (at) => denied.has(at));
}

/** Hushes whom a title is for, who is only mentioned: `Web sites for dentists`. */
function hushCustomer(words: Word[]): Word[] {
  const start = words.findIndex(({ text }, at) => customerStarts.has(text) && !notCustomers.has(words[at + 1]?.text));
  return words.slice(0, Math.max(0, start)).some(({ isTelling }) => isTelling)
    ? hush(words, (at) => at >= start)
    : words;
}

function hush(words: readonly Word[], isHushed: (at: number) => boolean): Word[] {
  return words.map((word, at) => (isHushed(at) ? { ...word, isHushed: true } : word));
}

const deniers: ReadonlySet<string> = new Set(["not", "t", "dont", "isnt", "no", "kein", "keine", "keinen", "keiner"]);
const denyingAlone = /^(?:no|kein.*)$/;
const affirmed = /^(?:more|nonsense|fuss|frills|\d+)$/;
const links: ReadonlySet<string | undefined> = new Set(["a", "an", "any", "another", "the", "do", "sell", "offer"]);
const customerStarts: ReadonlySet<string> = new Set(["for", "fur", "pour", "para", "voor"]);
const notCustomers: ReadonlySet<string | undefined> = new Set(["sale", "rent", "hire", "lease"]);

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
