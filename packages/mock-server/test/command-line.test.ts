import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { delimiter, join } from "node:path";
import { resolveDialect } from "@landing-page-service/contract/dialect";
import { openApiDocument } from "@landing-page-service/contract/openapi";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { helpText, readArguments } from "../src/cli/arguments.ts";
import { jsonLine } from "../src/cli/log.ts";
import { serve as startServing } from "../src/cli/serve.ts";
import { create, list, post, send, somePage, track } from "./client.ts";
import { runCommand } from "./command.ts";
import { createFolder, runNode, typeScriptFlags } from "./node-process.ts";
import { sendRaw } from "./raw-socket.ts";

const cli = join(import.meta.dirname, "../src/cli.ts");
let folder: string;

beforeEach(() => {
  folder = createFolder();
});

test("the state of a server that SIGTERM stops is there when the next one starts", async () => {
  const file = join(folder, "state.ndjson");
  const first = await start("--import", file, "--export-on-exit", `${folder}/./state.ndjson`);
  expect(first.output).toContain(`State     0 pages of 0 accounts from ${file}\n`);
  const { id } = await create(first);
  await track(first, id);
  const { body: before } = await list(first);

  // npx passes on a Ctrl-C that the process has already received.
  first.child.kill("SIGINT");
  first.child.kill("SIGTERM");
  const [code] = (await first.closed) as [number | null]; // why: `once` is untyped
  const second = await serve("--import", file, "--export-on-exit", file);

  const { body: events } = await send(second, "GET", "/__mock/events?key=test_cli");
  expect(code).toBe(0);
  expect((await list(second)).body).toEqual(before);
  expect(events).toMatchObject({ data: [{ pageId: id }] });
  expect((await send(second, "GET", `/__mock/assignments/${id}`)).body).toHaveProperty("explanation");
  expect(fs.readdirSync(folder)).toEqual(["state.ndjson"]);
});

test("an export is readable by its owner only, and follows a symbolic link", async () => {
  const file = join(folder, "state.ndjson");
  const link = join(folder, "link");
  await (await serve("--export-on-exit", file)).stop();
  fs.symlinkSync(file, link);
  const first = fs.statSync(file).mode & 0o777;
  const second = await serve("--import", link, "--export-on-exit", link);
  await create(second);
  await second.stop();

  expect([first, fs.statSync(file).mode & 0o777]).toEqual([0o600, 0o600]);
  expect(fs.readFileSync(file, "utf8")).toContain('"slug":"red-shoes"');
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
  expect(fs.readdirSync(folder).toSorted()).toEqual(["link", "state.ndjson"]);
});

test("an export that fails says so, and leaves nothing behind", async () => {
  const kept = join(folder, "kept");
  fs.mkdirSync(kept);
  const server = await serve("--export-on-exit", join(kept, "state.ndjson"));
  const other = await serve("--export-on-exit", join(folder, "state.ndjson"));
  fs.rmSync(kept, { recursive: true });
  fs.mkdirSync(join(folder, "state.ndjson"));

  await expect(server.stop()).rejects.toThrow("state.ndjson: there is no such file or folder");
  await expect(other.stop()).rejects.toThrow("state.ndjson: this is a folder");
  expect(fs.readdirSync(folder)).toEqual(["state.ndjson"]);
});

test("the curl command in the greeting works", async () => {
  const server = await serve();

  const line = /curl .+/.exec(server.output)?.[0] ?? "";
  const curl = spawn("sh", ["-c", `${line} -sS`], { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = (await once(curl.stdout, "data")) as [Buffer]; // why: `once` is untyped

  expect(output.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(output.toString()).toContain("X-RateLimit-Limit: 600\r\n");
});

test("options reach the service: plan, seed, domains, dialect", async () => {
  const seed = write("seed.ndjson", { account: "test_cli", page: { id: "pg_tea", ...somePage, title: "Tea" } });
  const domains = write("domains.json", [{ name: "tea.example", topics: ["tea"], keywords: [] }]);
  const dialect = write("d.json", { switches: { "list-envelope": "items" } });

  const server = await serve("--plan", "5/60", "--seed", seed, "--domains", domains, "--dialect", dialect);
  const response = await list(server);

  expect(server.output).toContain(`State     1 page of 1 account from ${seed}\n`);
  expect(response.headers.get("X-RateLimit-Limit")).toBe("5");
  expect(response.body).toMatchObject({ items: [{ id: "pg_tea", domains: [{ name: "tea.example" }] }] });
});

test("--open hands the inspector's URL to the system's opener", async () => {
  // The system's opener is replaced by a script that writes its argument to a file.
  for (const name of ["open", "xdg-open"]) {
    fs.writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > "${folder}/opened"\n`, { mode: 0o755 });
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  const opened = join(folder, "opened");
  const server = await serve("--open");

  await expect.poll(() => fs.existsSync(opened) && fs.readFileSync(opened, "utf8")).toBe(`${server.baseUrl}/\n`);
});

/** A word that begins with `@` is written to a file, and the path of the file replaces the word. */
const mistakes: [words: string[], line: RegExp, environment?: Record<string, string>][] = [
  [["--prot", "1"], /^landing-pages-mock: Unknown option '--prot' \(did you mean --port\?\)\. See [a-z -]+ help\.\n$/],
  [["--domains", "none.json"], /^landing-pages-mock: none\.json: there is no such file or folder\n$/],
  [["hlep"], /no command "hlep"; did you mean "help"\?/],
  [["serve", "4010"], /Unexpected argument '4010' \(did you mean --port 4010\?\)/],
  [["check", "https://service.example"], /did you mean --base-url https:\/\/service\.example\?/],
  [["check", "--base-url", "http://service.example", "--api-key", "k"], /the key must not travel in the clear/],
  [["sweep", "node", "app.mjs"], /Unexpected argument 'node' \(the program comes after --\)/],
  [["-p", "4010"], /'-p' \(did you mean --port or --plan\?\)/],
  [["--port"], /: --port needs a value\. See/],
  [["--plan", "--port", "0"], /: --plan needs a value\. See/],
  [["--port", "99999"], /--port: expected an integer from 0 to 65535, got 99999/],
  [["--host", "0.0.0.0"], /needs a --token/],
  [["--allowed-host", "mock:80"], /--allowed-host: expected a name without scheme and port, got "mock:80"/],
  [["--host", ""], /--host: must be a name or an address/],
  [["--token", ""], /--token: must be 1 to 512 characters of visible ASCII, without spaces\./],
  [[], /LANDING_PAGES_MOCK_TOKEN: must be 1 to 512 characters/, { LANDING_PAGES_MOCK_TOKEN: "a b" }],
  [["--seed", "a", "--import", "b"], /Use either --seed or --import/],
  [["--export-on-exit", "none/state.ndjson"], /none: there is no such file or folder/],
  [["--export-on-exit", "/dev/full"], /\/dev\/full: this is not a plain file/],
  [["--dialect", "minmal"], /"minmal"; did you mean "minimal"\?/],
  [["--dialect", "@"], /input\.json: the file is empty/],
  [["--dialect", "@{ // mine\n}"], /input\.json: this is not JSON: .*; JSON has no comments/s],
  [["--dialect", '@{"switches":{},}'], /input\.json: this is not JSON: .*no comma before a closing bracket/],
  [["--dialect", '@{"switches":{"list-order":"random"}}'], /input\.json: switches\/list-order: .*"random"/],
  [[], /LANDING_PAGES_MOCK_PORT: expected an integer/, { LANDING_PAGES_MOCK_PORT: "tcp://10.0.0.1:4010" }],
  [[], /LANDING_PAGE_MOCK_PORT is called LANDING_PAGES_MOCK_PORT now/, { LANDING_PAGE_MOCK_PORT: "1" }],
];

test.for(mistakes)("%j is refused before anything starts", async ([words, line, environment]) => {
  const args = words.map((word) => (word.startsWith("@") ? write("input.json", word.slice(1)) : word));

  const { code, errors } = await runCommand(args, environment);

  expect(errors).toMatch(line);
  expect(code).toBe(2);
});

test("a line is printed for every request, the key hidden and a long path cut", async () => {
  const server = await serve();

  await list(server, "?limit=1");
  await list(server, "?api_key=live_of_somebody&q=%74est_cli");
  await send(server, "GET", "/__mock/health");
  await sendRaw(server.baseUrl, `GET /${"x".repeat(300)} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  await expect.poll(() => server.output).toContain(" 421 ");

  expect(server.output).toMatch(/\n\d\d:\d\d:\d\d\.\d{3} 200 GET \/api\/content\?limit=1 \d+\.\d ms test_… req_\w+\n/);
  expect(server.output).toMatch(/ 200 GET \/__mock\/health .* ctl_/);
  expect(server.output).toMatch(/ 421 GET \/x{199}… /);
  expect(server.output).toContain("/api/content?api_key=[redacted]&q=[API key] ");
  expect(server.output).not.toMatch(/test_cli|live_of_somebody/);
});

test("a log is text, lines of JSON, or quiet, and reports an evicted sandbox, its key hidden", async () => {
  const options = ["--max-sandboxes", "1", "--log"];
  const text = await serve(...options, "text");
  const json = await serve(...options, "json");
  const quiet = await serve(...options, "quiet");
  const greeting = quiet.output;

  for (const server of [text, json, quiet]) {
    await post(server);
    await list(server, "", { key: "test_another_suite" });
  }
  await expect.poll(() => json.output.trim().split("\n")).toHaveLength(4);

  expect(text.output).toMatch(/\n[\d:.]{12} evicted test_…: 1 page, 0 events, unused for longest\n/);
  expect(json.output.split("\n", 4).map((line): unknown => JSON.parse(line))).toMatchObject([
    { event: "listening", url: json.baseUrl, time: expect.any(String) },
    { event: "request", method: "POST", path: "/api/content", status: 201, key: "test_…" },
    { event: "evicted", account: "test_…", pages: 1, events: 0 },
    { event: "request", durationMs: expect.any(Number) },
  ]);
  expect(quiet.output).toBe(greeting);
});

test("every option can be set as a variable, and the command line wins", () => {
  const words = ["--port", "1", "--plan", "5/60", "--allowed-host", "mock", "--allowed-host", "mock.test", "--open"];
  const environment = {
    LANDING_PAGES_MOCK_PORT: "1",
    LANDING_PAGES_MOCK_PLAN: "5/60",
    LANDING_PAGES_MOCK_ALLOWED_HOST: "mock, mock.test",
    LANDING_PAGES_MOCK_OPEN: "true",
    LANDING_PAGES_MOCK_TOKEN: "",
    LANDING_PAGES_MOCK_PORT_4010_TCP_ADDR: "10.0.0.1",
  };
  const plan = { limit: 5, windowMs: 60_000 };
  const options = { port: 1, plan, "allowed-host": ["mock", "mock.test"], open: true };

  expect(readArguments(words)).toEqual({ name: "serve", options });
  expect(readArguments([], environment)).toEqual({ name: "serve", options });
  expect(readArguments(["--port", "2"], environment)).toEqual({ name: "serve", options: { ...options, port: 2 } });
  expect(helpText("check")).toContain("--write-dialect FILE");
});

test("a misspelt variable is named on stderr, but not one that another program may have set", async () => {
  const environment = {
    LANDING_PAGES_MOCK_PROT: "4",
    LANDING_PAGES_MOCK_ALOWED_HOST: "mock",
    LANDING_PAGES_MOCK_PAIRS: "1",
    LANDING_PAGES_MOCK_SERVICE_HOST: "10.0.0.1",
    LANDING_PAGES_MOCK_SERVICE_PORT: "4010",
    LANDING_PAGES_MOCK_PORT_4010_TCP_ADDR: "10.0.0.1",
    LANDING_PAGES_MOCK_URL: "http://mock",
  };

  const { code, errors } = await runCommand(["openapi"], environment);

  expect(errors).toBe(
    `landing-pages-mock: LANDING_PAGES_MOCK_PROT is no option; did you mean LANDING_PAGES_MOCK_PORT?
landing-pages-mock: LANDING_PAGES_MOCK_ALOWED_HOST is no option; did you mean LANDING_PAGES_MOCK_ALLOWED_HOST?
`,
  );
  expect(code).toBeUndefined();
});

test("a request cannot control the terminal that shows the log", () => {
  const line = jsonLine("request", { path: "/\u001b[2J\u009b2J\u202egpj\u007f" }, new Date(0));

  expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(line)).toMatchObject({ path: "/\u001b[2J\u009b2J\u202egpj\u007f" });
});

test("a Node that is too old gets one sentence with both versions, before anything is loaded", () => {
  const pretend = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.11.9" } });';
  const refuseModules = `import { registerHooks } from "node:module"; registerHooks?.({ resolve: (name, context, next) => { if (context.parentURL?.endsWith("cli.ts")) throw new Error("loaded " + name); return next(name, context); } });`;
  const imported = `data:text/javascript,${encodeURIComponent(refuseModules + pretend)}`;

  const { status, stderr, stdout } = runNode("--import", imported, cli, "version");

  const needed = readPackage().engines.node.replace(">=", "");
  expect(stderr).toBe(`landing-pages-mock needs Node ${needed} or newer, and this is Node 22.11.9.\n`);
  expect([status, stdout]).toEqual([1, ""]);
});

test("the old command name fails with an error that has the new name", () => {
  const former = join(import.meta.dirname, "..", readPackage().bin["landing-page-mock"] ?? "");

  const { status, stderr } = runNode(former, "--port", "0");

  expect(stderr).toMatch(/^landing-page-mock is called landing-pages-mock now.*\n$/);
  expect(status).toBe(2);
});

test("version, help and openapi print and exit", async () => {
  const dialect = { answers: { page: { key: "{id}" } } };

  const version = await runCommand(["--version"]);
  const help = await runCommand(["serve", "--help"]);
  const reference = await runCommand(["openapi"]);
  const own = await runCommand(["openapi", "--dialect", write("dialect.json", dialect)]);

  expect(version).toMatchObject({ code: undefined, output: `${readPackage().version}\n` });
  expect(help.output).toContain("--export-on-exit FILE");
  expect(help.output).not.toContain("--base-url");
  expect(JSON.parse(reference.output)).toEqual(openApiDocument());
  expect(JSON.parse(own.output)).toEqual(openApiDocument(resolveDialect(dialect)));
});

/** A client of a server, for the functions of `client.ts`. */
const clientOf = (baseUrl: string) => ({ fetch, baseUrl, apiKey: "test_cli" });

/** Starts a server in this process, on a free port. */
async function serve(...words: string[]) {
  const command = readArguments(["--port", "0", ...words]);
  if (command.name !== "serve") throw new Error("not a server");
  const server = { output: "" };
  const { url, stop } = await startServing(command.options, (text) => void (server.output += text));
  onTestFinished(() => stop().catch(() => {}));
  return Object.assign(server, { ...clientOf(url), stop });
}

/** Starts a server in a process of its own and waits for its greeting. */
async function start(...words: string[]) {
  const child = spawn(process.execPath, [...typeScriptFlags, cli, "--port", "0", ...words]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  await expect.poll(() => output).toContain("Stop ");
  return { child, output, closed: once(child, "close"), ...clientOf(/listens on (\S+)/.exec(output)?.[1] ?? "") };
}

function readPackage() {
  const text = fs.readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
  return JSON.parse(text) as { version: string; engines: { node: string }; bin: Record<string, string> }; // why: our own file
}

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
