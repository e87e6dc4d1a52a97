import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { type Flow, sweep, type SweepOptions, type SweptAccount } from "@landing-page-service/mock-server/sweep";
import { LandingPages, type Page } from "@landing-page-service/sdk";
import request from "supertest";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createExpressApp } from "../express-app.ts";
import { publishOffers } from "../publisher.ts";
import { createFolder } from "./program.ts";

const offers = ["Trail shoes", "Rain jacket"].map((name) => ({
  name,
  text: `${name} for every season.`,
  url: "https://shop.example/offer",
}));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A sample of the faults. PROPERTY_RUNS=1000 tries all. */
const sample = { dialects: [], maxRuns: Number(process.env["PROPERTY_RUNS"] ?? 12) };
const ignoringKeys = { mockOptions: { dialect: { switches: { idempotency: "ignored" } } }, dialects: [] } as const;
/** The client retries a create after a 500, as documented, so a service that ignores keys stores the page twice. */
const documented = ["twice lost: 500 after the work"];

test("publishing offers stores no page twice and loses none silently", async () => {
  expect(await sweepOnce(publish, sample)).toEqual([]);
});

test.each<[string, (folder: string) => Promise<Flow>]>([
  ["the bulk import", async () => programFlow("bulk-import.ts", ["1"])],
  ["publishing a folder", publishFolder],
])("%s has the documented finding only where the service ignores idempotency keys", async (_title, createFlow) => {
  expect(await sweepOnce(await createFlow(await createFolder({ onTestFinished })), ignoringKeys)).toEqual(documented);
});

test("the nightly check leaves no page behind silently", async () => {
  const folder = await createFolder({ onTestFinished });
  // It names its pages by a UUID. Sweep compares runs, so each run needs the same names.
  vi.spyOn(crypto, "randomUUID").mockReturnValue("6f9619ff-8b86-4011-b42d-00c04fc964ff");
  let runs = 0;
  const check: Flow = (mock) => programFlow("nightly-check.ts", [join(folder, `${(runs += 1)}.json`)])(mock);

  expect(await sweepOnce(check, { dialects: [], maxRuns: 4 })).toEqual([]);
});

describe("a server that receives SIGTERM", () => {
  test("loses no view silently when it shows pages", async () => {
    const flow = serverFlow(
      "web-app.ts",
      () => [],
      (visitor, port) => visitor(`http://127.0.0.1:${port}/shoes`),
    );

    expect(await sweepOnce(flow, sample)).toEqual([]);
  });

  test("loses no view silently when it collects views", async () => {
    const folder = await createFolder({ onTestFinished });
    let runs = 0;
    const flow = serverFlow(
      "view-collector.ts",
      () => [join(folder, `${(runs += 1)}.ndjson`)],
      (visitor, port, { id }) => visitor(`http://127.0.0.1:${port}/views/${id}`, { method: "POST" }),
    );

    expect(await sweepOnce(flow, sample)).toEqual([]);
  });
});

/** A form becomes a page, which a visitor then views. */
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
  test("an app that does not report lost views loses them silently", async () => {
    const flow = visit(() => {});

    const { causes } = await sweep(flow, sample);

    expect(causes.map(({ kind, isReported, calls }) => ({ kind, isReported, calls }))).toEqual([
      { kind: "missing", isReported: false, calls: "trackEvent #1" },
    ]);
  });

  test("an app that reports lost views has no finding", async () => {
    const flow = visit((mock, reason) => mock.report(reason));

    expect((await sweep(flow, sample)).findings).toEqual([]);
  });
});

const publish: Flow = async (mock) => {
  const refusals = await publishOffers(new LandingPages(mock.clientOptions), offers);
  for (const refusal of refusals) mock.report(refusal);
};

/** Returns the kinds of findings of a sweep, each once. */
async function sweepOnce(flow: Flow, options: SweepOptions): Promise<string[]> {
  const { findings } = await sweep(flow, options);
  return [...new Set(findings.map(({ kind, fault }) => `${kind} ${fault}`))];
}

async function publishFolder(folder: string): Promise<Flow> {
  const cta = "cta: { type: button, label: Go, url: https://a.example/ }";
  await writeFile(join(folder, "tea.md"), `---\ntitle: Tea\nslug: tea\n${cta}\n---\nText.\n`);
  return programFlow("publish-folder.ts", [folder]);
}

/** Visitors use the real network; the program's own `fetch` is the mock's. */
const overTheWire = globalThis.fetch;

/** Runs an unchanged server, visits it twice and sends SIGTERM. Reports the views that it prints as lost or keeps for its next start. */
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
    await programFlow(file, args, (stream, line) => {
      if (stream === "error") mock.report(String(line));
      const port = /:(\d+)$|port: (\d+)/.exec(inspect(line).replaceAll("'", ""));
      if (port !== null) started.resolve(Number(port[1] ?? port[2]));
      if (String(line).includes("views delivered")) ended.resolve();
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

/** Gets each line that a program prints. */
type PrintListener = (stream: "log" | "error", line: unknown) => void;

let imports = 0;
/** Runs an unchanged program in this process and on the clock of its run. An exit code other than 0 counts as a report. */
function programFlow(file: string, args: readonly string[], onPrint: PrintListener = () => {}): Flow {
  return async ({ clientOptions, report }: SweptAccount) => {
    vi.stubEnv("LANDING_PAGES_BASE_URL", clientOptions.baseUrl);
    vi.stubEnv("LANDING_PAGES_API_KEY", clientOptions.apiKey);
    vi.stubGlobal("fetch", clientOptions.fetch);
    for (const stream of ["log", "error"] as const)
      vi.spyOn(console, stream).mockImplementation((line: unknown) => onPrint(stream, line));
    const { argv, exitCode } = process;
    process.argv = [...argv.slice(0, 1), file, ...args];
    process.exitCode = undefined;
    try {
      await import(new URL(`../${file}?run=${(imports += 1)}`, import.meta.url).href);
      const code = readExitCode();
      if (code !== undefined && code !== 0) report(`ended with ${code}`);
    } finally {
      process.argv = argv;
      process.exitCode = exitCode;
    }
  };
}

const readExitCode = (): typeof process.exitCode => process.exitCode;
