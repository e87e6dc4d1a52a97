// Runs every code block of the README files and the guides against a live mock server.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { documents, type Snippet, writeSnippets } from "../../.ci/snippets.ts";

const examples = join(import.meta.dirname, "..");
const snippets = writeSnippets();
const commands: Record<string, (path: string) => [string, ...string[]]> = {
  ts: (path) => [process.execPath, path],
  sh: (path) => ["bash", "-euo", "pipefail", path],
  python: (path) => ["python3", path],
};

let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(createMockService(), { port: 0, control: true });
});
afterAll(() => server.close());

const isSuite = ({ path }: Snippet): boolean => path?.endsWith(".test.ts") === true;
const programs = snippets.filter((snippet) => snippet.path !== undefined && !isSuite(snippet));
const outputs = new Map(
  snippets.flatMap((snippet, index) => {
    const before = snippets[index - 1];
    return snippet.isOutput && before !== undefined ? [[before, snippet.code] as const] : [];
  }),
);

test.for(programs)("$file:$line runs", async (snippet) => {
  const { language, path = "", file, line } = snippet;
  const command = commands[language]?.(path);
  if (command === undefined) throw new Error(`${file}:${line}: nothing runs a block of ${language}`);
  const { code, output } = await run(command, `test_${file.replaceAll(/\W/g, "_")}_${line}`);

  expect(code, output).toBe(0);
  expect(steady(outputs.get(snippet) ?? output)).toBe(steady(output));
});

test("the test suites pass in vitest", async () => {
  const vitest = join(examples, "node_modules/vitest/vitest.mjs");
  const config = join(examples, "test/snippets.config.ts");
  const { code, output } = await run([process.execPath, vitest, "run", "--config", config], "test_suites");

  expect(code, output).toBe(0);
  expect(output).toContain(`${snippets.filter(isSuite).length} passed`);
});

test.for(snippets.filter(({ language }) => language === "json"))("$file:$line is JSON", ({ code }) => {
  expect(() => JSON.parse(code)).not.toThrow();
});

test.for(snippets.filter(({ language }) => language === "yaml"))("$file:$line is YAML", ({ code }) => {
  expect(() => parse(code)).not.toThrow();
});

test("every code block says what it is", () => {
  const known = new Set(["ts", "js", "sh", "python", "json", "yaml", "text", "console", "http", "dockerfile"]);

  expect(snippets.filter(({ language }) => !known.has(language))).toEqual([]);
});

test("no line of code is wider than 100 columns", () => {
  const wide = snippets.flatMap(({ file, line, language, code }) =>
    code
      .split("\n")
      .flatMap((text, index) => (text.length > 100 && language !== "text" ? [`${file}:${line + 1 + index}`] : [])),
  );

  expect(wide).toEqual([]);
});

test("every link to a file or a section of it leads somewhere", () => {
  const root = join(examples, "..");
  const broken = documents().flatMap(({ file, text }) =>
    Array.from(text.matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)).flatMap(([link, path = "", anchor]) => {
      const target = path === "" ? file : join(dirname(file), path);
      const isThere = existsSync(join(root, target));
      const hasSection = anchor === undefined || (isThere && sections(join(root, target)).has(anchor.slice(1)));
      return isThere && hasSection ? [] : [`${file}: ${link.slice(1)}`];
    }),
  );

  expect(broken).toEqual([]);
});

/** The anchors of a document's sections, as GitHub and the site write them. */
function sections(path: string): Set<string> {
  const text = readFileSync(path, "utf8").replaceAll(/^```.*?^```/gms, "");
  const named = Array.from(text.matchAll(/<a id="([^"]+)"|\{#([^}]+)\}/g), ([, id, slug]) => id ?? slug ?? "");
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
  return new Set([...named, ...headings]);
}

/** Identifiers and timestamps differ from run to run. Everything else must be as printed. */
function steady(output: string): string {
  return output
    .replaceAll(/\b(pg|ev|req)_[0-9A-Z]{26}/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "…Z")
    .replaceAll(/localhost:\d+|127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
    .trim();
}

function run(
  [command, ...args]: [string, ...string[]],
  apiKey: string,
): Promise<{ code: number | null; output: string }> {
  const bin = join(examples, "node_modules/.bin");
  const child = spawn(command, args, {
    cwd: examples,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // Node itself comes before the package manager's wrapper, which does not pass signals on.
      PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
      NO_COLOR: "1",
      LANDING_PAGES_BASE_URL: server.url,
      LANDING_PAGES_API_KEY: apiKey,
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
