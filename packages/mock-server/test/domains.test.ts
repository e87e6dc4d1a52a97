import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AssignablePage,
  type Assignment,
  createDomainNetwork,
  type Domain,
  type PageMatch,
} from "../src/domains/network.ts";

const shoes: Domain = { name: "shoes.example", topics: ["running shoes"], keywords: ["sneaker", "marathon"] };
const gardens: Domain = { name: "gardens.example", topics: ["gardening"], keywords: ["plant", "tree", "seed", "lawn"] };
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

test("an explanation holds every number of the score: fields, counts, emphasis, strength, specificity, rarity", () => {
  const runners: Domain = { name: "runners.example", topics: ["running shoes"], keywords: ["shoe", "trail"] };
  const rival: Domain = { name: "rival.example", topics: [], keywords: ["shoes"] };

  const { domains } = assign([runners, rival], {
    title: "Running shoes",
    slug: "shoes",
    meta_description: "A shoe for any trail",
    cta: { type: "button", label: "Shoes!", url: "https://a.example/" },
    content: "Shoes, shoes.",
  });

  const terms = domains[0]?.terms ?? [];
  expect(terms.map(({ term, strength }) => [term, strength])).toEqual([
    ["running shoes", 2],
    ["shoe", 1],
    ["trail", 1],
  ]);
  expect(terms[1]).toMatchObject({
    words: ["shoes", "shoe"],
    fields: [
      { field: "title", count: 1, weight: 3 },
      { field: "slug", count: 1, weight: 0 },
      { field: "meta_description", count: 1, weight: 2 },
      { field: "content", count: 2, weight: 1 },
      { field: "cta.label", count: 1, weight: 1 },
    ],
    emphasis: 28 / 10,
    rarity: Math.log(11) / Math.log(21),
  });
  for (const { emphasis, strength, specificity, rarity, score } of terms)
    expect(score).toBeCloseTo(emphasis * strength * specificity * rarity, 10);
  expect(terms.reduce((sum, { score }) => sum + score, 0)).toBe(domains[0]?.score);
});

test("a word that a domain lists in several spellings counts once, also if other domains list it", () => {
  const bakery: Domain = { name: "bakery.example", topics: ["Éclair"], keywords: ["eclair"] };
  const rival: Domain = { name: "rival.example", topics: [], keywords: ["éclair"] };

  const { domains } = assign([bakery, rival], { title: "Eclairs" });

  expect(domains[0]?.terms).toMatchObject([{ strength: 2, rarity: Math.log(11) / Math.log(21) }]);
});

test("the explanation leads with the words that decided, and tells the others and who was left out", () => {
  const full: Domain = { ...shoes, name: "full.example", capacity: 2 };

  const { explanation } = assign([shoes, gardens, full], { title: "Sneakers", content: "sneaker, seed" }, () => 2);

  expect(explanation).toBe(
    '"sneakers" and "sneaker" (title, content: 1.80) assign this page to shoes.example with 1.80. ' +
      "Near, but not enough: gardens.example (1.00). Not on full.example, which is full with 2 of 2 pages.",
  );
});

test.each<[field: string, stronger: Partial<AssignablePage>, weaker: Partial<AssignablePage>]>([
  ["title over slug", { title: "lawn" }, { slug: "lawn" }],
  ["slug over content", { slug: "lawn" }, { content: "lawn" }],
  ["meta description over content", { meta_description: "lawn" }, { content: "lawn" }],
  ["a short text over a long one", { content: "lawn" }, { content: `lawn ${differentWords(1_000)}` }],
])("a word counts more: %s", (_, stronger, weaker) => {
  expect(scoreOnGardens(stronger)).toBeGreaterThan(scoreOnGardens(weaker));
});

test("the explanation spells a word as the catalogue does where the page means just that, else as the page has it", () => {
  const bikes: Domain = { name: "rad.example", topics: ["Fahrräder"], keywords: ["Zahnärztin"] };

  const { explanation } = assign([bikes], { title: "FAHRRÄDER für die Zahnärztin", content: "Fahrräder." });

  expect(explanation).toContain('"Fahrräder" (title, content: ');
  expect(assign([gardens], { title: "Lawns" }).explanation).toContain('"lawns" (title: ');
});

test("a topic outweighs two keywords in the same place", () => {
  const academy: Domain = { name: "academy.example", topics: ["dentistry"], keywords: [] };
  const clinic: Domain = { name: "clinic.example", topics: [], keywords: ["patients"] };

  expect(names(assign([academy, clinic], { title: "Dentistry for patients" }))[0]).toBe("academy.example");
});

test("of two domains that share as much, the one that shares a phrase ranks first, and the evidence is the same", () => {
  const cleaners: Domain = { name: "cleaners.example", topics: ["carpet cleaning"], keywords: [] };
  const shops: Domain = { name: "shops.example", topics: ["carpet"], keywords: [] };

  const { domains, cut } = assign([shops, cleaners], { title: "Carpet cleaning", slug: "page" });

  expect(domains.map(({ name, score, evidence }) => [name, score, evidence])).toEqual([
    ["cleaners.example", 6, 4],
    ["shops.example", 4, 4],
  ]);
  expect(cut).toBeCloseTo(3.6, 10);
});

test.each<[title: string, expected: string]>([
  ["Used cars with a warranty", "dealer.example"],
  ["A used car", "dealer.example"],
  ["Cars we used", "anywhere.example"],
  ["Used furniture", "anywhere.example"],
  ["Real leather", "anywhere.example"],
  ["Check your teeth in the mirror", "anywhere.example"],
  ["Where to check in", "dealer.example"],
])("a phrase of the catalogue is found as a phrase only: %s", (title, expected) => {
  const dealer: Domain = { name: "dealer.example", topics: ["used cars"], keywords: ["real estate", "check in"] };

  expect(names(assign([dealer, anywhere], { title, content: title }))).toEqual([expected]);
});

test.each<[written: string, other: string]>([
  ["universe", "university"],
  ["news", "new homes"],
  ["used", "about us"],
  ["organic", "organ"],
  ["filling", "fill the form"],
  ["policy", "police"],
  ["general", "generous"],
  ["accounting", "your account"],
  ["training", "the train"],
  ["earrings", "an ear"],
])("words that only look alike stay apart: %s, %s", (written, other) => {
  const topic = written === "used" ? "used cars" : written;

  expect(assign([{ name: "a.example", topics: [topic], keywords: [] }, anywhere], { title: other }).unmatched).toBe(
    "nothing-matched",
  );
});

test.each<[keyword: string, title: string]>([
  ["shoe", "shoes"],
  ["hike", "hiking"],
  ["running", "run"],
  ["house", "houses"],
  ["bakery", "bakeries"],
  ["watch", "watches"],
  ["plan", "planned"],
  ["insure", "insured"],
  ["brew", "brewed"],
  ["decorate", "decorating"],
])("English inflection is taken off on both sides: %s, %s", (keyword, title) => {
  expect([decideByTopic(keyword, title), decideByTopic(title, keyword)]).toEqual(["match", "match"]);
});

test("endings are English only where page and domain may be English", () => {
  const german: Domain = { name: "a.example", topics: ["Reise"], keywords: [], locale: "de" };
  const open: Domain = { name: "b.example", topics: ["Reise"], keywords: [] };
  const content = "Wir planen mit Ihnen und für Sie, was nicht jeder plant.";

  expect(assign([german, open], { title: "Reise", content }).domains).toHaveLength(2);
  expect(assign([german, open], { title: "Reises", content }).unmatched).toBe("nothing-matched");
});

test("a call to action places nothing, and supports what the page says elsewhere", () => {
  const cta = { type: "button", label: "Plant a lawn: gardening, seed", url: "https://a.example/" };

  const alone = assign([gardens, anywhere], { title: "Welcome", cta });
  const supported = assign([gardens, anywhere], { title: "Welcome to the lawn", cta });

  expect(alone).toMatchObject({ how: "catch-all", unmatched: "nothing-matched" });
  expect(supported.domains[0]?.terms.map(({ term }) => term)).toEqual(["lawn"]);
  expect(supported.domains[0]?.terms[0]?.fields.map(({ field }) => field)).toEqual(["title", "cta.label"]);
});

test("below the threshold nothing matches, which is distinguished from nothing in common", () => {
  const below = assign([gardens, anywhere], { title: "Welcome", content: "We sat on the lawn." });

  expect(below).toMatchObject({ how: "catch-all", unmatched: "thin-evidence", threshold: 1.9 });
  expect(below.nearMisses).toEqual([{ name: "gardens.example", score: 1, evidence: 1, reason: "thin-evidence" }]);
  expect(below.explanation).toBe(
    "No domain has enough evidence (gardens.example came nearest with 1.00, and it takes more than 1.90), so it goes to the catch-all anywhere.example.",
  );
  expect(assign([gardens, anywhere], { title: "Welcome" })).toMatchObject({
    unmatched: "nothing-matched",
    explanation: "No domain lists a word of this page, so it goes to the catch-all anywhere.example.",
  });
  expect(assign([{ ...gardens, active: false }, anywhere], { title: "Lawn" }).unmatched).toBe("rejected");
});

test.each<[what: string, fields: Partial<AssignablePage>, rule: PageMatch]>([
  ["its slug", { slug: "summer-sale" }, { slug: "summer-sale" }],
  ["its words, in any form", { title: "Kites in summer", content: "For children" }, { words: ["kite", "children"] }],
  ["a phrase", { content: "The summer sales begin." }, { words: ["summer sale"] }],
  ["both", { slug: "x", title: "Kites" }, { slug: "x", words: ["kites"] }],
  ["Japanese", { title: "赤い靴です" }, { words: ["靴"] }],
])("a pin brings a page to its domain, and is named: %s", (_, fields, rule) => {
  const pinned: Domain = { ...gardens, pins: [{ slug: "other" }, rule] };

  const assignment = assign([shoes, pinned, anywhere], fields);

  expect(assignment).toMatchObject({ how: "pin", rule, domains: [{ name: "gardens.example" }] });
  expect(assignment.explanation).toMatch(/^The catalogue pins pages with .+ to gardens\.example\.$/);
});

test("a pin overrules words, but not what a domain may not serve", () => {
  const pins = [{ slug: "sneakers" }];

  expect(names(assign([shoes, { ...gardens, pins }], { title: "Sneakers", slug: "sneakers" }))).toEqual([
    "gardens.example",
  ]);
  expect(assign([shoes, { ...gardens, pins, active: false }], { title: "Sneakers", slug: "sneakers" })).toMatchObject({
    how: "match",
    domains: [{ name: "shoes.example" }],
  });
});

test("if no domain of a rule can take the page, a pin decides, then words, and the decision says why", () => {
  const closed: Domain = { name: "closed.example", topics: [], keywords: [], active: false };
  const pinned: Domain = { name: "pinned.example", topics: [], keywords: [], pins: [{ words: ["sale"] }], capacity: 1 };
  const network = createDomainNetwork([closed, pinned, shoes]);
  const rules = [{ match: { slug: "page" }, domains: ["closed.example"] }];
  const sale = page({ title: "Sneaker sale", slug: "page" });

  const toPin = network.assign(sale, () => 0, rules);
  const toWords = network.assign(sale, () => 1, rules);

  expect(toPin).toMatchObject({
    how: "pin",
    domains: [{ name: "pinned.example" }],
    rejected: [{ reason: "inactive" }],
  });
  expect(toWords).toMatchObject({
    how: "match",
    domains: [{ name: shoes.name }],
    rejected: [
      { name: "closed.example", reason: "inactive" },
      { name: "pinned.example", reason: "capacity" },
    ],
  });
});

test("a slug counts what the title has not, for it mostly repeats the title", () => {
  expect(scoreOnGardens({ title: "lawn", slug: "lawn" })).toBe(scoreOnGardens({ title: "lawn" }));
  expect(scoreOnGardens({ title: "lawn", slug: "seed" })).toBeGreaterThan(scoreOnGardens({ title: "lawn" }));
});

test.for([
  ["tags and attributes", '<div class="lawn"><a href="/plant">Here</a></div>'],
  ["styles and scripts", '<style>.lawn {}</style><script>const plant = "seed";</script>Here'],
  ["comments", "<!-- <b>lawn</b> plant seed -->Here"],
  ["a style that never ends", "Here<style>lawn plant seed"],
])("what no reader of a content sees places nothing: %s", ([, content = ""]) => {
  expect(assign([gardens], { content }).unmatched).toBe("nothing-matched");
});

test("what a reader of HTML sees is read: text between tags, entities, other text in brackets", () => {
  const content = "<p>Lawn&nbsp;plant</p>for <seed> &amp; <b>pl</b>";

  expect(
    assign([gardens], { content })
      .domains[0]?.terms.map(({ term }) => term)
      .toSorted(),
  ).toEqual(["lawn", "plant", "seed"]);
  const cafe: Domain = { name: "cafe.example", topics: ["café"], keywords: [] };
  expect(assign([cafe], { content: "<h1>Caf&eacute;</h1>", meta_description: "A cafe" }).how).toBe("match");
});

test.for([
  ["Danish or Norwegian", "Restaurant: fine dining", "Vi serverer fisk fra havnen hver aften."],
  ["Swedish", "Restaurant: fine dining", "Boka bord hos oss och njut av havet, vad du än vill ha."],
  ["Finnish", "Restaurant: fine dining", "Olemme auki myös lauantaisin, kun olet kaupungissa."],
  ["Polish", "Restaurant: fine dining", "Czekamy na Ciebie, nie tylko od święta, jak nasza rodzina."],
  ["Indonesian", "Restaurant: fine dining", "Kami menunggu anda dengan makanan untuk keluarga."],
])("a page in %s is for no English domain, whatever word it borrows", ([, title = "", content = ""]) => {
  const english: Domain = { name: "english.example", topics: ["restaurant"], keywords: ["fine dining"], locale: "en" };

  expect(assign([english, anywhere], { title, content })).toMatchObject({
    how: "catch-all",
    rejected: [{ name: "english.example", reason: "locale" }],
  });
});

test.for([
  [
    "Grandmother's ring, made new",
    "We reset old stones in recycled gold. Bring the ring, and you choose over a cup of tea.",
  ],
  ["Rings over water", "We make them over in Wales."],
  ["A ring in an hour", "We cast rings in an hour, all over town. It is over when we say so."],
])("words that English shares with its neighbours make no English page Dutch: %s", ([title = "", content = ""]) => {
  const jeweller: Domain = { name: "rings.example", topics: ["ring"], keywords: ["recycled gold"], locale: "en" };

  expect(assign([jeweller, anywhere], { title, content })).toMatchObject({
    how: "match",
    domains: [{ name: "rings.example" }],
  });
});

/** A content that says enough for a title to be a mere hook; no domain here lists a word of it. */
const otherContent = "Thousands joined the marches, sang songs together and demanded better schools.";

test.for<[what: string, fields: Partial<AssignablePage>]>([
  ["one word", { title: "Gardening" }],
  [
    "one word in all fields",
    { title: "Gardening", slug: "gardening", meta_description: "Gardening", content: "Gardening" },
  ],
  ["one word in two forms", { title: "A lawn", content: "Lawns" }],
  ["two everyday words", { title: "Plant a tree", slug: "plant-a-tree", meta_description: "Tree, plant" }],
])("thin evidence on a page that says much else goes to the catch-all: %s", ([, fields]) => {
  const page = { ...fields, content: `${otherContent} ${fields.content ?? ""}` };

  expect(assign([gardens, anywhere], page)).toMatchObject({
    how: "catch-all",
    unmatched: "thin-evidence",
    nearMisses: [{ name: "gardens.example", reason: "thin-evidence" }],
    domains: [{ name: "anywhere.example" }],
  });
});

test.for<[what: string, fields: Partial<AssignablePage>]>([
  ["a word and another", { title: "Gardening", content: "Your lawn" }],
  ["an uncommon word and an everyday one", { title: "A lawn", slug: "plant", meta_description: "Your plant and lawn" }],
  ["three everyday words", { title: "Plant a tree", meta_description: "Plants, trees and a garden" }],
  ["a phrase", { title: "A herb garden" }],
])("evidence from several words or a phrase assigns such a page: %s", ([, fields]) => {
  const herbs: Domain = { ...gardens, topics: ["gardening", "herb garden"] };
  const page = { ...fields, content: `${otherContent} ${fields.content ?? ""}` };

  expect(assign([herbs, anywhere], page)).toMatchObject({ how: "match", domains: [{ name: "gardens.example" }] });
});

test("on a bare page a topic or one uncommon word is enough, an everyday keyword is not", () => {
  const [topic, uncommon, everyday] = ["Gardening", "A lawn", "A tree"].map((title) =>
    assign([gardens, anywhere], { title }),
  );

  expect([topic?.how, uncommon?.how, everyday?.how]).toEqual(["match", "match", "catch-all"]);
});

test("one or two everyday words never assign a page, whatever else it says and wherever they stand", () => {
  const everyday = ["bus", "water", "hall", "league", "book", "ring", "board", "garden", "night"];
  const domains = everyday.map((keyword, index): Domain => ({
    name: `d${index}.example`,
    topics: [],
    keywords: [keyword],
  }));
  const some = fc.uniqueArray(fc.constantFrom(...everyday), { minLength: 1, maxLength: 2 });
  const one: Domain = { name: "one.example", topics: [], keywords: everyday };

  fc.assert(
    fc.property(some, fc.constantFrom("", otherContent), (words, content) => {
      const text = words.join(" ");
      const page = { title: text, slug: words.join("-"), meta_description: text, content: `${text}. ${content}` };

      expect(assign([one, ...domains, anywhere], page).how).toBe("catch-all");
    }),
  );
});

test("a longer content takes more evidence, because it mentions more", () => {
  const short = assign([gardens], { content: otherContent });
  const long = assign([gardens], { content: `${otherContent} ${differentWords(200)}` });
  const longest = assign([gardens], { content: differentWords(70_000) });

  expect([short.threshold, long.threshold, longest.threshold]).toEqual([4, 5.4, 5.6]);
});

test("a phrase goes on beyond `for`, in a domain's words and in a pin's", () => {
  const sale: Domain = {
    name: "homes.example",
    topics: ["house for sale"],
    keywords: [],
    pins: [{ words: ["gift for dad"] }],
  };

  expect(assign([sale, anywhere], { title: "A house for sale in Leeds" }).how).toBe("match");
  expect(assign([sale, anywhere], { title: "The best gift for dad" }).how).toBe("pin");
});

test("what hyphens join is one word too, and parts no phrase", () => {
  const bikes: Domain = { name: "bikes.example", topics: ["ebikes", "city e bike"], keywords: ["check up"] };

  expect(
    assign([bikes], { title: "City e-bikes", content: "A check-up a year." }).domains[0]?.terms.map(({ term }) => term),
  ).toEqual(["city e bike", "ebikes", "check up"]);
});

test("domains within 0.6 of the best are kept, at most three, and the next ones are near misses", () => {
  const { topics, keywords } = gardens;
  const equals = ["a", "b", "c", "d"].map((letter): Domain => ({ name: `${letter}.example`, topics, keywords }));
  const weak: Domain = { name: "weak.example", topics: [], keywords: ["lawn", "seed"] };

  const { domains, nearMisses, cut } = assign([...equals, weak], { title: "Gardening: plant a lawn from seed" });

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

  const assignment = assign([{ ...shoes, ...filter }, anywhere], { title: "Sneaker", cta }, () => 7);

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
  expect(domains).toEqual([{ name: "anywhere.example", score: 0, evidence: 0, terms: [] }]);
});

test.each<[what: string, fields: Partial<AssignablePage>, how: string]>([
  ["without a catch-all the slug's hash picks one domain", {}, "rendezvous"],
  ["domains with the same words share the first place", { title: "Sneakers" }, "match"],
])("%s, each as often as the others", (_, fields, how) => {
  const network = createDomainNetwork([shoes, { ...shoes, name: "b.example" }]);

  const picks = Array.from({ length: 4_000 }, (_, index) =>
    network.assign(page({ ...fields, slug: `page-${index}` }), noLoad),
  );

  expect(new Set(picks.map((pick) => pick.how))).toEqual(new Set([how]));
  const first = picks.filter((pick) => names(pick)[0] === "b.example").length;
  expect(first).toBeGreaterThan(1_850);
  expect(first).toBeLessThan(2_150);
});

test("a page may have no domain at all", () => {
  expect(assign([], { title: "Sneakers" })).toMatchObject({ how: "none", domains: [], rejected: [] });
  expect(assign([{ ...shoes, active: false }], {})).toMatchObject({
    how: "none",
    domains: [],
    rejected: [{ name: "shoes.example", reason: "inactive", score: 0 }],
    explanation: "No domain can take this page. Not on shoes.example, which takes no new pages.",
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
  const assignment = assign([{ name: "a.example", topics: [keyword], keywords: [] }, anywhere], { title: text });

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
  expect(assignment.explanation.length).toBeLessThan(2_000);
});

function assign(
  domains: Domain[],
  fields: Partial<AssignablePage>,
  load: (name: string) => number = noLoad,
): Assignment {
  return createDomainNetwork(domains).assign(page(fields), load);
}

function page(fields: Partial<AssignablePage>): AssignablePage {
  return { title: "", content: "", slug: "", cta: { type: "button", label: "", url: "https://a.example/" }, ...fields };
}

/** The score of a page about gardening that has these words too. */
function scoreOnGardens({ title = "", ...fields }: Partial<AssignablePage>): number {
  return assign([gardens], { ...fields, title: `gardening ${title}` }).domains[0]?.score ?? 0;
}

function decideByTopic(topic: string, title: string): string {
  return assign([{ name: "a.example", topics: [topic], keywords: [] }], { title }).how;
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
