// How well pages are assigned with the shipped catalogue: `pnpm evaluate` prints it, `--write` puts it into the guide.
import { readFileSync, writeFileSync } from "node:fs";
import { createDomainNetwork, defaultCatalogue } from "../src/domains/network.ts";

/** A page as somebody would publish it, and where a person would put it. */
interface LabelledPage {
  /** Domains of the shipped catalogue, separated by `|`, any of which is right. */
  expected: string;
  /** `stranger` and `hard` when it was written by people who had seen names and topics of the domains, and no keyword. */
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

/** Pages about things that no domain sells, in two halves: the rule about evidence was tuned on one; the other was held out. */
export const unsold = Object.groupBy(
  readLines<Omit<LabelledPage, "expected" | "kind"> & { half: "tuned" | "held-out" }>("unsold.jsonl").map(
    ({ half, ...page }) => assignLabelled({ ...page, kind: half, expected: catchAll }),
  ),
  ({ kind }) => kind,
);

/** The same by who wrote them: `own`, `stranger`, and `hard`, which strangers wrote to be hard. */
export const byAuthor = Object.groupBy(labelled, ({ kind }) => (kind === "stranger" || kind === "hard" ? kind : "own"));

/** The share of pages whose first domain is right. */
export function accuracy(some: readonly AssignedPage[]): number {
  return some.filter(({ isRight }) => isRight).length / some.length;
}

/** The figures as the guide has them, and what became of the others. */
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

/** Every page that went elsewhere than a person would put it. */
function describeConfusion(): string {
  return wrong
    .map(({ title, expected, names }) => `"${title}" on ${names[0] ?? "none"}, not ${expected.replaceAll("|", " or ")}`)
    .join("\n");
}

/** The guide with the figures of now between its marks. */
export function writeFigures(text: string): string {
  return text.replace(/(<!-- evaluation -->\n\n```text\n)[^`]*(```)/, `$1${describeEvaluation()}\n$2`);
}

if (import.meta.main) {
  console.log(`${describeKinds()}\n${describeEvaluation()}\n\n${describeConfusion()}`);
  if (process.argv.includes("--write")) writeFileSync(guide, writeFigures(readFileSync(guide, "utf8")));
}
