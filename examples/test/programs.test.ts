import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { LandingPages } from "@landing-page-service/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFolder, runExample, start, startRunner } from "./program.ts";

const service = createMockService({
  accounts: [{ id: "importer", keys: ["import-key"], plan: { limit: 300, windowMs: 1_000 } }],
});
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(service, { port: 0 });
});
const runner = startRunner();
afterAll(async () => {
  runner.stop();
  await server.close();
});

const environment = (key: string) => ({ LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: key });

describe.concurrent("an example", () => {
  test("the demo publishes, waits, explains and leaves nothing behind", async () => {
    const { code, output } = await runExample(["demo.ts"], {});

    expect(code, output).toBe(0);
    expect(output).toContain("50 succeeded");
    expect(output).toContain("BadRequestError");
    expect(output).toContain("NotFoundError");
    expect(output).toContain("0 pages are left");
    expect(output).not.toContain("\u001b");
  });

  test("a folder is published, and later runs publish its edits and deletions, and nothing else", async ({
    onTestFinished,
  }) => {
    const folder = await createFolder({ onTestFinished });
    await cp(join(import.meta.dirname, "../pages"), folder, { recursive: true });
    const run = (...args: string[]) => runner.run("publish-folder.ts", [folder, ...args], environment("test_folder"));
    const account = service.account("test_folder");
    const slugs = () => account.pages.map(({ slug }) => slug);

    const dry = await run("--dry-run");
    expect(outcomes(dry.output)).toEqual(Array.from({ length: 6 }, () => "created"));
    expect(slugs()).toEqual([]);

    const first = await run();
    expect(outcomes(first.output)).toEqual(Array.from({ length: 6 }, () => "created"));
    const before = slugs();
    expect(before).toHaveLength(6);

    await rm(join(folder, "lisbon-food-walk.md"));
    const [edited = ""] = await readdir(folder);
    await writeFile(
      join(folder, edited),
      (await readFile(join(folder, edited), "utf8")).replace(/^title: .*$/m, "title: New"),
    );
    const dryDelete = await run("--delete", "--dry-run");
    expect(slugs()).toEqual(before);

    const second = await run();
    expect(outcomes(second.output).toSorted()).toEqual([...Array.from({ length: 4 }, () => "unchanged"), "updated"]);
    expect(slugs()).toEqual(before);
    expect(account.pages.filter(({ title }) => title === "New")).toHaveLength(1);

    const synced = await run("--delete");
    for (const { output } of [dryDelete, synced]) expect(output).toMatch(/^deleted {4}lisbon-food-walk$/m);
    expect(slugs()).toEqual(before.filter((slug) => slug !== "lisbon-food-walk"));

    const empty = await createFolder({ onTestFinished });
    const wrong = await runner.run("publish-folder.ts", [empty, "--delete"], environment("test_folder"));
    expect(wrong.code).toBe(1);
    expect(slugs()).toHaveLength(5);
  });

  test("a file with a mistake is reported by name, and the others are published", async ({ onTestFinished }) => {
    const folder = await createFolder({ onTestFinished });
    const rest = "cta: { type: button, label: Go, url: https://a.example/ }\n---\nText.\n";
    await writeFile(join(folder, "good.md"), `---\ntitle: Good\nslug: good\n${rest}`);
    await writeFile(join(folder, "untitled.md"), `---\nslug: untitled\n${rest}`);

    const { code, output } = await runner.run("publish-folder.ts", [folder], environment("test_faulty"));

    expect(code).toBe(1);
    expect(output).toMatch(/failed\s+untitled: .*title/);
    expect(service.account("test_faulty").pages.map(({ slug }) => slug)).toEqual(["good"]);
  });

  test("many pages are imported under a plan limit, and a second run imports only what is missing", async () => {
    const { code, output } = await runExample(["bulk-import.ts", "400"], environment("import-key"));

    expect(code, output).toBe(0);
    expect(output).toContain("400 pages imported");
    const client = new LandingPages({ apiKey: "import-key", baseUrl: server.url });
    expect((await client.pages.list({ limit: 1 })).total).toBe(400);

    const again = await runExample(["bulk-import.ts", "403"], environment("import-key"));

    expect(again.output).toMatch(/^3 pages imported .*, 0 failed, 400 existed already$/m);
    expect((await client.pages.list({ limit: 1 })).total).toBe(403);
  });

  test("the web app shows pages and shuts down without losing a view", async () => {
    const client = new LandingPages({ apiKey: "test_web", baseUrl: server.url });
    const cta = { type: "button", label: "Book", url: "https://tea.example/" };
    await client.pages.create({ title: "Tea & <cake>", content: "An afternoon.", slug: "tea", cta });
    const app = start(process.execPath, ["web-app.ts"], { ...environment("test_web"), PORT: "0" });
    await app.printed("http://");
    const url = /http:\S+/.exec(app.output())?.[0] ?? "";

    const responses = await Promise.all(Array.from({ length: 25 }, () => fetch(`${url}/tea`)));
    const texts = await Promise.all(responses.map((response) => response.text()));
    expect((await fetch(`${url}/coffee`)).status).toBe(404);
    app.child.kill("SIGTERM");

    expect(await app.ended).toBe(0);
    expect(texts[0]).toContain("Tea &amp; &lt;cake&gt;");
    expect(app.output()).toContain("25 views delivered, 0 failed, 0 dropped");
    expect(service.account("test_web").events).toHaveLength(25);
  });

  test("the view collector is stopped in an outage and started again, and every view is counted once", async ({
    expect,
    onTestFinished,
  }) => {
    const account = service.account("test_views");
    const { pages } = new LandingPages({ apiKey: "test_views", baseUrl: server.url });
    const cta = { type: "button", label: "Book", url: "https://tea.example/" };
    const slugs = Array.from({ length: 45 }, (_, index) => `tea-${index}`);
    const created = await Promise.all(slugs.map((slug) => pages.create({ title: slug, content: "Tea.", slug, cta })));
    const ids = created.map(({ id }) => id);
    const file = join(await createFolder({ onTestFinished }), "views.ndjson");
    const collector = async () => {
      const program = start(process.execPath, ["view-collector.ts", file], { ...environment("test_views"), PORT: "0" });
      await program.printed("port:");
      const port = /port: (\d+)/.exec(program.output())?.[1] ?? "";
      return { program, view: (id: string) => fetch(`http://127.0.0.1:${port}/views/${id}`, { method: "POST" }) };
    };
    const stop = async ({ program }: Awaited<ReturnType<typeof collector>>) => {
      program.child.kill("SIGTERM");
      expect(await program.ended, program.output()).toBe(0);
      return program.output();
    };

    const first = await collector();
    await Promise.all(ids.slice(0, 10).map(first.view));
    await expect.poll(() => account.events).toHaveLength(10);
    account.faults.add({ endpoint: "trackEvent", status: 503 });
    await Promise.all(ids.slice(10, 40).map(first.view));
    const firstOutput = await stop(first);
    const kept = (await readFile(file, "utf8")).split("\n").filter(Boolean);

    const second = await collector(); // still in the outage
    await Promise.all(ids.slice(40).map(second.view));
    const secondOutput = await stop(second);
    account.faults.clear();
    const third = await collector();
    await expect.poll(() => account.events).toHaveLength(45);
    const thirdOutput = await stop(third);

    expect(firstOutput).toContain("10 views delivered, 30 kept for the next start");
    expect(kept).toHaveLength(30);
    expect(secondOutput).toContain("0 views delivered, 35 kept for the next start");
    expect(thirdOutput).toContain("35 views delivered, 0 kept for the next start");
    expect(account.events.map(({ pageId }) => pageId).sort()).toEqual([...ids].sort());
  });

  test("the nightly check passes while the service stays as it is, and fails when it changes", async ({
    onTestFinished,
  }) => {
    const file = join(await createFolder({ onTestFinished }), "dialect.json");
    const changed = await listen(createMockService({ dialect: { switches: { "list-envelope": "items" } } }), {
      port: 0,
    });
    onTestFinished(() => changed.close());

    const first = await runner.run("nightly-check.ts", [file], environment("test_nightly"));
    const second = await runner.run("nightly-check.ts", [file], environment("test_nightly"));
    const third = await runner.run("nightly-check.ts", [file], {
      ...environment("test_nightly"),
      LANDING_PAGES_BASE_URL: changed.url,
    });

    expect([first.code, second.code, third.code], first.output + second.output + third.output).toEqual([0, 0, 1]);
    expect(third.output).toContain("listPages/body/data: expected an array, found nothing");
  });
});

/** The first word of every line about a file: what happened to it. */
function outcomes(output: string): string[] {
  return output.split("\n").flatMap((line) => line.match(/^(created|updated|unchanged|failed)/)?.[1] ?? []);
}
