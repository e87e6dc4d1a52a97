// Sends mixed requests to a mock server in another process and watches that server's heap.
// `node bench/heap-mock.ts --requests 1000000`; exits with 1 when the heap has grown.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";

/** What the server says of its memory, in bytes, after a full collection. */
interface Memory {
  heap: number;
  resident: number;
}

/** Growth between the second tenth and the end that still counts as flat: caches of the engine and the bounded stores fill up. */
const allowedGrowthBytes = 8 * 1024 * 1024;
const workers = 16;
const requestsPerRound = 11;
const agent = new Agent({ keepAlive: true, maxSockets: workers });

if (process.send) await serve();
else await drive();

async function serve(): Promise<void> {
  const { url } = await listen(createMockService({ plan: "pro" }), { control: true });
  process.on("message", () => {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    process.send?.({ heap: heapUsed, resident: rss } satisfies Memory);
  });
  process.send?.(url);
}

async function drive(): Promise<void> {
  const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
  const total = Number(values.requests);
  const server = fork(import.meta.filename, { execArgv: ["--expose-gc"] });
  const [url] = (await once(server, "message")) as [string]; // the first message of `serve`
  const statuses = new Map<number, number>();
  const samples: Memory[] = [];

  console.log("requests      heap MiB   resident MiB");
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await Promise.all(
      Array.from({ length: workers }, (_, worker) => work(url, worker, total / 10 / workers, statuses)),
    );
    const sample = await readMemory(server);
    samples.push(sample);
    console.log(
      `${String((total / 10) * tenth).padEnd(14)}${mebibytes(sample.heap).padEnd(11)}${mebibytes(sample.resident)}`,
    );
  }
  server.kill();
  agent.destroy();

  const growth = (samples.at(-1)?.heap ?? 0) - (samples[1]?.heap ?? 0);
  console.log(`answers by status: ${[...statuses].map(([status, count]) => `${status} x ${count}`).join(", ")}`);
  console.log(
    `heap after the last tenth against the second: ${mebibytes(growth)} MiB (flat: at most ${mebibytes(allowedGrowthBytes)})`,
  );
  process.exitCode = growth > allowedGrowthBytes ? 1 : 0;
}

/** One round of a caller: creates, reads, changes, reports, errs in several ways, deletes, and leaves its account empty. */
async function work(url: string, worker: number, requests: number, statuses: Map<number, number>): Promise<void> {
  const send = async (method: string, path: string, key: string, body?: string): Promise<string> => {
    const { status, text } = await call(url, method, path, key, body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return text;
  };
  for (let round = 0; round < requests / requestsPerRound; round += 1) {
    const key = `test_heap_${worker}_${round % 1000}`;
    const created = await send("POST", "/api/content", key, pageBody(round));
    const id = /"id":"([^"]+)"/.exec(created)?.[1] ?? "none";
    await send("GET", "/api/content?limit=20", key);
    await send("PUT", `/api/content/${id}`, key, JSON.stringify({ title: `Title ${round}` }));
    await send("POST", "/api/analytics/view", key, JSON.stringify({ pageId: id, timestamp: "2026-01-31T12:00:00Z" }));
    await send("POST", "/api/content", key, '{"title":');
    await send("GET", `/api/content?limit=${round}x`, key);
    await send("DELETE", `/api/content/pg_${round}`, key);
    await send("GET", `/nowhere/${worker}/${round}`, key);
    await send("GET", "/api/content", `wrong_${worker}_${round}`);
    await send("DELETE", `/api/content/${id}`, key);
    // What callers stored is no leak: the events go too.
    await send("POST", `/__mock/reset?key=${key}`, key);
  }
}

function pageBody(round: number): string {
  return JSON.stringify({
    title: `Page ${round}`,
    content: `Running shoes and tea, number ${round}. `.repeat(20),
    slug: `page-${round % 50}`,
    cta: { type: "button", label: "Go", url: `https://shop.example/${round}` },
  });
}

function call(
  url: string,
  method: string,
  path: string,
  key: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
    };
    const outgoing = request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on("error", reject).end(body);
  });
}

async function readMemory(server: ChildProcess): Promise<Memory> {
  server.send("memory");
  const [memory] = (await once(server, "message")) as [Memory]; // what `serve` answers
  return memory;
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
