// Bodies made to hold a client up: a million of something, or nested without end.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, scripted, somePage } from "./setup.ts";

type Client = ReturnType<typeof scripted>["client"];
const calls = {
  list: (client: Client) => client.pages.list(),
  create: (client: Client) => client.pages.create(somePage),
  update: (client: Client) => client.pages.update("pg_1", { title: "T" }),
};

test.each<[string, string]>([
  ["an object and a million empty lines", `{}${"\n".repeat(1_000_000)}x`],
  ["a million quotes", '"1"   '.repeat(170_000)],
  ["a million backslashes", `{"a":"${"\\".repeat(1_000_000)}","b":12345678901234567890}`],
  ["a million digits", `[${"1".repeat(1_000_000)}]`],
  ["a million long integers", `[${"12345678901234567890,".repeat(50_000)}1]`],
  ["digits in texts", `[${'"1234567890123456789",'.repeat(50_000)}1]`],
  ["a million spaces", " ".repeat(1_000_000)],
  ["more pages than there is room for", `[${'{"id":1},'.repeat(1_000_000)}{"id":2}]`],
  ["half a comment", `<!--${"<!--".repeat(250_000)}`],
])("%s in response to a list are an error, and block nothing", async (_title, text) => {
  const { client } = scripted([new Response(text)]);

  expect(await failureOf(client.pages.list())).toMatchObject({ name: "ResponseValidationError" });
});

const anyName =
  "id _id title slug content meta_description cta domains domain url links data items pages results total count limit offset next meta paging created_at updated_at attributes fields columns rows errors type kind value sys host scheme port path subdomain key name x 0";

test.for(["list", "create", "update"] as const)(
  "a %s answered with lists or objects nested without end, under any name, ends as it would without them",
  async (name) => {
    const wrong: string[] = [];
    for (const member of anyName.split(" ")) {
      for (const [open, close] of [["[", "]"] as const, [`{"${member}":`, "}"] as const]) {
        const nested = `"${member}":${open.repeat(20_000)}1${close.repeat(20_000)}`;
        for (const text of [`{${nested}}`, `{"data":[{"_key":"pg_1","pagetitle":"T",${nested}}]}`]) {
          const { client } = scripted([new Response(text)]);

          const [ended] = await Promise.allSettled([calls[name](client)]);

          const isKnown = ended.status === "fulfilled" || ended.reason instanceof ResponseValidationError;
          if (!isKnown) wrong.push(`${member}: ${String(ended.reason)}`);
        }
      }
    }

    expect(wrong).toEqual([]);
  },
);

const errorNames = fc.constantFrom(
  ..."error errors message detail details path paths field fields pointer loc source target param params key keys in data".split(
    " ",
  ),
  ..."code type status reason slug title cta value instance extensions response violations meta causes children 0".split(
    " ",
  ),
);

test("lists and objects that are nested without end, under any name, are no more than an error without a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(errorNames, errorNames, fc.boolean(), fc.boolean(), async (name, beside, isList, isListed) => {
      const [open, close] = isList ? ["[", "]"] : [`{"${name}":`, "}"];
      const nested = `{"${name}":${open.repeat(20_000)}1${close.repeat(20_000)},"${beside}":1}`;
      const { client } = scripted([new Response(isListed ? `{"errors":[${nested}]}` : nested, { status: 400 })]);

      expect(await failureOf(client.pages.list())).toMatchObject({ name: "BadRequestError", problem: { errors: [] } });
    }),
    { numRuns: 200 },
  );
});
