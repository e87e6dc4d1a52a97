// `pnpm bench` measures everything and writes the results to files; `pnpm bench client start` measures these parts and prints them only.
// `pnpm bench --quick` compares with another revision instead; `--against REF` says with which.
// A missed goal is printed, and the exit code is 0. The exit code of `--quick` is 1 if something has become slower.
import { measureClient } from "./client.ts";
import { measureCommands } from "./commands.ts";
import { isPinned } from "./measure.ts";
import { packPackages } from "./packed.ts";
import { type Figure, misses, table, writeResults } from "./report.ts";
import { compareRevisions } from "./quick.ts";
import { measureServer } from "./server.ts";
import { measureStart } from "./start.ts";

/** The parts that can be measured alone. */
const parts: Record<string, () => Promise<Figure[]>> = {
  client: measureClient,
  start: measureStart,
  server: measureServer,
  commands: measureCommands,
};

const chosen = process.argv.slice(2);
if (chosen.includes("--quick")) process.exit(await compareRevisions(chosen));
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`No part is called ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const startedMs = performance.now();
if (!isPinned)
  console.log("One core, or no way to pin: load and what it loads share it, so requests/s are less exact.");
console.log("Building and packing the packages");
packPackages();
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`Measuring ${name}`);
  figures.push(...(await measure()));
}

const missed = misses(figures);
console.log(`\n${table(figures)}\n`);
console.log(missed.length === 0 ? "All goals hold." : `Goals missed:\n${missed.map((miss) => `- ${miss}`).join("\n")}`);
if (chosen.length === 0)
  console.log(`Written to ${await writeResults(figures, (performance.now() - startedMs) / 1000)}`);
process.exit();
