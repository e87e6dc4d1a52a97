// Processes of the fleet are killed at the worst times.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFleet, redis } from "./fleet-bench.ts";

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

describe.skipIf(redis === undefined)("a fleet whose processes are killed", { concurrent: true }, () => {
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
});
