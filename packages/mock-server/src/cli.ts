#!/usr/bin/env node
// Checks the version of Node before any import, because modules may need a newer one.
const neededNode = "22.12";

if (isOlder(process.versions.node, neededNode)) {
  process.stderr.write(
    `landing-pages-mock needs Node ${neededNode} or newer, and this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  const { run } = await import("./cli/run.ts");
  // The reader of the output may exit while the service still runs.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const code = await run({
    words: process.argv.slice(2),
    environment: process.env,
    // The file is next to both `src` and `dist`.
    packageFile: new URL("../package.json", import.meta.url),
    print: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
  });
  if (code !== undefined) process.exitCode = code;
}

function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
