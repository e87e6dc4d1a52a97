import { spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";

const cli = join(import.meta.dirname, "../src/cli.ts");

/** Publishes one page, tries again after a 500, waits for ever after a 503, and gives up at anything else; `after` is what it does then. */
const app = (after: string) => `
const { LANDING_PAGES_BASE_URL: url, LANDING_PAGES_API_KEY: key } = process.env;
const cta = { type: "button", label: "Book", url: "https://tea.example/" };
const body = JSON.stringify({ title: "Tea", content: "An afternoon.", slug: "tea", cta });
const headers = { Authorization: "Bearer " + key, "Content-Type": "application/json" };
const send = () => fetch(url + "/api/content", { method: "POST", headers, body });
const first = await send();
const answer = first.status === 500 ? await send() : first;
if (answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 600_000));
if (answer.status !== 201) process.exit(1);
${after}`;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command. */
function run(words: readonly string[]): { ended: Promise<Ended>; kill: (signal: NodeJS.Signals) => void } {
  const child = spawn(process.execPath, [cli, "sweep", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (errors += String(chunk)));
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, output, errors })),
  );
  return { ended, kill: (signal) => child.kill(signal) };
}
const inNode = (program: string) => ["--", process.execPath, "--input-type=module", "--eval", program];

test("an app in another process is swept by its exit code: what it stored twice, where it hangs, what it leaves unsent", async () => {
  const later = `const viewed = { method: "POST", headers, body: JSON.stringify({ pageId: (await answer.json()).id, timestamp: "2026-01-02T03:04:05Z" }) };
const track = () => fetch(url + "/api/analytics/view", viewed);
const { ok = true } = await track().catch(() => ({}));
if (!ok) setTimeout(track, 60_000);
process.exit(0);`;
  // A sample that holds the three failures below and one that the app says.
  const sample = ["--max-runs", "6", "--random-seed", "6702"];
  const { code, output } = await run(["--json", "--timeout", "6", ...sample, ...inNode(app(later))]).ended;

  const { findings, losses } = JSON.parse(output) as { findings: Found[]; losses: Found[] }; // why: written by the command
  const told = findings.map(({ kind, fault, call }) => `${kind} ${call?.endpoint} ${fault}`);
  expect(told).toContain("twice createPage lost: 500 once it was done");
  expect(told).toContain("missing trackEvent refused: 500");
  expect(told).toContain("hang createPage refused: 503");
  expect(findings.every(({ told: isTold }) => !isTold)).toBe(true);
  expect(losses.length).toBeGreaterThan(0);
  expect(code).toBe(1);
});

interface Found {
  readonly kind: string;
  readonly fault: string;
  readonly told: boolean;
  readonly call?: { readonly endpoint: string };
}

test("a sweep of a command that fails undisturbed is refused with its output", async () => {
  const { code, errors } = await run(inNode('console.error("no tea today"); process.exit(3)')).ended;

  expect(errors).toContain("sweep: the flow fails before anything is done to it: it ended with 3");
  expect(errors).toContain("no tea today");
  expect(code).toBe(1);
});

test("a command that is missing or does not exist is refused with a sentence", async () => {
  const missing = await run(["--", "no-such-program-anywhere"]).ended;
  const none = await run([]).ended;
  const misspelt = await run(["--max-run", "3", "--", "true"]).ended;

  expect([missing.code, missing.errors]).toEqual([1, expect.stringContaining("no-such-program-anywhere")]);
  expect([none.code, none.errors]).toEqual([2, expect.stringContaining("sweep needs a command")]);
  expect([misspelt.code, misspelt.errors]).toEqual([2, expect.stringContaining("did you mean --max-runs")]);
});

test.skipIf(process.platform === "win32")("a signal ends the command and the sweep", async () => {
  await using listener = await listenForPids();
  const sweeping = run(inNode(`${listener.connect("command")} await new Promise((end) => setTimeout(end, 600_000));`));

  const { pid, closed } = await listener.find("command");
  sweeping.kill("SIGTERM");

  expect((await sweeping.ended).code).toBe(143);
  await closed;
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test.skipIf(process.platform === "win32")(
  "what a command leaves running ends with it, and what has left its process group holds nothing up",
  async () => {
    await using listener = await listenForPids();
    const leave = (name: string, detached: boolean) => {
      const program = `${listener.connect(name)} setTimeout(() => {}, 600_000);`;
      const options = { stdio: "inherit", detached };
      return `spawn(process.execPath, ["--input-type=module", "--eval", ${JSON.stringify(program)}], ${JSON.stringify(options)});`;
    };
    const leaves = `import { spawn } from "node:child_process"; ${leave("in the group", false)} ${leave("outside", true)}`;
    const waits = "setTimeout(() => process.exit(0), 1_000);";
    const { code } = await run(["--max-runs", "1", ...inNode(leaves + app(waits))]).ended;

    await (
      await listener.find("in the group")
    ).closed;
    process.kill((await listener.find("outside")).pid);
    expect([0, 1]).toContain(code);
  },
);

interface Connected {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process is gone. */
  readonly closed: Promise<unknown>;
}

/** Listens for processes that tell their names and ids. */
async function listenForPids() {
  const found = new Map<string, PromiseWithResolvers<Connected>>();
  const entry = (name: string): PromiseWithResolvers<Connected> => {
    const known = found.get(name) ?? Promise.withResolvers<Connected>();
    found.set(name, known);
    return known;
  };
  const server = createServer((socket) => {
    const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
    socket.once("data", (data) => {
      const { name, pid } = JSON.parse(String(data)) as Omit<Connected, "closed">; // why: written below
      entry(name).resolve({ name, pid, closed });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // why: a server that listens on TCP has one
  return {
    /** What a program tells its id with. */
    connect: (name: string) =>
      `process.getBuiltinModule("net").connect(${port}, "127.0.0.1").write(JSON.stringify({ name: "${name}", pid: process.pid }));`,
    find: (name: string) => entry(name).promise,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
