// Our packages as users get them: built, packed by pnpm, unpacked into dist/, with the dependencies the workspace installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const target = join(import.meta.dirname, "dist");
const packages = ["contract", "sdk", "mock-server"];

/** Builds and packs the three packages. `#sdk` and `#mock-server` in package.json point at what lies here afterwards. */
export function packPackages(): void {
  rmSync(target, { recursive: true, force: true });
  run("pnpm", ["run", "build"], root);
  for (const name of packages) unpack(name);
}

function unpack(name: string): void {
  const source = join(root, "packages", name);
  const folder = join(target, name);
  mkdirSync(folder, { recursive: true });
  run("pnpm", ["pack", "--pack-destination", target], source);
  // Looked for, because what pnpm prints may have notices around the name.
  const packed = join(target, readdirSync(target).find((file) => file.endsWith(".tgz")) ?? `${name}.tgz`);
  run("tar", ["-xzf", packed, "-C", folder, "--strip-components", "1"], root);
  rmSync(packed);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  }; // a package.json
  for (const dependency of Object.keys(dependencies)) link(dependency, source, folder);
}

/** A dependency is the one the workspace has, except our own, which is the packed one. */
function link(dependency: string, source: string, folder: string): void {
  const ours = packages.find((name) => dependency === `@landing-page-service/${name}`);
  const path = join(folder, "node_modules", dependency);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(ours === undefined ? join(source, "node_modules", dependency) : join(target, ours), path);
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
