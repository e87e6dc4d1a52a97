import * as fc from "fast-check";
import MiniSearch from "minisearch";
import { expect, test } from "vitest";
import { createDomainNetwork, type AssignablePage, type Assignment, type Domain } from "../src/domains/network.ts";

// Words that stemming and splitting leave as they are, so that the laws can speak of shared words.
const related = ["lamp", "sofa", "roof", "tent", "kiwi", "drum", "boat", "fern", "gold", "milk"];
const unrelated = ["quartz", "fjord", "sphinx", "glyph", "nymph"];

const word = fc.constantFrom(...related);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
const page: fc.Arbitrary<AssignablePage> = fc.record({
  title: text,
  slug: text.map((words) => words.replaceAll(" ", "-")),
  meta_description: fc.option(text),
  content: text,
  cta: fc.record({
    type: fc.constant("button"),
    label: text,
    url: fc.constantFrom("https://ok.example/", "https://no.example/"),
  }),
});

/** Domains with distinct names, some of them filtered, pinned or catching all. */
function catalogue(words: readonly string[], suffix: string): fc.Arbitrary<Domain[]> {
  const phrase = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
  const domain = fc.record(
    {
      name: fc.integer({ min: 0, max: 40 }).map((number) => `d${number}.${suffix}`),
      topics: fc.array(phrase, { maxLength: 3 }),
      keywords: fc.array(phrase, { maxLength: 6 }),
      capacity: fc.integer({ min: 0, max: 3 }),
      active: fc.boolean(),
      blockedCtaHosts: fc.constantFrom([], ["no.example"]),
      catchAll: fc.boolean(),
      pins: fc.array(
        fc.constantFrom(...words).map((word) => ({ words: [word] })),
        { maxLength: 1 },
      ),
    },
    { requiredKeys: ["name", "topics", "keywords"] },
  );
  return fc.uniqueArray(domain, { selector: ({ name }) => name, maxLength: 15, size: "max" });
}

function titled(title: string): AssignablePage {
  return { title, slug: "page", content: "", cta: { type: "button", label: "", url: "https://ok.example/" } };
}

test("the order of the catalogue decides nothing, to the last bit of a score", () => {
  // Few words make many phrases that begin alike, whose parts are then added in any order.
  const few = ["lamp", "sofa", "shoes", "東京", "東京旅行社"];
  const shuffled = catalogue(few, "one.example").chain((domains) => {
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
    { numRuns: 150 },
  );
});

test("what stands between words decides nothing, nor does upper case", () => {
  const separator = fc.stringMatching(/^[ !-/:-@[-`{-~\t\u00a0\u2010-\u2060\u20ac]+$/);
  const written = fc.array(fc.tuple(word, fc.boolean(), separator), { minLength: 1, maxLength: 12 });

  fc.assert(
    fc.property(catalogue(related, "one.example"), written, (domains, parts) => {
      const plain = parts.map(([word]) => word).join(" ");
      const wild = parts.map(([word, isUpper, between]) => (isUpper ? word.toUpperCase() : word) + between).join("");

      expect(assign(domains, titled(wild))).toEqual(assign(domains, titled(plain)));
    }),
  );
});

test("the words' parts add up to the score, for every domain a page gets", () => {
  fc.assert(
    fc.property(catalogue(related, "one.example"), page, (domains, somePage) => {
      for (const { score, terms } of assign(domains, somePage).domains) {
        expect(terms.reduce((sum, term) => sum + term.score, 0)).toBe(score);
        expect(terms.every((term) => term.score > 0)).toBe(true);
      }
    }),
  );
});

test("case, accents, repetition and a flood of common words decide nothing", () => {
  const accents = ["", "\u0301", "\u0308"];
  const accented = fc
    .tuple(text, fc.array(fc.nat(2), { minLength: 1, maxLength: 9 }))
    .map(([words, marks]) =>
      Array.from(words, (letter, index) =>
        /[a-z]/.test(letter)
          ? (index % 2 === 0 ? letter : letter.toUpperCase()) + accents[marks[index % marks.length] ?? 0]
          : letter,
      ).join(""),
    );
  const flood = fc.array(fc.constantFrom("the", "and", "of", "to", "with", "you", "is", "from", "get", "your"), {
    maxLength: 400,
    size: "max",
  });
  // Phrases would be made at the seam of a text that follows itself.
  const single = catalogue(related, "one.example").map((domains) =>
    domains.map((domain) => ({
      ...domain,
      topics: domain.topics.flatMap((topic) => topic.split(" ")),
      keywords: domain.keywords.flatMap((keyword) => keyword.split(" ")),
    })),
  );

  fc.assert(
    fc.property(single, accented, fc.integer({ min: 1, max: 20 }), flood, (domains, written, times, common) => {
      const plain = written.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
      const base = titled(plain);
      const wild = { ...base, title: `${common.join(" ")} ${`${written} `.repeat(times)}`, content: common.join(" ") };

      expect(assign(domains, wild).domains.map(({ name, score }) => [name, score])).toEqual(
        assign(domains, base).domains.map(({ name, score }) => [name, score]),
      );
    }),
  );
});

test("domains that share no word with a page, coming or going, move nothing", () => {
  const others = catalogue(unrelated, "two.example");

  fc.assert(
    fc.property(catalogue(related, "one.example"), others, page, (domains, strangers, somePage) => {
      const alone = assign(domains, somePage);
      fc.pre(alone.how === "match");

      expect(assign([...strangers, ...domains], somePage)).toEqual(alone);
    }),
  );
});

test("a related domain moves only the words it lists", () => {
  fc.assert(
    fc.property(catalogue(related, "one.example"), word, page, (domains, shared, somePage) => {
      const rival: Domain = { name: "rival.two.example", topics: [], keywords: [shared], active: false };
      const before = parts(assign(domains, somePage));

      const after = parts(assign([...domains, rival], somePage));

      for (const [key, score] of after) {
        const earlier = before.get(key);
        if (key.endsWith(` ${shared}`) || earlier === undefined) continue;
        expect(score).toBe(earlier);
      }
    }),
  );
});

test("where words decide nothing, a new domain takes pages or leaves them, and never moves one between others", () => {
  const slug = fc.string({ minLength: 1 });

  fc.assert(
    fc.property(catalogue(related, "one.example"), slug, (domains, someSlug) => {
      const wordless = domains.map(({ name }): Domain => ({ name, topics: [], keywords: [] }));
      fc.pre(wordless.length > 0);
      const somePage = { title: "", content: "", slug: someSlug, cta: { type: "button", label: "", url: "" } };
      const newcomer: Domain = { name: "new.two.example", topics: [], keywords: [] };

      const before = assign(wordless, somePage).domains[0]?.name;
      const after = assign([...wordless, newcomer], somePage).domains[0]?.name;

      expect([before, newcomer.name]).toContain(after);
    }),
  );
});

test("no sequence of pages takes a domain beyond its capacity", () => {
  fc.assert(
    fc.property(catalogue(related, "one.example"), fc.array(page, { maxLength: 30, size: "max" }), (domains, pages) => {
      const network = createDomainNetwork(domains);
      const loads = new Map<string, number>();

      for (const somePage of pages) {
        const { domains: chosen } = network.assign(somePage, (name) => loads.get(name) ?? 0);
        for (const { name } of chosen) loads.set(name, (loads.get(name) ?? 0) + 1);
      }

      for (const { name, capacity = Infinity } of domains) expect(loads.get(name) ?? 0).toBeLessThanOrEqual(capacity);
    }),
  );
});

test("any text is assigned, and the decision survives JSON", () => {
  const anyText = fc.string({ unit: "binary" });
  const wild = fc.record({
    title: anyText,
    slug: anyText,
    content: anyText,
    meta_description: anyText,
    cta: fc.record({ type: anyText, label: anyText, url: anyText }),
  });

  fc.assert(
    fc.property(catalogue(related, "one.example"), wild, (domains, somePage) => {
      const answer = assign(domains, somePage);

      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      expect(answer.domains.length === 0).toBe(answer.how === "none");
    }),
  );
});

test("no mixture of English function words makes an English page foreign", () => {
  const common =
    "the of and a to in is it for on are as at be this from have or by we your our over you with was me i us";
  const mixture = fc.array(fc.constantFrom(...common.split(" "), "lamp", "brighton", "jost"), { maxLength: 40 });
  const english: Domain = { name: "english.example", topics: ["lamp"], keywords: [], locale: "en" };

  fc.assert(
    fc.property(mixture, mixture, (title, content) => {
      const somePage = { ...titled(`lamp ${title.join(" ")}`), content: content.join(" ") };

      expect(names(assign([english], somePage))).toEqual(["english.example"]);
    }),
  );
});

test("a page matches only domains that another search engine finds", () => {
  fc.assert(
    fc.property(catalogue(related, "one.example"), page, (all, somePage) => {
      const domains = all.map(({ name, topics, keywords }): Domain => ({ name, topics, keywords }));
      const oracle = new MiniSearch<Domain>({
        idField: "name",
        fields: ["topics", "keywords"],
        extractField: readField,
      });
      oracle.addAll(domains);
      const { title, slug, meta_description, content, cta } = somePage;
      const found = oracle.search([title, slug, meta_description ?? "", content, cta.label].join(" "));

      const { domains: chosen } = assign(domains, somePage);

      const foundNames = new Set(found.map(({ id }: { id: string }) => id));
      expect(chosen.filter(({ name, score }) => score > 0 && !foundNames.has(name))).toEqual([]);
    }),
  );
});

function assign(domains: Domain[], somePage: AssignablePage): Assignment {
  return createDomainNetwork(domains).assign(somePage, loadOne);
}

function names({ domains }: Assignment): string[] {
  return domains.map(({ name }) => name);
}

function loadOne(): number {
  return 1;
}

function parts({ domains }: Assignment): Map<string, number> {
  return new Map(domains.flatMap(({ name, terms }) => terms.map(({ term, score }) => [`${name} ${term}`, score])));
}

function readField(domain: Domain, field: string): string {
  if (field === "name") return domain.name;
  return (field === "topics" ? domain.topics : domain.keywords).join(" ");
}
