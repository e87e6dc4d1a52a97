import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AssignablePage, Assignment, Domain } from "../src/domains/network.ts";
import { assign, domain } from "./assigning.ts";

// Stemming and splitting leave these words unchanged.
const related = ["lamp", "sofa", "roof", "tent", "kiwi", "drum", "boat", "fern", "gold", "milk"];
const unrelated = ["quartz", "fjord", "sphinx", "glyph", "nymph"];

const word = fc.constantFrom(...related);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
const url = fc.constantFrom("https://ok.example/", "https://bets.example/");
const page: fc.Arbitrary<AssignablePage> = fc.record({
  title: text,
  slug: text.map((words) => words.replaceAll(" ", "-")),
  meta_description: fc.option(text),
  content: text,
  cta: fc.record({ type: fc.constant("button"), label: text, url }),
});

/** Catalogues of domains whose terms consist of some words. They may have filters and pins. */
function catalogues(words: readonly string[], suffix: string): fc.Arbitrary<Domain[]> {
  const word = fc.constantFrom(...words);
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
  const record = fc.record(
    {
      name: fc.nat(40).map((number) => `d${number}.${suffix}`),
      topics: fc.array(phrase, { maxLength: 3 }),
      keywords: fc.array(phrase, { maxLength: 6 }),
      capacity: fc.integer({ min: 0, max: 3 }),
      active: fc.boolean(),
      blockedCtaHosts: fc.constantFrom([], ["bets.example"]),
      catchAll: fc.boolean(),
      pins: fc.array(fc.record({ words: fc.tuple(word) }), { maxLength: 1 }),
    },
    { requiredKeys: ["name", "topics", "keywords"] },
  );
  return fc.uniqueArray(record, { selector: ({ name }) => name, maxLength: 15, size: "max" });
}

const some = catalogues(related, "one.example");

test("the order of the catalogue changes nothing, not even the last bit of a score", () => {
  // Few words make many phrases with the same beginning, whose scores are then added in any order.
  const few = ["lamp", "sofa", "shoes", "東京", "東京旅行社"];
  const shuffled = catalogues(few, "one.example").chain((domains) => {
    const twins = domains.map(({ name, topics, keywords }): Domain => ({ name: `twin-of-${name}`, topics, keywords }));
    const all = [...domains, ...twins];
    return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  const content = fc.array(fc.constantFrom(...few), { maxLength: 20 }).map((words) => words.join(" "));

  fc.assert(
    fc.property(shuffled, page, content, ([domains, other], somePage, ownContent) => {
      const wordy = { ...somePage, content: ownContent, slug: ownContent };

      expect(assign(other, wordy)).toEqual(assign(domains, wordy));
    }),
  );
});

test("separators, case, accents, repetition and a flood of common words change nothing", () => {
  const separator = fc.stringMatching(/^[ !-/:-@[-`{-~\t\u00a0\u2010-\u2060\u20ac]+$/);
  const accented = fc
    .tuple(word, fc.constantFrom("", "\u0301", "\u0308"), fc.boolean())
    .map(([word, accent, isUpper]) => {
      const written = Array.from(word, (letter) => letter + accent).join("");
      return { word, written: isUpper ? written.toUpperCase() : written };
    });
  const parts = fc.array(fc.tuple(accented, separator), { minLength: 1, maxLength: 12 });
  const common = fc.constantFrom("the", "and", "of", "to", "with", "you", "is", "from", "get", "your");
  const flood = fc.array(common, { maxLength: 400, size: "max" }).map((words) => words.join(" "));
  // A repeated text has a new phrase at each seam, so no domain lists a phrase here.
  const single = some.map((domains) =>
    domains.map((domain) => ({ ...domain, topics: split(domain.topics), keywords: split(domain.keywords) })),
  );
  const once = fc.tuple(some, fc.constant(1));
  const often = fc.tuple(single, fc.integer({ min: 2, max: 20 }));

  fc.assert(
    fc.property(fc.oneof(once, often), parts, flood, ([domains, times], parts, common) => {
      const plain = { title: parts.map(([{ word }]) => word).join(" "), slug: "page" };
      const written = parts.map(([{ written }, between]) => written + between).join("");
      const wild = { ...plain, title: `${common} ${`${written} `.repeat(times)}`, content: common };

      expect(scores(assign(domains, wild))).toEqual(scores(assign(domains, plain)));
    }),
  );
});

test("the explanation is true: a domain lists its terms, the page has them, and they add up to the score", () => {
  fc.assert(
    fc.property(some, page, (domains, somePage) => {
      const { title, slug, meta_description, content, cta } = somePage;
      const text = [title, slug.replaceAll("-", " "), meta_description, content, cta.label].join("\n");

      for (const { name, score, terms } of assign(domains, somePage).domains) {
        const listed = domains.find((domain) => domain.name === name);
        expect([...(listed?.topics ?? []), ...(listed?.keywords ?? [])]).toEqual(
          expect.arrayContaining(terms.map(({ term }) => term)),
        );
        for (const { term } of terms) expect(text).toContain(term);
        expect(terms.reduce((sum, term) => sum + term.score, 0)).toBe(score);
        expect(terms.every(({ score }, index) => score > 0 && score <= (terms[index - 1]?.score ?? score))).toBe(true);
      }
    }),
  );
});

test("adding or removing domains that share no word with a page changes nothing", () => {
  const others = catalogues(unrelated, "two.example");

  fc.assert(
    fc.property(some, others, page, (domains, added, somePage) => {
      const alone = assign(domains, somePage);
      fc.pre(alone.how === "match");

      expect(assign([...added, ...domains], somePage)).toEqual(alone);
    }),
  );
});

test("if words do not decide, a new domain takes some pages and never moves one between other domains", () => {
  const slug = fc.string({ minLength: 1 });

  fc.assert(
    fc.property(some, slug, (domains, someSlug) => {
      const wordless = domains.map(({ name }): Domain => ({ name, topics: [], keywords: [] }));
      fc.pre(wordless.length > 0);
      const newcomer = domain("new.two", []);

      const before = assign(wordless, { slug: someSlug }).domains[0]?.name;
      const after = assign([...wordless, newcomer], { slug: someSlug }).domains[0]?.name;

      expect([before, newcomer.name]).toContain(after);
    }),
  );
});

test("any text is assigned, and the decision survives JSON", () => {
  const anyText = fc.string({ unit: "binary" });
  const cta = fc.record({ type: anyText, label: anyText, url: anyText });
  const wild = fc.record({ title: anyText, slug: anyText, content: anyText, meta_description: anyText, cta });

  fc.assert(
    fc.property(some, wild, (domains, somePage) => {
      const assignment = assign(domains, somePage);

      expect(JSON.parse(JSON.stringify(assignment))).toEqual(assignment);
      expect(assignment.domains.length === 0).toBe(assignment.how === "none");
    }),
  );
});

function scores({ domains }: Assignment): (readonly [name: string, score: number])[] {
  return domains.map(({ name, score }) => [name, score]);
}

function split(terms: readonly string[]): string[] {
  return terms.flatMap((term) => term.split(" "));
}
