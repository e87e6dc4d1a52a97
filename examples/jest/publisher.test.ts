// Tests publisher.ts with jest. `npx jest` needs a flag of Node, as the packages are ES modules:
// node --experimental-vm-modules node_modules/jest/bin/jest.js --config jest/swc.config.cjs
import assert from "node:assert/strict";
import { assertReceived, useMockService } from "@landing-page-service/mock-server/assert";
import { LandingPages } from "@landing-page-service/sdk";
import { publishOffer } from "../publisher";

const mock = useMockService();

test("an offer that is published twice keeps one page", async () => {
  const client = new LandingPages(mock().clientOptions);
  const offer = { name: "Green tea", text: "From Kyoto.", url: "https://tea.example/" };

  await publishOffer(client, offer);
  await publishOffer(client, { ...offer, text: "From Uji." });

  assert.deepEqual(
    mock().pages.map(({ content }) => content),
    ["From Uji."],
  );
  assert.deepEqual(mock().pages[0]?.cta, { type: "button", label: "See the offer", url: "https://tea.example/" });
  assertReceived(mock(), { endpoint: "createPage", times: 1 });
});
