// What a user does with the client, tried on services that nobody has described. DIALECTS and SEED try others, and more.
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type ClientEvent, LandingPages, NotFoundError, type PartialPage } from "../src/index.ts";
import { errorSentence, idOf, listedFields, speak, toldDomains, type Wording, wording } from "./dialect-grammar.ts";
import { failureOf, somePage } from "./setup.ts";

const numRuns = Number(process.env["DIALECTS"] ?? 1000);
const seed = Number(process.env["SEED"] ?? 20_261_122);
const tried = new Set<string>();

afterAll(() => console.log(`${tried.size} generated dialects (seed ${seed}), each with every behaviour`));

function meet(words: Wording) {
  tried.add(JSON.stringify(words));
  const { fetch, pages, store } = speak(words);
  const events: ClientEvent[] = [];
  const client = new LandingPages({
    apiKey: "test_words",
    baseUrl: "https://service.example",
    fetch,
    onEvent: (event) => events.push(event),
  });
  return { words, client, pages, store, events };
}

type Met = ReturnType<typeof meet>;

async function createSome({ client }: Met, count: number) {
  const created = [];
  for (let number = 0; number < count; number += 1)
    created.push(await client.pages.create({ ...somePage, title: `Shoes ${number}`, slug: `shoes-${number}` }));
  return created;
}

const behaviours: Record<string, (met: Met) => Promise<void>> = {
  "a create gives the whole page, under its own identifier, on no invented domain": async (met) => {
    const created = await createSome(met, 2);

    for (const [index, page] of created.entries()) {
      const stored = met.pages[index];
      if (stored === undefined) throw new Error("nothing was stored");
      expect(page).toMatchObject({
        ...somePage,
        title: `Shoes ${index}`,
        slug: `shoes-${index}`,
        id: idOf(met.words, stored),
      });
      const told = toldDomains(met.words, stored);
      const names = page.domains.map(({ name }) => name);
      // A thin answer may leave them out; what it says must be true.
      expect([told, []]).toContainEqual(names);
      if (met.words.create === "whole") expect(names).toEqual(told);
    }
  },

  "a list gives the pages in the service's order, as far as it shows them": async (met) => {
    await createSome(met, 3);

    const { data } = await met.client.pages.list();

    const stored = met.words.newestFirst ? met.pages.toReversed() : met.pages;
    expect(data.map(({ id }) => id)).toEqual(stored.map((page) => idOf(met.words, page)));
    for (const [index, page] of data.entries()) {
      const fields = stored[index]?.fields ?? {};
      expect(page).toMatchObject(Object.fromEntries(listedFields(met.words).map((name) => [name, fields[name]])));
      expect(page.domains.map(({ name }) => name)).toEqual(stored[index] && toldDomains(met.words, stored[index]));
      expect([undefined, "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"]).toContain(page.created_at);
    }
  },

  "nothing stored is an empty list and an empty walk": async ({ client }) => {
    expect(await client.pages.list()).toMatchObject({ data: [] });
    expect(await client.pages.iterate().toArray({ limit: 5 })).toEqual([]);
  },

  "a walk gives every page exactly once, whatever a total says": async (met) => {
    for (let number = 0; number < 17; number += 1)
      met.store({ ...somePage, title: `Shoes ${number}`, slug: `shoes-${number}` });

    const walked = await met.client.pages.iterate({ batchSize: 10 }).toArray({ limit: 100 });

    const stored = met.words.newestFirst ? met.pages.toReversed() : met.pages;
    expect(walked.map(({ id }) => id)).toEqual(stored.map((page) => idOf(met.words, page)));
  },

  "an update keeps the identifier and shows the change": async (met) => {
    const [created] = await createSome(met, 2);

    const page: PartialPage = await met.client.pages.update(created?.id ?? "", { title: "Blue shoes" });

    expect(page).toMatchObject({ id: created?.id, title: "Blue shoes" });
    expect(met.pages[0]?.fields["title"]).toBe("Blue shoes");
  },

  "an event is taken, a page is deleted, and what is gone is told in the service's words": async (met) => {
    const [page] = await createSome(met, 1);
    await met.client.analytics.track({ pageId: page?.id ?? "" });
    await met.client.pages.delete(page?.id ?? "");

    const error = await failureOf(met.client.pages.update(page?.id ?? "", { title: "x" }));

    expect(met.pages).toEqual([]);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(String(error)).toContain(errorSentence);
  },

  "what is elsewhere is told once": async (met) => {
    await createSome(met, 3);
    await met.client.pages.list();
    await met.client.pages.list();

    const places = met.events.flatMap((event) =>
      event.type === "mismatch" ? [`${event.operation} ${event.where}`] : [],
    );

    expect(new Set(places).size).toBe(places.length);
  },
};

test.for(Object.entries(behaviours))(
  "%s, in every generated dialect",
  { timeout: 3_600_000 },
  async ([, expectBehaviour]) => {
    await fc.assert(
      fc.asyncProperty(wording, async (words) => expectBehaviour(meet(words))),
      { numRuns, seed, endOnFailure: process.env["SHRINK"] === undefined },
    );
  },
);
