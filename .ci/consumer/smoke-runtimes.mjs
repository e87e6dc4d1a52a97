// Runs the smoke test in each runtime that is named, with the packed mock server: `smoke-runtimes.mjs node bun deno workerd`.
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";

const run = promisify(execFile);
const bin = "node_modules/.bin/";
const programs = {
  node: [process.execPath],
  bun: [`${bin}bun`],
  deno: [`${bin}deno`, "run", "--allow-net", "--allow-env", "--allow-read"],
};

const service = createMockService();
const server = await listen(service, { port: 0 });
const urls = [server.url, `http://127.0.0.1:${await findClosedPort()}`];
for (const runtime of process.argv.slice(2)) {
  if (runtime === "workerd") await runWorkers(urls);
  else
    await run(programs[runtime][0], [...programs[runtime].slice(1), "smoke-program.mjs", ...urls], { timeout: 60_000 });
  if (runtime !== "workerd") await readUncaught(programs[runtime], urls[1]);
  console.log(
    `${runtime === "node" ? `Node ${process.version}` : runtime}: create, list, find, createMany, iterate, queue, delete, abort, closed port`,
  );
}
await server.close();

async function runWorkers([base, closed]) {
  await runWorker("smoke-worker.mjs", base, async (url) => {
    const response = await fetch(`${url}/?${new URLSearchParams({ base, closed })}`);
    if (!response.ok) throw new Error(await response.text());
  });
  await runWorker("hono-worker.ts", base, async (url) => {
    const cta = { type: "button", label: "Book", url: "https://tea.example/" };
    const page = { title: "Tea", content: "An afternoon.", slug: "hono-tea", cta };
    const created = await fetch(`${url}/pages`, { method: "POST", body: JSON.stringify(page) });
    const shown = await fetch(`${url}/pages/hono-tea`);
    if (created.status !== 201 || shown.status !== 200)
      throw new Error(`${await created.text()} ${await shown.text()}`);
    await service.account("test_worker").waitForRequest({ endpoint: "trackEvent" }, { timeoutMs: 20_000 });
  });
}

/** Bundles a program, serves it in workerd with the variables of a client, and gives its URL to `use`. */
async function runWorker(program, base, use) {
  await run(`${bin}esbuild`, [program, "--bundle", "--format=esm", "--outfile=worker.js"]);
  const workerd = spawn(`${bin}workerd`, ["serve", "workerd.capnp", "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: { ...process.env, LANDING_PAGES_BASE_URL: base, LANDING_PAGES_API_KEY: "test_worker" },
  });
  try {
    const { port } = await new Promise((resolve, reject) => {
      workerd.stdio[3].on("data", (line) => resolve(JSON.parse(String(line).split("\n")[0])));
      workerd.on("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
    });
    await use(`http://127.0.0.1:${port}`);
  } finally {
    workerd.kill();
  }
}

/**
 * An uncaught error starts with its message and fits on a screen. V8 follows `await`, so the first frame that is not the engine's
 * own is the line of the program; Bun's engine does not.
 */
async function readUncaught([command, ...args], closedUrl) {
  const failed = run(command, [...args, "smoke-uncaught.mjs", closedUrl], { env: { ...process.env, NO_COLOR: "1" } });
  const { stderr } = await failed.catch((error) => error);
  const [, stack] = stderr.split(/\bConnectionError: Create page failed: no connection /);
  const frame = stack
    ?.split("\n")
    .find((line) => /^ +at /.test(line) && !/ \(?(?:node|ext|native):|processTicks/.test(line));
  const isReadable = stack !== undefined && (command.endsWith("bun") || frame?.includes("smoke-uncaught.mjs:6"));
  if (!isReadable || stderr.length >= 1000)
    throw new Error(`an uncaught error prints ${stderr.length} characters: ${stderr}`);
}

/** A free port with no server. */
function findClosedPort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
