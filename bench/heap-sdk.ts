// Makes 100 000 calls in one process, one in ten of them failing, and shows that the heap stays flat.
// Run: pnpm exec node --expose-gc bench/heap-sdk.ts
import { createMockService } from "@landing-page-service/mock-server";
import { LandingPages, LandingPagesError } from "@landing-page-service/sdk";

const calls = 100_000;
const inFlight = 50;
const collect = globalThis.gc;
if (collect === undefined) throw new Error("run with --expose-gc, or the heap cannot be measured");

const service = createMockService();
const { signal } = new AbortController();
const client = new LandingPages({
  apiKey: "test_heap",
  baseUrl: service.baseUrl,
  // One in twenty connections breaks, so that retries are part of it.
  fetch: (url, init) =>
    Math.random() < 0.05 ? Promise.reject(new TypeError("fetch failed")) : service.fetch(url, init),
  retry: { baseDelayMs: 0 },
});
const page = await client.pages.create({
  title: "Red running shoes",
  content: "Light shoes for long runs.",
  slug: "red-shoes",
  cta: { type: "button", label: "Buy", url: "https://shop.example/red" },
});

let failed = 0;
let done = 0;

await makeCalls(5000); // so that what is compiled and cached once does not count
const before = heapMegabytes();
failed = 0;
for (let part = 1; part <= 5; part += 1) {
  await makeCalls(calls / 5);
  console.log(`${(calls / 5) * part} calls: ${heapMegabytes().toFixed(1)} MB`);
}
const after = heapMegabytes();
console.log(`${calls} calls, ${failed} failed: heap ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`);
process.exitCode = after - before > 5 ? 1 : 0;

async function makeCalls(count: number): Promise<void> {
  const end = done + count;
  const work = async () => {
    while (done < end) await makeCall((done += 1));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

async function makeCall(index: number): Promise<void> {
  try {
    if (index % 10 === 0) await client.pages.update("pg_unknown", { title: "Nobody" }, { signal });
    else if (index % 10 < 4) await client.pages.update(page.id, { title: `Shoes ${index}` }, { signal });
    else if (index % 10 < 6) await client.analytics.track({ pageId: page.id }, { signal });
    else await client.pages.list({ limit: 20 }, { signal });
  } catch (error) {
    if (!LandingPagesError.is(error)) throw error;
    failed += 1;
  }
}

function heapMegabytes(): number {
  collect?.();
  return process.memoryUsage().heapUsed / 1e6;
}
