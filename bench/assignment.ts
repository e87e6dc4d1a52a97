// Placing a page of 300 words on domains, by the size of the catalogue, against a well-known search library.
import type { Domain } from "@landing-page-service/mock-server";
import { type Contenders, startAll, takeTurns } from "./measure.ts";
import { randomNumbers } from "./pages.ts";
import type { Part } from "./report.ts";

/** Times per page. */
export const assignment: Part = {
  async measure() {
    await using started = await startAll("assignment.ts", ["1000 domains", "10000 domains"]);
    const measurements = started.subjects.flatMap((subject) => [
      [`mock service, ${subject.name}`, () => subject.wall("place", 150)] as const,
      [`with its reasons, ${subject.name}`, () => subject.wall("assign", 150)] as const,
      [`minisearch, ${subject.name}`, () => subject.wall("minisearch", 150)] as const,
    ]);
    for (const subject of started.subjects) await subject.answer("check");
    return [
      {
        name: "assignment of a 300-word page",
        unit: "µs",
        baseline: "mock service, 1000 domains",
        samples: await takeTurns({ warmUp: 4, rounds: 11 }, Object.fromEntries(measurements)),
        goals: [
          { of: "mock service, 10000 domains", against: "mock service, 1000 domains", atMost: 5 },
          { of: "minisearch, 10000 domains", against: "mock service, 10000 domains", atLeast: 50 },
        ],
      },
    ];
  },
};

export const contenders: Contenders = {
  "1000 domains": () => placePages(1000),
  "10000 domains": () => placePages(10_000),
};

/** Made-up words that catalogue and pages share, none of them as common as `the`. */
const vocabulary = Array.from({ length: 5000 }, (_, number) => {
  const syllables = ["ba", "de", "ki", "lo", "mu", "na", "po", "ra", "se", "tu"];
  return Array.from(String(number).padStart(4, "0"), (digit) => syllables[Number(digit)]).join("");
});

/** Nearly half the words of an English text are of this kind. */
const commonWords = "the of and a to in is you that it for on are as with at be this from have or by we your our".split(
  " ",
);

async function placePages(size: number) {
  const { createDomainNetwork } = await import("#mock-server");
  const { default: MiniSearch } = await import("minisearch");
  const domains = makeDomains(size);
  const pages = Array.from({ length: 100 }, (_, number) => makeLongPage(number));
  const network = createDomainNetwork(domains);
  const search = new MiniSearch({
    idField: "name",
    fields: ["topics", "keywords"],
    extractField: (domain: Domain, field) =>
      field === "name" ? domain.name : ((field === "topics" ? domain.topics : domain.keywords) ?? []).join(" "),
  });
  search.addAll(domains);

  const assign = (page: LongPage) => network.assign(page, () => 0).domains.map(({ name }) => name);
  const find = ({ title, slug, meta_description, cta, content }: LongPage) =>
    search.search([title, slug, meta_description, cta.label, content].join(" ")).map(({ id }) => String(id));
  let turn = 0;
  const next = () => pages[(turn += 1) % pages.length] ?? makeLongPage(0);
  return {
    /** As the service does for a create; reasons are given to whoever asks. */
    place: () => network.place(next(), () => 0),
    assign: () => assign(next()),
    minisearch: () => find(next()),
    /** They weigh words differently, but what is placed on a domain must be found by the search as well. */
    check() {
      for (const page of pages) {
        const found = new Set(find(page));
        if (!assign(page).every((name) => found.has(name)))
          throw new Error(`${page.slug} is placed where no word matches`);
      }
    },
  };
}

type LongPage = ReturnType<typeof makeLongPage>;

/** Words that come early in the vocabulary are drawn more often. */
function drawWords(random: () => number, count: number): string[] {
  return Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 2 * vocabulary.length)] ?? "");
}

function drawSentence(random: () => number, count: number): string {
  const words = drawWords(random, count);
  return words
    .map((word) => (random() < 0.45 ? commonWords[Math.floor(random() * commonWords.length)] : word))
    .join(" ");
}

function makeDomains(size: number): Domain[] {
  const random = randomNumbers(size);
  return Array.from({ length: size }, (_, number) => ({
    name: `domain-${number}.example`,
    topics: drawWords(random, 2),
    keywords: drawWords(random, 8),
  }));
}

function makeLongPage(number: number) {
  const random = randomNumbers(number);
  return {
    title: drawSentence(random, 6),
    slug: drawWords(random, 3).join("-"),
    meta_description: drawSentence(random, 15),
    cta: { type: "button", label: drawSentence(random, 2), url: "https://shop.example/" },
    content: drawSentence(random, 300),
  };
}
