import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IterationError } from "../src/errors.ts";
import { iteratePages } from "../src/iterate.ts";
import { changes, manners, MovingList } from "./moving-list.ts";

const pageSize = fc.integer({ min: 1, max: 12 });
const count = fc.integer({ min: 0, max: 60 });

test("every page that stays is given exactly once, whatever comes and goes between requests", () =>
  fc.assert(
    fc.asyncProperty(count, pageSize, manners, changes, async (count, pageSize, manners, changes) => {
      const list = new MovingList(count, manners, changes);
      const given: string[] = [];

      for await (const page of iteratePages(list.fetch, { pageSize })) given.push(page.id);

      expect(new Set(given).size).toBe(given.length);
      expect(missing(given, list.lasting)).toEqual([]);
    }),
    { numRuns: 1500 },
  ));

test("every page is given exactly once while the loop deletes what it is given", () =>
  fc.assert(
    fc.asyncProperty(
      count,
      pageSize,
      manners,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      async (count, pageSize, manners, deletes, adds) => {
        const list = new MovingList(count, manners);
        const given: string[] = [];

        for await (const page of iteratePages(list.fetch, { pageSize })) {
          if (deletes[given.length % deletes.length]) list.delete(page.id);
          if (adds[given.length % adds.length] && given.length < 100) list.add();
          given.push(page.id);
        }

        expect(new Set(given).size).toBe(given.length);
        expect(missing(given, list.initial)).toEqual([]);
      },
    ),
    { numRuns: 1000 },
  ));

test("a walk that is cut and resumed gives every page that stays exactly once, or says that its place is lost", () =>
  fc.assert(
    fc.asyncProperty(
      count,
      pageSize,
      manners,
      changes,
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 }),
      async (count, pageSize, manners, changes, cuts) => {
        const list = new MovingList(
          count,
          manners,
          changes.map((some) => some.filter(({ kind, at }) => kind === "delete" || at === 1)),
        );
        const given: string[] = [];
        let resumeFrom: string | undefined;

        try {
          for (const cut of [...cuts, Infinity]) {
            const pages = iteratePages(list.fetch, {
              pageSize,
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
    { numRuns: 1500 },
  ));

function missing(given: readonly string[], wanted: Iterable<string>): string[] {
  const set = new Set(given);
  return [...wanted].filter((id) => !set.has(id));
}
