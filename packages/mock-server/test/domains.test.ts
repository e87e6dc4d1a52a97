import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AssignablePage, createDomainNetwork, type Domain, type PageMatch } from "../src/domains/network.ts";
import { assign, domain, names, noLoad, page } from "./assigning.ts";

const shoes = domain("shoes", ["running shoes"], ["sneaker", "marathon"]);
const gardens = domain("gardens", ["gardening"], ["plant", "tree", "seed", "lawn"]);
const anywhere = domain("anywhere", [], [], { catchAll: true });

/** Content about other things than the title. No domain here lists a word of it. */
const otherContent = "Thousands joined the marches, sang songs together and demanded better schools.";

test("an explanation contains every number of the score: fields, counts, emphasis, strength, specificity, rarity", () => {
  const runners = domain("runners", ["running shoes"], ["shoe", "trail"]);

  const { domains } = assign([runners, domain("rival", [], ["shoes"])], {
    title: "Running shoes",
    slug: "shoes",
    meta_description: "A shoe for any trail",
    cta: { type: "button", label: "Shoes!", url: "https://a.example/" },
    content: "Shoes, shoes.",
  });

  const terms = domains[0]?.terms ?? [];
  const [, shoe] = terms;
  expect(terms.map(({ term, strength }) => `${term} ${strength}`)).toEqual(["running shoes 2", "shoe 1", "trail 1"]);
  expect(shoe).toMatchObject({ words: ["shoes", "shoe"], emphasis: 28 / 10, rarity: Math.log(11) / Math.log(21) });
  expect(shoe?.fields.map(({ field, count, weight }) => `${field} ${count} x ${weight}`)).toEqual([
    "title 1 x 3",
    "meta_description 1 x 2",
    "content 2 x 1",
    "slug 1 x 0",
    "cta.label 1 x 1",
  ]);
  for (const { emphasis, strength, specificity, rarity, score } of terms)
    expect(score).toBeCloseTo(emphasis * strength * specificity * rarity, 10);
});

test("a word that a domain lists in several spellings counts once, also if other domains list it", () => {
  const bakery = domain("bakery", ["Éclair"], ["eclair"]);

  const { domains } = assign([bakery, domain("rival", [], ["éclair"])], { title: "Eclairs" });

  expect(domains[0]?.terms).toMatchObject([{ strength: 2, rarity: Math.log(11) / Math.log(21) }]);
});

test("the explanation begins with the terms that decided, as the catalogue writes them, and names the other domains", () => {
  const bikes = domain("rad", ["Fahrräder"]);
  const full: Domain = { ...bikes, name: "full.example", capacity: 2 };
  const fields = { title: "FAHRRÄDER", content: "Fahrrader, gardening" };

  const { explanation } = assign([bikes, gardens, full], fields, () => 2);

  expect(explanation).toBe(
    '"Fahrräder" (title, content: 3.60) assigns this page to rad.example with 3.60. ' +
      "Near misses: gardens.example (1.55). Not on full.example, which is full with 2 of 2 pages.",
  );
});

test.each<[field: string, stronger: Partial<AssignablePage>, weaker: Partial<AssignablePage>]>([
  ["title over slug", { title: "lawn" }, { slug: "lawn" }],
  ["slug over content", { slug: "lawn" }, { content: "lawn" }],
  ["meta description over content", { meta_description: "lawn" }, { content: "lawn" }],
  ["a short text over a long one", { content: "lawn" }, { content: `lawn ${differentWords(1_000)}` }],
  ["a slug that does not repeat the title", { title: "lawn", slug: "seed" }, { title: "lawn", slug: "lawn" }],
])("a word counts more: %s", (_, stronger, weaker) => {
  const [more, less] = [stronger, weaker].map(({ title = "", ...fields }) => {
    return assign([gardens], { ...fields, title: `gardening ${title}` }).domains[0]?.score ?? 0;
  });

  expect(more).toBeGreaterThan(less ?? Infinity);
});

test.each([
  "shoe shoes",
  "hike hiking",
  "run running",
  "bakery bakeries",
  "watch watches",
  "plan planned",
  "insure insured",
  "decorate decorating",
])("an English topic is found in its other form, and the other way round: %s", (forms) => {
  const [one = "", other = ""] = forms.split(" ");

  expect(assign([domain("a", [one]), anywhere], { title: other }).how).toBe("match");
  expect(assign([domain("a", [other]), anywhere], { title: one }).how).toBe("match");
});

test.each([
  ["check up", "A check-up a year"],
  ["house for sale", "A house for sale in Leeds"],
  ["ebikes", "City e-bikes"],
  ["city e bike", "City e-bikes"],
  ["café", "The CAFE\u0301s of Vienna"],
  ["shoes", "ＳＨＯＥ"],
  ["women", "the women’s race"],
  ["ランニングシューズ", "新しいﾗﾝﾆﾝｸﾞｼｭｰｽﾞです"],
  ["靴", "赤い靴を買う"],
  ["รองเท้า", "ขายรองเท้าวิ่ง"],
  ["أحذية", "أَحْذِيَة جلدية"],
])("the topic %s is found in: %s", (topic, title) => {
  expect(assign([domain("a", [topic]), anywhere], { title }).how).toBe("match");
});

test.each([
  ["used cars", "Cars we used"],
  ["check in", "Check your teeth in the mirror"],
  ["universe", "university"],
  ["news", "new homes"],
  ["policy", "police"],
  ["training", "the train"],
  ["thés", "the tea"],
])("the topic %s is not found in: %s", (topic, title) => {
  expect(assign([domain("a", [topic]), anywhere], { title, content: title }).unmatched).toBe("nothing-matched");
});

test("English endings are removed only if the page and the domain may both be English", () => {
  const domains = [domain("any", ["Boots"]), domain("german", ["Boots"], [], { locale: "de" })];
  const content = "Wir planen mit Ihnen und für Sie, was nicht jeder plant.";
  const assignTo = (title: string, content = "") =>
    names(assign([...domains, anywhere], { title, content }))
      .toSorted()
      .join(" ");

  expect(assignTo("Boots")).toBe("any.example german.example");
  expect(assignTo("Boot")).toBe("any.example");
  expect(assignTo("Boots", content)).toBe("any.example german.example");
  expect(assignTo("Boot", content)).toBe("anywhere.example");
  // Nor are everyday words known for other languages.
  expect(assign([domain("a", ["bus"])], { title: "Bus", content }).domains[0]?.terms[0]?.specificity).toBe(1);
});

test("a call to action supports words that the page also has elsewhere, and no others", () => {
  const cta = { type: "button", label: "Plant a lawn: gardening, seed", url: "https://a.example/" };

  const supported = assign([gardens, anywhere], { title: "Welcome to the lawn", cta });

  expect(supported.domains[0]?.terms.map(({ term }) => term)).toEqual(["lawn"]);
  expect(supported.domains[0]?.terms[0]?.fields.map(({ field }) => field)).toEqual(["title", "cta.label"]);
});

test("without enough evidence a page goes to the catch-all, and the explanation says what was missing", () => {
  const below = assign([gardens, anywhere], { title: "Welcome", content: "We sat on the lawn." });
  const nothing = assign([gardens, anywhere], { title: "Welcome" });

  expect(below).toMatchObject({ how: "catch-all", unmatched: "thin-evidence", threshold: 1.9 });
  expect(below.nearMisses).toEqual([{ name: "gardens.example", score: 1, evidence: 1, reason: "thin-evidence" }]);
  expect(below.explanation).toBe(
    "No domain has evidence above 1.90 in enough words, so it goes to the catch-all anywhere.example. Near misses: gardens.example (1.00).",
  );
  expect(nothing).toMatchObject({
    unmatched: "nothing-matched",
    domains: [{ name: "anywhere.example", score: 0, evidence: 0, terms: [] }],
    explanation: "No domain lists a word of this page, so it goes to the catch-all anywhere.example.",
  });
  expect(assign([{ ...gardens, active: false }, anywhere], { title: "Lawn" }).unmatched).toBe("rejected");
  expect(assign([gardens, { ...anywhere, capacity: 0 }], { title: "Welcome" }).explanation).toBe(
    "No domain lists a word of this page, and no catch-all can take it, so the hash of its slug picks gardens.example. Not on anywhere.example, which is full with 0 of 0 pages.",
  );
});

test.each<[what: string, fields: Partial<AssignablePage>, rule: PageMatch]>([
  ["its slug", { slug: "summer-sale" }, { slug: "summer-sale" }],
  ["its words, in any form", { title: "Kites in summer", content: "For children" }, { words: ["kite", "children"] }],
  ["a phrase", { content: "The summer sales begin." }, { words: ["summer sale"] }],
  ["Japanese", { title: "赤い靴です" }, { words: ["靴"] }],
  ["against its words", { title: "Sneakers", slug: "x" }, { slug: "x" }],
])("a pin brings a page to its domain, and is named: %s", (_, fields, rule) => {
  const pinned: Domain = { ...gardens, pins: [{ slug: "other" }, rule] };

  const assignment = assign([shoes, pinned, anywhere], fields);

  expect(assignment).toMatchObject({ how: "pin", rule, domains: [{ name: "gardens.example" }] });
  expect(assignment.explanation).toMatch(/^The catalogue pins pages with .+ to gardens\.example\.$/);
});

test("the words of a call to action bring no page to the domain of a pin", () => {
  const cta = { type: "button", label: "Kites", url: "https://a.example/" };

  expect(assign([{ ...gardens, pins: [{ words: ["kites"] }] }, anywhere], { cta }).how).toBe("catch-all");
});

test("if no domain of a rule can take the page, a pin decides, then words, and the decision says why", () => {
  const closed = domain("closed", [], [], { active: false });
  const pinned = domain("pinned", [], [], { pins: [{ words: ["sale"] }], capacity: 1 });
  const network = createDomainNetwork([closed, pinned, shoes]);
  const rules = [{ match: { slug: "page" }, domains: ["closed.example"] }];
  const sale = page({ title: "Sneaker sale", slug: "page" });

  const toPin = network.assign(sale, () => 0, rules);
  const toWords = network.assign(sale, () => 1, rules);

  const rejected = [
    { name: "closed.example", reason: "inactive" },
    { name: "pinned.example", reason: "capacity" },
  ];
  expect(toPin).toMatchObject({ how: "pin", domains: [{ name: "pinned.example" }], rejected: rejected.slice(0, 1) });
  expect(toWords).toMatchObject({ how: "match", domains: [{ name: shoes.name }], rejected });
});

test.for([
  ["tags and attributes", '<div class="lawn"><a href="/plant">Here</a></div>'],
  ["styles and scripts", '<style>.lawn {}</style><script>const plant = "seed";</script>Here'],
  ["comments", "<!-- <b>lawn</b> plant seed -->Here"],
  ["a style that never ends", "Here<style>lawn plant seed"],
  ["a comment that never ends", "Here<!-- lawn plant seed"],
])("words of a content that a browser does not show match nothing: %s", ([, content = ""]) => {
  expect(assign([gardens], { content }).unmatched).toBe("nothing-matched");
});

test("content matches as a browser shows it: text between tags, entities, other text in brackets", () => {
  const content = '<p>Lawn&nbsp;plant</p>for < seed> &amp; <b>pl</b> <my-tree class="tree">';
  const cafe = assign([domain("cafe", ["café"])], { content: "<h1>Caf&eacute;</h1>" });

  const terms = assign([gardens], { content }).domains[0]?.terms.map(({ term }) => term);

  expect(terms?.toSorted()).toEqual(["lawn", "plant", "seed"]);
  expect(cafe.how).toBe("match");
});

test.for([
  ["to no English domain, in Danish or Norwegian", "Vi serverer fisk fra havnen hver aften."],
  ["to no English domain, in Swedish", "Boka bord hos oss och njut av havet, vad du än vill ha."],
  ["to no English domain, in Polish", "Czekamy na Ciebie, nie tylko od święta, jak nasza rodzina."],
  ["to no English domain, in Indonesian", "Kami menunggu anda dengan makanan untuk keluarga."],
  ["to an English domain", "We reset old stones in recycled gold. You choose over a cup of tea."],
  ["to an English domain", "We cast rings in an hour, all over town. It is over when we say so."],
] as const)("a page goes %s, whatever words it borrows or shares: %s", ([where, content]) => {
  const english = domain("english", ["ring"], ["fine dining"], { locale: "en" });
  const isEnglish = where === "to an English domain";

  expect(assign([english, anywhere], { title: "A ring: fine dining", content })).toMatchObject({
    how: isEnglish ? "match" : "catch-all",
    rejected: isEnglish ? [] : [{ name: "english.example", reason: "locale" }],
  });
});

test.for<[how: string, what: string, fields: Partial<AssignablePage>]>([
  ["catch-all", "one word", { title: "Gardening" }],
  ["catch-all", "one word in all fields", { title: "Gardening", slug: "gardening", content: "Gardening" }],
  ["catch-all", "one word in two forms", { title: "A lawn", content: "Lawns" }],
  ["match", "a word and another", { title: "Gardening", meta_description: "Your lawn" }],
  ["match", "an uncommon word and an everyday one", { title: "Plant a lawn", meta_description: "Plant, lawn" }],
  ["match", "three everyday words", { title: "Plant a tree", meta_description: "Plants, trees and a garden" }],
  ["match", "a phrase", { title: "A raised bed", meta_description: "Raised beds" }],
])("the evidence on a page that says much else leads to a %s: %s", ([how, , fields]) => {
  const herbs: Domain = { ...gardens, topics: ["gardening", "raised bed"] };

  const assignment = assign([herbs, anywhere], { ...fields, content: `${otherContent} ${fields.content ?? ""}` });

  expect(assignment.how).toBe(how);
  expect(assignment.unmatched).toBe(how === "match" ? undefined : "thin-evidence");
});

test("on a bare page a topic or one uncommon word is enough, an everyday keyword is not", () => {
  const decided = ["Gardening", "A lawn", "A tree"].map((title) => assign([gardens, anywhere], { title }).how);

  expect(decided).toEqual(["match", "match", "catch-all"]);
});

test("one or two everyday words never assign a page, whatever its other words and wherever they are", () => {
  const everyday = ["bus", "water", "hall", "league", "book", "ring", "board", "garden", "night"];
  const domains = [domain("one", [], everyday), ...everyday.map((word) => domain(word, [], [word])), anywhere];
  const some = fc.uniqueArray(fc.constantFrom(...everyday), { minLength: 1, maxLength: 2 });

  fc.assert(
    fc.property(some, fc.constantFrom("", otherContent), (words, content) => {
      const text = words.join(" ");
      const page = { title: text, slug: words.join("-"), meta_description: text, content: `${text}. ${content}` };

      expect(assign(domains, page).how).toBe("catch-all");
    }),
  );
});

test("domains within 0.6 of the best are kept, at most three, and the next ones are near misses", () => {
  const { topics, keywords } = gardens;
  const equals = ["a", "b", "c", "d"].map((letter) => domain(letter, topics, keywords));
  const [weak, faint] = [domain("weak", [], ["lawn", "seed"]), domain("faint", [], ["plant"])];

  const title = "Gardening: plant a lawn from seed";
  const { domains, nearMisses, cut, explanation } = assign([...equals, weak, faint], { title });

  const best = domains[0]?.score ?? 0;
  expect(domains.map(({ score }) => score)).toEqual([best, best, best]);
  expect(cut).toBeCloseTo(best * 0.6, 12);
  expect(nearMisses.map(({ name, reason }) => [name, reason])).toEqual([
    [equals.find(({ name }) => !names({ domains }).includes(name))?.name, "beyond-limit"],
    ["weak.example", "below-cut"],
  ]);
  expect(explanation).toMatch(
    / Also on \w\.example \([\d.]+\) and \w\.example \([\d.]+\), at or above the required [\d.]+\./,
  );
});

const blocking = { blockedCtaHosts: ["bets.example"] };

test.each<[reason: string, filter: Partial<Domain>, detail: string]>([
  ["inactive", { active: false }, "takes no new pages"],
  ["capacity", { capacity: 7 }, "is full with 7 of 7 pages"],
  ["locale", { locale: "ja" }, "serves ja, while the page is in Latin script"],
  ["blocked-cta-host", blocking, "blocks bets.example, while cta.url points to www.bets.example"],
])("a domain that matches is left out, with the reason: %s", (reason, filter, detail) => {
  const cta = { type: "button", label: "Go", url: "https://www.bets.example./now?x=1" };

  const assignment = assign([{ ...shoes, ...filter }, anywhere], { title: "Sneaker", cta }, () => 7);

  expect(assignment.rejected).toMatchObject([{ name: "shoes.example", reason, detail }]);
  expect(assignment.rejected[0]?.score).toBeGreaterThan(0);
  expect(names(assignment)).toEqual(["anywhere.example"]);
});

test.for(["https://nobets.example/", "nonsense"])("a blocked host does not block another address: %s", (url) => {
  const cta = { type: "button", label: "Go", url };

  expect(names(assign([{ ...shoes, ...blocking }], { title: "Sneakers", cta }))).toEqual(["shoes.example"]);
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
  const { how, domains, explanation } = assign([{ ...shoes, active: false }], {});

  expect([how, domains]).toEqual(["none", []]);
  expect(explanation).toBe("No domain can take this page. Not on shoes.example, which takes no new pages.");
});

test.each<[title: string, locale: string | undefined, expected: string]>([
  ["東京の旅行案内", undefined, "ja"],
  ["旅行", undefined, "ja"],
  ["مرحبا بالعالم", undefined, "ar"],
  ["Добро пожаловать", undefined, "anywhere"],
  ["Nothing in common", undefined, "en"],
  ["The tea", undefined, "anywhere"],
  ["12345 🎉", undefined, "anywhere"],
  ["", undefined, "anywhere"],
  ["Moebel und Möbel", "de-AT", "wien"],
  ["Moebel und Möbel", "de", "wien"],
  ["Moebel und Möbel", "de-CH", "anywhere"],
  ["Moebel und Möbel", "en", "en"],
])("a page goes to a domain of its certain language, or of any: %s, locale %s", (title, locale, expected) => {
  const japanese = domain("ja", ["旅行"], ["靴"], { locale: "ja", catchAll: true });
  const arabic = domain("ar", [], ["فندق"], { locale: "ar", catchAll: true });
  const english = domain("en", [], [], { locale: "en", catchAll: true });
  const vienna = domain("wien", ["Möbel"], [], { locale: "de-AT" });

  const assignment = assign([japanese, arabic, english, vienna, anywhere], { title, locale });

  expect(names(assignment)).toEqual([`${expected}.example`]);
  // A catch-all of another language could never take the page, so it is not listed.
  expect(names({ domains: assignment.rejected })).toEqual(/-CH|en/.test(locale ?? "") ? ["wien.example"] : []);
});

test.each<[what: string, page: Partial<AssignablePage>]>([
  ["names of object internals", { title: "__proto__ constructor", slug: "__proto__", content: "hasOwnProperty" }],
  ["500 000 characters of different words", { title: "sneakers", content: differentWords(500_000) }],
  ["500 000 characters that each stand for many", { title: "sneakers", content: "\ufdfa".repeat(500_000) }],
  ["500 000 characters of tags that do not end", { title: "sneakers", content: "<a <!-".repeat(83_000) }],
])("hostile text is only text: %s", (_, fields) => {
  const assignment = assign([shoes, gardens, anywhere], fields);

  expect(["shoes.example", "anywhere.example"]).toContain(names(assignment)[0]);
  expect(assignment.explanation.length).toBeLessThan(2_000);
});

function differentWords(length: number): string {
  return Array.from({ length: length / 7 }, (_, index) => `w${index.toString(36).padStart(5, "a")}`).join(" ");
}
