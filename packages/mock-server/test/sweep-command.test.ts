import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Finding, SweepReport } from "../src/sweep.ts";
import { runCommand } from "./command.ts";

interface Connection {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly closed: Promise<unknown>;
}

/** Connections of swept programs, by the name that each sends. */
const connections = new Map<string, PromiseWithResolvers<Connection>>();
/** How many programs have connected. */
let starts = 0;
const listener = createServer((socket) => {
  const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
  socket.once("data", (data) => {
    const { name, pid } = JSON.parse(String(data)) as { name: string; pid: number }; // why: `connect` writes it
    starts += 1;
    connectionOf(name).resolve({ pid, closed });
  });
});

beforeAll(() => new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve)));
afterEach(() => void vi.useRealTimers());
afterAll(() => void listener.close());

const show = ({ kind, fault, call }: Finding) => `${kind} ${call?.endpoint} ${fault}`;

test("a sweep judges a program by its exit code, and reports what it lost silently and where it hangs", async () => {
  // Creates a page, and treats a 500 as a success.
  const app = `
${connect("run")}
const { LANDING_PAGES_BASE_URL: url, LANDING_PAGES_API_KEY: key } = process.env;
const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const body = JSON.stringify({ title: "Tea", content: "An afternoon.", slug: "tea", cta });
const headers = { Authorization: "Bearer " + key, "Content-Type": "application/json" };
const { status } = await fetch(url + "/api/content", { method: "POST", headers, body });
process.exit(status === 201 || status === 500 ? 0 : 1);`;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

  // This sample has every kind of finding.
  const sample = ["--max-runs", "8", "--random-seed", "180"];
  const ended = sweep(["--json", "--timeout", "60", "--concurrency", "2", ...sample, ...inNode(app)]);
  // Two runs without a fault come first, then the two whose response is late or never comes.
  await expect.poll(() => starts).toBe(4);
  vi.advanceTimersByTime(60_000);
  const { code, output } = await ended;

  const { findings, losses } = JSON.parse(output) as Pick<SweepReport, "findings" | "losses">; // why: the report
  expect(findings.map(show)).toEqual([
    "missing createPage refused: 500",
    "hang createPage lost: response that never comes",
    "hang createPage slow: 5 s",
  ]);
  expect(findings.filter(({ isReported }) => isReported)).toEqual([]);
  expect(losses.map(show)).toContain("missing createPage refused: 503");
  expect(code).toBe(1);
});

test("a program that fails without a fault is refused with its output, one that does not exist with a sentence", async () => {
  const failing = await sweep(inNode('console.error("no tea today"); process.exit(3)'));
  const missing = await sweep(["--", "no-such-program-anywhere"]);
  const none = await sweep([]);

  expect(failing.errors).toContain("sweep: the flow fails even without a fault: it ended with 3");
  expect(failing.errors).toContain("no tea today");
  expect(missing.errors).toContain("no-such-program-anywhere");
  expect(none.errors).toContain("sweep needs a command");
  expect([failing.code, missing.code, none.code]).toEqual([1, 1, 2]);
});

test.skipIf(process.platform === "win32")("a signal ends the program and the sweep", async () => {
  const program = `${connect("program")} await new Promise((resolve) => setTimeout(resolve, 600_000));`;
  const command = [join(import.meta.dirname, "../src/cli.ts"), "sweep", ...inNode(program)];
  const child = spawn(process.execPath, command, { stdio: "ignore" });
  const exited = new Promise((resolve) => child.on("exit", resolve));

  const { pid, closed } = await connectionOf("program").promise;
  child.kill("SIGTERM");

  expect(await exited).toBe(143);
  await closed;
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test.skipIf(process.platform === "win32")("processes that a program leaves end with it or delay nothing", async () => {
  // The program ends when both processes have started, after one request.
  const program = `import { once } from "node:events"; import { spawn } from "node:child_process";
${leave("inside", false)} ${leave("outside", true)}
await fetch(process.env.LANDING_PAGES_BASE_URL + "/api/content", { headers: { Authorization: "Bearer " + process.env.LANDING_PAGES_API_KEY } });
process.exit(0);`;

  const { code, errors } = await sweep(["--max-runs", "1", ...inNode(program)]);

  const [inside, outside] = [await connectionOf("inside").promise, await connectionOf("outside").promise];
  await inside.closed;
  process.kill(outside.pid);
  expect([0, 1], errors).toContain(code);
});

/** Code that starts another process, and waits until that has started. */
function leave(name: string, detached: boolean): string {
  const left = `${connect(name)} process.send("up"); setTimeout(() => {}, 600_000);`;
  const options = { stdio: ["ignore", "inherit", "inherit", "ipc"], detached };
  return `await once(spawn(process.execPath, ["--input-type=module", "--eval", ${JSON.stringify(left)}], ${JSON.stringify(options)}), "message");`;
}

const sweep = (words: readonly string[]) => runCommand(["sweep", ...words]);

function inNode(program: string): string[] {
  return ["--", process.execPath, "--input-type=module", "--eval", program];
}

/** Code with which a program connects to the test. */
function connect(name: string): string {
  const { port } = listener.address() as AddressInfo; // why: a server that listens on TCP has one
  return `process.getBuiltinModule("net").connect(${port}, "127.0.0.1").write(JSON.stringify({ name: "${name}", pid: process.pid }));`;
}

function connectionOf(name: string): PromiseWithResolvers<Connection> {
  const known = connections.get(name) ?? Promise.withResolvers<Connection>();
  connections.set(name, known);
  return known;
}
