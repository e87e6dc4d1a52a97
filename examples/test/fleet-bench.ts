// The fleet of examples/fleet with a real Redis and real HTTP.
import { createMockService, type MockServiceOptions } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, type TestContext } from "vitest";
import { startRedis } from "./redis.ts";
import { start } from "./program.ts";

/** `undefined` if there is no Redis to try the fleet with. */
export const redis = await startRedis();
if (redis === undefined)
  console.warn(
    "The fleet was not tried: install redis-server (Debian: apt-get install redis-server) or set REDIS_URL.",
  );
afterAll(() => redis?.[Symbol.asyncDispose]());

const key = "test_fleet";
const plan = { limit: 20, windowMs: 200 };
let fleets = 0;

/** A service, a queue of its own, and the programs of the example. */
export async function createFleet({ expect, onTestFinished }: TestContext, options: MockServiceOptions = {}) {
  const service = createMockService({ plan, domains: [], ...options });
  const server = await listen(service);
  const queue = `fleet-${process.pid}-${(fleets += 1)}`;
  const connection = new Redis(redis?.url ?? "", { maxRetriesPerRequest: null });
  const env = { REDIS_URL: redis?.url, LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: key };
  const programs: ReturnType<typeof start>[] = [];
  const run = (name: string, args: readonly string[], own: Record<string, string> = {}) => {
    const program = start(process.execPath, [`fleet/${name}.ts`, "--queue", queue, ...args], { ...env, ...own });
    programs.push(program);
    return program;
  };
  onTestFinished(async () => {
    for (const { child } of programs) child.kill("SIGKILL");
    await Promise.all(programs.map(({ ended }) => ended));
    for (const name of [queue, `${queue}-review`]) await new Queue(name, { connection }).obliterate({ force: true });
    connection.disconnect();
    await server.close();
  });
  const account = service.account(key);
  const pages = new Queue(queue, { connection });
  const review = new Queue(`${queue}-review`, { connection });
  return {
    service,
    account,
    slugs: () => account.pages.map(({ slug }) => slug).toSorted(),
    pages,
    review,
    produce: (source: string) => run("producer", [source]),
    work: (args: readonly string[] = [], own?: Record<string, string>) =>
      run("worker", ["--limit", "20/0.2", ...args], own),
    /** Waits until no page waits. Returns how many have each outcome. */
    async finish() {
      const waiting = ["wait", "active", "delayed", "prioritized"] as const;
      await expect.poll(() => pages.getJobCountByTypes(...waiting)).toBe(0);
      const { completed = 0, failed = 0 } = await pages.getJobCounts("completed", "failed");
      const inReview = await review.getWaitingCount();
      return { published: completed, inReview, dead: failed - inReview };
    },
    async summarize(): Promise<string> {
      const program = run("summary", ["--watch"]);
      expect(await program.ended, program.output()).toBe(0);
      return program.output();
    },
  };
}
