// Our packages as users get them: built, packed by pnpm, unpacked into dist/, with the dependencies the workspace installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = ["contract", "sdk", "mock-server"];

/** Which of two revisions: what `#sdk` and its like in package.json mean, by the condition of the same name. */
export type Version = "now" | "before";

/** Builds and packs the three packages of a checkout. `#sdk` and `#mock-server` point at what lies here afterwards. */
export function packPackages(checkout = root, version: Version = "now"): void {
  const target = join(import.meta.dirname, "dist", version);
  rmSync(target, { recursive: true, force: true });
  run("pnpm", ["run", "build"], checkout);
  for (const name of packages) unpack(checkout, target, name);
}

/** Packs another revision in a checkout of its own, which is there until disposal: what was packed uses its dependencies. */
export function packRevision(revision: string): Disposable & { commit: string } {
  const folder = mkdtempSync(join(tmpdir(), "landing-page-bench-"));
  const checkout = join(folder, "checkout");
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    run("git", ["worktree", "prune"], root);
  };
  process.once("exit", remove);
  run("git", ["worktree", "add", "--detach", checkout, revision], root);
  run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], checkout);
  packPackages(checkout, "before");
  return { commit: run("git", ["log", "-1", "--format=%h, %s"], checkout).trim(), [Symbol.dispose]: remove };
}

/** What to measure against unless told: the newest release, and before there was one, where this branch left main. */
export function previousRevision(): string {
  const [newest] = run("git", ["tag", "--sort=-creatordate", "--merged"], root).split("\n");
  return newest || run("git", ["merge-base", "HEAD", "main"], root).trim();
}

function unpack(checkout: string, target: string, name: string): void {
  const source = join(checkout, "packages", name);
  const folder = join(target, name);
  mkdirSync(folder, { recursive: true });
  // Packing would build once more, which the build above has done.
  run("pnpm", ["pack", "--config.ignore-scripts=true", "--pack-destination", target], source);
  // Looked for, because what pnpm prints may have notices around the name.
  const packed = join(target, readdirSync(target).find((file) => file.endsWith(".tgz")) ?? `${name}.tgz`);
  run("tar", ["-xzf", packed, "-C", folder, "--strip-components", "1"], root);
  rmSync(packed);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  }; // a package.json
  for (const dependency of Object.keys(dependencies)) link(dependency, source, target, folder);
}

/** A dependency is the one the workspace has, except our own, which is the packed one. */
function link(dependency: string, source: string, target: string, folder: string): void {
  const ours = packages.find((name) => dependency === `@landing-page-service/${name}`);
  const path = join(folder, "node_modules", dependency);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(ours === undefined ? join(source, "node_modules", dependency) : join(target, ours), path);
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
