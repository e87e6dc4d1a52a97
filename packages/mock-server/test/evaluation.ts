// Measures how well the shipped catalogue assigns pages. `pnpm evaluate` prints the figures, and `--write` writes them into the guide.
import { readFileSync, writeFileSync } from "node:fs";
import { createDomainNetwork, defaultCatalogue } from "../src/domains/network.ts";

/** A realistic page, and the domains that a person would choose. */
interface LabelledPage {
  /** Domains of the shipped catalogue, separated by `|`, any of which is right. */
  expected: string;
  /** `stranger` and `hard` are pages by people who had seen the names and topics of the domains, but no keywords. */
  kind: string;
  title: string;
  slug: string;
  label: string;
  meta?: string;
  content: string;
}

/** A labelled page and its assignment. */
interface AssignedPage extends LabelledPage {
  /** Names of its domains, best first. */
  names: string[];
  isRight: boolean;
}

const guide = new URL("../../../docs/domain-assignment.md", import.meta.url);
const network = createDomainNetwork(defaultCatalogue);
const catchAll = "openboulevard.example";

function readLines<Line>(name: string): Line[] {
  const lines = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Line); // why: the files are ours
}

function assignLabelled(page: LabelledPage): AssignedPage {
  const { title, slug, content, label, meta = null } = page;
  const cta = { type: "button", label, url: "https://a.example/" };
  const { domains } = network.assign({ title, slug, content, meta_description: meta, cta }, () => 0);
  const names = domains.map(({ name }) => name);
  return { ...page, names, isRight: page.expected.split("|").includes(names[0] ?? "") };
}

/** The labelled pages with their assignments. */
export const labelled: readonly AssignedPage[] = readLines<LabelledPage>("placements.jsonl").map(assignLabelled);

/** Pages about things that no domain sells. The rule about evidence was tuned with one half; the other was held out. */
export const unsold = Object.groupBy(
  readLines<Omit<LabelledPage, "expected" | "kind"> & { half: "tuned" | "held-out" }>("unsold.jsonl").map(
    ({ half, ...page }) => assignLabelled({ ...page, kind: half, expected: catchAll }),
  ),
  ({ kind }) => kind,
);

/** The labelled pages by author: `own`, `stranger`, and `hard`, which the same strangers tried to make hard. */
export const byAuthor = Object.groupBy(labelled, ({ kind }) => (kind === "stranger" || kind === "hard" ? kind : "own"));

/** The share of pages whose first domain is right. */
export function accuracy(some: readonly AssignedPage[]): number {
  return some.filter(({ isRight }) => isRight).length / some.length;
}

/** Writes the figures of the guide, and where the wrongly assigned pages went. */
function describeEvaluation(): string {
  const caught = wrong.filter(({ names }) => names[0] === catchAll).length;
  const others = `Of the others, ${caught} on the catch-all, ${wrong.length - caught} elsewhere.`;
  const { own = [], stranger = [], hard = [] } = byAuthor;
  const figures = [
    describeAccuracy("ours", own),
    describeAccuracy("strangers", stranger),
    describeAccuracy("hard", hard),
    describeAccuracy("together", labelled),
    "",
    describeAccuracy("unsold", unsold["tuned"] ?? []),
    describeAccuracy("held out", unsold["held-out"] ?? []),
  ];
  return [...figures, "", others].join("\n");
}

function describeKinds(): string {
  const kinds = Map.groupBy(labelled, ({ kind }) => kind);
  return Array.from(kinds, ([kind, some]) => describeAccuracy(kind, some)).join("\n");
}

function describeAccuracy(kind: string, some: readonly AssignedPage[]): string {
  const right = some.filter(({ isRight }) => isRight).length;
  return `${kind.padEnd(11)}${`${right} of ${some.length}`.padEnd(14)}${(accuracy(some) * 100).toFixed(1)} %`;
}

const wrong = labelled.filter(({ isRight }) => !isRight);

/** Lists every page whose first domain a person would not choose. */
function describeConfusion(): string {
  return wrong
    .map(({ title, expected, names }) => `"${title}" on ${names[0] ?? "none"}, not ${expected.replaceAll("|", " or ")}`)
    .join("\n");
}

/** Returns the guide with the current figures between its marks. */
export function writeFigures(text: string): string {
  return text.replace(/(<!-- evaluation -->\n\n```text\n)[^`]*(```)/, `$1${describeEvaluation()}\n$2`);
}

if (import.meta.main) {
  console.log(`${describeKinds()}\n${describeEvaluation()}\n\n${describeConfusion()}`);
  if (process.argv.includes("--write")) writeFileSync(guide, writeFigures(readFileSync(guide, "utf8")));
}
