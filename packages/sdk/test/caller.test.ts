import { expect, test } from "vitest";
import { LandingPages, type LandingPagesError } from "../src/index.ts";
import { failureOf, json, scripted, somePage, status } from "./setup.ts";

const refused = () => scripted([status(400)]).client;
const stuck = () => scripted([json([{ id: "1" }, { id: "2" }])]).client;
const aborted = { signal: AbortSignal.abort() };
const wrong = (value: unknown) => value as never; // why: what plain JavaScript may pass
/** What something throws at once. */
const thrown = (work: () => unknown) => failureOf((async () => work())());

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A line of the program, and what it fails with. */
const lines: Record<string, () => PromiseLike<unknown>> = {
  list: () => failureOf(refused().pages.list()),
  "list with a wrong limit": () => failureOf(refused().pages.list({ limit: -1 })),
  "list with a wrong option": () => failureOf(refused().pages.list({}, { timeoutMs: -1 })),
  "list that was aborted": () => failureOf(refused().pages.list({}, aborted)),
  "list, by its response": () => failureOf(refused().pages.list().withResponse()),
  create: () => failureOf(refused().pages.create(somePage)),
  "create without input": () => failureOf(refused().pages.create(wrong(undefined))),
  update: () => failureOf(refused().pages.update("pg_1", { title: "New" })),
  delete: () => failureOf(refused().pages.delete("pg_1")),
  "delete of nothing": () => failureOf(refused().pages.delete("")),
  track: () => failureOf(refused().analytics.track({ pageId: "pg_1" })),
  iterate: () => failureOf(refused().pages.iterate().toArray({ limit: 9 })),
  "iterate over a stuck list": () => failureOf(stuck().pages.iterate().toArray({ limit: 9 })),
  "iterate with a wrong option": () => thrown(() => refused().pages.iterate({ limit: -1 })),
  find: () => failureOf(refused().pages.find({ id: "pg_1" })),
  "find of nothing": () => failureOf(refused().pages.find(wrong({}))),
  "a client without a key": () => thrown(() => new LandingPages({ apiKey: "", baseUrl: "https://a.example" })),
  "a client with a wrong option": () => thrown(() => new LandingPages(wrong({ apikey: "k" }))),
  withOptions: () => thrown(() => refused().withOptions({ timeoutMs: -1 })),
  "withOptions, of what the client checks as it is made": () => thrown(() => refused().withOptions({ baseUrl: "a" })),
  "iterate that was aborted": () => failureOf(collect(refused().pages.iterate(aborted))),
  createMany: async () => (await collect(refused().pages.createMany([somePage])))[0]?.error,
  "createMany that was aborted": () => failureOf(collect(refused().pages.createMany([somePage], aborted))),
  "toArray without a limit": () => thrown(() => refused().pages.iterate().toArray(wrong({}))),
  "push of what is no event": () => thrown(() => refused().analytics.queue().push(wrong({}))),
  "close with a wrong time": () => thrown(() => refused().analytics.queue().close({ timeoutMs: -1 })),
  "drain with a wrong option": () =>
    thrown(() =>
      refused()
        .analytics.queue()
        .drain(wrong({ timeout: 1 })),
    ),
  queue: () =>
    new Promise((resolve) =>
      refused()
        .analytics.queue({ onLost: (_event, { error }) => resolve(error) })
        .push({ pageId: "1" }),
    ),
};

test.each(Object.entries(lines))("the stack of what fails begins at the caller's line: %s", async (_title, fail) => {
  const error = (await fail()) as LandingPagesError; // why: the assertions say so

  const [head, first] = error.stack?.split("\n") ?? [];
  expect(head).toBe(`${error.name}: ${error.message}`.split("\n")[0]);
  expect(first).toContain("caller.test.ts");
});

test("a frame that names no function is written as one of an anonymous function, for engines that read none other", async () => {
  const error = (await failureOf(refused().pages.list())) as LandingPagesError; // why: it has a stack

  const [, ...frames] = error.stack?.split("\n") ?? [];
  expect(frames.length).toBeGreaterThan(0);
  for (const frame of frames) expect(frame).toMatch(/^ +at .+ \(.+\)$/);
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
