// What is nested without end in an error body does no harm.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf, scripted } from "./setup.ts";

const names = fc.constantFrom(
  ..."error errors message detail details path paths field fields pointer loc source target param params key keys in data".split(
    " ",
  ),
  ..."code type status reason slug title cta value instance extensions response violations meta causes children 0".split(
    " ",
  ),
);

test("lists and objects that are nested without end, under any name, are no more than an error without a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(names, names, fc.boolean(), fc.boolean(), async (name, beside, isList, isListed) => {
      const [open, close] = isList ? ["[", "]"] : [`{"${name}":`, "}"];
      const nested = `{"${name}":${open.repeat(20_000)}1${close.repeat(20_000)},"${beside}":1}`;
      const { client } = scripted([new Response(isListed ? `{"errors":[${nested}]}` : nested, { status: 400 })]);

      expect(await failureOf(client.pages.list())).toMatchObject({ name: "BadRequestError", problem: { errors: [] } });
    }),
    { numRuns: 200 },
  );
});
