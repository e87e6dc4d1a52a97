// What a process pays once: imports, its first response, and the start of a command.
import { once } from "node:events";
import { cores, end, runNode, Subject, takeTurns } from "./measure.ts";
import { apiKey, temporaryFolder } from "./pages.ts";
import type { Figure, Goal } from "./report.ts";
import { firstAnswer, freePort, tools } from "./tools.ts";
import { readList } from "./by-hand.ts";

const rounds = { warmUp: 1, rounds: 11 };
const startGoals: Goal[] = ["axios", "openai"].map((against) => ({ of: "sdk", against, atMost: 1 }));

/** Times of fresh processes, in milliseconds. */
export async function measureStart(): Promise<Figure[]> {
  await using server = await Subject.start("client.ts", "server", "reference", cores.load);
  const url = String(await server.call("url"));
  const list = await (await fetch(`${url}/api/content`)).json();
  return [await imports(), await firstCalls(url), await commands(list)];
}

async function imports(): Promise<Figure> {
  const modules = { zod: "zod", sdk: "#sdk", ky: "ky", axios: "axios", openai: "openai" };
  const measurements = Object.entries(modules).map(([name, module]) => [name, () => importTime(module)] as const);
  const samples = await takeTurns(rounds, Object.fromEntries(measurements));
  return { name: "import", unit: "ms", baseline: "zod", samples, goals: startGoals };
}

/** Milliseconds that a new process takes to import a module. */
export async function importTime(module: string, flags: string[] = []): Promise<number> {
  const script = `const startedMs = performance.now(); await import("${module}"); console.log(performance.now() - startedMs);`;
  return Number(await output(script, flags));
}

async function firstCalls(url: string): Promise<Figure> {
  const headers = JSON.stringify({ Authorization: `Bearer ${apiKey}` });
  const client = JSON.stringify({ apiKey, baseUrl: url });
  const scripts = {
    fetch: `const response = await fetch("${url}/api/content?limit=20", { headers: ${headers} }); const list = JSON.parse(await response.text());`,
    sdk: `import { LandingPages } from "#sdk"; const list = await new LandingPages(${client}).pages.list({ limit: 20 });`,
    "ky, unchecked": `import ky from "ky"; const list = await ky.get("${url}/api/content?limit=20", { headers: ${headers} }).json();`,
    axios: `import axios from "axios"; const { data: list } = await axios.get("${url}/api/content?limit=20", { headers: ${headers} });`,
    openai: `import OpenAI from "openai"; const list = await new OpenAI({ apiKey: "${apiKey}", baseURL: "${url}" }).get("/api/content?limit=20");`,
  };
  const measurements = Object.entries(scripts).map(([name, script]) => [name, () => answerTime(script)] as const);
  const samples = await takeTurns(rounds, Object.fromEntries(measurements));
  return { name: "process start to first response", unit: "ms", baseline: "fetch", samples, goals: startGoals };
}

async function answerTime(script: string): Promise<number> {
  const startedMs = performance.now();
  const printed = await output(`${script} console.log(list.data.length);`);
  if (printed !== "20\n") throw new Error(`20 pages were expected of ${script}`);
  return performance.now() - startedMs;
}

async function commands(list: unknown): Promise<Figure> {
  using folder = temporaryFolder();
  const pages = readList(folder.write("list.json", list));
  const time = (name: keyof typeof tools) => async () => {
    const port = await freePort();
    const args = tools[name](folder.write, port, pages);
    const startedMs = performance.now();
    const child = runNode(args, cores.subject);
    try {
      await firstAnswer(port);
      return performance.now() - startedMs;
    } finally {
      await end(child);
    }
  };
  const measurements = (Object.keys(tools) as (keyof typeof tools)[]).map((name) => [name, time(name)] as const); // why: its own keys
  return {
    name: "command from spawn to first response",
    unit: "ms",
    baseline: "node:http script",
    samples: await takeTurns(rounds, Object.fromEntries(measurements)),
    goals: [
      { of: "mock service", against: "node:http script", atMost: 1.6 },
      { of: "mock service", against: "json-server", atMost: 1 },
      { of: "mock service", against: "prism", atMost: 1 },
      { of: "mock service", against: "mockoon", atMost: 1 },
    ],
  };
}

/** The first output of a module that is passed to Node as text. */
async function output(script: string, flags: string[] = []): Promise<string> {
  const child = runNode([...flags, "--input-type=module", "--eval", script], cores.subject);
  try {
    const [chunk] = (await once(child.stdout, "data")) as [Buffer]; // why: a stream without an encoding gives bytes
    return chunk.toString();
  } finally {
    await end(child);
  }
}
