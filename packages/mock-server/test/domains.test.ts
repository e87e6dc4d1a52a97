import { expect, test } from "vitest";
import { createDomainNetwork, type AssignablePage, type Assignment, type Domain } from "../src/domains/network.ts";

const shoes: Domain = { name: "shoes.example", topics: ["running shoes"], keywords: ["sneaker", "marathon"] };
const gardens: Domain = { name: "gardens.example", topics: ["gardening"], keywords: ["plant", "seed", "lawn"] };
const anywhere: Domain = { name: "anywhere.example", topics: [], keywords: [], catchAll: true };

test("a page lands on the domain whose words it shares, in whatever form they stand", () => {
  const { domains, how } = assign([gardens, shoes], { title: "Red SNEAKERS", content: "For your first marathons." });

  expect(names({ domains })).toEqual(["shoes.example"]);
  expect(domains[0]?.terms.map(({ term, words }) => [term, words])).toEqual([
    ["sneaker", ["sneakers"]],
    ["marathon", ["marathons"]],
  ]);
  expect(how).toBe("match");
});

test("an explanation names each word's fields and counts, and its parts add up to the score", () => {
  const { domains } = assign([shoes], {
    title: "Shoes",
    slug: "shoes-for-running",
    meta_description: "A shoe for runners",
    cta: { type: "button", label: "Run", url: "https://a.example/" },
    content: "Shoes, shoes. Running!",
  });

  const terms = domains[0]?.terms ?? [];

  expect(terms.find(({ term }) => term === "shoe")).toMatchObject({
    words: ["shoes", "shoe"],
    fields: [
      { field: "title", count: 1 },
      { field: "slug", count: 1 },
      { field: "meta_description", count: 1 },
      { field: "content", count: 2 },
    ],
  });
  expect(terms.find(({ term }) => term === "run")?.fields.map(({ field }) => field)).toEqual([
    "slug",
    "cta.label",
    "content",
  ]);
  expect(terms.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(domains[0]?.score ?? 0, 9);
});

test("the sentence tells the words, their fields, the others and who was left out", () => {
  const full: Domain = { ...shoes, name: "full.example", capacity: 2 };

  const { sentence } = assign([shoes, gardens, full], { title: "Sneakers", content: "sneaker" }, () => 2);

  expect(sentence).toBe(
    'Placed on shoes.example with a score of 2.58: "sneakers" and "sneaker" in title and content adds 2.58. ' +
      "Not on full.example, which is full with 2 of 2 pages.",
  );
});

test.each<[field: string, stronger: Partial<AssignablePage>, weaker: Partial<AssignablePage>]>([
  ["title over slug", { title: "lawn" }, { slug: "lawn" }],
  ["slug over content", { slug: "lawn" }, { content: "lawn" }],
  ["meta description over content", { meta_description: "lawn" }, { content: "lawn" }],
  ["twice over once", { content: "lawn lawn" }, { content: "lawn" }],
  ["a short text over a long one", { content: "lawn" }, { content: `lawn ${"and so on ".repeat(100)}` }],
])("a word counts more: %s", (_, stronger, weaker) => {
  const strong = assign([gardens], stronger).domains[0]?.score ?? 0;

  expect(strong).toBeGreaterThan(assign([gardens], weaker).domains[0]?.score ?? 0);
});

test("a word repeated without end never counts more than five single mentions", () => {
  const once = assign([gardens], { content: "lawn" }).domains[0]?.score ?? 0;

  const always = assign([gardens], { title: "lawn ".repeat(1_000) }).domains[0]?.score ?? 0;

  expect(always).toBeGreaterThan(once * 4);
  expect(always).toBeLessThanOrEqual(once * 5);
});

test("half of a two-word keyword counts less than a whole word", () => {
  const property: Domain = { name: "property.example", topics: [], keywords: ["real estate"] };
  const leather: Domain = { name: "leather.example", topics: [], keywords: ["leather"] };

  const { domains } = assign([property, leather], { title: "Real leather" });

  expect(names({ domains })[0]).toBe("leather.example");
});

test("domains within 0.6 of the best are kept, three at most, and the next are told", () => {
  const { topics, keywords } = gardens;
  const equals = ["a", "b", "c", "d"].map((letter): Domain => ({ name: `${letter}.example`, topics, keywords }));
  const weak: Domain = { name: "weak.example", topics: [], keywords: ["lawn"] };

  const { domains, nearMisses, cut } = assign([...equals, weak], { title: "Plant a lawn from seed" });

  const best = domains[0]?.score ?? 0;
  expect(domains.map(({ score }) => score)).toEqual([best, best, best]);
  expect(cut).toBeCloseTo(best * 0.6, 12);
  expect(nearMisses.map(({ name, reason }) => [name, reason])).toEqual([
    [equals.find(({ name }) => !names({ domains }).includes(name))?.name, "beyond-limit"],
    ["weak.example", "below-cut"],
  ]);
});

test.each<[reason: string, filter: Partial<Domain>, detail: string]>([
  ["inactive", { active: false }, "takes no new pages"],
  ["capacity", { capacity: 7 }, "is full with 7 of 7 pages"],
  ["locale", { locale: "ja" }, "serves ja, while the page is in Latin script"],
  [
    "blocked-cta-host",
    { blockedCtaHosts: ["bets.example"] },
    "blocks bets.example, while cta.url points to www.bets.example",
  ],
])("a domain that matches is left out, with the reason: %s", (reason, filter, detail) => {
  const cta = { type: "button", label: "Go", url: "https://www.bets.example./now?x=1" };

  const assignment = assign([{ ...shoes, ...filter }, anywhere], { title: "Sneakers", cta }, () => 7);

  expect(assignment.rejected).toMatchObject([{ name: "shoes.example", reason, detail }]);
  expect(assignment.rejected[0]?.score).toBeGreaterThan(0);
  expect(names(assignment)).toEqual(["anywhere.example"]);
});

test("a blocked host does not block hosts that merely end alike, nor an address that is no URL", () => {
  const strict: Domain = { ...shoes, blockedCtaHosts: ["bets.example"] };

  for (const url of ["https://nobets.example/", "nonsense"]) {
    const assignment = assign([strict], { title: "Sneakers", cta: { type: "button", label: "Go", url } });

    expect(names(assignment)).toEqual(["shoes.example"]);
  }
});

test("a page without a shared word goes to the catch-all", () => {
  const { how, domains } = assign([shoes, gardens, anywhere], { title: "Chess lessons" });

  expect(how).toBe("catch-all");
  expect(domains).toEqual([{ name: "anywhere.example", score: 0, terms: [] }]);
});

test("without a catch-all the slug's hash picks one domain, in proportion to the weights", () => {
  const network = createDomainNetwork([
    { name: "heavy.example", topics: [], keywords: [], weight: 3 },
    { name: "light.example", topics: [], keywords: [] },
  ]);

  const picks = Array.from({ length: 4_000 }, (_, index) => network.assign(page({ slug: `page-${index}` }), noLoad));

  expect(new Set(picks.map(({ how, domains }) => `${how} ${domains.length}`))).toEqual(new Set(["rendezvous 1"]));
  const heavy = picks.filter((pick) => names(pick)[0] === "heavy.example").length;
  expect(heavy).toBeGreaterThan(2_850);
  expect(heavy).toBeLessThan(3_150);
});

test("domains with the same words share the first place in proportion to their weights", () => {
  const network = createDomainNetwork([shoes, { ...shoes, name: "heavy.example", weight: 3 }]);

  const picks = Array.from({ length: 4_000 }, (_, index) =>
    network.assign(page({ title: "Sneakers", slug: `page-${index}` }), noLoad),
  );

  const heavy = picks.filter((pick) => names(pick)[0] === "heavy.example").length;
  expect(heavy).toBeGreaterThan(2_850);
  expect(heavy).toBeLessThan(3_150);
});

test("no domain at all is an answer too", () => {
  expect(assign([], { title: "Sneakers" })).toMatchObject({ how: "none", domains: [], rejected: [] });
  expect(assign([{ ...shoes, active: false }], {})).toMatchObject({
    how: "none",
    domains: [],
    rejected: [{ name: "shoes.example", reason: "inactive", score: 0 }],
    sentence: "No domain can take this page. Not on shoes.example, which takes no new pages.",
  });
});

test.each<[title: string, expected: string]>([
  ["東京の旅行案内", "ja.example"],
  ["旅行", "ja.example"],
  ["مرحبا بالعالم", "ar.example"],
  ["Добро пожаловать", "anywhere.example"],
  ["Nothing in common", "anywhere.example"],
  ["12345 🎉", "anywhere.example"],
])("a page in another script finds its home: %s", (title, expected) => {
  const japanese: Domain = { name: "ja.example", topics: ["旅行"], keywords: ["靴"], locale: "ja", catchAll: true };
  const arabic: Domain = { name: "ar.example", topics: [], keywords: ["فندق"], locale: "ar", catchAll: true };

  expect(names(assign([japanese, arabic, anywhere], { title }))).toEqual([expected]);
});

test.each<[locale: string, expected: string]>([
  ["de-CH", "anywhere.example"],
  ["de-AT", "wien.example"],
  ["de", "wien.example"],
  ["en", "anywhere.example"],
])("a page that names its locale is held to it: %s", (locale, expected) => {
  const vienna: Domain = { name: "wien.example", topics: ["Möbel"], keywords: [], locale: "de-AT" };

  expect(names(assign([vienna, anywhere], { title: "Moebel und Möbel", locale }))).toEqual([expected]);
});

test.each<[keyword: string, text: string]>([
  ["café", "The CAFE\u0301s of Vienna"],
  ["fitness", "ﬁtness"],
  ["shoes", "ＳＨＯＥ"],
  ["women", "the women’s race"],
  ["ランニングシューズ", "新しいﾗﾝﾆﾝｸﾞｼｭｰｽﾞです"],
  ["靴", "赤い靴を買う"],
  ["รองเท้า", "ขายรองเท้าวิ่ง"],
  ["أحذية", "أَحْذِيَة جلدية"],
  ["한국어", "한국어를 배우세요"],
  ["㈠㈡", "第㈠㈡章"],
])("the keyword %s is found in: %s", (keyword, text) => {
  const assignment = assign([{ name: "a.example", topics: [], keywords: [keyword] }, anywhere], { content: text });

  expect(assignment.how).toBe("match");
});

test.each<[what: string, page: Partial<AssignablePage>]>([
  [
    "names of object internals",
    { title: "__proto__ constructor toString", slug: "__proto__", content: "hasOwnProperty" },
  ],
  ["lone surrogates and emoji", { title: "\ud800 sneakers \udfff 👟", content: "\udc00".repeat(10_000) }],
  ["500 000 characters without a space", { title: "sneakers", content: "x".repeat(500_000) }],
  ["500 000 characters of one word", { title: "sneakers", content: "sneaker ".repeat(62_500) }],
  ["500 000 characters of different words", { title: "sneakers", content: differentWords(500_000) }],
  ["500 000 characters that each stand for many", { title: "sneakers", content: "\ufdfa".repeat(500_000) }],
  ["500 000 ways to write one word", { title: "sneakers", content: accentedForms(500_000) }],
  ["500 000 characters of Japanese", { title: "sneakers", content: "ランニング靴".repeat(83_000) }],
])("hostile text is only text: %s", (_, fields) => {
  const assignment = assign([shoes, gardens, anywhere], fields);

  expect(["shoes.example", "anywhere.example"]).toContain(names(assignment)[0]);
  expect(assignment.sentence.length).toBeLessThan(2_000);
});

function assign(domains: Domain[], fields: Partial<AssignablePage>, load = noLoad): Assignment {
  return createDomainNetwork(domains).assign(page(fields), load);
}

function page(fields: Partial<AssignablePage>): AssignablePage {
  return { title: "", content: "", slug: "", cta: { type: "button", label: "", url: "https://a.example/" }, ...fields };
}

function names({ domains }: Pick<Assignment, "domains">): string[] {
  return domains.map(({ name }) => name);
}

function noLoad(): number {
  return 0;
}

function differentWords(length: number): string {
  return Array.from({ length: length / 7 }, (_, index) => `w${index.toString(36).padStart(5, "a")}`).join(" ");
}

function accentedForms(length: number): string {
  const accents = ["", "\u0300", "\u0301", "\u0302", "\u0303", "\u0304"];
  return Array.from({ length: length / 13 }, (_, index) => {
    let rest = index;
    return Array.from("sneaker", (letter) => {
      const accented = letter + (accents[rest % accents.length] ?? "");
      rest = Math.floor(rest / accents.length);
      return accented;
    }).join("");
  }).join(" ");
}
