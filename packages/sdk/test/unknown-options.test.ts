// Every door, every level: an option under a name that nobody reads is refused.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createManyShape } from "../src/many/create-many.ts";
import { ConfigurationError, LandingPages, planRetry } from "../src/index.ts";
import { iterateShape } from "../src/many/paginate.ts";
import { callOptions, clientOptions, hookNames, writeOptions } from "../src/options.ts";
import { traceCalls } from "../src/report/otel.ts";
import { endSchema, flushSchema, queueShape } from "../src/many/queued-events.ts";
import { policyNames } from "../src/options.ts";
import { failureOf, json, scripted, somePage } from "./setup.ts";

const wrong = (value: unknown) => value as never; // why: what plain JavaScript may pass
const safe = { apiKey: "test_sdk", baseUrl: "https://service.example" };
const policy = { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxWaitMs: 60_000, writes: "safe" } as const;
const question = {
  method: "GET",
  failure: { kind: "unsent" },
  attempt: 1,
  policy,
  nowMs: 0,
  leftMs: 1e5,
  tokens: 500,
  random: 0,
} as const;

/** What takes options, by the names it knows. */
type Door = readonly [names: object, open: (client: LandingPages, options: object) => unknown];

const doors: Record<string, Door> = {
  "a client": [clientOptions, (_client, options) => new LandingPages({ ...safe, ...options })],
  "a client's hooks": [hookNames, (_client, hooks) => new LandingPages({ ...safe, hooks })],
  withOptions: [clientOptions, (client, options) => client.withOptions(options)],
  "withOptions' hooks": [hookNames, (client, hooks) => client.withOptions({ hooks })],
  "a query": [{ limit: 1, offset: 1, filters: 1 }, ({ pages }, query) => pages.list(wrong(query))],
  list: [callOptions, ({ pages }, options) => pages.list({}, options)],
  "list with its response": [callOptions, ({ pages }, options) => pages.list({}, options).withResponse()],
  create: [writeOptions, ({ pages }, options) => pages.create(somePage, options)],
  update: [callOptions, ({ pages }, options) => pages.update("1", {}, options)],
  delete: [callOptions, ({ pages }, options) => pages.delete("1", options)],
  track: [writeOptions, ({ analytics }, options) => analytics.track({ pageId: "1" }, options)],
  find: [callOptions, ({ pages }, options) => pages.find({ slug: "a" }, options)],
  "what to find": [{ slug: 1, id: 1 }, ({ pages }, wanted) => pages.find({ slug: "a", ...wanted })],
  iterate: [{ ...callOptions, ...iterateShape }, ({ pages }, options) => pages.iterate(wrong(options))],
  toArray: [{ limit: 1 }, ({ pages }, options) => pages.iterate().toArray({ limit: 5, ...options })],
  createMany: [{ ...callOptions, ...createManyShape }, ({ pages }, options) => pages.createMany([], options)],
  queue: [{ ...callOptions, ...queueShape }, ({ analytics }, options) => analytics.queue(options)],
  flush: [flushSchema.shape, ({ analytics }, options) => analytics.queue().flush(options)],
  close: [endSchema.shape, ({ analytics }, options) => analytics.queue().close(options)],
  drain: [endSchema.shape, ({ analytics }, options) => analytics.queue().drain(options)],
  "planRetry's question": [question, (_client, options) => planRetry({ ...question, ...options })],
  "planRetry's policy": [policy, (_client, more) => planRetry({ ...question, policy: { ...policy, ...more } })],
  traceCalls: [{ tracer: 1 }, (_client, options) => traceCalls(options)],
};
// A retry policy can stand wherever options of a call can.
for (const [title, [names, open]] of Object.entries(doors))
  if ("retry" in names) doors[`${title}, its retry`] = [policyNames, (client, retry) => open(client, { retry })];

/** A name as people get it wrong: one letter less, more or another, two swapped, or another case. */
const misspell = (name: string) =>
  fc
    .tuple(fc.nat(name.length - 1), fc.constantFrom("less", "more", "other", "swapped", "snake", "upper"))
    .map(([at, how]) => {
      const [before, letter, after] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1)];
      if (how === "less") return before + after;
      if (how === "more") return `${before}x${letter}${after}`;
      if (how === "other") return `${before}x${after}`;
      if (how === "swapped") return before + after.slice(0, 1) + letter + after.slice(1);
      if (how === "upper") return name.toUpperCase();
      return name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    });

/** What opening a door ends with, be it thrown or rejected. */
const outcome = (open: Door[1], client: LandingPages, options: object) =>
  failureOf((async () => open(client, options))());

test.each(Object.entries(doors))(
  "a misspelt option of %s is refused with the name that was meant",
  (_title, [names, open]) =>
    fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...Object.keys(names))
          .chain((name) => fc.tuple(fc.constant(name), misspell(name)))
          .filter(([, misspelt]) => misspelt !== "" && !Object.hasOwn(names, misspelt)),
        async ([name, misspelt]) => {
          const { client, requests } = scripted([json([])]);

          const error = await outcome(open, client, { [misspelt]: 1 });

          expect(error).toBeInstanceOf(ConfigurationError);
          expect(String(error)).toContain(`${misspelt}\`: unknown option; did you mean "${name}"?`);
          expect(requests).toEqual([]);
        },
      ),
      { numRuns: 40 },
    ),
);

test.each(Object.entries(doors))(
  "an option of %s that is like none there is is refused with those there are",
  async (_title, [names, open]) => {
    const { client, requests } = scripted([json([])]);

    const error = await outcome(open, client, { qwertzuiop: "blue" });

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(`known are ${Object.keys(names).join(", ")}`);
    expect(requests).toEqual([]);
  },
);

const callWith = (of: object, method: string, given: unknown): unknown =>
  (Reflect.get(of, method) as (given: unknown) => unknown).call(of, given); // why: what plain JavaScript may pass

test.each<[string, (client: LandingPages, given: unknown) => unknown]>([
  ["byBatch", ({ pages }, given) => callWith(pages.iterate(), "byBatch", given)],
  ["withResponse", ({ pages }, given) => callWith(pages.list(), "withResponse", given)],
])("%s takes no options, and says so", async (name, open) => {
  for (const given of [{}, { size: 5 }, 5, null]) {
    const error = await failureOf((async () => open(scripted([json([])]).client, given))());

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(`\`${name}\` takes no options`);
  }
});

test.each([5, "5", null, [5]])(
  "%j in place of options is refused at every door that takes them whole",
  async (given) => {
    const { client, requests } = scripted([json([])]);
    const { pages, analytics } = client;
    const opened = [
      () => pages.iterate(wrong(given)),
      () => pages.iterate().toArray(wrong(given)),
      () => pages.createMany([], wrong(given)),
      () => pages.list({}, wrong(given)),
      () => analytics.queue(wrong(given)),
      () => analytics.queue().flush(wrong(given)),
      () => analytics.queue().close(wrong(given)),
      () => analytics.queue().drain(wrong(given)),
      () => client.withOptions(wrong(given)),
      () => traceCalls(wrong(given)),
    ];

    for (const open of opened) expect(await outcome(open, client, {})).toBeInstanceOf(ConfigurationError);
    expect(requests).toEqual([]);
  },
);

test.for([
  ["list", ({ pages }: LandingPages, filters: object) => pages.list({ filters: wrong(filters) })],
  [
    "iterate",
    ({ pages }: LandingPages, filters: object) => pages.iterate({ filters: wrong(filters) }).toArray({ limit: 1 }),
  ],
] as const)("%s refuses a range within the filters, and sends nothing", async ([, call]) => {
  const { client, requests } = scripted([json([])]);

  const error = await failureOf((async () => call(client, { limit: 5, offset: 2 }))());

  expect(String(error)).toContain("filters.limit: limit is no filter: it stands beside filters");
  expect(String(error)).toContain("filters.offset");
  expect(requests).toEqual([]);
});
