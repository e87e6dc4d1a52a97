import { serialize } from "node:v8";
import { expect, test } from "vitest";
import { createDomainNetwork, defaultCatalogue, parseCatalogue } from "../src/domains/network.ts";

const valid = { name: "shoes.example", topics: ["shoes"], keywords: ["boot"] };

test("a catalogue from JSON is taken as it stands", () => {
  const full = {
    ...valid,
    locale: "de-AT",
    pins: [{ slug: "sale" }, { words: ["summer sale"] }],
    capacity: 0,
    active: false,
    blockedCtaHosts: ["bets.example"],
    catchAll: true,
  };

  expect(parseCatalogue(JSON.parse(JSON.stringify([valid, { ...full, name: "xn--schn-7qa.example" }])))).toEqual([
    valid,
    { ...full, name: "xn--schn-7qa.example" },
  ]);
  expect(parseCatalogue([])).toEqual([]);
});

test.each<[what: string, value: unknown, message: string]>([
  ["no array", { domains: [] }, "catalogue: must be an array of domains"],
  ["no object", ["shoes.example"], "catalogue[0]: must be an object with name, topics and keywords"],
  ["null", [null], "catalogue[0]: must be an object with name, topics and keywords"],
  ["no name", [{ topics: [], keywords: [] }], "catalogue[0].name: must be a lower-case host name"],
  ["capitals", [{ ...valid, name: "Shoes.example" }], "catalogue[0].name: must be a lower-case host name"],
  ["a scheme", [{ ...valid, name: "https://shoes.example" }], "catalogue[0].name: must be a lower-case host name"],
  ["a port", [{ ...valid, name: "shoes.example:80" }], "catalogue[0].name: must be a lower-case host name"],
  ["one label", [{ ...valid, name: "localhost" }], "catalogue[0].name: must be a lower-case host name"],
  ["an address", [{ ...valid, name: "127.0.0.1" }], "catalogue[0].name: must be a lower-case host name"],
  ["an empty label", [{ ...valid, name: "shoes..example" }], "catalogue[0].name: must be a lower-case host name"],
  ["a long label", [{ ...valid, name: `${"a".repeat(64)}.example` }], "catalogue[0].name: must be a lower-case host"],
  [
    "a repeated name",
    [valid, { ...valid, name: "b.example" }, valid],
    'catalogue[2].name: repeats "shoes.example" of [0]',
  ],
  ["no topics", [{ name: "a.example", keywords: [] }], "catalogue[0].topics: must be an array of strings"],
  ["one topic as text", [{ ...valid, topics: "shoes" }], "catalogue[0].topics: must be an array of strings"],
  [
    "an empty keyword",
    [{ ...valid, keywords: ["boot", ""] }],
    "catalogue[0].keywords[1]: must hold a word that can match",
  ],
  ["a stop word", [{ ...valid, keywords: ["the"] }], "catalogue[0].keywords[0]: must hold a word that can match"],
  ["a long keyword", [{ ...valid, keywords: ["a ".repeat(60)] }], "catalogue[0].keywords[0]: must be at most 100"],
  ["a number as topic", [{ ...valid, topics: [7] }], "catalogue[0].topics[0]: must be a string"],
  ["a bad locale", [{ ...valid, locale: "german!" }], "catalogue[0].locale: must be a BCP 47 language tag"],
  ["a weight", [{ ...valid, weight: 1 }], 'catalogue[0]: has no field "weight"'],
  ["a pin for nothing", [{ ...valid, pins: [{}] }], "catalogue[0].pins[0]: must name a slug, words or both"],
  ["a pin without words", [{ ...valid, pins: [{ words: [] }] }], "catalogue[0].pins[0].words: must not be empty"],
  ["a pin of the", [{ ...valid, pins: [{ words: ["the"] }] }], "catalogue[0].pins[0].words[0]: must hold a word"],
  [
    "a pin with a typo",
    [{ ...valid, pins: [{ slugs: "a" }] }],
    'catalogue[0].pins[0]: has no field "slugs"; fields are slug, words; did you mean "slug"?',
  ],
  ["half a page", [{ ...valid, capacity: 1.5 }], "catalogue[0].capacity: must be an integer"],
  ["less than no page", [{ ...valid, capacity: -1 }], "catalogue[0].capacity: must be 0 or more"],
  ["a word for yes", [{ ...valid, active: "yes" }], "catalogue[0].active: must be true or false"],
  [
    "a URL as host",
    [{ ...valid, blockedCtaHosts: ["https://a.example/"] }],
    "catalogue[0].blockedCtaHosts[0]: must be a",
  ],
  ["a typo", [{ ...valid, keyword: [] }], 'catalogue[0]: has no field "keyword"; fields are name, topics, keywords'],
  ["an inherited name", JSON.parse('[{"__proto__":{},"name":"a.example","topics":[],"keywords":[]}]'), '"__proto__"'],
])("a catalogue is refused with the place and the rule: %s", (_, value, message) => {
  expect(() => parseCatalogue(value)).toThrow(TypeError);
  expect(() => parseCatalogue(value)).toThrow(message);
});

test("all problems are told at once, up to twenty", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...valid, name: `d${index}.example`, capacity: -1 }));

  expect(() => parseCatalogue(many)).toThrow(/^[^[]*(?:catalogue\[\d+\]\.capacity[^[]*){20}and 10 more$/);
});

test("a network refuses a wrong catalogue at once, not with the first page", () => {
  expect(() => createDomainNetwork([{ ...valid, capacity: -1 }])).toThrow("catalogue[0].capacity");
});

test("a network keeps what it was built from, whatever becomes of the catalogue", () => {
  const domain = { ...valid, topics: ["shoes"] };
  const network = createDomainNetwork([domain]);

  domain.topics.push("hats");

  expect(network.domains).toEqual([valid]);
});

test("the shipped catalogue is some forty domains under .example, each with its own topics", () => {
  const topics = defaultCatalogue.flatMap((domain) => domain.topics);

  expect(defaultCatalogue.length).toBeGreaterThanOrEqual(40);
  expect(defaultCatalogue.every(({ name }) => name.endsWith(".example"))).toBe(true);
  expect(new Set(topics).size).toBe(topics.length);
  expect(parseCatalogue(defaultCatalogue)).toEqual(defaultCatalogue);
});

test("the names of the shipped domains, which every page on them has, take a byte for each character", () => {
  // V8 writes a text in the width that it has in memory: `"` stands for one byte a character, `c` for two.
  const widths = defaultCatalogue.map(({ name }) => String.fromCharCode(serialize(name)[2] ?? 0));

  expect(new Set(widths)).toEqual(new Set(['"']));
});

const titled = (title: string) => ({ title, slug: "a", content: "", cta: { type: "button", label: "", url: "" } });

test("pages find the same domains after tens of thousands with words of their own", () => {
  const network = createDomainNetwork([valid, { name: "hotels.example", topics: ["hotel"], keywords: [] }]);
  const place = () =>
    ["New boots", "Hotel", "Schuhe und boots für jeden und alle"].map((title) =>
      network.assign(titled(title), () => 0),
    );
  const before = place();

  for (let number = 0; number < 30_000; number += 1) network.place(titled(`word${number} zahl${number}`), () => 0);

  expect(place()).toEqual(before);
});
