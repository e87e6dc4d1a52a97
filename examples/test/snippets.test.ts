// Runs every code block of the README files and the guides against a live mock server.
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Snippet, writeSnippets } from "../../.ci/snippets.ts";

const examples = join(import.meta.dirname, "..");
const snippets = writeSnippets();
const commands: Record<string, (path: string) => [string, ...string[]]> = {
  ts: (path) =>
    path.endsWith(".test.ts")
      ? [
          process.execPath,
          join(examples, "node_modules/vitest/vitest.mjs"),
          "run",
          "--config",
          join(examples, "test/snippets.config.ts"),
          path,
        ]
      : [process.execPath, path],
  sh: (path) => ["bash", "-euo", "pipefail", path],
  python: (path) => ["python3", path],
};

let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(createMockService(), { port: 0, control: true });
});
afterAll(() => server.close());

const running = snippets.filter((snippet) => snippet.path !== undefined);
const outputs = new Map(
  snippets.flatMap((snippet, index) => {
    const before = snippets[index - 1];
    return snippet.isOutput && before !== undefined ? [[before, snippet.code] as const] : [];
  }),
);

test.for(running)("$file:$line runs", { timeout: 60_000 }, async (snippet) => {
  const { code, output } = await run(snippet);

  expect(code, output).toBe(0);
  expect(steady(outputs.get(snippet) ?? output)).toBe(steady(output));
});

test.for(snippets.filter(({ language }) => language === "json"))("$file:$line is JSON", ({ code }) => {
  expect(() => JSON.parse(code)).not.toThrow();
});

test("every code block says what it is", () => {
  const known = new Set(["ts", "js", "sh", "python", "json", "text", "console", "http"]);

  expect(snippets.filter(({ language }) => !known.has(language))).toEqual([]);
});

/** Identifiers and moments differ from run to run; all else must be as printed. */
function steady(output: string): string {
  return output
    .replaceAll(/\b(pg|ev|req)_[0-9A-Z]{26}/g, "$1_…")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "…Z")
    .replaceAll(/localhost:\d+|127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
    .trim();
}

function run({ language, path, file, line }: Snippet): Promise<{ code: number | null; output: string }> {
  const [command, ...args] = commands[language]?.(path ?? "") ?? [];
  if (command === undefined) throw new Error(`${file}:${line}: nothing runs a block of ${language}`);
  const bin = join(examples, "node_modules/.bin");
  const child = spawn(command, args, {
    cwd: examples,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // Node itself before the package manager's wrapper of it, which keeps signals to itself.
      PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
      NO_COLOR: "1",
      LANDING_PAGES_BASE_URL: server.url,
      LANDING_PAGES_API_KEY: `test_${file.replaceAll(/\W/g, "_")}_${line}`,
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
