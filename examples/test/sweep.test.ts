import { sweep } from "@landing-page-service/mock-server/sweep";
import { LandingPages } from "@landing-page-service/sdk";
import { expect, test } from "vitest";
import { publishOffers } from "../publisher.ts";

const offers = ["Trail shoes", "Road shoes", "Rain jacket"].map((name) => ({
  name,
  text: `${name} for every season.`,
  url: "https://shop.example/offer",
}));

test("publishing offers neither doubles nor silently loses a page, whatever happens to its calls", async () => {
  const report = await sweep(async (mock) => {
    const refusals = await publishOffers(new LandingPages(mock.clientOptions), offers);
    for (const refusal of refusals) mock.report(refusal);
  });

  expect(report.findings).toEqual([]);
});
