// Runs the test suites that the README files, guides and examples show, as their readers would: against packed packages, with each
// version they name.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readAllSnippets, type Snippet } from "./snippets.ts";

/** The tools of the suites in TypeScript under examples/. */
const exampleTools = [
  "@types/jest@30",
  "@swc/core@1",
  "@swc/jest@0",
  "ts-jest@29",
  "@types/mocha@10",
  "typescript@6.0.3",
];

/** Tools that are installed together, and the suites that run with them. */
const projects = [
  { name: "older", tools: ["vitest@4", "msw@2"], suites: ["vitest"], hasExamples: false },
  {
    name: "newer",
    tools: ["vitest@5", "msw@3", "jest@30", "mocha@12"],
    suites: ["vitest", "node:test", "jest", "mocha"],
    hasExamples: true,
  },
] as const;

type Suite = (typeof projects)[number]["suites"][number];

/** How to recognise the files of a suite, and how to run them. */
const runners: Record<Suite, { language: string; imports: RegExp; ending: string; command: string[] }> = {
  vitest: {
    language: "ts",
    imports: /from "(?:vitest|@landing-page-service\/mock-server\/vitest)"/,
    ending: ".test.ts",
    command: ["node_modules/vitest/vitest.mjs", "run", "--dir", "vitest"],
  },
  "node:test": {
    language: "ts",
    imports: /from "node:test"/,
    ending: ".test.ts",
    command: ["--experimental-strip-types", "--no-warnings", "--test", "node-test/*.test.ts"],
  },
  jest: {
    language: "js",
    imports: /mock-server\/assert"/,
    ending: ".test.js",
    command: ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js", "--rootDir", "jest"],
  },
  mocha: {
    language: "js",
    imports: /mock-server\/assert"/,
    ending: ".test.js",
    command: ["node_modules/mocha/bin/mocha.js", "mocha/*.test.js"],
  },
};

/** The suites in TypeScript under examples/, and how to run them. */
const jest = ["--experimental-vm-modules", "--no-warnings", "../node_modules/jest/bin/jest.js", "--config"];
const mocha = ["--experimental-strip-types", "--no-warnings", "../node_modules/mocha/bin/mocha.js"];
const examples = [
  { name: "jest with swc", command: [...jest, "jest/swc.config.cjs"] },
  { name: "jest with ts-jest", command: [...jest, "jest/ts-jest.config.cjs"] },
  { name: "mocha", command: [...mocha, "mocha/publisher.test.ts"] },
];

/** The compiler of TypeScript 7. The compiler of TypeScript 6 takes four times as long. */
export const typescript7 = join(import.meta.dirname, "../node_modules/typescript7/bin/tsc");

/** Starts the suites of each project. A promise rejects with the output of a suite that failed. */
export function runSuites(tarballs: readonly string[], folder: string): Promise<void>[] {
  const snippets = readAllSnippets();
  return projects.map(async ({ name, tools, suites, hasExamples }) => {
    const project = join(folder, name);
    await install(project, [...tarballs, ...tools, ...(hasExamples ? exampleTools : []), "@types/node@22"], tarballs);
    for (const suite of suites) {
      const files = writeSuite(project, suite, snippets);
      await run(process.execPath, runners[suite].command, project);
      if (runners[suite].language === "ts") await checkTypes(project, files);
      console.log(`${tools.join(", ")}: ${files.length} suites of the guides pass in ${suite}`);
    }
    if (hasExamples) await runExampleSuites(join(project, "examples"));
  });
}

/** Runs the suites of examples/ in a CommonJS package, which is what jest and its transforms expect. */
async function runExampleSuites(folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  for (const path of ["publisher.ts", "jest", "mocha"])
    cpSync(join(import.meta.dirname, "../examples", path), join(folder, path), { recursive: true });
  for (const { name, command } of examples) {
    await run(process.execPath, command, folder);
    console.log(`examples: the suite for ${name} passes`);
  }
  await checkTypes(folder, ["mocha/publisher.test.ts"], ["--allowImportingTsExtensions", "--types", "node,mocha"]);
}

/** Installs packages with pnpm, which takes half the time of npm and shows a package its own dependencies only. */
export async function install(
  project: string,
  packages: readonly string[],
  [contract]: readonly string[],
): Promise<void> {
  mkdirSync(project, { recursive: true });
  const pnpm = { overrides: { "@landing-page-service/contract": `file:${contract}` } };
  const manifest = { private: true, type: "module", jest: { transform: {} }, pnpm };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  const flags = ["--ignore-scripts", "--ignore-workspace", "--config.strict-peer-dependencies=true"];
  await run("pnpm", ["add", ...flags, ...packages], project);
}

function writeSuite(project: string, suite: Suite, snippets: readonly Snippet[]): string[] {
  const { language, imports, ending } = runners[suite];
  const folder = suite.replace(":", "-");
  mkdirSync(join(project, folder));
  const fitting = snippets.filter((snippet) => snippet.language === language && imports.test(snippet.code));
  if (fitting.length === 0) throw new Error(`no guide shows a suite for ${suite}`);
  return fitting.map(({ file, line, code }) => {
    const path = join(folder, `${file.replaceAll(/\W/g, "-")}-${line}${ending}`);
    writeFileSync(join(project, path), code);
    return path;
  });
}

/** The types of matchers and fixtures differ between the versions of a runner. */
async function checkTypes(project: string, files: readonly string[], options = ["--types", "node"]): Promise<void> {
  const flags = "--noEmit --strict --skipLibCheck --target es2023 --module nodenext".split(" ");
  await run(process.execPath, [typescript7, ...flags, ...options, ...files], project);
}

/** Runs a command and returns what it prints on stdout. Its error has all of its output. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }; // why: execFile rejects with this
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
