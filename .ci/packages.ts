// Packs the three packages as for a release, checks the tarballs, and uses them in an empty project.
// Also runs the suites of the guides and examples. The projects run at the same time, because their installations mostly wait.
// `node .ci/packages.ts 22 24 26` uses the packages on each of these Node releases instead of the running one.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, run, runSuites, typescript7 } from "./suites.ts";

const root = join(import.meta.dirname, "..");
const packages = ["contract", "sdk", "mock-server"];
const allowed =
  /^package\/(dist\/.+|(?:dialect|catalogue|seed)\.schema\.json|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/;
// The other supported runtimes. esbuild makes one file for workerd, and the example for workerd needs hono. All come from npm.
const runtimes = ["bun@1.4", "deno@2.9", "workerd@1.20261117", "esbuild@0.28", "hono@4"];
const work = mkdtempSync(join(tmpdir(), "landing-page-packages-"));

try {
  const tarballs = await whenAllEnd(packages.map(pack));
  const releases = process.argv.slice(2);
  const uses =
    releases.length === 0
      ? [use(tarballs), ...runSuites(tarballs, join(work, "suites"))]
      : releases.map((release) => use(tarballs, release));
  await whenAllEnd([...uses, exportTypes(tarballs)]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Waits until all of them have ended, because their folders are deleted afterwards. Throws the first error. */
async function whenAllEnd<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

async function pack(name: string): Promise<string> {
  await run("pnpm", ["pack", "--pack-destination", work], join(root, "packages", name));
  const packed = readdirSync(work).find((file) => file.startsWith(`landing-page-service-${name}-`));
  if (packed === undefined) throw new Error(`${name}: nothing was packed`);
  const filename = join(work, packed);
  const stray = (await run("tar", ["-tzf", filename], work))
    .trim()
    .split("\n")
    .filter((path) => !allowed.test(path));
  if (stray.length > 0) throw new Error(`${name}: the tarball holds more than it should: ${stray.join(", ")}`);
  await checkSourceMaps(name, filename);
  const tools = join(root, "node_modules/.bin");
  await run(join(tools, "publint"), ["run", filename, "--strict"], root);
  await run(join(tools, "attw"), [filename, "--profile", "esm-only"], root);
  const sizeKb = Math.ceil(statSync(filename).size / 1000);
  console.log(`${name}: packed in ${sizeKb} kB, publint and attw are clean`);
  await rehearse(name, filename);
  return filename;
}

/** A debugger finds each source in the source map. */
async function checkSourceMaps(name: string, filename: string): Promise<void> {
  const unpacked = join(work, `unpacked-${name}`);
  mkdirSync(unpacked);
  await run("tar", ["-xzf", filename, "-C", unpacked], work);
  const dist = join(unpacked, "package/dist");
  for (const file of readdirSync(dist).filter((file) => file.endsWith(".map"))) {
    const map = JSON.parse(readFileSync(join(dist, file), "utf8")) as { sources: string[]; sourcesContent?: string[] }; // why: esbuild writes it
    const missing = map.sources.filter(
      (source, index) => !map.sourcesContent?.[index] && !existsSync(join(dist, source)),
    );
    if (missing.length > 0) throw new Error(`${name}: ${file} names sources that are nowhere: ${missing.join(", ")}`);
  }
}

/** Compiles a library that exports types of the packages. With pnpm it sees its own dependencies only. */
async function exportTypes(tarballs: string[]): Promise<void> {
  const project = join(work, "library");
  await install(project, [...tarballs.slice(1), "typescript@6.0.3", "@types/node@22"], tarballs);
  cpSync(join(root, ".ci/consumer/library.ts"), join(project, "library.ts"));
  const flags =
    "--declaration --emitDeclarationOnly --outDir out --strict --target es2023 --module nodenext --types node";
  await run(process.execPath, ["node_modules/typescript/bin/tsc", ...flags.split(" "), "library.ts"], project);
  console.log("types: a library can export types of the packages");
}

/** Runs every step of a release except the upload. The changelog must have a section for the version. */
async function rehearse(name: string, filename: string): Promise<void> {
  const home = join(root, "packages", name);
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string }; // why: npm publishes no package without one
  await run("npm", ["publish", filename, "--dry-run", "--provenance=false", "--access", "public"], work);
  const [, notes = ""] = readFileSync(join(home, "CHANGELOG.md"), "utf8").split(`\n## ${version}\n`);
  if (notes.trim() === "") throw new Error(`${name}: CHANGELOG.md has nothing about ${version}`);
  console.log(`${name}: ${version} would be published`);
}

/** Installs the tarballs with plain npm into an empty project and runs a user's program and a user's compiler there. */
async function use(tarballs: string[], release?: string): Promise<void> {
  const project = join(work, `project-${release ?? "current"}`);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const tools = [`typescript@6.0.3`, `@types/node@22`, ...(release === undefined ? runtimes : [`node@${release}`])];
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs, ...tools], project);
  cpSync(join(root, ".ci/consumer"), project, { recursive: true });
  cpSync(join(root, "examples/hono-worker.ts"), join(project, "hono-worker.ts"));
  const node = release === undefined ? process.execPath : join(project, "node_modules/node/bin/node");
  const named = release === undefined ? ["node", "bun", "deno", "workerd"] : ["node"];
  const stripped = Number(release ?? 24) < 23 ? ["--experimental-strip-types"] : [];
  const programs = [
    [...stripped, "main.ts"],
    ["main.cjs"],
    ["smoke-runtimes.mjs", ...named],
    ["--permission", "--allow-fs-read=*", "imports.mjs"],
    ["inspector.mjs"],
  ];
  for (const program of programs) console.log((await run(node, program, project)).trim());
  const typescript6 = "node_modules/typescript/bin/tsc";
  const typed = ["--types", "node", "--target", "es2023"];
  const nodenext = [...typed, "--module", "nodenext", "main.ts"];
  const bundler = [...typed, "--module", "esnext", "--moduleResolution", "bundler", "main.ts"];
  const compilations: [outcome: string, compiler: string, flags: string[]][] = [
    ["nodenext is clean with TypeScript 6", typescript6, nodenext],
    ["nodenext is clean with TypeScript 7", typescript7, nodenext],
    ["bundler is clean", typescript7, bundler],
    ["they are clean without those of Node", typescript7, "--target es2020 --module nodenext bare.ts".split(" ")],
  ];
  for (const [outcome, compiler, flags] of compilations) {
    await run(node, [compiler, "--noEmit", "--strict", ...flags], project);
    console.log(`types: ${outcome}`);
  }
}
