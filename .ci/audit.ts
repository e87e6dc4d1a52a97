// Asks npm for known vulnerabilities of what the built packages bring along, bundled or installed beside them. A registry that
// does not answer is a failure. pnpm would not see what is bundled, and asks where npm no longer answers.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bundled = globSync("packages/*/dist/THIRD-PARTY-LICENSES.txt", { cwd: root }).flatMap((file) =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(/^(@?[\w./-]+) (\d+\.\d+\.\d+\S*)$/gm),
    ([, name = "", version = ""]) => [name, version] as const,
  ),
);
const installed = globSync("packages/*/package.json", { cwd: root })
  .map((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as { dependencies?: Record<string, string> }) // why: our own manifests
  .flatMap(({ dependencies = {} }) => Object.entries(dependencies))
  .filter(([name]) => !name.startsWith("@landing-page-service/"));
if (bundled.length === 0) throw new Error("Nothing is bundled: build the packages first.");

const project = mkdtempSync(join(tmpdir(), "landing-page-audit-"));
try {
  const dependencies = Object.fromEntries([...installed, ...bundled]);
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
