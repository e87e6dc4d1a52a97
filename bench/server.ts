// Requests per second over real HTTP: the mock service on node:http against frameworks and other mock servers.
import autocannon from "autocannon";

import { type Contenders, cores, expectSame, manyRounds, startAll, Subject, takeTurns } from "./measure.ts";
import { apiKey, fillAccount, makePage, temporaryFolder } from "./pages.ts";
import type { Figure } from "./report.ts";

const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
const peers = ["fastify", "hono", "express", "json-server", "prism", "mockoon"];
const ours = ["mock service", "mock service, empty catalogue"] as const;

/** Ratios of requests per second, with a hand-written `node:http` server and zod as 1.00. */
export async function measureServer(): Promise<Figure[]> {
  await using load = await Subject.start("server.ts", "load", "", cores.load);
  await using mocks = await startAll("servers.ts", ours);
  const [mock, emptyMock] = mocks.subjects;
  if (mock === undefined || emptyMock === undefined) throw new Error("the mock service did not start");
  await fillAccount(fetch, String(await emptyMock.call("url")), 100);

  using folder = temporaryFolder();
  const listPath = folder.write("list.json", await fillAccount(fetch, String(await mock.call("url")), 100));
  await using others = await startAll("servers.ts", ["node:http", ...peers], listPath);
  const expected = await firstPages(mock);
  for (const other of others.subjects) expectSame(other.name, await firstPages(other), expected);

  const measure = async (task: "list" | "create", subjects: Subject[], goals: readonly string[]): Promise<Figure> => {
    const runs: Record<string, () => Promise<number>> = {};
    for (const subject of subjects) {
      const url = await subject.call("url");
      runs[subject.name] = () => load.call(task, url) as Promise<number>; // why: the load below replies with a number
    }
    return {
      name: `mock over node:http, ${task === "list" ? "list of 20" : "create"}`,
      unit: "requests/s",
      baseline: "node:http",
      samples: await takeTurns(manyRounds, runs),
      goals: goals.map((against) => ({ of: ours[0], against, atLeast: 1 })),
    };
  };
  return [
    await measure("list", [mock, ...others.subjects], peers),
    await measure("create", [mock, emptyMock, ...others.subjects], peers.slice(3)),
  ];
}

async function firstPages(subject: Subject): Promise<unknown> {
  const url = String(await subject.call("url"));
  const response = await fetch(`${url}/api/content?limit=20&offset=0`, { headers });
  const list = (await response.json()) as { data?: unknown }; // why: it is one of two envelopes
  return list.data ?? list;
}

export const contenders: Contenders = {
  /** Sends requests over 16 connections for half a second. Returns the responses per second. */
  load() {
    const pages = Array.from({ length: 2000 }, (_, number) => makePage(number));
    let turn = 0;
    const setupRequest = (request: autocannon.Request) => {
      turn += 1;
      return { ...request, body: JSON.stringify({ ...pages[turn % pages.length], slug: `page-${turn}` }) };
    };
    return {
      list: (url) => run({ url: `${String(url)}/api/content?limit=20&offset=0` }),
      create: (url) => run({ url: `${String(url)}/api/content`, method: "POST", requests: [{ setupRequest }] }),
    };
  },
};

/** Responses per second. */
async function run(options: autocannon.Options): Promise<number> {
  // autocannon looks at the clock once per sample, which is a second by default.
  const result = await autocannon({ connections: 16, duration: 0.5, sampleInt: 50, headers, ...options });
  if (result.non2xx + result.errors + result.timeouts > 0) throw new Error(`${options.url} failed under load`);
  return (result["2xx"] / (result.finish.getTime() - result.start.getTime())) * 1000;
}
