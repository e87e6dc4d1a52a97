import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IterationError } from "../src/report/errors.ts";
import { paginate } from "../src/many/paginate.ts";
import { changes, listOptions, MovingList, reversedListOptions } from "./moving-list.ts";

const batchSize = fc.integer({ min: 1, max: 12 });
const count = fc.integer({ min: 0, max: 60 });

test("every page that stays is yielded exactly once, while others are created and deleted between requests", () =>
  fc.assert(
    fc.asyncProperty(count, batchSize, reversedListOptions, changes, async (count, batchSize, listOptions, changes) => {
      const list = new MovingList(count, listOptions, changes);
      const given: string[] = [];

      for await (const page of paginate(list.fetch, { batchSize })) given.push(page.id);

      expect(new Set(given).size).toBe(given.length);
      expect(missing(given, list.lasting)).toEqual([]);
    }),
  ));

test("every page is yielded exactly once while the loop deletes the pages that it gets", () =>
  fc.assert(
    fc.asyncProperty(
      count,
      batchSize,
      reversedListOptions,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      async (count, batchSize, listOptions, deletes, adds) => {
        const list = new MovingList(count, listOptions);
        const given: string[] = [];

        for await (const page of paginate(list.fetch, { batchSize })) {
          if (deletes[given.length % deletes.length]) list.delete(page.id);
          if (adds[given.length % adds.length] && given.length < 100) list.add();
          given.push(page.id);
        }

        expect(new Set(given).size).toBe(given.length);
        expect(missing(given, list.initial)).toEqual([]);
      },
    ),
  ));

test("an iteration with an offset yields every page that stays behind it, and none before it", () =>
  fc.assert(
    fc.asyncProperty(
      count,
      fc.nat(70),
      batchSize,
      listOptions,
      changes,
      async (count, offset, batchSize, listOptions, changes) => {
        const list = new MovingList(count, listOptions, [[], ...changes]);
        const before = new Set(list.ids.slice(0, offset));
        const given: string[] = [];

        try {
          for await (const page of paginate(list.fetch, { batchSize, offset })) given.push(page.id);
        } catch (error) {
          if (error instanceof IterationError && error.reason === "lost") return;
          throw error;
        }

        expect(new Set(given).size).toBe(given.length);
        expect(given.filter((id) => before.has(id))).toEqual([]);
        expect(missing(given, list.lasting).filter((id) => !before.has(id))).toEqual([]);
      },
    ),
  ));

test("an iteration that is stopped and resumed yields every page that stays exactly once, or fails because its place is lost", () =>
  fc.assert(
    fc.asyncProperty(
      count,
      batchSize,
      listOptions,
      changes,
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 }),
      async (count, batchSize, listOptions, changes, cuts) => {
        const list = new MovingList(
          count,
          listOptions,
          changes.map((some) => some.filter(({ kind, at }) => kind === "delete" || at === 1)),
        );
        const given: string[] = [];
        let resumeFrom: string | undefined;

        try {
          for (const cut of [...cuts, Infinity]) {
            const pages = paginate(list.fetch, {
              batchSize,
              resumeFrom,
              ...(cut === Infinity ? {} : { limit: cut }),
            });
            for await (const page of pages) given.push(page.id);
            resumeFrom = pages.resumeToken;
          }
        } catch (error) {
          if (error instanceof IterationError && error.reason === "lost") return;
          throw error;
        }

        expect(new Set(given).size).toBe(given.length);
        expect(missing(given, list.lasting)).toEqual([]);
      },
    ),
  ));

test("an iteration resumes as long as one of the last sixteen pages is listed, however far that has moved", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 200 }),
      batchSize,
      listOptions,
      changes,
      async (count, cut, batchSize, listOptions, changes) => {
        const list = new MovingList(count, listOptions);
        const pages = paginate(list.fetch, { batchSize, limit: cut });
        const given = new Set((await pages.toArray({ limit: cut })).map(({ id }) => id));
        for (const change of changes.flat()) list.change(change);
        const isListed = [...given].slice(-16).some((id) => list.ids.includes(id));

        let error: unknown;
        const rest: string[] = [];
        try {
          const resumed = paginate(list.fetch, { batchSize, resumeFrom: pages.resumeToken });
          for await (const { id } of resumed) rest.push(id);
        } catch (thrown) {
          error = thrown;
        }

        const isLost = !isListed && list.ids.length > 0;
        expect(error instanceof IterationError ? error.reason : error).toBe(isLost ? "lost" : undefined);
        expect(rest.filter((id) => given.has(id))).toEqual([]);
        expect(isLost ? [] : missing([...given, ...rest], list.lasting)).toEqual([]);
      },
    ),
  ));

function missing(given: readonly string[], wanted: Iterable<string>): string[] {
  const set = new Set(given);
  return [...wanted].filter((id) => !set.has(id));
}
