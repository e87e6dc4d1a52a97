// Processor time of a call in the process of the caller, over loopback, with a server in another process.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Contenders, cores, type Rounds, startAll, Subject, takeTurns } from "./measure.ts";
import { fillAccount, makePage } from "./pages.ts";
import type { Figure, Goal } from "./report.ts";

const peers = ["ky + zod", "axios", "got", "openai"];

/** Shapes in which the server sends the same pages, and the contender of ours that reads each. */
const shapes = { reference: "sdk", nested: "sdk", "nested, by a dialect": "sdk by a dialect" } as const;

/** Ratios of CPU per call, with global `fetch` and `JSON.parse` as 1.00. */
export async function measureClient(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [shape, sdk] of Object.entries(shapes)) {
    await using server = await Subject.start("client.ts", "server", shape, cores.load);
    const url = String(await server.call("url"));
    // The zod schema of the peers fits the reference shape only.
    const contenders = ["fetch", sdk, ...(shape === "reference" ? peers : peers.filter((name) => name !== "ky + zod"))];
    await using started = await startAll("client-peers.ts", contenders, url);
    const goals = ["ky + zod", "axios", "got", "openai"]
      .filter((against) => contenders.includes(against))
      .map((against): Goal => ({ of: sdk, against, atMost: 1 }));
    for (const task of ["list", "create"])
      figures.push(
        await cpuFigure(`SDK over loopback, ${task}, ${shape}, CPU`, task, 1, rounds, started.subjects, goals),
      );
  }
  return figures;
}

// The compiler works on a client for some six seconds.
const rounds = { warmUp: 60, rounds: 25 };

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

export const contenders: Contenders = {
  /** Sends a body that is ready, so that no client waits for the server. */
  async server(shape) {
    const { createMockService } = await import("#mock-server");
    const text = await fillAccount(createMockService().fetch, "https://service.example", 20);
    const reference = JSON.parse(text) as { data: { id: string }[]; total: number }; // why: our own mock sends it
    const items = reference.data.map(({ id, ...fields }) => ({ _id: id, ...fields }));
    const isNested = shape !== "reference";
    const list = Buffer.from(isNested ? JSON.stringify({ data: { items, total: items.length } }) : text);
    const sent = makePage(1);
    const created = isNested ? { data: { ...items[0], ...sent } } : { ...reference.data[0], ...sent };
    const page = Buffer.from(JSON.stringify(created));
    const server = createServer((request, response) => {
      const isList = request.method === "GET";
      const body = isList ? list : page;
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
    const { port } = server.address() as AddressInfo; // why: a TCP server's address is an object
    return { url: () => `http://127.0.0.1:${port}` };
  },
};
