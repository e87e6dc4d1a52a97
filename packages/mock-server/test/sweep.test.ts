import { randomUUID } from "node:crypto";
import { scheduler, setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { assertSurvives } from "../src/assert.ts";
import { type Flow, sweep, type SweptAccount } from "../src/sweep.ts";
import "../src/vitest.ts";
import { careful } from "./careful-client.ts";
import { somePage } from "./client.ts";

/** Sends a create again under another key, whatever went wrong. */
const retriesBlindly: Flow = (mock) => careful(mock, { keyOf: (key, attempt) => `${key}${attempt}` }).create("tea");

/** Replaces a page; whether the old one could be deleted does not interest it. */
const swallowsDelete: Flow = async (mock) => {
  const { create, remove } = careful(mock);
  await remove(await create("old")).catch(() => undefined);
};

test("a bug has one cause, with all that makes it happen and the line that does it again; without it the app survives", async () => {
  const found = await sweep(retriesBlindly);
  const clean = await sweep((mock) => careful(mock).create("tea"));

  expect(found.causes, String(found)).toMatchObject([
    {
      kind: "twice",
      told: false,
      what: 'page "tea"',
      calls: "createPage #1",
      faults: ["lost: 500 once it was done"],
      reproduce: 'mock.faults.add({ endpoint: "createPage", skip: 0, status: 500, when: "after", times: 1 });',
    },
  ]);
  expect(found).not.toSurvive();
  expect(clean.findings, String(clean)).toEqual([]);
  expect(clean).toSurvive();
});

test("a finding's rules make the same happen again", async () => {
  const { causes } = await sweep(retriesBlindly, { dialects: [] });
  const [finding] = causes[0]?.findings ?? [];

  const again = await sweep(
    async (mock) => {
      for (const rule of finding?.rules ?? []) mock.faults.add(rule);
      await retriesBlindly(mock);
      expect(mock.pages).toHaveLength(2);
    },
    { maxRuns: 1 },
  );

  expect(again.runs).toBe(1);
});

test("the same seed gives the same report byte for byte, another seed another", async () => {
  const pairs = { pairs: 40, seed: 7, maxRuns: 40 };
  const one = await sweep(manyAtOnce, pairs);
  const again = await sweep(manyAtOnce, pairs);
  const other = await sweep(manyAtOnce, { ...pairs, seed: 8 });

  expect(one.runs).toBe(40);
  expect(one.skipped).toBeGreaterThan(0);
  expect(String(again)).toBe(String(one));
  expect(JSON.stringify(again)).toBe(JSON.stringify(one));
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(one));
});

test("timers, clocks and rejections are the process's own again afterwards, also when the flow fails", async () => {
  const before = readOwn();
  const listeners = process.listeners("unhandledRejection");

  await expect(sweep(() => Promise.reject(new Error("no tea")))).rejects.toThrow(
    "sweep: the flow fails before anything is done to it: no tea",
  );

  expect(readOwn()).toEqual(before);
  expect(process.listeners("unhandledRejection")).toEqual(listeners);
});

test("all of a flow's waits cost nothing, in whatever way it waits", async () => {
  const waited: number[] = [];
  const report = await sweep(
    async (mock) => {
      const beganMs = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 600_000));
      await wait(600_000);
      await scheduler.wait(600_000);
      await new Promise((resolve) => AbortSignal.timeout(600_000).addEventListener("abort", resolve));
      await mock.clientOptions.sleep(600_000);
      let ticks = 0;
      await new Promise<void>((resolve) => {
        const interval = setInterval(() => {
          ticks += 1;
          if (ticks < 3) return;
          clearInterval(interval);
          resolve();
        }, 100_000);
      });
      waited.push(Date.now() - beganMs, mock.clientOptions.now() - beganMs, new Date().getTime() - beganMs);
      await list(mock);
    },
    { maxRuns: 1 },
  );

  expect(report.requests).toEqual([{ index: 0, endpoint: "listPages", skip: 0 }]);
  expect(new Set(waited)).toEqual(new Set([3_300_000]));
});

test("a rejection that nobody handles is found, and belongs to the run that left it", async () => {
  const report = await sweep(async (mock) => {
    const first = list(mock);
    void refuseFailure(list(mock));
    await first;
  });

  expect(report.causes.map(({ kind, what }) => [kind, what])).toContainEqual([
    "unhandled",
    "a rejection, RangeError and 1 more",
  ]);
  expect(
    report.findings
      .filter(({ kind }) => kind === "unhandled")
      .every(({ call }) => call?.skip !== 0 || call.index === 0),
  ).toBe(true);
});

test("etiquette: a 429 that is not waited out, a 400 that is sent again, a key under which the body changes", async () => {
  const report = await sweep(async (mock) => {
    const send = (title: string) => post(mock, { ...somePage, title }, { "Idempotency-Key": "one" });
    const { status } = await send("Tea");
    if (status === 400 || status === 429) await send("Tea");
    if (status === 500) await send("Coffee");
    mock.report("whatever happened");
  });

  const breaches = report.causes.flatMap(({ kind, what }) => (kind === "etiquette" ? [what] : []));
  expect(breaches.sort()).toEqual([
    "called before the reset of a 429",
    "sent again what a 400 had refused",
    "sent another body under one Idempotency-Key",
  ]);
});

test.each<[string, Flow, RegExp]>([
  ["never ends", () => new Promise(() => {}), /never ends, before anything/],
  ["sends nothing", () => undefined, /sends nothing to the service/],
  [
    "stores other names each time",
    (mock) => post(mock, { ...somePage, slug: `page-${randomUUID()}` }, {}),
    /something else each time.*missing: page.*clientOptions\.random/,
  ],
  [
    "leaves a rejection",
    async (mock) => void Promise.reject(new SyntaxError()).then(() => list(mock)),
    /unhandled \(SyntaxError\)/,
  ],
])("a flow that %s undisturbed is refused with a sentence", async (_title, flow, message) => {
  await expect(sweep(flow)).rejects.toThrow(message);
});

test("a misspelt option or allowance is refused with the nearest name", async () => {
  const report = await sweep(list, { maxRuns: 1 });

  // @ts-expect-error why: a person who writes JavaScript gets no help from types
  await expect(sweep(list, { maxRun: 1 })).rejects.toThrow(/sweep: maxRun: .*did you mean "maxRuns"/);
  // @ts-expect-error why: as above
  expect(() => expect(report).toSurvive({ hang: 0 })).toThrow(/toSurvive: hang: .*did you mean "hangs"/);
  // @ts-expect-error why: as above
  expect(() => assertSurvives(report, { silnet: 0 })).toThrow(/assertSurvives: .*did you mean "silent"/);
});

test("what is allowed passes, and what is more fails with the table", async () => {
  const report = await sweep(swallowsDelete, { dialects: [] });
  const { length } = report.findings;

  assertSurvives(report, { silent: length, hangs: 0 });
  expect(() => assertSurvives(report, { silent: length - 1 })).toThrow(
    new RegExp(
      `silent: ${length}, at most ${length - 1} allowed[\\s\\S]*SILENT +changed +page "old" should not be there`,
    ),
  );
});

async function refuseFailure(pending: Promise<Response>): Promise<void> {
  if (!(await pending).ok) throw new RangeError("nobody catches this");
}

const readOwn = () => [
  globalThis.setTimeout,
  globalThis.Date,
  Object.getOwnPropertyDescriptor(AbortSignal, "timeout")?.value,
  Object.hasOwn(performance, "now"),
];

const list = ({ clientOptions: { apiKey, baseUrl, fetch } }: SweptAccount): Promise<Response> =>
  fetch(`${baseUrl}/api/content`, { headers: { Authorization: `Bearer ${apiKey}` } });

function post({ clientOptions }: SweptAccount, body: object, headers: Record<string, string>): Promise<Response> {
  const { apiKey, baseUrl, fetch } = clientOptions;
  const all = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", ...headers };
  return fetch(`${baseUrl}/api/content`, { method: "POST", body: JSON.stringify(body), headers: all });
}

/** Calls at the same time, some of which are tried again. */
async function manyAtOnce(mock: SweptAccount): Promise<void> {
  await Promise.all(
    ["one", "two", "three"].map(async (slug) => {
      const { status } = await post(mock, { ...somePage, slug }, {});
      if (status >= 500) await post(mock, { ...somePage, slug }, {});
    }),
  );
  await list(mock);
}
