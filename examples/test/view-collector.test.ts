// The view collector under bad conditions: killed at any step, a torn file, a full disk.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { LandingPages } from "@landing-page-service/sdk";
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from "vitest";
import { createFolder, start } from "./program.ts";

const service = createMockService();
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(service, { port: 0 });
});
afterAll(() => server.close());

/** Ends the process as `kill -9` does, before its nth write. */
const killBefore = (write: number) => [
  "--import",
  `data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let left = ${write};
    for (const name of ["appendFileSync", "writeFileSync", "renameSync", "rmSync"]) {
      const real = fs[name];
      fs[name] = (...given) => {
        if (left-- === 0) process.kill(process.pid, "SIGKILL");
        return real(...given);
      };
    }
    syncBuiltinESMExports();
  `)}`,
];

async function setUp({ onTestFinished }: TestContext, key: string, views: number) {
  const folder = await createFolder({ onTestFinished });
  const { pages } = new LandingPages({ apiKey: key, baseUrl: server.url });
  const cta = { type: "button", label: "Book", url: "https://tea.example/" };
  const { id } = await pages.create({ title: "Tea", content: "Tea.", slug: "tea", cta });
  const lines = Array.from({ length: views }, (_, minute) =>
    JSON.stringify({
      pageId: id,
      timestamp: new Date(Date.UTC(2026, 4, 4, 8, minute)).toISOString(),
      idempotencyKey: `view-${minute}`,
    }),
  );
  const run = (file: string, flags: readonly string[] = []) =>
    start(process.execPath, [...flags, "view-collector.ts", file], {
      LANDING_PAGES_BASE_URL: server.url,
      LANDING_PAGES_API_KEY: key,
      PORT: "0",
    });
  return { account: service.account(key), file: join(folder, "views.ndjson"), lines, run };
}

async function stop(program: ReturnType<typeof start>): Promise<number | null> {
  await program.printed("port:").catch(() => undefined); // it may have been killed before
  program.child.kill("SIGTERM");
  return program.ended;
}

describe.concurrent("the view collector", () => {
  test.for([0, 1, 2, 3, 4])(
    "killed before write %i, in an outage and after it, loses no view and counts none twice",
    async (write, context) => {
      const { account, file, lines, run } = await setUp(context, `test_killed_${write}`, 5);
      await writeFile(file, `${lines.join("\n")}\n{"pageId":"pg_1","time`);

      account.faults.add({ endpoint: "trackEvent", status: 503 });
      await stop(run(file, killBefore(write)));
      account.faults.clear();
      const killed = run(file, killBefore(write));
      await Promise.race([killed.ended, vi.waitFor(() => expect(account.events).toHaveLength(5), 120_000)]);
      killed.child.kill("SIGKILL");
      await killed.ended;
      const last = run(file);
      await context.expect.poll(async () => (await readFile(file, "utf8")).trim()).toBe("");

      expect(await stop(last)).toBe(0);
      expect(account.events.map(({ timestamp }) => timestamp.slice(14, 16)).sort()).toEqual([
        "00",
        "01",
        "02",
        "03",
        "04",
      ]);
      expect(await readFile(`${file}.torn`, "utf8")).toContain('{"pageId":"pg_1","time');
    },
  );

  test("a file with more views than the queue has room for is read in parts and kept with one write", async (context) => {
    const { account, file, lines, run } = await setUp(context, "test_long_file", 1_200);
    await writeFile(file, lines.join("\n"));
    account.faults.add({ endpoint: "trackEvent", status: 503 });

    expect(await stop(run(file, killBefore(2)))).toBe(0);
    const kept = await readFile(file, "utf8");
    expect(kept.match(/"view-\d+"/g)?.sort()).toEqual(lines.map((_, minute) => `"view-${minute}"`).sort());

    account.faults.clear();
    const last = run(file);
    await context.expect.poll(() => account.events).toHaveLength(1_200);
    expect(await stop(last)).toBe(0);
    expect(new Set(account.events.map(({ timestamp }) => timestamp)).size).toBe(1_200);
  });

  test("views that cannot be written to a file are printed, while the collector runs and when it ends", async (context) => {
    const { account, file, run } = await setUp(context, "test_nowhere", 0);
    account.faults.add({ endpoint: "trackEvent", status: 503 });
    const program = run(join(file, "no-such-folder", "views.ndjson"));
    await program.printed("port:");
    const port = /port: (\d+)/.exec(program.output())?.[1] ?? "";

    for (let view = 0; view < 1_005; view += 1)
      await fetch(`http://127.0.0.1:${port}/views/view-${view}`, { method: "POST" });
    await program.printed('"view-1004"');
    const before = program.output();

    expect(await stop(program)).toBe(1);
    expect(before).toMatch(/not kept: Error: ENO\w+/);
    const printed = new Set(program.output().match(/"view-\d+"/g));
    expect(printed.size).toBe(1_005);
  });
});
