import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createDomainNetwork, defaultCatalogue } from "../src/domains/network.ts";
import { noLoad, page } from "./assigning.ts";
import { accuracy, byAuthor, labelled, unsold, writeFigures } from "./evaluation.ts";

const guide = readFileSync(new URL("../../../docs/domain-assignment.md", import.meta.url), "utf8");
const labels = readFileSync(new URL("./fixtures/button-labels.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
const network = createDomainNetwork(defaultCatalogue);

test("most pages get a domain that a person would choose", () => {
  const neutral = labelled.filter(({ kind }) => kind === "neutral");
  const { own = [], stranger = [], hard = [] } = byAuthor;

  expect(own.length).toBeGreaterThanOrEqual(540);
  expect(accuracy(own)).toBeGreaterThanOrEqual(0.95);
  expect(accuracy(neutral)).toBeGreaterThanOrEqual(0.95);
  expect(stranger.length).toBeGreaterThanOrEqual(150);
  expect(accuracy(stranger)).toBeGreaterThanOrEqual(0.95);
  expect(hard.length).toBeGreaterThanOrEqual(620);
  expect(accuracy(hard)).toBeGreaterThanOrEqual(0.94);
  expect(accuracy(labelled)).toBeGreaterThanOrEqual(0.95);
});

test.for(["tuned", "held-out"])("pages about things that no domain sells go to the catch-all: %s", (half) => {
  const pages = unsold[half] ?? [];

  expect(pages.length).toBeGreaterThanOrEqual(20);
  expect(accuracy(pages)).toBeGreaterThanOrEqual(0.85);
});

test("the guide has the current figures; `pnpm evaluate --write` updates them", () => {
  expect(guide).toContain("<!-- evaluation -->");
  expect(writeFigures(guide)).toBe(guide);
  expect(guide).toContain(`The shipped catalogue has ${defaultCatalogue.length} domains`);
});

test("the labelled pages cover every domain of the shipped catalogue", () => {
  const expected = new Set(labelled.flatMap(({ expected }) => expected.split("|")));

  expect(defaultCatalogue.map(({ name }) => name).filter((name) => !expected.has(name))).toEqual([]);
});

test("a page that consists of a domain's topic goes to that domain", () => {
  // The first topics describe a domain best. Of the other some 6 000, each tenth is a sample.
  const cases = defaultCatalogue.flatMap(({ name, topics }) =>
    topics.flatMap((topic, index) => (index < 4 || index % 10 === 0 ? [{ name, topic, isFirst: index < 4 }] : [])),
  );

  const strayed = cases.filter(({ name, topic }) => {
    const { domains } = network.assign(page({ title: topic, slug: "page", content: topic }), noLoad);
    // If several domains list a topic, such as `renovation` in two languages, the hash decides.
    return !domains.some((domain) => domain.name === name && domain.score === domains[0]?.score);
  });

  expect(strayed.length / cases.length).toBeLessThan(0.02);
  expect(strayed.filter(({ isFirst }) => isFirst)).toEqual([]);
});

test("a button alone never assigns a page", () => {
  expect(labels.length).toBeGreaterThan(150);
  const pages = [
    ["Welcome", "We are glad that you are here. This is who we are and what we do."],
    ["", ""],
    ["Über uns", "Wir sind ein kleines Team und freuen uns auf Sie."],
    ["会社概要", "私たちは小さなチームです。"],
  ].map(([title = "", content = ""]) => ({ title, content, slug: "welcome" }));
  for (const page of pages) {
    const assignWith = (label: string) =>
      network.assign({ ...page, cta: { type: "button", label, url: "https://a.example/" } }, () => 0);
    const unlabelled = assignWith("");

    expect(unlabelled.how).toBe("catch-all");
    for (const label of labels) expect(assignWith(label), label).toEqual(unlabelled);
  }
});
