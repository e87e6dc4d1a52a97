// What a test author may pass by mistake, to every function of a service and of an account.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountHandle, createMockService, type MockService } from "../src/index.ts";
import { create, somePage } from "./client.ts";
import { internal, mistake, nearlyRight } from "./fixtures/mistakes.ts";

/** A function of the tools, whatever it takes. */
type Tool = (...given: readonly unknown[]) => unknown;

const nearly = nearlyRight(
  "endpoint method path pageId query headers body status times skip probability optional key delayMs wire when request limit windowMs slug words account page event plan title content cta locale switches answers",
);
const given = fc.array(fc.oneof(mistake, nearly, fc.array(nearly, { maxLength: 2 })), { maxLength: 2 });

/** Every function of an object and of the objects in it, but those that answer requests, which have tests of their own. */
function listTools(name: string, holder: object): readonly (readonly [string, Tool])[] {
  const apart = new Set(["fetch", "handle", "refuse", "onRequest", "constructor"]);
  return Object.keys(holder).flatMap((member): readonly (readonly [string, Tool])[] => {
    const value: unknown = holder[member as keyof typeof holder]; // why: it is one of its names
    const path = `${name}.${member}`;
    if (apart.has(member)) return [];
    if (typeof value === "function") return [[path, value.bind(holder) as Tool]]; // why: a bound function is any
    return ["faults", "clock", "domains"].includes(member) ? listTools(path, value as object) : []; // why: those are objects
  });
}

const names = [...toolsOf(createMockService()).keys()];

function toolsOf(service: MockService): Map<string, Tool> {
  const account: AccountHandle = service.account("test_junk");
  return new Map([...listTools("service", service), ...listTools("account", account)]);
}

test.each(names)("%s takes what it is given, or says what is wrong with it, and the service goes on", async (name) => {
  await fc.assert(
    fc.asyncProperty(given, async (given) => {
      const service = createMockService();
      let result: unknown;
      try {
        result = toolsOf(service).get(name)?.(...given);
      } catch (error) {
        result = error;
      }
      // Ends the waits whose match is right.
      service.reset();
      const problem = await Promise.resolve(result).catch((error: unknown) => error);

      expect(problem instanceof Error ? problem.message : "").not.toMatch(internal);
      await expect(create(service, {}, "test_after")).resolves.toMatchObject({ title: somePage.title });
    }),
    { numRuns: 60 },
  );
});
