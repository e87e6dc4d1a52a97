import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Flow, sweep, type SweepOptions, type SweptAccount } from "@landing-page-service/mock-server/sweep";
import { LandingPages } from "@landing-page-service/sdk";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
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

describe.each(services)("where keys are %s", { timeout: 600_000 }, (_name, service, remains) => {
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

test("the nightly check leaves nothing behind without a word", { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "landing-pages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // Its pages have a name of their own in every run, which would be another page each time.
  vi.spyOn(crypto, "randomUUID").mockReturnValue("6f9619ff-8b86-4011-b42d-00c04fc964ff");
  let runs = 0;
  const check: Flow = (mock) => programFlow("nightly-check.ts", [join(folder, `${(runs += 1)}.json`)])(mock);

  expect(await tell(check, { dialects: [], maxRuns: 15 })).toEqual([]);
});

test(
  "a program in Python, in a process of its own, tells of whatever it leaves behind",
  { timeout: 600_000 },
  async () => {
    const cli = "../packages/mock-server/src/cli.ts";
    // A sample that holds a create that is lost and a delete that is refused.
    const sample = ["--max-runs", "8", "--random-seed", "24"];
    const { code, output } = await runExample([cli, "sweep", ...sample, "--", "python3", "python/publish.py"], {});

    expect(output).toContain("8 disturbed runs");
    expect(output).toContain("nothing found");
    expect(code, output).toBe(0);
  },
);

const publish: Flow = async (mock) => {
  const refusals = await publishOffers(new LandingPages(mock.clientOptions), offers);
  for (const refusal of refusals) mock.report(refusal);
};

/** What a sweep finds, each sort once. */
async function tell(flow: Flow, options: SweepOptions): Promise<string[]> {
  // Programs share the process's environment and arguments, so one runs at a time.
  const { findings } = await sweep(flow, { ...options, concurrency: 1 });
  return [...new Set(findings.map(({ kind, fault }) => `${kind} ${fault}`))];
}

let imports = 0;
/** Runs a program as it stands, in this process and with the time of its run; an exit code other than 0 tells of a loss. */
function programFlow(file: string, args: readonly string[]): Flow {
  return async ({ clientOptions, report }: SweptAccount) => {
    vi.stubEnv("LANDING_PAGES_BASE_URL", clientOptions.baseUrl);
    vi.stubEnv("LANDING_PAGES_API_KEY", clientOptions.apiKey);
    vi.stubGlobal("fetch", clientOptions.fetch);
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { argv, exitCode } = process;
    process.argv = [...argv.slice(0, 1), file, ...args];
    process.exitCode = undefined;
    try {
      await import(`../${file}?run=${(imports += 1)}`);
      const code = readExitCode();
      if (code !== undefined && code !== 0) report(`ended with ${code}`);
    } finally {
      process.argv = argv;
      process.exitCode = exitCode;
    }
  };
}

const readExitCode = (): typeof process.exitCode => process.exitCode;
