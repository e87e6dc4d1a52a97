import { expect, test } from "vitest";
import { defaultCatalogue, parseCatalogue } from "../src/domains/network.ts";

const valid = { name: "shoes.example", topics: ["shoes"], keywords: ["boot"] };

test.each<[what: string, value: unknown, message: string]>([
  ["no array", { domains: [] }, "catalogue: expected array, got an object"],
  ["no name", [{ topics: [], keywords: [] }], "catalogue[0].name: is required"],
  ["capitals", [{ ...valid, name: "Shoes.example" }], "catalogue[0].name: expected a lower-case host name"],
  ["an address", [{ ...valid, name: "127.0.0.1" }], "catalogue[0].name: expected a lower-case host name"],
  ["a long label", [{ ...valid, name: `${"a".repeat(64)}.example` }], "catalogue[0].name: expected a lower-case host"],
  ["a repeated name", [valid, valid], 'catalogue[1].name: repeats "shoes.example" of [0]'],
  ["a stop word", [{ ...valid, keywords: ["the"] }], "catalogue[0].keywords[0]: expected a word that can match"],
  ["a long keyword", [{ ...valid, keywords: ["a ".repeat(60)] }], "catalogue[0].keywords[0]: expected at most 100"],
  ["a bad locale", [{ ...valid, locale: "german!" }], "catalogue[0].locale: expected a BCP 47 language tag"],
  ["a pin for nothing", [{ ...valid, pins: [{}] }], "catalogue[0].pins[0]: must name a slug, words or both"],
  ["a pin without words", [{ ...valid, pins: [{ words: [] }] }], "catalogue[0].pins[0].words: must not be empty"],
  ["half a page", [{ ...valid, capacity: 1.5 }], "catalogue[0].capacity: expected integer, got 1.5"],
  ["a URL as host", [{ ...valid, blockedCtaHosts: ["https://a.example"] }], "[0].blockedCtaHosts[0]: expected a "],
  ["an inherited name", [JSON.parse('{ "__proto__": {} }')], "catalogue[0].__proto__: unknown field"],
])("a catalogue is refused with the place and the rule: %s", (_, value, message) => {
  expect(() => parseCatalogue(value)).toThrow(TypeError);
  expect(() => parseCatalogue(value)).toThrow(message);
});

test("all wrong fields are listed at once, up to twenty", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...valid, name: `d${index}.example`, capacity: -1 }));

  expect(() => parseCatalogue(many)).toThrow(
    /^Not a domain catalogue:(?:\n {2}catalogue\[\d+\]\.capacity: [^\n]+){20}\n {2}and 10 more$/,
  );
});

test("the shipped catalogue is some forty domains under .example, each with its own topics", () => {
  const topics = defaultCatalogue.flatMap((domain) => domain.topics);

  expect(defaultCatalogue.length).toBeGreaterThanOrEqual(40);
  expect(defaultCatalogue.every(({ name }) => name.endsWith(".example"))).toBe(true);
  expect(new Set(topics).size).toBe(topics.length);
  expect(parseCatalogue(defaultCatalogue)).toEqual(defaultCatalogue);
});
