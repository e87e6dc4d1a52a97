import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IterationError } from "../src/report/errors.ts";
import { type IterateOptions, paginate } from "../src/many/paginate.ts";
import { changes, listOptions, MovingList, reversedListOptions } from "./moving-list.ts";

const batchSize = fc.integer({ min: 1, max: 12 });
const count = fc.integer({ min: 0, max: 60 });
const flags = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
const never = fc.constant([false]);

/** Collects ids of pages, and says whether the iteration lost its place. */
async function collect(list: MovingList, options: IterateOptions, given: string[]) {
  const pages = paginate(list.fetch, options);
  try {
    for await (const { id } of pages) given.push(id);
  } catch (error) {
    if (error instanceof IterationError && error.reason === "lost") return { isLost: true };
    throw error;
  }
  return { isLost: false, resumeFrom: pages.resumeToken };
}

function missing(given: readonly string[], wanted: Iterable<string>): string[] {
  const set = new Set(given);
  return [...wanted].filter((id) => !set.has(id));
}

test.each([
  ["others create and delete pages between requests", changes, never, never],
  ["the loop deletes pages that it gets and creates others", fc.constant([]), flags, flags],
  ["both happen", changes, flags, flags],
])("every page that stays until it is yielded is yielded exactly once, while %s", (_title, changes, deletes, adds) =>
  fc.assert(
    fc.asyncProperty(
      fc.record({ count, batchSize, listOptions: reversedListOptions, changes, deletes, adds }),
      async ({ count, batchSize, listOptions, changes, deletes, adds }) => {
        const list = new MovingList(count, listOptions, changes);
        const given: string[] = [];

        for await (const page of paginate(list.fetch, { batchSize })) {
          if (deletes[given.length % deletes.length]) list.delete(page.id);
          if (adds[given.length % adds.length] && given.length < 100) list.add();
          given.push(page.id);
        }

        expect(new Set(given).size).toBe(given.length);
        expect(missing(given, list.lasting)).toEqual([]);
      },
    ),
  ),
);

test("an iteration with an offset yields every page that stays behind it, and none before it", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({ count, offset: fc.nat(70), batchSize, listOptions, changes }),
      async ({ count, offset, batchSize, listOptions, changes }) => {
        const list = new MovingList(count, listOptions, [[], ...changes]);
        const before = new Set(list.ids.slice(0, offset));
        const given: string[] = [];

        const { isLost } = await collect(list, { batchSize, offset }, given);

        expect(new Set(given).size).toBe(given.length);
        expect(given.filter((id) => before.has(id))).toEqual([]);
        expect(isLost ? [] : missing(given, list.lasting).filter((id) => !before.has(id))).toEqual([]);
      },
    ),
  ));

test("an iteration that is stopped and resumed yields every page that stays exactly once, or fails because its place is lost", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({ count, batchSize, listOptions, changes, cuts: fc.array(fc.integer({ min: 1, max: 20 })) }),
      async ({ count, batchSize, listOptions, changes, cuts }) => {
        const atTheEnds = changes.map((some) => some.filter(({ kind, at }) => kind === "delete" || at === 1));
        const list = new MovingList(count, listOptions, atTheEnds);
        const given: string[] = [];
        let end: Awaited<ReturnType<typeof collect>> = { isLost: false };

        for (const limit of [...cuts, undefined])
          if (!end.isLost) end = await collect(list, { batchSize, limit, resumeFrom: end.resumeFrom }, given);

        expect(new Set(given).size).toBe(given.length);
        expect(end.isLost ? [] : missing(given, list.lasting)).toEqual([]);
      },
    ),
  ));
