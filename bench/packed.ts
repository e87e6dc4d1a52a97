// Our packages as users get them: built, packed by pnpm, and unpacked into dist/. Their dependencies are those of the workspace.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = ["contract", "sdk", "mock-server"];

/** One of two revisions. `#sdk` and `#mock-server` in package.json lead to it by the condition of this name. */
export type Version = "now" | "before";

/** Builds and packs the three packages of a checkout. Afterwards `#sdk` and `#mock-server` lead to them. */
export function packPackages(checkout = root, version: Version = "now"): void {
  const target = join(import.meta.dirname, "dist", version);
  rmSync(target, { recursive: true, force: true });
  run("pnpm", ["run", "build"], checkout);
  for (const name of packages) unpack(checkout, target, name);
}

/** Packs another revision in a checkout of its own. The checkout stays until disposal, because the packages use its dependencies. */
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

/** The default revision to compare with: the newest release, or else the point where this branch left main. */
export function previousRevision(): string {
  const [newest] = run("git", ["tag", "--sort=-creatordate", "--merged"], root).split("\n");
  return newest || run("git", ["merge-base", "HEAD", "main"], root).trim();
}

function unpack(checkout: string, target: string, name: string): void {
  const source = join(checkout, "packages", name);
  const folder = join(target, name);
  mkdirSync(folder, { recursive: true });
  // Packing would build again, and the build above is done.
  run("pnpm", ["pack", "--config.ignore-scripts=true", "--pack-destination", target], source);
  // pnpm may print notices around the name.
  const packed = join(target, readdirSync(target).find((file) => file.endsWith(".tgz")) ?? `${name}.tgz`);
  run("tar", ["-xzf", packed, "-C", folder, "--strip-components", "1"], root);
  rmSync(packed);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  }; // a package.json
  for (const dependency of Object.keys(dependencies)) link(dependency, source, target, folder);
}

/** Links the dependencies of the workspace, and the packed packages for our own. */
function link(dependency: string, source: string, target: string, folder: string): void {
  const ours = packages.find((name) => dependency === `@landing-page-service/${name}`);
  const path = join(folder, "node_modules", dependency);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(ours === undefined ? join(source, "node_modules", dependency) : join(target, ours), path);
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
