// The service refuses the pages of the fleet, or fails.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFleet, redis } from "./fleet-bench.ts";
import { createFolder } from "./program.ts";

describe.skipIf(redis === undefined)("a fleet whose pages are refused", { concurrent: true }, () => {
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
