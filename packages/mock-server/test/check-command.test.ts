import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMockService, type MockService, type MockServiceOptions, resolveDialect } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create } from "./client.ts";
import { runCommand } from "./command.ts";
import { createFolder, typeScriptFlags } from "./node-process.ts";

test("a report shows control characters of the service escaped, as text and as JSON", async () => {
  const error = { status: 200, text: "\u009b2J\u202e\u001b[8m {detail}" };
  await serve({ dialect: { answers: { error } } });

  const [text, json] = [await check(), await check("--json")];

  expect(text.output + json.output).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  expect(json.output).toContain("\\u009b2J");
  expect(() => JSON.parse(json.output)).not.toThrow();
});

test("a check prints a table, writes a dialect that the mock can use, and leaves nothing behind", async () => {
  const service = await serve({ dialect: "spring-like" });
  const file = join(createFolder(), "seen.json");

  const { code, output, errors } = await check("--write-dialect", file);

  expect(errors).toBe("");
  expect(output).toContain(`${process.env["LANDING_PAGES_BASE_URL"]}: `);
  expect(output).toContain("  ≠ responses          see listPages, trackEvent, error in `answers` of the dialect\n");
  expect(output).not.toContain("test_secret");
  expect(code).toBe(0);
  const seen: unknown = JSON.parse(readFileSync(file, "utf8"));
  expect(resolveDialect(seen).answers).toEqual(service.dialect.answers);
  expect(service.account("test_secret").pages).toEqual([]);
});

test("a dialect file is replaced whenever the check found the identifiers, although the response to a create shows more than them", async () => {
  const page = { id: "urn:page:{id}", title: "{title}", slug: "{slug}" };
  await serve({ dialect: { pageId: "{id}", answers: { page } } });
  const file = join(createFolder(), "seen.json");
  writeFileSync(file, "{}");

  const { code, errors } = await check("--write-dialect", file);

  expect([code, errors]).toEqual([1, `landing-pages-mock: ${file} was written; the exit code is 1.\n`]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pageId: "{id}" });
});

test("a broken statement ends the check with exit code 1, and --json names it", async () => {
  const service = await serve({});
  service.faults.add({ endpoint: "deletePage", key: "test_secret", status: 204 });

  const { code, output } = await check("--json");

  const report = JSON.parse(output) as {
    ok: boolean;
    statements: { id: string; verdict: string }[];
    leftovers: string[];
  }; // why: the assertions check it
  expect(code).toBe(1);
  expect(report.ok).toBe(false);
  expect(report.statements).toContainEqual(expect.objectContaining({ id: "delete-permanent", verdict: "broken" }));
  expect(report.leftovers).toHaveLength(service.account("test_secret").pages.length);
});

test("a check with a dialect ends with exit code 1 if the dialect no longer fits, and with 0 if it does", async () => {
  await serve({});
  const folder = createFolder();
  const compare = (name: string, dialect: object) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(dialect));
    return check("--compare", file, "--timeout", "20000");
  };

  const drifted = await compare("before.json", { switches: { "list-order": "newest-first" } });
  const same = await compare("now.json", {});
  const wrong = await compare("wrong.json", { answers: { page: "{titel}" } });
  const late = await check("--timeout", "soon");

  expect([drifted.code, same.code, wrong.code, late.code]).toEqual([1, 0, 2, 2]);
  expect(drifted.output).toContain("≠ switches/list-order: expected newest-first, actual oldest-first");
  expect(same.output).toContain("; no drift from the dialect (");
  expect(wrong.errors).toMatch(/wrong\.json: answers\/page: unknown placeholder \{titel\}; did you mean "title"\?/);
  expect(late.errors).toContain("--timeout: expected an integer from 1 to 9999999");
});

test("Ctrl-C stops a check, which still deletes its pages", async () => {
  const service = await serve({ latencyMs: 20 });
  const cli = join(import.meta.dirname, "../src/cli.ts");
  const child = spawn(process.execPath, [...typeScriptFlags, cli, "check"], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await service.waitForRequest({ method: "PUT" }, { timeoutMs: 20_000 });

  child.kill("SIGINT");

  const [code] = (await once(child, "close")) as [number | null]; // why: `once` is untyped
  expect(errors).toContain("Stopping: deleting the pages of the check.");
  expect(errors).toContain("landing-pages-mock: Stopped. The check has deleted its pages.\n");
  expect(code).toBe(130);
  expect(service.account("test_secret").pages).toEqual([]);
  expect(service.requests({ method: "DELETE" }).length).toBeGreaterThan(0);
});

test("an account with pages is not checked without --yes", async () => {
  const service = await serve({});
  const own = await create(service, {}, "test_secret");

  const refused = await check();
  const checked = await check("--yes");

  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(/^landing-pages-mock: The account already has pages\. .+ Pass `yes` \(`--yes`\)/);
  expect(checked.code).toBe(0);
  expect(service.account("test_secret").pages).toEqual([own]);
});

test("a missing key or base URL is an error that says how to pass it", async () => {
  await serve({});
  vi.stubEnv("LANDING_PAGES_API_KEY", "");

  const { code, errors } = await check();

  expect(code).toBe(2);
  expect(errors).toBe(
    "landing-pages-mock: check needs --api-key KEY, or LANDING_PAGES_API_KEY. See landing-pages-mock help.\n",
  );
});

/** Starts a service, to which the variables of the environment lead. */
async function serve(options: MockServiceOptions): Promise<MockService> {
  const service = createMockService(options);
  const server = await listen(service);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  vi.stubEnv("LANDING_PAGES_BASE_URL", server.url);
  vi.stubEnv("LANDING_PAGES_API_KEY", "test_secret");
  return service;
}

const check = (...words: string[]) => runCommand(["check", ...words]);
