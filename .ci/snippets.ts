// Writes every code block of the README files and the guides into examples/.docs/, where the compiler checks it and a test runs it.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A fenced code block of a Markdown file. */
export interface Snippet {
  /** Markdown file, relative to the root of the repository. */
  file: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
  /** Word after the opening fence: `ts`, `sh`, `python`, `json`, `text`. */
  language: string;
  /** Whether the fence says `output`: the text is then the output of the block before it. */
  isOutput: boolean;
  /** The block without its fences. */
  code: string;
  /** Where the block was written, absolute; only for languages that run. */
  path: string | undefined;
}

const root = dirname(import.meta.dirname);
const folder = join(root, "examples/.docs");
const endings: Record<string, string> = { ts: ".ts", sh: ".sh", python: ".py" };

/** Reads all snippets and writes those that run to `examples/.docs/`. It leaves files that are right alone, because others may read them. */
export function writeSnippets(): Snippet[] {
  mkdirSync(folder, { recursive: true });
  const snippets = readAllSnippets();
  const running = new Map(snippets.flatMap(({ path, code }) => (path === undefined ? [] : [[path, code] as const])));
  // Guides import the dialect file that the guide to dialects shows first.
  const dialect = snippets.find(({ file, language }) => file === "docs/dialects.md" && language === "json");
  if (dialect !== undefined) running.set(join(folder, "dialect.json"), dialect.code);
  for (const name of readdirSync(folder)) if (!running.has(join(folder, name))) rmSync(join(folder, name));
  for (const [path, code] of running)
    if (!existsSync(path) || readFileSync(path, "utf8") !== code) writeFileSync(path, code);
  return snippets;
}

/** The README files and the guides, in the order of their names, relative to the root of the repository. */
export function documents(): { file: string; text: string }[] {
  const files = globSync(["README.md", "CONTRIBUTING.md", "bench/README.md", "docs/**/*.md", "packages/*/README.md"], {
    cwd: root,
    exclude: ["**/node_modules/**", "docs/api/**"],
  });
  return files.toSorted().map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}

/** Reads all snippets, in the order of their files' names. */
export function readAllSnippets(): Snippet[] {
  return documents().flatMap(({ file, text }) => readSnippets(file, text));
}

function readSnippets(file: string, markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: Snippet | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    if (open === undefined && line.startsWith("```")) {
      const [language = "", ...words] = line.slice(3).trim().split(/\s+/);
      open = { file, line: index + 1, language, isOutput: words.includes("output"), code: "", path: undefined };
    } else if (open !== undefined && line.startsWith("```")) {
      snippets.push({ ...open, path: snippetPath(open) });
      open = undefined;
    } else if (open !== undefined) {
      open.code += `${line}\n`;
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the code block is not closed`);
  return snippets;
}

function snippetPath({ file, line, language, code }: Snippet): string | undefined {
  const ending = endings[language];
  if (ending === undefined) return undefined;
  const isTest = /from "(vitest|@landing-page-service\/mock-server\/vitest)"/.test(code);
  const owner = file.startsWith("packages/") ? `${basename(dirname(file))}-` : "";
  return join(folder, `${owner}${basename(file, ".md")}-${line}${isTest ? ".test" : ""}${ending}`);
}

if (import.meta.main) writeSnippets();
