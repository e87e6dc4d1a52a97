// `pnpm bench --quick` compares these packages with those of another revision, in less than two minutes.
import { parseArgs } from "node:util";
import { cores, type Rounds, Subject, takeTurns } from "./measure.ts";
import { packPackages, packRevision, previousRevision, type Version } from "./packed.ts";
import { fillAccount } from "./pages.ts";
import { type Figure, misses, table } from "./report.ts";
import { importTime } from "./start.ts";

/** A call that takes half as long again is too slow. */
const atMost = 1.5;

const conditions: Record<Version, string[]> = { now: [], before: ["--conditions=before"] };

/** Measures and prints. Returns the exit code: 1 if something has become slower than noise explains. */
export async function compareRevisions(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { quick: { type: "boolean" }, against: { type: "string" } } });
  const revision = values.against ?? previousRevision();
  console.log(`Building and packing the packages, and those of ${revision}`);
  packPackages();
  using before = packRevision(revision);

  console.log(`Measuring against ${before.commit}`);
  const figures: Figure[] = [];
  for (const measure of [sdkCalls, mockServer, imports]) {
    const startedMs = performance.now();
    const measured = await measure();
    // One process may have bad luck with its compiler for its whole life. So measure what looks slower once more, in new processes.
    figures.push(...(misses(measured).length === 0 ? measured : await measure()));
    console.log(`- ${measure.name}: ${Math.round((performance.now() - startedMs) / 1000)} s`);
  }
  const slower = misses(figures);
  console.log(`\n${table(figures)}\n`);
  console.log(
    slower.length === 0 ? "Nothing has become slower." : `Slower than ${before.commit}:\n- ${slower.join("\n- ")}`,
  );
  return slower.length === 0 ? 0 : 1;
}

async function sdkCalls(): Promise<Figure[]> {
  await using server = await Subject.start("client.ts", "server", "reference", cores.load);
  const url = String(await server.call("url"));
  await using both = await startBoth("client-peers.ts", "sdk", url);
  // The compiler works on a client for some six seconds.
  return await compareTasks({ warmUp: 30, rounds: 25 }, ["list", "create"], "SDK over loopback, CPU", (task, version) =>
    both[version].cpu(task, 100),
  );
}

async function mockServer(): Promise<Figure[]> {
  await using both = await startBoth("servers.ts", "mock service, empty catalogue");
  await using load = await Subject.start("server.ts", "load", "", cores.load);
  const urls = { before: String(await both.before.call("url")), now: String(await both.now.call("url")) };
  for (const url of Object.values(urls)) await fillAccount(fetch, url, 100);
  return await compareTasks(
    { warmUp: 2, rounds: 7 },
    ["list", "create"],
    "mock over node:http",
    async (task, version) => {
      const perSecond = (await load.call(task, urls[version])) as number; // why: the load replies with a number
      return 1_000_000 / perSecond;
    },
  );
}

async function imports(): Promise<Figure[]> {
  const modules = ["#sdk", "#mock-server"];
  return await compareTasks({ warmUp: 1, rounds: 11 }, modules, "import", async (module, version) => {
    const ms = await importTime(module, conditions[version]);
    return ms * 1000;
  });
}

/** One figure for each task. The tasks and both revisions take turns. */
async function compareTasks(
  rounds: Rounds,
  tasks: readonly string[],
  name: string,
  measure: (task: string, version: Version) => Promise<number>,
): Promise<Figure[]> {
  const measurements = tasks.flatMap((task) =>
    (["before", "now"] as const).map((version) => [`${task} ${version}`, () => measure(task, version)] as const),
  );
  const samples = await takeTurns(rounds, Object.fromEntries(measurements));
  return tasks.map((task) => ({
    name: `${name}, ${task}`,
    unit: "µs",
    baseline: "before",
    samples: { before: samples[`${task} before`] ?? [], now: samples[`${task} now`] ?? [] },
    goals: [{ of: "now", against: "before", atMost }],
  }));
}

async function startBoth(
  file: string,
  name: string,
  argument = "",
): Promise<AsyncDisposable & Record<Version, Subject>> {
  const stack = new AsyncDisposableStack();
  const start = async (version: Version) =>
    stack.use(await Subject.start(file, name, argument, cores.subject, conditions[version]));
  const both = { before: await start("before"), now: await start("now") };
  return Object.assign(stack, both);
}
