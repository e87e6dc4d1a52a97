import type { AssignablePage, PageField, PlacedPages } from "./assignment.ts";
import { stripMarkup } from "./markup.ts";
import { isPerhapsEnglish, type PageLanguage, readLanguage } from "./page-locale.ts";
import { forgetWords, noticeNew, readWords, type Word } from "./words.ts";

/** What is read of a page to place it. */
export interface PlacementRequest {
  slug: string;
  /** Its words, field by field. */
  words: Readonly<Record<PageField, readonly Word[]>>;
  language: PageLanguage;
  isEnglish: boolean;
  /** Where the call to action leads. */
  ctaUrl: string;
  /** How many different words of its content can say what it is about. */
  telling: number;
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
  forgetWords();
  const texts = { title, meta_description: meta_description ?? "", content: stripMarkup(content) };
  const [named, described, told] = [readText(texts.title), readText(texts.meta_description), readText(texts.content)];
  const language = readLanguage([named, described, told], locale);
  const isNew = noticeNew();
  const telling = told.filter((word) => word.isTelling && isNew(word)).length;
  return {
    slug,
    words: {
      title: hushCustomer(hushDenied(named, title)),
      slug: hushCustomer(hushDenied(readWords(slug, { singles: true }))),
      meta_description: hushDenied(described, texts.meta_description),
      content: hushDenied(told, texts.content),
      "cta.label": hushDenied(readText(cta.label), cta.label),
    },
    language,
    isEnglish: isPerhapsEnglish(language),
    telling,
    floor: telling < floors.wordedFrom ? floors.bare : floors.worded,
    ctaUrl: cta.url,
  };
}

/** The words of a text, single characters of unspaced scripts too, and what hyphens join as one word before its parts: `e-bike` is an `ebike`. */
function readText(text: string): Word[] {
  const joined = text.includes("-") ? Array.from(text.matchAll(hyphened), ([, one, other]) => `${one}${other} `) : [];
  return readWords(joined.join("") + text, { singles: true });
}

/** Hushes the two words of what a page says that it is not, and what `or` adds: `not a bank`, `don't sell cars or vans`, `kein Hotel`. */
function hushDenied(words: readonly Word[], text = ""): readonly Word[] {
  const denied = new Set<number>();
  for (let at = 0; at < words.length; at += 1) {
    const { text = "" } = words[at] ?? {};
    const isAdded = text === "or" && denied.has(at - 1);
    if (!isAdded && !deniers.has(text)) continue;
    let next = at + 1;
    while (links.has(words[next]?.text)) next += 1;
    const isDenied = isAdded || next > at + 1 || (denyingAlone.test(text) && !affirmed.test(words[next]?.text ?? ""));
    if (isDenied) denied.add(next).add(next + 1);
  }
  return denied.size === 0 || text.endsWith("?") ? words : hush(words, (at) => denied.has(at));
}

/** Hushes whom a title is for, who is only mentioned: `Web sites for dentists`. */
function hushCustomer(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(({ text }, at) => customerStarts.has(text) && !notCustomers.has(words[at + 1]?.text));
  return words.some(({ isTelling }, at) => at < start && isTelling) ? hush(words, (at) => at >= start) : words;
}

function hush(words: readonly Word[], isHushed: (at: number) => boolean): readonly Word[] {
  return words.map((word, at) => (isHushed(at) ? { ...word, isHushed: true } : word));
}

const hyphened = /\b([a-z\d]+)-(?=([a-z\d]+))/gi;
const deniers: ReadonlySet<string> = new Set(["not", "t", "dont", "isnt", "no", "kein", "keine", "keinen", "keiner"]);
const denyingAlone = /^(?:no|kein.*)$/;
const affirmed = /^(?:more|nonsense|fuss|frills|\d+)$/;
const links: ReadonlySet<string | undefined> = new Set(["a", "an", "any", "another", "the", "do", "sell", "offer"]);
const customerStarts: ReadonlySet<string> = new Set(["for", "fur", "pour", "para", "voor"]);
const notCustomers: ReadonlySet<string | undefined> = new Set(["sale", "rent", "hire", "lease"]);

/** Whether a rule is for this page: it has all the words as neighbours in their order, whether or not they are hushed. */
export function isMeant({ slug, words = [] }: PlacedPages, request: PlacementRequest): boolean {
  if (slug !== undefined && slug !== request.slug) return false;
  const { "cta.label": _, ...texts } = request.words;
  const reading = request.isEnglish ? "stem" : "text";
  return words.every((phrase) => {
    const parts = readWords(phrase);
    const begins = (text: readonly Word[], start: number): boolean =>
      parts.every((part, offset) => text[start + offset]?.[reading] === part[reading]);
    return Object.values(texts).some((text) => text.some((_, start) => begins(text, start)));
  });
}
