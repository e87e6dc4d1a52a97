// Importing a package must do nothing: no timer, no handle, nothing beyond reading files.
import assert from "node:assert/strict";

for (const name of [
  "contract",
  "contract/openapi",
  "sdk",
  "mock-server",
  "mock-server/node",
  "mock-server/assert",
  "mock-server/check",
  "mock-server/sweep",
]) {
  await import(`@landing-page-service/${name}`);
}
const busy = process.getActiveResourcesInfo().filter((resource) => !/^(TTY|Pipe)Wrap$/.test(resource)); // standard output
assert.deepEqual(busy, []);
assert.equal(process.permission.has("fs.write"), false);
console.log("imports open nothing and start nothing, under Node's permission model");
