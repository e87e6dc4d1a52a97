// The test suite of an app. Each test takes `mock`, an account of its own, so all of them can run at the same time.
import { test } from "@landing-page-service/mock-server/vitest";
import { LandingPages, ServerError } from "@landing-page-service/sdk";
import { describe, expect } from "vitest";
import { publishOffer, publishOffers } from "../publisher.ts";

const shoes = { name: "Trail shoes", text: "Deep lugs for long days.", url: "https://shop.example/trail" };

describe.concurrent("publishing offers", () => {
  test("a new offer becomes a page", async ({ mock }) => {
    await publishOffer(new LandingPages(mock.clientOptions), shoes);

    expect(mock).toHaveReceived({
      endpoint: "createPage",
      times: 1,
      body: expect.objectContaining({ slug: "trail-shoes" }),
    });
    expect(mock.pages.map(({ title }) => title)).toEqual(["Trail shoes"]);
  });

  test("publishing again changes the page instead of making another", async ({ mock }) => {
    const client = new LandingPages(mock.clientOptions);
    const first = await publishOffer(client, shoes);

    const second = await publishOffer(client, { ...shoes, text: "Now even deeper." });

    expect(second.id).toBe(first.id);
    expect(mock.pages.map(({ content }) => content)).toEqual(["Now even deeper."]);
  });

  test("an offer that the service refuses is named, the others are published", async ({ mock }) => {
    const client = new LandingPages(mock.clientOptions);

    const refusals = await publishOffers(client, [
      { ...shoes, text: "" },
      { ...shoes, name: "Road shoes" },
    ]);

    expect(refusals).toEqual([expect.stringContaining("Trail shoes: #/content")]);
    expect(mock.pages.map(({ slug }) => slug)).toEqual(["road-shoes"]);
  });

  test("two failures of the service do not matter", async ({ mock }) => {
    mock.faults.add({ endpoint: "createPage", status: 500, times: 2 });
    const client = new LandingPages({ ...mock.clientOptions, retry: { baseDelayMs: 1 } });

    await publishOffer(client, shoes);

    expect(mock).toHaveReceived({ endpoint: "createPage", times: 3 });
    expect(mock.pages).toHaveLength(1);
  });

  test("a service that stays down is an error, not an endless wait", async ({ mock }) => {
    mock.faults.add({ status: 503 });
    const client = new LandingPages({ ...mock.clientOptions, retry: { baseDelayMs: 1 } });

    await expect(publishOffer(client, shoes)).rejects.toSatisfy((error) => ServerError.is(error));
  });
});
