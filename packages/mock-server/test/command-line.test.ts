import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readArguments } from "../src/cli/arguments.ts";
import { serve as startServing } from "../src/cli/serve.ts";

// Starting a process takes its time where many others run.
vi.setConfig({ testTimeout: 30_000 });

const cli = join(import.meta.dirname, "../src/cli.ts");
// Node 22 before 22.18 runs TypeScript only when asked to.
const flags = process.features.typescript ? [] : ["--experimental-strip-types", "--no-warnings"];
const page = {
  title: "Tea in Kyoto",
  content: "An afternoon among tea gardens.",
  slug: "tea-in-kyoto",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};
const running = new Set<Cli>();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landing-page-mock-"));
});

afterEach(() => {
  for (const { child } of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("what a server held when SIGTERM stopped it is there when the next one starts", async () => {
  const file = join(folder, "state.ndjson");
  const first = await serve("--import", file, "--export-on-exit", file);
  const created = await call(first, "POST", "/api/content", page);
  const { id } = (await created.json()) as { id: string }; // what a create answers
  await call(first, "PUT", `/api/content/${id}`, { title: "Tea in Uji" });
  await call(first, "POST", "/api/analytics/view", { pageId: id, timestamp: "2026-01-31T12:00:00Z" });
  const before = await (await call(first, "GET", "/api/content")).json();

  const firstCode = await stop(first, "SIGTERM");
  const second = await serve("--import", file, "--export-on-exit", file);

  const events = await (await call(second, "GET", "/__mock/events?key=test_cli")).json();
  expect(firstCode).toBe(0);
  expect(await (await call(second, "GET", "/api/content")).json()).toEqual(before);
  expect(events).toMatchObject({ data: [{ pageId: id, timestamp: "2026-01-31T12:00:00Z", type: "view" }] });
  expect(await (await call(second, "GET", `/__mock/assignments/${id}`)).json()).toHaveProperty("sentence");
  expect(await stop(second, "SIGINT")).toBe(0);
  expect(readdirSync(folder)).toEqual(["state.ndjson"]);
});

test("a reset after an import goes back to what was imported, and the file keeps it", async () => {
  const file = write("state.ndjson", { account: "test_cli", page: { id: "pg_tea", ...page } });
  const server = await serve("--import", file, "--export-on-exit", file);
  await call(server, "DELETE", "/api/content/pg_tea");

  await call(server, "POST", "/__mock/reset");
  await stop(server, "SIGTERM");

  expect(readFileSync(file, "utf8")).toContain('"id":"pg_tea"');
});

test("a first run knows its file under two spellings, and SIGHUP writes it where a link leads", async () => {
  mkdirSync(join(folder, "kept"));
  symlinkSync(join("kept", "state.ndjson"), join(folder, "link"));
  const server = await serve("--import", join(folder, "kept", "..", "link"), "--export-on-exit", "kept/state.ndjson");
  await call(server, "POST", "/api/content", page);
  await stop(server, "SIGHUP");
  const first = readFileSync(join(folder, "kept", "state.ndjson"), "utf8");
  chmodSync(join(folder, "kept", "state.ndjson"), 0o600);

  await stop(await serve("--import", "kept/state.ndjson", "--export-on-exit", "link"), "SIGHUP");

  expect(first).toContain('"slug":"tea-in-kyoto"');
  expect(readFileSync(join(folder, "link"), "utf8")).toBe(first);
  expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  expect(statSync(join(folder, "kept", "state.ndjson")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "kept"))).toEqual(["state.ndjson"]);
});

test("an export that fails says so, and leaves the file that was there", async () => {
  mkdirSync(join(folder, "kept"));
  const server = await serve("--export-on-exit", "kept/state.ndjson");
  renameSync(join(folder, "kept"), join(folder, "moved"));

  const code = await stop(server, "SIGTERM");

  expect(code).toBe(1);
  expect(server.errors).toBe("landing-page-mock: kept/state.ndjson: there is no such file or folder\n");
});

test("a create under way when SIGTERM comes is answered and saved", async () => {
  const file = join(folder, "state.ndjson");
  const server = await serve("--latency", "1000", "--export-on-exit", file);
  const creating = call(server, "POST", "/api/content", page);
  const remaining = async () => (await call(server, "GET", "/__mock/rate-limit?key=test_cli")).text();
  await expect.poll(remaining, { timeout: 10_000 }).toContain('"remaining":599');

  const code = await stop(server, "SIGTERM");

  expect((await creating).status).toBe(201);
  expect(code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain('"slug":"tea-in-kyoto"');
});

test("a signal that comes twice, as npx passes on Ctrl-C, does not lose what was to be saved", async () => {
  const file = join(folder, "state.ndjson");
  const server = await serve("--export-on-exit", file);
  await call(server, "POST", "/api/content", page);

  server.child.kill("SIGINT");
  const code = await stop(server, "SIGTERM");

  expect(code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain('"slug":"tea-in-kyoto"');
});

test("the greeting's curl line works as it stands", async () => {
  const server = await serve();

  const line = /curl .+/.exec(server.output)?.[0] ?? "";
  const curl = spawn("sh", ["-c", `${line} -sS`], { stdio: ["ignore", "pipe", "inherit"] });
  const [answer] = (await once(curl.stdout, "data")) as [Buffer]; // what a pipe emits

  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(answer.toString()).toContain("X-RateLimit-Limit: 600\r\n");
});

test("options reach the service: plan, seed, domains, dialect", async () => {
  const seed = write("seed.ndjson", { account: "test_cli", page: { id: "pg_tea", ...page } });
  const domains = write("domains.json", [{ name: "tea.example", topics: ["tea"], keywords: [] }]);

  const server = await serve(
    "--plan",
    "5/60",
    "--seed",
    seed,
    "--domains",
    domains,
    "--dialect",
    write("d.json", { switches: { "list-envelope": "items" } }),
  );
  const answer = await call(server, "GET", "/api/content");

  expect(answer.headers.get("X-RateLimit-Limit")).toBe("5");
  expect(await answer.json()).toMatchObject({ items: [{ id: "pg_tea", domains: [{ name: "tea.example" }] }] });
});

test("on other interfaces the control API wants its token", async () => {
  const server = await serve("--host", "0.0.0.0", "--token", "secret");
  const ask = (token: string) =>
    fetch(`${server.url}/__mock/clock`, { headers: { Authorization: `Bearer ${token}` } }).then(({ status }) => status);

  expect(await ask("wrong")).toBe(401);
  expect(await ask("secret")).toBe(200);
  expect((await fetch(`${server.url}/__mock/health`)).status).toBe(200);
});

test("--open hands the document's URL to the system's opener", async () => {
  // What the system would run is on the path: a script that writes down what it was given.
  for (const name of ["open", "xdg-open"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > "${folder}/opened"\n`, { mode: 0o755 });
  }
  const server = await serve("--open");

  await expect.poll(readOpened, { timeout: 10_000 }).toBe(`${server.url}/openapi.json\n`);
});

test("a port that is taken is one line and exit code 1", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo; // a server that listens on TCP has one

  const { code, errors } = await run("--port", String(port));

  expect(code).toBe(1);
  expect(errors).toBe(
    `landing-page-mock: Port ${port} on 127.0.0.1 is taken; stop what listens there or choose another port, 0 for a free one.\n`,
  );
  other.close();
});

test.for([
  [
    ["--prot", "1"],
    2,
    "landing-page-mock: Unknown option '--prot' (did you mean --port?). See landing-page-mock --help.\n",
  ],
  [["--domains", "none.json"], 1, "landing-page-mock: none.json: there is no such file or folder\n"],
] as const)("%j ends in one line and an exit code", async ([words, expectedCode, line]) => {
  const { code, errors } = await run(...words);

  expect(errors).toBe(line);
  expect(code).toBe(expectedCode);
});

const mistakes: [words: string[], line: RegExp][] = [
  [["srve"], /no command "srve" \(did you mean serve\?\)/],
  [["serve", "now"], /'now'/],
  [["--port"], /--port/],
  [["--port", "99999"], /--port: expected a whole number from 0 to 65535, got "99999"/],
  [["--plan", "gold"], /--plan: expected free, starter/],
  [["--latency", "1s"], /--latency: expected a whole number/],
  [["--host", "0.0.0.0"], /needs a --token/],
  [["--seed", "a", "--import", "b"], /exclude each other/],
  [["--import", "none.ndjson"], /none\.ndjson: there is no such file/],
  [["--export-on-exit", "none/state.ndjson"], /none: there is no such file or folder/],
  [["--export-on-exit", "."], /\.: this is a folder/],
  [["--export-on-exit", "/dev/full"], /\/dev\/full: this is not a plain file/],
  [["--dialect", "minmal"], /"minmal" \(did you mean "minimal"\?\)/],
  [["--seed", "@not JSON"], /input\.json: .*JSON/],
  [["--seed", '@{"test_a":{"pages":[]}}'], /input\.json: line 1: expected a record such as/],
  [["--seed", '@{"account":"test_a","page":{"title":1}}'], /input\.json: line 1: page: .*#\/title/s],
  [["--domains", '@[{"name":"tea"}]'], /input\.json: .*catalogue\[0\]\.name/s],
  [["--dialect", '@{"switches":{"list-order":"random"}}'], /input\.json: .*"random" of "list-order"/],
  [["--import", '@{"version":2}\n{"account":"test_a"}'], /input\.json: .*line 2/],
  [["--import", "@"], /input\.json: .*nothing at all/],
];

test.for(mistakes)("%j is refused before anything starts", async ([words, line]) => {
  const args = words.map((word) => (word.startsWith("@") ? write("input.json", word.slice(1)) : word));
  const begin = async () => {
    const command = readArguments(args);
    if (command.name === "serve") await startServing(command.options);
  };

  await expect(begin()).rejects.toThrow(line);
});

test("--version, --help and openapi print and leave", async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
    version: string;
  }; // our own file

  const [shown, help, document] = await Promise.all([run("--version"), run("serve", "--help"), run("openapi")]);

  expect(shown.output).toBe(`${version}\n`);
  expect(help.output).toContain("--export-on-exit FILE");
  expect(JSON.parse(document.output)).toMatchObject({ openapi: "3.1.0" });
  expect([shown.code, help.code, document.code]).toEqual([0, 0, 0]);
});

interface Cli {
  child: ReturnType<typeof start>;
  output: string;
  errors: string;
  url: string;
}

function start(words: readonly string[]) {
  return spawn(process.execPath, [...flags, cli, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` },
  });
}

/** Starts a server on a free port and waits for its greeting. */
async function serve(...words: string[]): Promise<Cli> {
  const started: Cli = { child: start(["--port", "0", ...words]), output: "", errors: "", url: "" };
  running.add(started);
  started.child.stderr.on("data", (chunk: Buffer) => (started.errors += chunk.toString()));
  for await (const chunk of started.child.stdout) {
    started.output += String(chunk);
    if (started.output.includes("Stop ")) break;
  }
  started.url = /listens on (\S+)/.exec(started.output)?.[1] ?? `no URL: ${started.errors}`;
  return started;
}

async function stop({ child }: Cli, signal: NodeJS.Signals): Promise<number | null> {
  const closed = once(child, "close");
  child.kill(signal);
  const [code] = (await closed) as [number | null]; // what a child process emits
  return code;
}

/** Runs a command to its end. */
async function run(...words: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = start(words);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null]; // what a child process emits
  return { code, output, errors };
}

function call({ url }: Cli, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { Authorization: "Bearer test_cli", "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function readOpened(): string {
  return existsSync(join(folder, "opened")) ? readFileSync(join(folder, "opened"), "utf8") : "";
}

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
