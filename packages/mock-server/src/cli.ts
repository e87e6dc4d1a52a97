#!/usr/bin/env node
// Nothing is imported before the version of Node is known to be new enough for it.
const neededNode = "22.12";

if (isOlder(process.versions.node, neededNode)) {
  process.stderr.write(
    `landing-pages-mock needs Node ${neededNode} or newer, and this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  const { run } = await import("./cli/run.ts");
  // Whoever read the output may leave while the service goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const code = await run({
    words: process.argv.slice(2),
    environment: process.env,
    // It is beside `src` and beside `dist`.
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
