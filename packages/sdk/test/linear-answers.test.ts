// Whatever comes, a call looks at each part of it a bounded number of times: counted, as a clock tells of the machine.
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, scripted, somePage } from "./setup.ts";

/** How an answer grows: each kind holds many of what is inside of it, side by side or one in the other. */
interface Shape {
  readonly kind: "array" | "object" | "numbered" | "deep" | "before" | "after" | "text" | "nested";
  readonly name: string;
  readonly inner: Shape | "page" | "tiny" | "number" | "long" | "pair" | "error" | "empty";
}

const names = ["data", "items", "pages", "attributes", "content", "domains", "errors", "rows", "columns", "meta", "x"];

const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    kind: fc.constantFrom<Shape["kind"]>("array", "object", "numbered", "deep", "before", "after", "text", "nested"),
    name: fc.constantFrom(...names),
    inner: fc.oneof(
      { withCrossShrink: true, depthSize: "small" },
      fc.constantFrom<Exclude<Shape["inner"], Shape>>("page", "tiny", "number", "long", "pair", "error", "empty"),
      tie("shape"),
    ),
  }),
})).shape;

const leaves: Record<Exclude<Shape["inner"], Shape>, (index: number) => string> = {
  page: (index) => JSON.stringify({ _id: `pg_${index}`, title: "T", slug: `s-${index}`, hosts: ["a.example"] }),
  tiny: (index) => `{"id":${index},"slug":"s-${index}"}`,
  number: String,
  long: (index) => `12345678901234567${index}`,
  pair: (index) => `["name","value ${index}"]`,
  error: (index) => `{"field":"slug","message":"is taken by ${index}"}`,
  empty: () => "{}",
};

/** Writes a shape with so many of each thing as make about this many in all. */
function write({ kind, name, inner }: Shape, size: number, index = 0): string {
  const isLeaf = typeof inner === "string";
  const count = Math.max(1, Math.round(isLeaf ? size : Math.sqrt(size)));
  const one = (at: number) => (isLeaf ? leaves[inner](at) : write(inner, size / count, at));
  const many = (piece: (at: number) => string) => Array.from({ length: count }, (_, at) => piece(at)).join();
  const list = `[${kind === "before" || kind === "after" ? one(0) : many(one)}]`;
  const beside = () => many((at) => `"m${at}":${at}`);
  const written: Record<Shape["kind"], () => string> = {
    array: () => list,
    object: () => `{${many((at) => `"m${index}x${at}":${one(at)}`)}}`,
    numbered: () => `{"${name}":{${many((at) => `"${count - at}":${one(at)}`)}}}`,
    deep: () => `{"${name}":`.repeat(count) + one(0) + "}".repeat(count),
    before: () => `{"${name}":${list},${beside()}}`,
    after: () => `{${beside()},"${name}":${list}}`,
    text: () => JSON.stringify({ [name]: list }),
    nested: () => `{"_id":"pg_${index}","title":"T","slug":"s-${index}","${name}":${list}}`,
  };
  return written[kind]();
}

const parse = JSON.parse;
afterEach(() => vi.restoreAllMocks());

/** Counts how often a part of a parsed answer is looked at. */
function countReads(): { reads: number } {
  const count = { reads: 0 };
  const proxies = new WeakMap<object, object>();
  const wrap = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const known = proxies.get(value);
    if (known !== undefined) return known;
    const proxy = new Proxy(value, {
      get: (target, name) => (tally(1), wrap(Reflect.get(target, name))),
      has: (target, name) => (tally(1), Reflect.has(target, name)),
      ownKeys(target) {
        const keys = Reflect.ownKeys(target);
        tally(keys.length);
        return keys;
      },
      getOwnPropertyDescriptor(target, name) {
        tally(1);
        const found = Reflect.getOwnPropertyDescriptor(target, name);
        return found !== undefined && "value" in found ? { ...found, value: wrap(found.value) } : found;
      },
    });
    proxies.set(value, proxy);
    return proxy;
  };
  const tally = (reads: number) => (count.reads += reads);
  vi.spyOn(JSON, "parse").mockImplementation((text: string) => wrap(parse(text)));
  return count;
}

const calls = {
  list: (client: Client) => client.pages.list({ offset: 5 }),
  create: (client: Client) => client.pages.create(somePage),
  update: (client: Client) => client.pages.update("pg_1", { title: "T" }),
};
type Client = ReturnType<typeof scripted>["client"];

async function readsOf(text: string, name: keyof typeof calls, status: number): Promise<number> {
  const { client } = scripted([new Response(text, { status })]);
  const count = countReads();
  await Promise.allSettled([calls[name](client)]);
  vi.restoreAllMocks();
  return count.reads;
}

test.for([
  ["list", 200],
  ["create", 201],
  ["update", 200],
  ["create", 400],
  ["list", 404],
] as const)(
  "a %s answered with %i looks at four times the answer at most about four times as often",
  async ([name, status]) => {
    await fc.assert(
      fc.asyncProperty(shape, async (grown) => {
        const small = write(grown, 500);
        const large = write(grown, 2000);

        const reads = await readsOf(large, name, status);

        const growth = large.length / small.length;
        expect(reads).toBeLessThan((await readsOf(small, name, status)) * growth * 1.5 + 20_000);
      }),
      { numRuns: Number(process.env["SHAPES"] ?? 60) },
    );
  },
);

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
])("%s in answer to a list are told, and hold nothing up", async (_title, text) => {
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

          const [ended] = await Promise.allSettled([name === "list" ? client.pages.list() : calls[name](client)]);

          const isKnown = ended.status === "fulfilled" || ended.reason instanceof ResponseValidationError;
          if (!isKnown) wrong.push(`${member}: ${String(ended.reason)}`);
        }
      }
    }

    expect(wrong).toEqual([]);
  },
);
