// Wall time of our own commands, from start to end: a sweep over a script of three calls, and a check of the mock service.
import { end, runNode, Subject, takeTurns } from "./measure.ts";
import { apiKey, temporaryFolder } from "./pages.ts";
import type { Figure } from "./report.ts";

const cli = `${import.meta.dirname}/dist/now/mock-server/dist/cli.js`;
const script = `import { LandingPages } from "${import.meta.dirname}/dist/now/sdk/dist/index.js";
const client = new LandingPages();
const cta = { type: "button", label: "Buy", url: "https://shop.example/" };
const page = await client.pages.create({ title: "Shoes", content: "Light.", slug: "shoes", cta });
await client.pages.update(page.id, { title: "Trail shoes" });
await client.analytics.track({ pageId: page.id });`;

/** Times in milliseconds, on all cores. No other library has these commands, so there is nothing to compare them with. */
export async function measureCommands(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const program = folder.write("publish.mjs", script);
  await using mock = await Subject.start("servers.ts", "mock service");
  const url = String(await mock.call("url"));
  const samples = await takeTurns(
    { warmUp: 0, rounds: 3 },
    {
      "sweep of three calls": () => time(["sweep", "--", process.execPath, program]),
      check: () => time(["check", "--base-url", url, "--api-key", `${apiKey}_check`]),
    },
  );
  return [{ name: "commands", unit: "ms", baseline: "check", samples, goals: [] } satisfies Figure];
}

async function time(args: string[]): Promise<number> {
  const startedMs = performance.now();
  const child = runNode([cli, ...args]);
  child.stdout.resume();
  await new Promise((resolve) => child.once("exit", resolve));
  await end(child);
  return performance.now() - startedMs;
}
