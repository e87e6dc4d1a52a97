// The fleet of examples/fleet with a real Redis and real HTTP. Its processes are killed at the worst times.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMockService, type MockServiceOptions } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { Queue } from "bullmq";
import * as fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, describe, expect, test, type TestContext } from "vitest";
import { startRedis } from "./redis.ts";
import { createFolder, start } from "./program.ts";

const redis = await startRedis();
if (redis === undefined)
  console.warn(
    "The fleet was not tried: install redis-server (Debian: apt-get install redis-server) or set REDIS_URL.",
  );
afterAll(() => redis?.[Symbol.asyncDispose]());

const key = "test_fleet";
const plan = { limit: 20, windowMs: 200 };
let fleets = 0;

/** A service, a queue of its own, and the programs of the example. */
async function createFleet({ expect, onTestFinished }: TestContext, options: MockServiceOptions = {}) {
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

/** Kills one worker in the middle of a request, then suspends one of two others. Returns a function that resumes it if it still runs. */
function breakTwoWorkers(
  fleet: Awaited<ReturnType<typeof createFleet>>,
  signal: "SIGKILL" | "SIGSTOP",
  args: readonly string[] = [],
): () => Promise<void> {
  const own = ["--lockDuration", "1000", "--stalledInterval", "250", ...args];
  const [first = 0, second = 0] = fc.sample(fc.integer({ min: 1, max: 25 }), 2);
  const workers = [fleet.work(own)];
  let created = 0;
  fleet.service.onRequest(
    () => {
      created += 1;
      // The service has created the page but not responded yet: the worker dies without knowing.
      if (created === first) workers[0]?.child.kill("SIGKILL");
      if (created === first) workers.push(fleet.work(own), fleet.work(own));
      if (created === first + second) workers[1]?.child.kill(signal);
    },
    { endpoint: "createPage" },
  );
  return async () => {
    const suspended = workers[1];
    // It finishes its work before it ends.
    for (const wake of ["SIGCONT", "SIGTERM"] as const) suspended?.child.kill(wake);
    await suspended?.ended;
  };
}

const slugsOf = (count: number) => Array.from({ length: count }, (_, index) => `offer-${index + 1}`).toSorted();

describe.skipIf(redis === undefined)("a fleet", { concurrent: true }, () => {
  test("publishes every page once when workers are killed, if the service honours idempotency keys", async (context) => {
    const fleet = await createFleet(context);
    await fleet.produce("60").ended;

    breakTwoWorkers(fleet, "SIGKILL", ["--keys-last", "1"]);

    expect(await fleet.finish()).toEqual({ published: 60, inReview: 0, dead: 0 });
    expect(fleet.slugs()).toEqual(slugsOf(60));
  });

  test("sends nothing twice when workers are killed or suspended, and puts pages that may exist in review, if the service ignores the keys", async (context) => {
    const fleet = await createFleet(context, { dialect: { switches: { idempotency: "ignored" } } });
    await fleet.produce("60").ended;

    const wake = breakTwoWorkers(fleet, "SIGSTOP");
    const outcomes = await fleet.finish();
    await wake();

    const inReview = await fleet.review.getJobs();
    expect(inReview.length).toBeGreaterThan(0);
    expect(outcomes).toEqual({ published: 60 - inReview.length, inReview: inReview.length, dead: 0 });
    for (const { id, data } of inReview) expect(data.idempotencyKey).toBe(`${fleet.pages.name}-${id}`);
    expect(fleet.slugs()).toEqual([...new Set(fleet.slugs())]);
    expect([...new Set([...fleet.slugs(), ...inReview.map(({ name }) => name)])].toSorted()).toEqual(slugsOf(60));
  });

  test("queues every page once when the producer is killed and run again", async (context) => {
    const fleet = await createFleet(context);
    const first = fleet.produce("1500");
    await context.expect.poll(() => fleet.pages.getWaitingCount(), { interval: 5 }).toBeGreaterThan(0);
    first.child.kill("SIGKILL");
    await first.ended;
    const before = await fleet.pages.getWaitingCount();

    await fleet.produce("1500").ended;

    const jobs = await fleet.pages.getWaiting();
    expect(before).toBeLessThan(1500);
    expect(jobs.map(({ name }) => name).toSorted()).toEqual(slugsOf(1500));
  });

  test("distinguishes dead letters from pages that may exist, waits as the service asks, and its summary adds up", async (context) => {
    const fleet = await createFleet(context, { plan: "unlimited" });
    const folder = await createFolder(context);
    for (const slug of ["tea", "shoes", "No slug", "stored", "lost"])
      await writeFile(
        join(folder, `${slug}.md`),
        `---\ntitle: Offer\nslug: ${slug}\ncta: { type: button, label: Go, url: https://a.example/ }\n---\nText.\n`,
      );
    const addFault = (slug: string, rule: object) =>
      fleet.account.faults.add({ endpoint: "createPage", request: { body: { slug } }, times: 1, ...rule });
    addFault("stored", { status: 500, when: "after" });
    addFault("lost", { wire: "reset" });
    addFault("tea", { status: 429, headers: { "Retry-After": "1" } });
    addFault("shoes", { status: 503, headers: { "Retry-After": "1" } });

    await fleet.produce(folder).ended;
    fleet.work();
    const summary = await fleet.summarize();

    expect(summary).toContain("5 queued = 2 published + 2 in review + 1 dead + 0 waiting");
    expect(summary).toMatch(
      /before you send them again:\n(  (stored|lost) \(Idempotency-Key fleet-\S+\): .*\n){2}\nRefused:\n  No slug: .*slug/,
    );
    expect(fleet.slugs()).toEqual(["shoes", "stored", "tea"]);
    expect(fleet.account.requests({ endpoint: "createPage" })).toHaveLength(7);
  });

  test("pauses when the key is refused, loses no page, and continues once the key works", async (context) => {
    const fleet = await createFleet(context);
    await fleet.produce("30").ended;
    const locked = fleet.work([], { LANDING_PAGES_API_KEY: "revoked" });
    await locked.printed("Paused: ");
    locked.child.kill("SIGTERM");
    expect(await locked.ended, locked.output()).toBe(0);

    const before = await fleet.pages.getJobCounts("wait", "active", "failed", "completed");
    await fleet.produce("30").ended;
    fleet.work();

    expect(before).toEqual({ wait: 30, active: 0, failed: 0, completed: 0 });
    expect(await fleet.finish()).toEqual({ published: 30, inReview: 0, dead: 0 });
  });

  test("pauses when the service fails for one page after the other, with few pages in review", async (context) => {
    const fleet = await createFleet(context, { plan: "unlimited" });
    fleet.account.faults.add({ endpoint: "createPage", status: 500 });
    await fleet.produce("200").ended;

    const worker = fleet.work();
    await worker.printed("Paused: ");
    worker.child.kill("SIGTERM");
    await worker.ended;

    const { failed = 0, wait = 0 } = await fleet.pages.getJobCounts("failed", "wait");
    expect(failed).toBeLessThanOrEqual(16);
    expect(failed + wait).toBe(200);
    expect(await fleet.review.getWaitingCount()).toBe(failed);
  });
});
