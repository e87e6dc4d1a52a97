// The same packages from CommonJS.
const assert = require("node:assert/strict");
const { createMockService } = require("@landing-page-service/mock-server");
const { LandingPages } = require("@landing-page-service/sdk");

const service = createMockService();
const client = new LandingPages({ apiKey: "test_cjs", baseUrl: service.baseUrl, fetch: service.fetch });

async function main() {
  assert.deepEqual((await client.pages.list()).data, []);
  console.log(`Node ${process.version}: require() works`);
}

void main();
