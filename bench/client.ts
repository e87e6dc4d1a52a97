// What a call costs the caller's processor, over loopback, against a server in another process.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Contenders, cores, expectSame, type Rounds, startAll, Subject, takeTurns } from "./measure.ts";
import { fillAccount } from "./pages.ts";
import type { Figure, Goal, Part } from "./report.ts";

const peers = ["ky", "ky + zod", "axios", "got", "octokit", "openai", "ofetch"];

/** Ratios of CPU per call, with global `fetch` and `JSON.parse` as 1.00. */
export const client: Part = {
  async measure() {
    await using server = await Subject.start("client.ts", "server", "", cores.load);
    const url = String(await server.answer("url"));
    await using started = await startAll("client-peers.ts", ["fetch", "sdk", ...peers], url);
    const { subjects } = started;
    await expectSameAnswers(subjects);
    const few = subjects.filter(({ name }) => ["fetch", "sdk", "ky", "ky + zod"].includes(name));
    const below = ["ky + zod", "axios", "got", "octokit", "openai"];
    return [
      // A client takes some six seconds of its own until the compiler leaves it alone.
      await cpuFigure("SDK over loopback, list of 20, CPU", "list", 1, { warmUp: 60, rounds: 25 }, subjects, [
        { of: "sdk", against: "fetch", atMost: 1.5 },
        ...below.map((against): Goal => ({ of: "sdk", against, atMost: 1 })),
      ]),
      await cpuFigure("SDK over loopback, create, CPU", "create", 1, { warmUp: 60, rounds: 35 }, few, [
        { of: "sdk", against: "ky", atMost: 1.15 },
      ]),
      await cpuFigure("SDK, 64 lists in flight, CPU", "list", 64, { warmUp: 20, rounds: 31 }, few, [
        { of: "sdk", against: "fetch", atMost: 1.6 },
      ]),
    ];
  },
};

async function cpuFigure(
  name: string,
  task: string,
  inFlight: number,
  rounds: Rounds,
  subjects: Subject[],
  goals: Goal[],
): Promise<Figure> {
  const measurements = subjects.map((subject) => [subject.name, () => subject.cpu(task, 100, inFlight)] as const);
  const samples = await takeTurns(rounds, Object.fromEntries(measurements));
  return { name, unit: "µs", baseline: "fetch", samples, goals };
}

async function expectSameAnswers(subjects: Subject[]): Promise<void> {
  for (const task of ["list", "create"]) {
    const expected = await subjects[0]?.answer(task);
    for (const subject of subjects) expectSame(`${subject.name}, ${task}`, await subject.answer(task), expected);
  }
}

export const contenders: Contenders = {
  /** Answers with bytes that are ready, so that it is never what a client waits for. */
  async server() {
    const { createMockService } = await import("#mock-server");
    const list = Buffer.from(await fillAccount(createMockService().fetch, "https://service.example", 20));
    const created = Buffer.from(JSON.stringify(JSON.parse(list.toString()).data[0]));
    const server = createServer((request, response) => {
      const isList = request.method === "GET";
      const body = isList ? list : created;
      request.resume();
      response.writeHead(isList ? 200 : 201, {
        "Content-Type": "application/json",
        "Content-Length": body.length,
        "X-RateLimit-Limit": 600,
        "X-RateLimit-Remaining": 599,
        "X-RateLimit-Reset": Math.ceil(Date.now() / 60_000) * 60,
      });
      response.end(body);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // a server that listens on TCP has one
    return { url: () => `http://127.0.0.1:${port}` };
  },
};
