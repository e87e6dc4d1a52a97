// Queues the pages of a folder, or a number of generated pages: `node fleet/producer.ts pages`, `node fleet/producer.ts 100000`.
// If you run it again, it queues no page a second time, because the id of a job is made from its page.
import { createHash } from "node:crypto";
import { glob } from "node:fs/promises";
import type { CreatePage } from "@landing-page-service/sdk";
import { readPage } from "../pages.ts";
import { connection, pages, positionals } from "./fleet.ts";

/** Jobs sent to Redis at a time. */
const batchSize = 100;

const [source = "pages"] = positionals;
let batch: CreatePage[] = [];
let count = 0;
for await (const page of /^\d+$/.test(source) ? generate(Number(source)) : read(source)) {
  batch.push(page);
  count += 1;
  if (batch.length === batchSize) await send();
}
await send();
await pages.resume(); // a worker may have paused it: see worker.ts
console.log(`${count} pages are queued`);
connection.disconnect();

async function send(): Promise<void> {
  await pages.addBulk(batch.map((page) => ({ name: page.slug, data: page, opts: optionsOf(page) })));
  batch = [];
}

function optionsOf(page: CreatePage) {
  const jobId = `page-${createHash("sha256").update(JSON.stringify(page)).digest("hex").slice(0, 32)}`;
  // Completed jobs stay in Redis. Otherwise the next run of the producer would queue them again.
  return { jobId, attempts: 5, backoff: { type: "exponential", delay: 1000 }, stackTraceLimit: 1 };
}

async function* read(folder: string): AsyncGenerator<CreatePage> {
  for await (const file of glob(`${folder}/**/*.md`)) {
    const page = await readPage(file).catch((error: Error) => console.error(`not queued: ${error.message}`));
    if (page === undefined) process.exitCode = 1;
    else yield page;
  }
}

async function* generate(count: number): AsyncGenerator<CreatePage> {
  for (let number = 1; number <= count; number++) {
    const cta = { type: "button", label: "See the offer", url: `https://shop.example/offers/${number}` };
    yield { title: `Offer ${number}`, content: `A special price, number ${number}.`, slug: `offer-${number}`, cta };
  }
}
