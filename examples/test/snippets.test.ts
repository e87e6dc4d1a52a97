// Runs every code block of the README files and the guides against a live mock server, except suites.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { documents, type Snippet, writeSnippets } from "../../.ci/snippets.ts";
import { start, startRunner } from "./program.ts";
import type { ProgramResult } from "./run-programs.ts";

const examples = join(import.meta.dirname, "..");
const snippets = writeSnippets();
const programs = snippets.filter(({ path }) => path !== undefined && !path.endsWith(".test.ts"));
const written = programs.filter(({ language }) => language === "ts");
const apiKeyOf = ({ file, line }: Snippet): string => `test_${file.replaceAll(/\W/g, "_")}_${line}`;
const outputs = new Map(
  snippets.flatMap((snippet, index) => {
    const before = snippets[index - 1];
    return snippet.isOutput && before !== undefined ? [[before, snippet.code] as const] : [];
  }),
);

let server: Awaited<ReturnType<typeof listen>>;
/** Results of the scripts, and then of the programs, which may read a file that a script writes. */
let scripts: ReadonlyMap<string, ReturnType<typeof run>>;
let results: Promise<ReadonlyMap<string, Promise<ProgramResult>>>;
const runner = startRunner();
beforeAll(async () => {
  server = await listen(createMockService(), { port: 0, control: true });
  const shells = programs.filter(({ language }) => language !== "ts");
  scripts = new Map(
    shells.map((snippet) => [
      snippet.path ?? "",
      // The command is installed, so this skips the start of npm.
      run("bash", ["-euo", "pipefail", "-c", `npx() { "$@"; }; . "$0"`, snippet.path ?? ""], apiKeyOf(snippet)),
    ]),
  );
  results = Promise.all(scripts.values()).then(() => {
    const runs = written.map((snippet) => runner.run(snippet.path ?? "", [], environment(apiKeyOf(snippet))));
    return new Map(written.map(({ path = "" }, index) => [path, runs[index]!])); // why: one for each
  });
});
afterAll(async () => {
  runner.stop();
  await server.close();
});

describe.concurrent("a code block of the guides", () => {
  test.for(programs)("$file:$line runs", async (snippet) => {
    const { path = "" } = snippet;
    const { code, output } = await (scripts.get(path) ?? (await results).get(path))!; // why: each path has a result

    expect(code, output).toBe(0);
    expect(steady(outputs.get(snippet) ?? output)).toBe(steady(output));
  });
});

test.for(snippets.filter(({ language }) => language === "json"))("$file:$line is JSON", ({ code }) => {
  expect(() => JSON.parse(code)).not.toThrow();
});

test.for(snippets.filter(({ language }) => language === "yaml"))("$file:$line is YAML", ({ code }) => {
  expect(() => parse(code)).not.toThrow();
});

test("every code block names its language", () => {
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

function environment(apiKey: string) {
  return { LANDING_PAGES_BASE_URL: server.url, LANDING_PAGES_API_KEY: apiKey };
}

async function run(command: string, args: readonly string[], apiKey: string) {
  const program = start(command, args, environment(apiKey));
  return { code: await program.ended, output: program.output() };
}
