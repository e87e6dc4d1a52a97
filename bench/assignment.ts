// Placing a page on domains, by its length and the size of the catalogue, against a well-known search library.
import type { Domain } from "@landing-page-service/mock-server";
import { type Contenders, manyRounds, startAll, takeTurns } from "./measure.ts";
import { randomNumbers } from "./pages.ts";
import type { Part } from "./report.ts";

/** Times per page. */
export const assignment: Part = {
  async measure() {
    await using started = await startAll("assignment.ts", ["60 words, shipped", "300 words, 1000 domains"]);
    const measurements = started.subjects.flatMap((subject) => [
      [`mock service, ${subject.name}`, () => subject.wall("assign", 150)] as const,
      [`minisearch, ${subject.name}`, () => subject.wall("minisearch", 150)] as const,
    ]);
    for (const subject of started.subjects) await subject.answer("check");
    return [
      {
        name: "assignment of a page, with its reasons",
        unit: "µs",
        baseline: "mock service, 60 words, shipped",
        samples: await takeTurns(manyRounds, Object.fromEntries(measurements)),
        goals: [
          { of: "mock service, 60 words, shipped", atMost: 100 },
          { of: "mock service, 300 words, 1000 domains", atMost: 1000 },
        ],
      },
    ];
  },
};

export const contenders: Contenders = {
  "60 words, shipped": async () => placePages((await import("#mock-server")).defaultCatalogue, 60),
  "300 words, 1000 domains": () => placePages(makeDomains(1000), 300),
  // For two revisions, whose own catalogues may differ.
  "60 words, 100 domains": () => placePages(makeDomains(100), 60),
};

/** Made-up words that the made-up catalogue and its pages share, none of them as common as `the`. */
const madeUpWords = Array.from({ length: 5000 }, (_, number) => {
  const syllables = ["ba", "de", "ki", "lo", "mu", "na", "po", "ra", "se", "tu"];
  return Array.from(String(number).padStart(4, "0"), (digit) => syllables[Number(digit)]).join("");
});

/** Nearly half the words of an English text are of this kind. */
const commonWords = "the of and a to in is you that it for on are as with at be this from have or by we your our".split(
  " ",
);

async function placePages(domains: readonly Domain[], words: number) {
  const { createDomainNetwork } = await import("#mock-server");
  const { default: MiniSearch } = await import("minisearch");
  const vocabulary = domains.flatMap(({ topics, keywords }) =>
    [...topics, ...keywords].flatMap((phrase) => phrase.split(" ")),
  );
  const pages = Array.from({ length: 100 }, (_, number) => makePage(number, words, vocabulary));
  const network = createDomainNetwork(domains);
  const search = new MiniSearch({
    idField: "name",
    fields: ["topics", "keywords"],
    extractField: (domain: Domain, field) =>
      field === "name" ? domain.name : ((field === "topics" ? domain.topics : domain.keywords) ?? []).join(" "),
  });
  search.addAll(domains);

  const assign = (page: Page) => network.assign(page, () => 0).domains.map(({ name }) => name);
  const find = ({ title, slug, meta_description, cta, content }: Page) =>
    search.search([title, slug, meta_description, cta.label, content].join(" ")).map(({ id }) => String(id));
  let turn = 0;
  const next = () => pages[(turn += 1) % pages.length] ?? makePage(0, words, vocabulary);
  return {
    assign: () => assign(next()),
    minisearch: () => find(next()),
    /** They weigh words differently, but what is placed on a domain must be found by the search as well. */
    check() {
      for (const page of pages) {
        const found = new Set(find(page));
        const { how, domains } = network.assign(page, () => 0);
        if (how === "match" && !domains.every(({ name }) => found.has(name)))
          throw new Error(`${page.slug} is placed where no word matches`);
      }
    },
  };
}

type Page = ReturnType<typeof makePage>;

/** Words that come early in the vocabulary are drawn more often. */
function drawWords(random: () => number, count: number, vocabulary: readonly string[]): string[] {
  return Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 2 * vocabulary.length)] ?? "");
}

function drawSentence(random: () => number, count: number, vocabulary: readonly string[]): string {
  const words = drawWords(random, count, vocabulary);
  return words
    .map((word) => (random() < 0.45 ? commonWords[Math.floor(random() * commonWords.length)] : word))
    .join(" ");
}

function makeDomains(size: number): Domain[] {
  const random = randomNumbers(size);
  return Array.from({ length: size }, (_, number) => ({
    name: `domain-${number}.example`,
    topics: drawWords(random, 2, madeUpWords),
    keywords: drawWords(random, 8, madeUpWords),
  }));
}

function makePage(number: number, words: number, vocabulary: readonly string[]) {
  const random = randomNumbers(number);
  return {
    title: drawSentence(random, 6, vocabulary),
    slug: drawWords(random, 3, vocabulary).join("-"),
    meta_description: drawSentence(random, 15, vocabulary),
    cta: { type: "button", label: drawSentence(random, 2, vocabulary), url: "https://shop.example/" },
    content: drawSentence(random, words, vocabulary),
  };
}
