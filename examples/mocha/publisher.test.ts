// Tests publisher.ts with mocha. Node 22.18 and newer run TypeScript as it is: npx mocha mocha/*.test.ts
import assert from "node:assert/strict";
import { assertReceived, useMockService } from "@landing-page-service/mock-server/assert";
import { LandingPages } from "@landing-page-service/sdk";
import { publishOffers } from "../publisher.ts";

describe("publishing offers", () => {
  const mock = useMockService();

  it("names the offer that the service refuses, and publishes the others", async () => {
    const client = new LandingPages(mock().clientOptions);
    const tea = { name: "Green tea", text: "From Kyoto.", url: "https://tea.example/" };
    mock().faults.add({ endpoint: "createPage", status: 400, times: 1 });

    const refusals = await publishOffers(client, [tea, { ...tea, name: "Black tea" }]);

    assert.match(refusals.join(), /^Green tea: /);
    assert.deepEqual(
      mock().pages.map(({ slug }) => slug),
      ["black-tea"],
    );
    assertReceived(mock(), { endpoint: "createPage", times: 2 });
  });
});
