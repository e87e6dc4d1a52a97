// Runs the smoke test in Node, Bun and Deno: `smoke-program.mjs BASE_URL CLOSED_URL`.
import { smoke } from "./smoke.mjs";

const [baseUrl, closedUrl] = globalThis.Deno?.args ?? process.argv.slice(2);
await smoke(baseUrl, closedUrl);
