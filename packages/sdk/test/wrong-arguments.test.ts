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

/** Every method, and what it gives read to its end: walks, queues, promises. */
const methods: Record<string, (client: LandingPages) => Method> = {
  "pages.create": ({ pages }) => pages.create.bind(pages) as Method, // why: a bound method takes what it is given
  "pages.list": ({ pages }) => pages.list.bind(pages) as Method, // why: as above
  "pages.update": ({ pages }) => pages.update.bind(pages) as Method, // why: as above
  "pages.delete": ({ pages }) => pages.delete.bind(pages) as Method, // why: as above
  "pages.find": ({ pages }) => pages.find.bind(pages) as Method, // why: as above
  "pages.iterate": ({ pages }) => pages.iterate.bind(pages) as Method, // why: as above
  "pages.createMany": ({ pages }) => pages.createMany.bind(pages) as Method, // why: as above
  "analytics.track": ({ analytics }) => analytics.track.bind(analytics) as Method, // why: as above
  "analytics.queue": ({ analytics }) => analytics.queue.bind(analytics) as Method, // why: as above
  "queue.push": ({ analytics }) => {
    const queue = analytics.queue();
    return queue.push.bind(queue) as Method; // why: as above
  },
  "queue.close": ({ analytics }) => {
    const queue = analytics.queue();
    return queue.close.bind(queue) as Method; // why: as above
  },
  withOptions: (client) => client.withOptions.bind(client) as Method, // why: as above
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

      const outcome = await client.pages.list(given).then(
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
