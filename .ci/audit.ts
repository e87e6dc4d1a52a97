// Asks npm for known vulnerabilities of the dependencies of the packages, and of the libraries in the inspector's script. No response
// is a failure. It asks through pnpm, because the registry no longer responds to npm's request.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const inInspector = new Set(["preact", "@preact/signals"]);
const dependencies = Object.fromEntries(
  globSync("packages/*/", { cwd: root }).flatMap((folder) => {
    const { dependencies: installed = {}, devDependencies = {} } = readManifest(join(root, folder));
    const bundled = Object.keys(devDependencies).filter((name) => inInspector.has(name));
    return [...Object.keys(installed), ...bundled]
      .filter((name) => !name.startsWith("@landing-page-service/"))
      .map((name) => [name, readManifest(join(root, folder, "node_modules", name)).version]);
  }),
);

const project = mkdtempSync(join(tmpdir(), "landing-page-audit-"));
try {
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  console.log(
    `asking about ${Object.entries(dependencies)
      .map(([name, version]) => `${name}@${version}`)
      .join(", ")}`,
  );
  execFileSync("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: project,
  });
  execFileSync("npm", ["audit", "--audit-level=moderate"], { cwd: project, stdio: "inherit" });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(project, { recursive: true, force: true });
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest; // why: every package has one of this shape
}
