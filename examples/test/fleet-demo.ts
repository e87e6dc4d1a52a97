// Runs the whole fleet against the mock server, over real HTTP and Redis, and kills two workers at random times:
// `node test/fleet-demo.ts --pages 2000 --workers 8 --limit 100/2 --kill 2`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { startRedis } from "./redis.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000" },
    workers: { type: "string", default: "4" },
    limit: { type: "string", default: "100/2" },
    kill: { type: "string", default: "1" },
    "keys-last": { type: "string", default: "1" },
  },
});
const redis = await startRedis();
if (redis === undefined)
  throw new Error("No Redis: set REDIS_URL, or install redis-server (Debian: apt-get install redis-server)");
const [limit = 100, seconds = 2] = values.limit.split("/").map(Number);
const service = createMockService({ plan: { limit, windowMs: seconds * 1000 }, domains: [] });
const responses = new Map<number | undefined, number>();
const workers: ChildProcess[] = [];
const kills = Array.from({ length: Number(values.kill) }, () => Math.random() * Number(values.pages));
kills.sort((one, other) => one - other);
let firstMs = 0;
const server = await listen(service, {
  onAnswer({ status }) {
    firstMs ||= Date.now();
    responses.set(status, (responses.get(status) ?? 0) + 1);
    const [next = Infinity] = kills;
    if ((responses.get(201) ?? 0) <= next) return;
    kills.shift();
    workers.shift()?.kill("SIGKILL");
  },
});

const env = {
  ...process.env,
  REDIS_URL: redis.url,
  LANDING_PAGES_API_KEY: "test_fleet",
  LANDING_PAGES_BASE_URL: server.url,
};
const start = (program: string, ...args: string[]) => {
  const file = join(import.meta.dirname, "../fleet", program);
  return spawn(process.execPath, [file, "--queue", `demo-${process.pid}`, ...args], { env, stdio: "inherit" });
};
const options = `--limit ${values.limit} --keys-last ${values["keys-last"]} --lockDuration 2000 --stalledInterval 1000`;

await once(start("producer.ts", values.pages), "close");
const startedAtMs = Date.now();
for (let count = 0; count < Number(values.workers); count += 1) workers.push(start("worker.ts", ...options.split(" ")));
await once(start("summary.ts", "--watch"), "close");

const tookSeconds = [startedAtMs, firstMs].map((sinceMs) => ((Date.now() - sinceMs) / 1000).toFixed(1));
const slugs = service.account("test_fleet").pages.map(({ slug }) => slug);
console.log(`${slugs.length} pages are there, ${slugs.length - new Set(slugs).size} of them twice`);
console.log(
  `${tookSeconds[0]} s, ${tookSeconds[1]} s of them since the first response; responses by status:`,
  Object.fromEntries(responses),
);
for (const worker of workers) worker.kill();
await server.close();
await redis[Symbol.asyncDispose]();
