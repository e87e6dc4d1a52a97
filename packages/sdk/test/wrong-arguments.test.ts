// What a program may pass by mistake, to every method of a client.
import { listQuerySchema } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LandingPages, LandingPagesError, readRateLimit } from "../src/index.ts";
import { internal, mistake, nearlyRight } from "../../mock-server/test/fixtures/mistakes.ts";
import { json, scripted, setUp, somePage } from "./setup.ts";

/** A method, whatever it takes. */
type Method = (...given: readonly unknown[]) => unknown;

const nearly = nearlyRight(
  "title content slug meta_description cta id pageId timestamp type properties signal timeoutMs totalTimeoutMs retry headers idempotencyKey limit offset q batchSize resumeFrom maxRequests concurrency onProgress capacity onLost apiKey baseUrl fetch hooks logger onEvent strict maxInFlight now random sleep get",
);
const given = fc.array(fc.oneof(mistake, nearly, fc.constant(somePage), fc.array(nearly, { maxLength: 2 })), {
  maxLength: 3,
});

/** A method by itself, as a program may pass it on. */
const alone = (of: object, name: string) => Reflect.get(of, name) as Method; // why: a method takes what it is given

/** Every method, passed on by itself, and what it gives read to its end: walks, queues, promises. */
const methods: Record<string, (client: LandingPages) => Method> = {
  createPage: ({ pages }) => alone(pages, "create"),
  listPages: ({ pages }) => alone(pages, "list"),
  updatePage: ({ pages }) => alone(pages, "update"),
  deletePage: ({ pages }) => alone(pages, "delete"),
  "pages.find": ({ pages }) => alone(pages, "find"),
  "pages.iterate": ({ pages }) => alone(pages, "iterate"),
  "pages.createMany": ({ pages }) => alone(pages, "createMany"),
  trackEvent: ({ analytics }) => alone(analytics, "track"),
  "analytics.queue": ({ analytics }) => alone(analytics, "queue"),
  "queue.push": ({ analytics }) => alone(analytics.queue(), "push"),
  "queue.close": ({ analytics }) => alone(analytics.queue(), "close"),
  withOptions: (client) => alone(client, "withOptions"),
  "new LandingPages": () => (options) => new LandingPages(options as object), // why: it takes what it is given
  readRateLimit: () => readRateLimit as Method, // why: as above
};

async function settle(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let count = 0;
  for await (const each of value as AsyncIterable<unknown>) if ((count += 1) > 5) return each; // why: just seen to be one
  return undefined;
}

test.each(Object.keys(methods))("%s takes what it is given, or says what is wrong with it", async (name) => {
  await fc.assert(
    fc.asyncProperty(given, async (given) => {
      const { client } = setUp();
      let problem: unknown;
      try {
        await settle(methods[name]?.(client)(...given));
      } catch (error) {
        problem = error;
      }

      const isOurs = problem === undefined || problem instanceof LandingPagesError;
      expect(isOurs ? "" : String(problem)).not.toMatch(internal);
      expect(problem instanceof Error ? problem.message : "").not.toMatch(internal);
    }),
    { numRuns: 100 },
  );
});

const anyParameter = fc.oneof(
  fc.string(),
  fc.integer({ min: -2, max: 3 }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(undefined, null, [], {}, "20", 2 ** 53, -0, 1n),
);
const parameters = ["limit", "offset", "slug", "domain", "q", "tag", "limitation of liability", "é&=+"];

test("a list is sent where the documented schema takes its query and each filter can be written, and refused everywhere else", async () => {
  const query = fc.dictionary(fc.constantFrom(...parameters), anyParameter);
  await fc.assert(
    fc.asyncProperty(query, async (given) => {
      const { client, requests } = scripted([json([])]);
      const filters = Object.entries(given).filter(([, value]) => value !== undefined);
      const texts = filters.flatMap(([name, value]) => writeText(value).map((text) => [name, text]));
      const isRight = texts.length === filters.length && listQuerySchema.safeParse(given).success;

      const { limit, offset, ...others } = given;
      const range = Object.fromEntries(Object.entries({ limit, offset }).filter(([name]) => name in given));
      const outcome = await client.pages.list({ ...range, filters: others }).then(
        () => "sent",
        (error: unknown) => LandingPagesError.is(error) && error.name,
      );

      const sent = requests.map(({ path }) => Array.from(new URL(path, "https://service.example").searchParams));
      expect({ outcome, sent }).toEqual(
        isRight ? { outcome: "sent", sent: [texts] } : { outcome: "InvalidInputError", sent: [] },
      );
    }),
  );
});

/** A filter as it is written; none where it cannot be. */
function writeText(value: unknown): string[] {
  const canBeWritten = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return canBeWritten ? [String(value).toWellFormed()] : [];
}

const missing = "is required";
const of =
  (method: keyof LandingPages["pages"], ...passed: unknown[]) =>
  ({ pages }: LandingPages) =>
    alone(pages, method)(...passed);
const { title, ...untitled } = somePage;
const { label, url } = somePage.cta;
const newPage = (cta: object) => ({ ...somePage, cta });

const expectedMoment =
  "timestamp: expected a Date, or an ISO 8601 string with a time and an offset, such as 2026-05-06T07:08:09Z or 2026-05-06T09:08:09.123+02:00, of a time that exists";

/** What plain JavaScript may pass, and what is said of it. */
test.each<[string, (client: LandingPages) => unknown, string]>([
  ["a number as a text", of("list", { limit: "20" }), 'limit: expected number, got "20"'],
  ["a limit of 0", of("list", { limit: 0 }), "limit: expected number to be >=1, got 0"],
  ["a negative offset", of("list", { offset: -1 }), "offset: expected number to be >=0, got -1"],
  ["a filter that is null", of("list", { filters: { q: null } }), "filters.q: expected string, got null"],
  ["several pages", of("create", [somePage]), "expected object, got an array; `createMany` takes several"],
  ["a text", of("create", "tea"), 'expected object, got "tea"'],
  ["a promise of a page", of("create", Promise.resolve(somePage)), "expected a plain object, got a promise: await it"],
  [
    "a promise of changes",
    of("update", "pg_1", Promise.resolve({})),
    "expected a plain object, got a promise: await it",
  ],
  ["a form for changes", of("update", "pg_1", new FormData()), "expected a plain object, got a FormData"],
  ["changes in a map", of("update", "pg_1", new Map([["title", "x"]])), "expected a plain object, got a Map"],
  [
    "a promise of pages",
    of("createMany", Promise.resolve([])),
    "inputs: expected an array or another iterable, got a promise: await it",
  ],
  [
    "a moment without offset",
    ({ analytics }) => alone(analytics, "track")({ pageId: "pg_1", timestamp: "2026-01-01T10:00" }),
    `${expectedMoment}, got "2026-01-01T10:00"`,
  ],
  [
    "milliseconds for a moment",
    ({ analytics }) => alone(analytics, "track")({ pageId: "pg_1", timestamp: 1 }),
    `${expectedMoment}, got 1`,
  ],
  ["changes in an array", of("update", "pg_1", [{ title }]), "expected object, got an array"],
  ["a wrong title", of("create", { ...untitled, title: 5, titel: "" }), "title: expected string, got 5"],
  [
    "a misspelt title",
    of("create", { ...untitled, Titel: "" }),
    `title: ${missing}; is it what is passed as \`Titel\`?`,
  ],
  ["a colour", of("create", newPage({ type: "button", colour: label, url })), `cta.label: ${missing}`],
  [
    "an event of a page_id",
    ({ analytics }) => alone(analytics, "track")({ page_id: "pg_1" }),
    `pageId: ${missing}; is it what is passed as \`page_id\`?`,
  ],
  [
    "a queued event of a pageid",
    ({ analytics }) => alone(analytics.queue(), "push")({ pageid: "pg_1" }),
    `pageId: ${missing}; is it what is passed as \`pageid\`?`,
  ],
  [
    "a listener that is none",
    ({ analytics }) => alone(analytics, "queue")({ onLost: 5 }),
    "`onLost`: expected a function, got 5",
  ],
  [
    "progress told to nobody",
    of("createMany", [], { onProgress: {} }),
    "onProgress: expected a function, got an object",
  ],
])("%s is described as what it is", async (_title, call, said) => {
  const { client } = scripted([json([])]);
  let message = "nothing was wrong";
  try {
    await call(client);
  } catch (error) {
    if (LandingPagesError.is(error)) ({ message } = error);
  }

  expect(message.endsWith(`: ${said}`) ? said : message).toBe(said);
});

test("methods passed on by themselves do what they do, and say what else they are given", async () => {
  const { client } = setUp();
  const queue = client.analytics.queue();
  const page = await alone(client.pages, "create")(somePage);
  [{ pageId: "pg_1" }].forEach(alone(queue, "push"));
  await alone(queue, "flush")();

  await expect(Promise.all(["pg_1"].map(alone(client.pages, "delete")))).rejects.toThrow(
    "`options`: expected object, got 0",
  );
  expect(page).toMatchObject({ slug: somePage.slug });
  expect(queue.counts).toMatchObject({ accepted: 1, pending: 0 });
});
