import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDomainNetwork, defaultCatalogue } from "../src/domains/network.ts";
import { placements, type Placement } from "./fixtures/placements.ts";

const guide = readFileSync(new URL("../../../docs/domain-assignment.md", import.meta.url), "utf8");
const network = createDomainNetwork(defaultCatalogue);

test("people would agree with where pages land, as often as the guide says", () => {
  const names = placements.map((placement) => placeNames(placement));
  const first = placements.filter(({ expected }, index) => names[index]?.[0] === expected).length;
  const among = placements.filter(({ expected }, index) => names[index]?.includes(expected)).length;

  const rate = `${first} of ${placements.length} pages first on the expected domain, ${among} on it at all`;
  console.log(rate);

  expect(placements.length).toBeGreaterThanOrEqual(60);
  expect(first / placements.length).toBeGreaterThanOrEqual(0.85);
  expect(among / placements.length).toBeGreaterThanOrEqual(0.92);
  expect(guide.replaceAll(/\s+/g, " ")).toContain(rate);
  expect(guide).toContain(`The shipped catalogue has ${defaultCatalogue.length} domains`);
});

test("the pages ask for every domain of the shipped catalogue", () => {
  const expected = new Set(placements.map((placement) => placement.expected));

  expect(defaultCatalogue.map(({ name }) => name).filter((name) => !expected.has(name))).toEqual([]);
});

function placeNames({ title, slug, meta, content, label }: Placement): string[] {
  const page = {
    title,
    slug,
    content,
    meta_description: meta ?? null,
    cta: { type: "button", label, url: "https://a.example/" },
  };
  return network.assign(page, () => 0).domains.map(({ name }) => name);
}
