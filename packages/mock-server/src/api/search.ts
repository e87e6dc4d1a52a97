import type { ListQuery } from "@landing-page-service/contract";
import { OrderedPages } from "../state/ordered-pages.ts";
import { type PageStore, readRecord } from "../state/store.ts";
import type { StoredPage } from "../state/stored-page.ts";
import { splitWords } from "../domains/words.ts";

/** The pages that a list query's filters let through, oldest first. Gap: see docs/spec-gaps.md#list-filters */
export function findPages(pages: PageStore, { slug, domain, q }: ListQuery): OrderedPages {
  const bySlug = slug === undefined ? undefined : pages.withSlug(slug);
  const byDomain = domain === undefined ? undefined : pages.onDomain(domain);
  const words = new Set(q === undefined ? [] : splitWords(q));
  const narrowest = narrower(bySlug, byDomain) ?? pages.all;
  const tests: ((page: StoredPage) => boolean)[] = [];
  if (bySlug !== undefined && narrowest !== bySlug) tests.push((page) => page.slug === slug);
  if (domain !== undefined && narrowest !== byDomain) tests.push(({ domains }) => domains.includes(domain));
  if (words.size > 0) tests.push(hasWords(words));
  if (tests.length === 0) return narrowest;

  const found = new OrderedPages();
  for (const page of narrowest) if (tests.every((passes) => passes(page))) found.add(page);
  return found;
}

function narrower(one: OrderedPages | undefined, other: OrderedPages | undefined): OrderedPages | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.size <= other.size ? one : other;
}

/** Every word must be a whole word of the title or the content, in any case, with or without accents; in scripts without spaces, anywhere. */
function hasWords(words: ReadonlySet<string>): (page: StoredPage) => boolean {
  const hints = Array.from(words, (word) => new RegExp(word, "i"));
  return (page) => {
    const { text, bytes } = page;
    // Most pages are told apart by their text alone, which spares reading them; beyond ASCII a word can be written in many ways.
    if (bytes === text.length && !hints.every((hint) => hint.test(text))) return false;
    const { title, content } = readRecord(page);
    const held = new Set([title, content].flatMap((field) => splitWords(field, { singles: true })));
    return Array.from(words).every((word) => held.has(word));
  };
}
