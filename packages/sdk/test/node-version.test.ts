import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const index = new URL("../src/index.ts", import.meta.url).href;

/** What a program says that imports the SDK where Node claims to be of a version. */
async function importOn(version: string, before = ""): Promise<string> {
  const program = `
    Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });
    ${before}
    import(${JSON.stringify(index)}).then(() => console.log("loaded"), ({ message }) => console.log(message));`;
  return (await run(process.execPath, ["-e", program])).stdout.trim();
}

test.for(["18.20.8", "20.20.2", "22.11.0"])("Node %s is told in one sentence that it is too old", async (version) => {
  expect(await importOn(version)).toBe(
    `@landing-page-service/sdk needs Node 22.12 or newer, and this is Node ${version}.`,
  );
});

test.for(["22.12.0", "24.0.0"])("Node %s loads the SDK", async (version) => {
  expect(await importOn(version)).toBe("loaded");
});

test("a runtime of another name is not judged by the version of Node that it imitates", async () => {
  const named = `Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Bun/1.4" } });`;

  expect(await importOn("20.0.0", named)).toBe("loaded");
});
