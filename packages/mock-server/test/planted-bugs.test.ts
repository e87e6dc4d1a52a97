import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Flow, sweep, type SweepReport } from "../src/sweep.ts";
import { type Careful, careful, type Manner } from "./careful-client.ts";
import { type Planted, plantedBugs } from "./planted-bugs.ts";
import { plantedLoops } from "./planted-loops.ts";

/** In the dialect of the reference, and with a hang told after ten minutes of virtual time. */
const shortly = { dialects: [], maxVirtualMs: 600_000 };

const flowOf =
  (app: Planted["broken"]): Flow =>
  (mock) =>
    app(careful(mock), mock);

/** Reports of mended apps: several bugs have the same. */
const reports = new Map<Planted["mended"], Promise<SweepReport>>();

function sweepOnce(app: Planted["mended"]): Promise<SweepReport> {
  const report = reports.get(app) ?? sweep(flowOf(app), shortly);
  reports.set(app, report);
  return report;
}

describe("a bug is found at the call where it happens, and the corrected app has none", () => {
  test.each(Object.entries({ ...plantedBugs, ...plantedLoops }))("%s", async (_name, { broken, mended, finds }) => {
    const found = await sweep(flowOf(broken), shortly);
    const clean = await sweepOnce(mended);

    expect(
      found.causes.map(({ kind, calls }) => `${kind} ${calls}`),
      String(found),
    ).toEqual(finds);
    expect(clean.findings, String(clean)).toEqual([]);
  });
});

/** What one step of an app does with a page of its own: how often it calls before, and the call itself. */
const steps = {
  create: { before: 0, call: async ({ create }: Careful, slug: string) => create(slug) },
  update: { before: 1, call: async ({ update }: Careful, id: string) => update(id, { title: "New" }) },
  remove: { before: 1, call: async ({ remove }: Careful, id: string) => remove(id) },
  track: { before: 1, call: async ({ track }: Careful, id: string) => track(id) },
} as const;
type StepName = keyof typeof steps;

interface Bug {
  readonly steps: readonly StepName[];
  readonly manner?: Manner;
  readonly follow?: (call: Promise<unknown>) => unknown;
  readonly kinds: readonly string[];
}

const unheard = (call: Promise<unknown>): void => void call.catch(() => undefined);
/** What can be wrong about one call, and what comes of it. */
const bugs: Record<string, Bug> = {
  swallowed: {
    steps: ["create", "update", "remove", "track"],
    follow: (call) => call.catch(() => undefined),
    kinds: ["missing", "changed"],
  },
  "not awaited": { steps: ["create", "update", "remove", "track"], follow: unheard, kinds: ["missing", "changed"] },
  careless: { steps: ["update", "remove", "track"], manner: { isCareless: true }, kinds: ["missing", "changed"] },
  "under new keys": {
    steps: ["create", "track"],
    manner: { keyOf: (key, attempt) => `${key}${attempt}` },
    kinds: ["twice"],
  },
  endless: {
    steps: ["create", "update", "remove", "track"],
    manner: { signalOf: () => new AbortController().signal },
    kinds: ["hang"],
  },
};

const planted = fc
  .record({
    names: fc.array(fc.constantFrom(...(Object.keys(steps) as StepName[])), { minLength: 1, maxLength: 3 }), // why: its own keys
    place: fc.nat(),
    bug: fc.constantFrom(...Object.keys(bugs)),
  })
  .map(({ names, place, bug }) => ({ names, bug, place: place % names.length }))
  .filter(({ names, bug, place }) => bugs[bug]?.steps.some((name) => name === names[place]) === true);

test("a bug in any call of any app is found at that call, and nothing is found anywhere else", async () => {
  await fc.assert(
    fc.asyncProperty(planted, async ({ names, bug: name, place }) => {
      const bug = bugs[name];
      const app =
        (isMended: boolean): Flow =>
        async (mock) => {
          for (const [index, step] of names.entries()) {
            const isPlanted = index === place && !isMended;
            const slug = `page-${index}`;
            const { before, call } = steps[step];
            const target = before === 0 ? slug : await careful(mock).create(slug);
            const pending = call(careful(mock, isPlanted ? bug?.manner : {}), target);
            await (isPlanted && bug?.follow !== undefined ? bug.follow(pending) : pending);
          }
        };
      const found = await sweep(app(false), shortly);
      const clean = await sweep(app(true), shortly);

      const index = names.slice(0, place).reduce((sum, step) => sum + steps[step].before + 1, 0);
      const guilty = index + steps[names[place] ?? "create"].before;
      const kinds = new Set(found.findings.map(({ kind }) => kind));
      expect(new Set(found.findings.map(({ call }) => call?.index)), String(found)).toEqual(new Set([guilty]));
      expect(
        bug?.kinds.some((kind) => kinds.has(kind as "twice")),
        String(found),
      ).toBe(true); // why: names of kinds
      expect(clean.findings, String(clean)).toEqual([]);
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 3) },
  );
});
