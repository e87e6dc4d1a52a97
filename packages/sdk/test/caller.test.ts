import { expect, test } from "vitest";
import { LandingPages, type LandingPagesError } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const refused = () => scripted([status(400)]).client;
const stuck = () => scripted([json([{ id: "1" }, { id: "2" }])]).client;
const aborted = { signal: AbortSignal.abort() };
const wrong = (value: unknown) => value as never; // why: what plain JavaScript may pass

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Functions of a program that await a call which fails. */
const lines: Record<string, () => Promise<unknown>> = {
  list: async () => await refused().pages.list(),
  "list with a wrong limit": async () => await refused().pages.list({ limit: -1 }),
  "list that was aborted": async () => await refused().pages.list({}, aborted),
  "list, by its response": async () => await refused().pages.list().withResponse(),
  create: async () => await refused().pages.create(somePage),
  "create without input": async () => await refused().pages.create(wrong(undefined)),
  update: async () => await refused().pages.update("pg_1", { title: "New" }),
  delete: async () => await refused().pages.delete("pg_1"),
  track: async () => await refused().analytics.track({ pageId: "pg_1" }),
  iterate: async () => await collect(refused().pages.iterate()),
  "iterate, as an array": async () => await refused().pages.iterate().toArray({ limit: 9 }),
  "iterate over a stuck list": async () => await collect(stuck().pages.iterate()),
  find: async () => await refused().pages.find({ id: "pg_1" }),
  "a client with a wrong option": async () => new LandingPages(wrong({ apikey: "k" })),
  withOptions: async () => refused().withOptions({ timeoutMs: -1 }),
  "createMany that was aborted": async () => await collect(refused().pages.createMany([somePage], aborted)),
  "push of what is no event": async () => refused().analytics.queue().push(wrong({})),
};

test.each(Object.entries(lines))("the stack names the function that awaits the call: %s", async (title, userCode) => {
  Object.defineProperty(userCode, "name", { value: "userCode" });

  const error = (await failureOf(userCode())) as LandingPagesError; // why: the assertions say so

  const [head, ...frames] = error.stack?.split("\n") ?? [];
  expect(head, title).toBe(`${error.name}: ${error.message}`.split("\n")[0]);
  expect(frames.find((frame) => frame.includes("caller.test.ts"))).toBeDefined();
});

async function publish() {
  return await refused().pages.create(somePage);
}

test("the first frame of a refused call is the function that awaits it", async () => {
  const error = await failureOf(publish());

  const lines = String(Reflect.get(Object(error), "stack")).split("\n");
  const first = lines.find((line) => /^ +at /.test(line) && !line.includes("node:internal"));
  expect(first).toMatch(/^ +at (?:async )?publish \(.*caller\.test\.ts/);
});

test("an engine without stacks keeps the error as it is", async () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const error = await failureOf(new LandingPages({ apiKey: "k", baseUrl: "https://a.example" }).pages.delete(""));
    expect(error).toHaveProperty("stack", expect.stringContaining("Delete page was not sent"));
  } finally {
    Error.stackTraceLimit = limit;
  }
});
