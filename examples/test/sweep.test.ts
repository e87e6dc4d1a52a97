import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { compileFunction, constants } from "node:vm";
import { type Flow, sweep, type SweepOptions, type SweptAccount } from "@landing-page-service/mock-server/sweep";
import { LandingPages, type Page } from "@landing-page-service/sdk";
import request from "supertest";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createExpressApp } from "../express-app.ts";
import { publishOffers } from "../publisher.ts";
import { runExample } from "./program.ts";

const offers = ["Trail shoes", "Road shoes", "Rain jacket"].map((name) => ({
  name,
  text: `${name} for every season.`,
  url: "https://shop.example/offer",
}));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Settings of a service: one that honours keys, and one that ignores them, where a create that is retried is there twice. */
const services: [string, SweepOptions, string[]][] = [
  ["honoured", {}, []],
  [
    "ignored",
    { mockOptions: { dialect: { switches: { idempotency: "ignored" } } } },
    ["twice lost: 500 once it was done"],
  ],
];

describe.each(services)("where keys are %s", (_name, service, remains) => {
  const options = { ...service, dialects: [] };

  test("publishing offers neither doubles nor silently loses a page, but for what is documented", async () => {
    expect(await tell(publish, options)).toEqual(remains);
  });

  test("so does the bulk import", async () => {
    expect(await tell(programFlow("bulk-import.ts", ["3"]), options)).toEqual(remains);
  });

  test("so does publishing a folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "landing-pages-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const slug of ["one", "two"])
      await writeFile(
        join(folder, `${slug}.md`),
        `---\ntitle: ${slug}\nslug: ${slug}\ncta: { type: button, label: Go, url: https://a.example/ }\n---\nText.\n`,
      );

    expect(await tell(programFlow("publish-folder.ts", [folder]), options)).toEqual(remains);
  });
});

test("the nightly check leaves nothing behind without a word", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landing-pages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // Its pages have a name of their own in every run, which would be another page each time.
  vi.spyOn(crypto, "randomUUID").mockReturnValue("6f9619ff-8b86-4011-b42d-00c04fc964ff");
  let runs = 0;
  const check: Flow = (mock) => programFlow("nightly-check.ts", [join(folder, `${(runs += 1)}.json`)])(mock);

  expect(await tell(check, { dialects: [], maxRuns: 15 })).toEqual([]);
});

describe("a server that is told to end", () => {
  const options = { dialects: [], maxRuns: 12 };

  test("loses no view without a word when it shows pages", async () => {
    const flow = serverFlow(
      "web-app.ts",
      () => [],
      (visitor, port) => visitor(`http://127.0.0.1:${port}/shoes`),
    );

    expect(await tell(flow, options)).toEqual([]);
  });

  test("loses no view without a word when it collects them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "landing-pages-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    let runs = 0;
    const flow = serverFlow(
      "view-collector.ts",
      () => [join(folder, `${(runs += 1)}.ndjson`)],
      (visitor, port, { id }) => visitor(`http://127.0.0.1:${port}/views/${id}`, { method: "POST" }),
    );

    expect(await tell(flow, options)).toEqual([]);
  });
});

/** A form becomes a page, which somebody visits. */
const visit =
  (onLost: (mock: SweptAccount, reason: unknown) => void): Flow =>
  async (mock) => {
    const client = new LandingPages(mock.clientOptions);
    const views = client.analytics.queue({ onLost: (_event, reason) => onLost(mock, reason) });
    const app = createExpressApp(client, views);
    const cta = { type: "button", label: "Buy", url: "https://shop.example/shoes" };
    await request(app)
      .post("/pages")
      .send({ title: "Shoes", content: "For every season.", slug: "shoes", cta })
      .expect(201);
    await request(app).get("/pages/shoes").expect(200);
    await views.close();
  };

describe("an Express app behind supertest is swept in process", () => {
  test("one that logs nothing of a lost view loses it silently", async () => {
    const { causes } = await sweep(visit(() => {}));

    expect(causes.map(({ kind, told, calls }) => ({ kind, told, calls }))).toEqual([
      { kind: "missing", told: false, calls: "trackEvent #1" },
    ]);
  });

  test("one that reports it has no finding", async () => {
    const { findings } = await sweep(visit((mock, reason) => mock.report(reason)));

    expect(findings).toEqual([]);
  });
});

test("a program in Python, in a process of its own, tells of whatever it leaves behind", async () => {
  const cli = "../packages/mock-server/src/cli.ts";
  // A sample that holds a create that is lost and a delete that is refused.
  const sample = ["--max-runs", "8", "--random-seed", "24"];
  const { code, output } = await runExample([cli, "sweep", ...sample, "--", "python3", "python/publish.py"], {});

  expect(output).toContain("8 disturbed runs");
  expect(output).toContain("nothing found");
  expect(code, output).toBe(0);
});

const publish: Flow = async (mock) => {
  const refusals = await publishOffers(new LandingPages(mock.clientOptions), offers);
  for (const refusal of refusals) mock.report(refusal);
};

/** What a sweep finds, each sort once. */
async function tell(flow: Flow, options: SweepOptions): Promise<string[]> {
  const { findings } = await sweep(flow, options);
  return [...new Set(findings.map(({ kind, fault }) => `${kind} ${fault}`))];
}

/** Visitors come over the wire, whatever the program's own `fetch` leads to. */
const overTheWire = globalThis.fetch;

/** Runs a server as it stands, has it visited twice and tells it to end; what it prints as lost, or keeps for its next start, is told. */
function serverFlow(
  file: string,
  newArguments: () => string[],
  visit: (visitor: typeof fetch, port: number, page: Page) => Promise<Response>,
): Flow {
  return async (mock) => {
    const page = await new LandingPages(mock.clientOptions).pages.create({
      title: "Shoes",
      content: "For every season.",
      slug: "shoes",
      cta: { type: "button", label: "Buy", url: "https://shop.example/shoes" },
    });
    const started = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<void>();
    const others = new Set(signals.flatMap((signal) => process.rawListeners(signal)));
    const args = newArguments();
    vi.stubEnv("PORT", "0");
    await programFlow(file, args, (stream, said) => {
      if (stream === "error") mock.report(String(said));
      const port = /:(\d+)$|port: (\d+)/.exec(inspect(said).replaceAll("'", ""));
      if (port !== null) started.resolve(Number(port[1] ?? port[2]));
      if (String(said).includes("views delivered")) ended.resolve();
    })(mock);
    const port = await started.promise;
    for (let visits = 0; visits < 2; visits += 1) {
      const { status, body } = await visit(overTheWire, port, page);
      await body?.cancel();
      if (status >= 300) mock.report(`the visitor got ${status}`);
    }
    for (const signal of signals) {
      for (const listener of process.rawListeners(signal).filter((found) => !others.has(found))) {
        process.removeListener(signal, listener as () => void); // why: Node's own type of it says only that it is some function
        if (signal === "SIGTERM") listener.call(process);
      }
    }
    await ended.promise;
    const kept = args[0] === undefined ? "" : await readFile(args[0], "utf8").catch(() => "");
    if (kept !== "") mock.report("kept for the next start");
  };
}
const signals = ["SIGTERM", "SIGINT"] as const;

/** Hears what a program prints. */
type Listener = (stream: "log" | "error", said: unknown) => void;

/** Loads a module as Node does: the test runner would ask another thread for it, which no run knows to be a wait of its own. */
const importNatively = compileFunction("return import(url)", ["url"], {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}) as (url: string) => Promise<unknown>; // why: what is compiled has no type

let imports = 0;
/** Runs a program as it stands, in this process and with the time of its run; an exit code other than 0 tells of a loss. */
function programFlow(file: string, args: readonly string[], hear: Listener = () => {}): Flow {
  return async ({ clientOptions, report }: SweptAccount) => {
    vi.stubEnv("LANDING_PAGES_BASE_URL", clientOptions.baseUrl);
    vi.stubEnv("LANDING_PAGES_API_KEY", clientOptions.apiKey);
    vi.stubGlobal("fetch", clientOptions.fetch);
    for (const stream of ["log", "error"] as const)
      vi.spyOn(console, stream).mockImplementation((said: unknown) => hear(stream, said));
    const { argv, exitCode } = process;
    process.argv = [...argv.slice(0, 1), file, ...args];
    process.exitCode = undefined;
    try {
      await importNatively(new URL(`../${file}?run=${(imports += 1)}`, import.meta.url).href);
      const code = readExitCode();
      if (code !== undefined && code !== 0) report(`ended with ${code}`);
    } finally {
      process.argv = argv;
      process.exitCode = exitCode;
    }
  };
}

const readExitCode = (): typeof process.exitCode => process.exitCode;
