// Runs the test suites that the README files, guides and examples show, as their readers would: against packed packages, with each
// version they name.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAllSnippets, type Snippet } from "./snippets.ts";

/** Tools that are installed together, and the suites that run with them. */
const projects = [
  { name: "older", tools: ["vitest@4", "msw@2"], suites: ["vitest"] },
  {
    name: "newer",
    tools: ["vitest@5", "msw@3", "jest@30", "mocha@12"],
    suites: ["vitest", "node:test", "jest", "mocha"],
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
const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js", "--config"];
const examples = [
  { name: "jest with swc", command: [...jest, "jest/swc.config.cjs"] },
  { name: "jest with ts-jest", command: [...jest, "jest/ts-jest.config.cjs"] },
  {
    name: "mocha",
    command: [
      "--experimental-strip-types",
      "--no-warnings",
      "node_modules/mocha/bin/mocha.js",
      "mocha/publisher.test.ts",
    ],
  },
];

/** @throws {Error} with the output of the suite that failed. */
export function runSuites(tarballs: readonly string[], folder: string): void {
  const snippets = readAllSnippets();
  for (const { name, tools, suites } of projects) {
    const project = join(folder, name);
    install(project, { type: "module", jest: { transform: {} } }, [...tarballs, ...tools]);
    for (const suite of suites) {
      const files = writeSuite(project, suite, snippets);
      run(process.execPath, runners[suite].command, project);
      if (runners[suite].language === "ts") checkTypes(project, files);
      console.log(`${tools.join(", ")}: ${files.length} suites of the guides pass in ${suite}`);
    }
  }
}

/** Runs the suites of examples/ in a CommonJS project, which is what jest and its transforms expect. */
export function runExampleSuites(tarballs: readonly string[], project: string): void {
  const tools = [
    "jest@30",
    "@types/jest@30",
    "@swc/core@1",
    "@swc/jest@0",
    "ts-jest@29",
    "mocha@12",
    "@types/mocha@10",
  ];
  install(project, {}, [...tarballs, ...tools]);
  for (const path of ["publisher.ts", "jest", "mocha"])
    cpSync(join(import.meta.dirname, "../examples", path), join(project, path), { recursive: true });
  for (const { name, command } of examples) {
    run(process.execPath, command, project);
    console.log(`examples: the suite for ${name} passes`);
  }
  checkTypes(project, ["mocha/publisher.test.ts"], ["--allowImportingTsExtensions", "--types", "node,mocha"]);
}

function install(project: string, manifest: object, packages: readonly string[]): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, ...manifest }));
  const types = ["typescript@6.0.3", "@types/node@22"];
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages, ...types], project);
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
function checkTypes(project: string, files: readonly string[], options = ["--types", "node"]): void {
  const flags = "--noEmit --strict --skipLibCheck --target es2023 --module nodenext".split(" ");
  run(process.execPath, ["node_modules/typescript/bin/tsc", ...flags, ...options, ...files], project);
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }; // why: execFileSync throws this
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
