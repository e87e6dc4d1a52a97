// Apps with one bug each: a sweep must find the bug at its call, and nothing in an app without bugs.
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sweep, type SweptAccount } from "../src/sweep.ts";
import { type Careful, careful, expectStatus, fields, type Flaws, pause, sendWithRetry } from "./careful-client.ts";

/** Sweeps in the reference dialect. A flow hangs after ten minutes of virtual time. */
const options = { dialects: [], maxVirtualMs: 600_000 };

type App = (client: Careful, mock: SweptAccount) => unknown;

const nothing = (): undefined => undefined;

const keepsRefusedKey: App = async ({ create }, mock) => {
  for (const slug of ["one", "two"]) await create(slug).catch((error: unknown) => mock.report(error));
};

const writesCacheBack: App = async ({ create, update, list }) => {
  const cached = { id: await create("tea", "Old"), title: "Old" };
  await update(cached.id, { title: "New" });
  const [page = cached] = await list().catch(() => [cached]);
  await update(page.id, { title: page.title, content: "Another." });
};

const awaitsTooLate: App = async ({ create, track }) => {
  const tracked = track(await create("tea"));
  await wait(30_000);
  await tracked;
};

const throwsInTimer: App = async ({ create }) => {
  const id = await create("tea").catch(nothing);
  setTimeout(() => {
    if (id === undefined) throw new RangeError("no page");
  }, 1_000);
  await pause(2_000);
};

const readsTruncatedAsEmpty: App = async ({ track }, mock) => {
  const response = await sendWithRetry(mock, "/api/content", { method: "POST", body: fields("tea") });
  expectStatus(response, 201);
  const { id } = (await response.json().catch(() => ({}))) as { id?: string }; // why: a page, or an empty object
  if (id !== undefined) await track(id);
};

/** A bug, the app that has it, and the findings of the sweep as `kind calls`. */
test.each<[string, App, string[]]>([
  ["calls continue with a key that was refused", keepsRefusedKey, ["etiquette createPage #1"]],
  ["a cached list is written back", writesCacheBack, ["changed listPages #1", "etiquette listPages #1"]],
  ["a promise is awaited too late", awaitsTooLate, ["unhandled trackEvent #1"]],
  ["the callback of a timer throws", throwsInTimer, ["missing createPage #1", "unhandled createPage #1"]],
  ["a truncated response is treated as an empty one", readsTruncatedAsEmpty, ["missing createPage #1"]],
])("%s: the sweep finds it", async (_bug, app, findings) => {
  const report = await sweep((mock) => app(careful(mock), mock), options);

  expect(
    report.causes.map(({ kind, calls }) => `${kind} ${calls}`),
    String(report),
  ).toEqual(findings);
});

/** The steps of an app; each works on its own page. */
const steps = {
  create: async ({ create }: Careful, slug: string) => create(slug),
  update: async ({ update }: Careful, id: string) => update(id, { title: "New" }),
  remove: async ({ remove }: Careful, id: string) => remove(id),
  track: async ({ track }: Careful, id: string) => track(id),
} as const;
type StepName = keyof typeof steps;
const stepNames = Object.keys(steps) as StepName[]; // why: its own keys
/** How many calls a step makes. All but a create need a page first. */
const countCalls = (step: StepName): number => (step === "create" ? 1 : 2);

interface Bug {
  readonly steps: readonly StepName[];
  readonly flaws?: Flaws;
  readonly follow?: (call: Promise<unknown>) => unknown;
  readonly kinds: RegExp;
}

const lost = /missing|changed/;

/** Mistakes of one call, and the findings of which the sweep must report at least one. */
const bugs: Record<string, Bug> = {
  "its error is swallowed": { steps: stepNames, follow: (call) => call.catch(nothing), kinds: lost },
  "it is not awaited": { steps: stepNames, follow: (call) => void call.catch(nothing), kinds: lost },
  "its status is ignored": { steps: ["update", "remove", "track"], flaws: { ignoresStatus: true }, kinds: lost },
  "each attempt has another key": {
    steps: ["create", "track"],
    flaws: { keyOf: (key, count) => key + count },
    kinds: /twice/,
  },
  "it waits without end": { steps: stepNames, flaws: { signalOf: () => new AbortController().signal }, kinds: /hang/ },
};

const appWithBug = fc
  .record({
    names: fc.array(fc.constantFrom(...stepNames), { minLength: 1, maxLength: 2 }),
    place: fc.nat(),
    bug: fc.constantFrom(...Object.values(bugs)),
  })
  .map(({ names, place, bug }) => ({ names, bug, place: place % names.length }))
  .filter(({ names, bug, place }) => bug.steps.some((name) => name === names[place]));

test("a bug in any call of any app is found at that call, and nothing is found anywhere else", async () => {
  await fc.assert(
    fc.asyncProperty(appWithBug, async ({ names, bug, place }) => {
      const report = await sweep(async (mock) => {
        for (const [index, step] of names.entries()) {
          const { flaws, follow = async (pending) => pending }: Partial<Bug> = index === place ? bug : {};
          const slug = `page-${index}`;
          const target = step === "create" ? slug : await careful(mock).create(slug);
          await follow(steps[step](careful(mock, flaws), target));
        }
      }, options);

      const callsUntilBug = names.slice(0, place + 1).reduce((sum, step) => sum + countCalls(step), 0);
      const places = new Set(report.findings.map(({ call }) => call?.index));
      expect(places, String(report)).toEqual(new Set([callsUntilBug - 1]));
      expect(report.findings.map(({ kind }) => kind).join(), String(report)).toMatch(bug.kinds);
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 3) },
  );
});
