// A user's program, run from an empty project against the packed packages.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { LandingPages, NotFoundError, type Page } from "@landing-page-service/sdk";

const server = await listen(createMockService(), { port: 0 });
const client = new LandingPages({ apiKey: "test_consumer", baseUrl: server.url });
assert.match(inspect(client), /^LandingPages \{/);

const page: Page = await client.pages.create({
  title: "Trail running shoes",
  content: "Light shoes for long days on rough ground.",
  slug: "trail-running-shoes",
  cta: { type: "button", label: "Buy", url: "https://shop.example/trail" },
});
const { data } = await client.pages.list();
assert.deepEqual(
  data.map(({ id }) => id),
  [page.id],
);
await client.pages.delete(page.id);
assert.deepEqual((await client.pages.list()).data, []);
await assert.rejects(client.pages.update(page.id, { title: "Gone" }), (error) => NotFoundError.is(error));
await server.close();

console.log(`Node ${process.version}: import, create -> list -> delete over HTTP works`);
