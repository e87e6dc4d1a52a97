// Checks that the inspector's files are not loaded until somebody opens it. Only they contain a certain string.
import assert from "node:assert/strict";
import * as module from "node:module";

// Node 22.12 has none yet.
const { registerHooks } = module;

let loaded = 0;
registerHooks?.({
  load(url, context, next) {
    const result = next(url, context);
    if (Buffer.from(result.source ?? "").includes("/__mock/inspector/app.js")) loaded += 1;
    return result;
  },
});
const { createMockService } = await import("@landing-page-service/mock-server");
const { listen } = await import("@landing-page-service/mock-server/node");
for (const inspector of [false, true]) {
  const server = await listen(createMockService(), { control: true, inspector });
  for (const path of ["/api/content", "/__mock/accounts"]) await (await fetch(server.url + path)).text();
  assert.equal(loaded, 0);
  const page = await (await fetch(server.url)).text();
  assert.equal(page.includes("<script"), inspector);
  assert.equal(loaded > 0, inspector && registerHooks !== undefined);
  await server.close();
}
console.log("the inspector is loaded when it is opened, and not before");
