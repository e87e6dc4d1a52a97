// Uses the packed SDK in the current runtime, against an HTTP server.
import { ConnectionError, LandingPages, NotFoundError } from "@landing-page-service/sdk";

const page = {
  title: "Trail running shoes",
  content: "Light shoes for long days on rough ground.",
  slug: "trail-running-shoes",
  cta: { type: "button", label: "Buy", url: "https://shop.example/trail" },
};

/** Uses everything that depends on the runtime: fetch, streams, timers, signals, URLs, base64, stacks. Throws at the first failure. */
export async function smoke(baseUrl, closedUrl, canTellUnsent = true) {
  const client = new LandingPages({ apiKey: `test_smoke_${crypto.randomUUID()}`, baseUrl });

  const created = await client.pages.create(page);
  expect(created.slug === page.slug, "create gives the page");
  await client.pages.update(created.id, { ...created, title: "Road running shoes" });
  expect((await client.pages.list()).data[0]?.title === "Road running shoes", "list gives the page as it was changed");
  expect((await client.pages.find({ slug: page.slug }))?.id === created.id, "find finds it");

  for await (const { error } of client.pages.createMany(
    Array.from({ length: 30 }, (_, index) => ({ ...page, slug: `shoes-${index}` })),
  )) {
    expect(error === undefined, `createMany succeeds: ${error}`);
  }
  expect((await client.pages.iterate().toArray({ limit: 100 })).length === 31, "iterate gives every page once");

  const queue = client.analytics.queue();
  for (let index = 0; index < 20; index += 1) queue.push({ pageId: created.id });
  await queue.close();
  expect(queue.counts.delivered === 20, "the queue delivers");

  await client.pages.delete(created.id);
  const gone = await failureOf(client.pages.update(created.id, { title: "Gone" }));
  expect(
    NotFoundError.is(gone) && gone.stack.startsWith("NotFoundError: "),
    "a missing page is a NotFoundError with a stack",
  );

  const aborted = await failureOf(client.pages.list({}, { signal: AbortSignal.abort() }));
  expect(aborted.name === "AbortError", "an aborted call rejects with an AbortError");

  const down = new LandingPages({ apiKey: "test_smoke", baseUrl: closedUrl, retry: false });
  const unsent = await failureOf(down.pages.create(page));
  expect(
    ConnectionError.is(unsent) && unsent.mayHaveBeenApplied === !canTellUnsent,
    `a refused connection is known to be unsent: ${unsent.code} ${unsent.message}`,
  );
}

function expect(holds, what) {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

async function failureOf(call) {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call did not fail");
}
