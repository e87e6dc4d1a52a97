// Results: figures with their goals, the tables, and the result file.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, type } from "node:os";
import { dirname, join, relative } from "node:path";
import { format, resolveConfig } from "prettier";

/** One measurement of several contenders. */
export interface Figure {
  /** What was measured, such as `list of 20`. */
  name: string;
  unit: "µs" | "ms" | "requests/s" | "bytes" | "MB";
  /** The contender that counts as 1.00. */
  baseline: string;
  /** For each contender, one value per round. */
  samples: Record<string, number[]>;
  goals: Goal[];
}

/** A bound for the value of a contender, or for its ratio to another one. */
export interface Goal {
  of: string;
  /** The other contender; absent if the bound is for the value itself, in the unit of the figure. */
  against?: string;
  atMost?: number;
  atLeast?: number;
}

/** Median, smallest and largest of the rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** One contender divided by another, round by round, so that a slow round of the machine cancels out. */
export function ratio({ samples }: Figure, of: string, against: string): Spread {
  const others = samples[against] ?? [];
  return spread((samples[of] ?? []).map((value, round) => value / (others[round] ?? Number.NaN)));
}

export function holds(figure: Figure, goal: Goal): boolean {
  const { atMost = Infinity, atLeast = -Infinity } = goal;
  const { median } = reached(figure, goal);
  return median <= atMost && median >= atLeast;
}

function reached(figure: Figure, { of, against }: Goal): Spread {
  return against === undefined ? spread(figure.samples[of] ?? []) : ratio(figure, of, against);
}

/** Missed goals, as sentences. */
export function misses(figures: readonly Figure[]): string[] {
  return figures.flatMap((figure) =>
    figure.goals
      .filter((goal) => !holds(figure, goal))
      .map(
        (goal) =>
          `${figure.name}: ${goal.of} is ${reached(figure, goal).median.toFixed(2)} ${goal.against === undefined ? figure.unit : `x ${goal.against}`}, goal ${bound(goal)}`,
      ),
  );
}

/** The Markdown table of all figures: medians and ratios with their smallest and largest values, and goals. */
export function table(figures: readonly Figure[]): string {
  const head = ["measured", "contender", "median (min-max)", "ratio (min-max)", "goal"];
  const rows = figures.flatMap((figure) =>
    Object.entries(figure.samples).map(([name, values], index) => [
      index === 0 ? `${figure.name}, ${figure.unit}` : "",
      name,
      show(spread(values)),
      name === figure.baseline ? "1.00" : show(ratio(figure, name, figure.baseline), 2),
      figure.goals
        .filter(({ of }) => of === name)
        .map((goal) => goalCell(figure, goal))
        .join("; "),
    ]),
  );
  return markdown([head, ...rows]);
}

function markdown([head = [], ...rows]: readonly string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A Markdown table for the guide: of each figure with a goal, the median of each contender as a ratio to the baseline. */
export function shortTable(figures: readonly Figure[]): string {
  const rows = figures.flatMap((figure) => {
    const ours = figure.goals[0]?.of;
    if (ours === undefined) return [];
    const others = Object.keys(figure.samples).filter((name) => name !== ours && name !== figure.baseline);
    const cell = (name: string) => ratio(figure, name, figure.baseline).median.toFixed(2);
    const peers = others.map((name) => `${name} ${cell(name)}`).join(", ");
    return [`| ${figure.name}, ${figure.unit} | ${figure.baseline} | ${cell(ours)} | ${peers} |`];
  });
  return ["| what | 1.00 is | ours | others |", "| - | - | - | - |", ...rows].join("\n");
}

function goalCell(figure: Figure, goal: Goal): string {
  const verdict = holds(figure, goal) ? "yes" : `MISSED at ${reached(figure, goal).median.toFixed(2)}`;
  const measure =
    goal.against === undefined ? ` ${figure.unit}` : goal.against === figure.baseline ? "" : ` of ${goal.against}`;
  return `${bound(goal)}${measure}: ${verdict}`;
}

function bound({ atMost, atLeast }: Goal): string {
  return atMost === undefined ? `>= ${atLeast}` : `<= ${atMost}`;
}

function show({ median, min, max }: Spread, digits = median >= 1000 ? 0 : median >= 10 ? 1 : 2): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

/** Writes the result file of the day and the tables of the documents. Returns the path of the file. */
export async function writeResults(figures: readonly Figure[], durationSeconds: number): Promise<string> {
  const date = new Date().toISOString().slice(0, 10);
  const path = join(import.meta.dirname, "results", `${date}.json`);
  const result = {
    date,
    durationSeconds: Math.round(durationSeconds),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: availableParallelism(),
      os: `${type()} ${release()}`,
      node: process.versions.node,
    },
    versions: readVersions(),
    figures,
  };
  mkdirSync(dirname(path), { recursive: true });
  await writePretty(path, JSON.stringify(result));

  const { cpu, cores, node, os } = result.machine;
  const text = `Taken on ${date}: ${cores} cores of ${cpu}, ${os}, Node ${node}, peers as in [the result file](results/${date}.json).`;
  await replaceResults("README.md", `${text}\n\n${table(figures)}`);
  await replaceResults("../docs/performance.md", `${shortTable(figures)}\n\nTaken on ${date}, Node ${node}.`);
  return relative(process.cwd(), path);
}

async function replaceResults(file: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, file);
  const between = /(<!-- results -->\n).*(<!-- end of results -->)/s;
  await writePretty(path, readFileSync(path, "utf8").replace(between, `$1\n${text}\n\n$2`));
}

async function writePretty(path: string, text: string): Promise<void> {
  const options = await resolveConfig(path);
  writeFileSync(path, await format(text, { ...options, filepath: path }));
}

/** The versions of all peers, by the name they are installed under. */
function readVersions(): Record<string, string> {
  const names = Object.keys(readManifest("package.json").devDependencies ?? {});
  return Object.fromEntries(names.map((name) => [name, readManifest(`node_modules/${name}/package.json`).version]));
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8")) as Manifest; // why: every package.json has these
}

/** The fields of a package.json that are read. */
interface Manifest {
  version: string;
  devDependencies?: Record<string, string>;
}
