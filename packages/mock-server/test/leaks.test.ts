import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openSuite, Actor, own, shared, type Step } from "./leaks.ts";

/** A test of a suite: what it does, how it ends, and what of it goes on afterwards. */
interface Program {
  readonly steps: readonly Step[];
  readonly hasFailed: boolean;
  /** Which of the suite's two files it is in. */
  readonly file: number;
}
/** Suites of a few kinds of steps each: what is done seldom meets what it harms as often as anything else. */
const suites = (kinds: readonly string[]): fc.Arbitrary<Program[]> =>
  fc.subarray([...kinds], { minLength: 2, maxLength: 7 }).chain((some) => {
    const step = fc.record({ kind: fc.constantFrom(...some), n: fc.nat(60) });
    const steps = fc.array(step, { minLength: 1, maxLength: 10, size: "max" });
    const program = fc.record({ steps, hasFailed: fc.boolean(), file: fc.nat(1) });
    return fc.array(program, { minLength: 2, maxLength: 4 });
  });
/** More runs on demand, others each time: `LEAK_RUNS=10000`. */
const wanted = process.env["LEAK_RUNS"];
const how =
  wanted === undefined ? { numRuns: 60, seed: 1_117 } : { numRuns: Number(wanted), seed: Date.now() % 2 ** 31 };

test(
  "whatever tests do one after the other, in any order, each sees what it sees alone",
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(suites([...Object.keys(own), ...Object.keys(shared)]), async (suite) => {
        const together = await runInTurn(suite, (all) => [...all.keys()]);
        expect(await runInTurn(suite, (all) => [...all.keys()].toReversed())).toEqual(together);
        for (const index of suite.keys())
          expect(together[index]).toEqual((await runInTurn(suite, () => [index]))[index]);
      }),
      how,
    );
  },
);

test("whatever tests do at the same time, each sees what it sees alone", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(suites(Object.keys(own)), fc.array(fc.nat(), { maxLength: 80 }), async (suite, order) => {
      const together = await runBeside(suite, order);
      for (const index of suite.keys())
        expect(together[index]).toEqual((await runBeside([suite[index] ?? none], [], index))[0]);
    }),
    how,
  );
});

const none: Program = { steps: [], hasFailed: false, file: 0 };

/** Runs the chosen tests of a suite one after the other; gives what each has seen. */
async function runInTurn(
  suite: readonly Program[],
  choose: (suite: readonly Program[]) => readonly number[],
): Promise<unknown[][]> {
  const files = [openSuite(), openSuite()] as const;
  const actors: Actor[] = [];
  for (const index of choose(suite)) {
    const { steps, hasFailed, file } = suite[index] ?? none;
    const actor = new Actor(files[file === 0 ? 0 : 1], `test ${index}`, true);
    for (const one of steps) await actor.act(one);
    await actor.finish(hasFailed);
    actors[index] = actor;
  }
  return Promise.all(actors.map((actor) => actor.sight()));
}

/** Runs tests beside each other, steps in the given order; what of an ended test is left goes on as calls that nobody awaits. */
async function runBeside(suite: readonly Program[], order: readonly number[], first = 0): Promise<unknown[][]> {
  const file = openSuite();
  const actors = suite.map((_, index) => new Actor(file, `test ${first + index}`, false));
  const left = suite.map(({ steps }) => [...steps]);
  const leave = async (index: number) => {
    await actors[index]?.finish(suite[index]?.hasFailed ?? false);
    left[index] = [];
  };
  const isOver = suite.map(() => false);
  for (const turn of order) {
    if (isOver.every(Boolean)) break;
    const index = turn % suite.length;
    const actor = actors[index];
    const next = left[index]?.shift();
    if (next !== undefined) await actor?.act(next);
    else if (!isOver[index]) {
      isOver[index] = true;
      await leave(index);
    } else await expectToldOfEnd(actor, turn);
  }
  for (const [index, actor] of actors.entries()) {
    for (const one of left[index] ?? []) await actor.act(one);
    if (!isOver[index]) await leave(index);
  }
  return Promise.all(actors.map((actor) => actor.sight()));
}

/** A call with the key of a test that is over is told so, and reaches nobody. */
async function expectToldOfEnd(actor: Actor | undefined, n: number): Promise<void> {
  for (const door of ["own", "service", "global"] as const) {
    const answer = await actor?.send(door, n);
    expect(JSON.stringify(answer)).toContain("The test that this key was made for has ended");
  }
}
