// Imports many pages under a plan's limit, with a progress bar and an estimate of the time left: `node bulk-import.ts 10000`.
// If it is stopped and run again, it creates the missing pages only.
import { type CreatePage, LandingPages } from "@landing-page-service/sdk";
import { createProgress, describeTime } from "./progress.ts";

const total = Number(process.argv[2] ?? 10_000);
const client = new LandingPages(); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL
const there = new Set<string | undefined>();
for await (const { slug } of client.pages.iterate({ batchSize: 100 })) there.add(slug);

const progress = createProgress(total);
const startedAtMs = Date.now();
const failures: string[] = [];
let kept = 0;
let done = 0;

// createMany takes one input at a time, when it has room, so you can stream a file of any size from here.
for await (const result of client.pages.createMany(missing(pages(total)), { concurrency: 16 })) {
  if (result.error) failures.push(`${result.input.slug}: ${result.error.message}`);
  progress(kept + ++done);
}
console.log(
  `${done - failures.length} pages imported in ${describeTime(Date.now() - startedAtMs)}, ${failures.length} failed, ${kept} existed already`,
);
for (const failure of failures.slice(0, 10)) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function* missing(inputs: Iterable<CreatePage>): Generator<CreatePage> {
  for (const input of inputs)
    if (there.has(input.slug)) progress(++kept + done);
    else yield input;
}

function* pages(count: number): Generator<CreatePage> {
  const goods = ["running shoes", "garden chairs", "office lamps", "coffee beans", "winter coats"];
  for (let number = 1; number <= count; number++) {
    const name = goods[number % goods.length] ?? "";
    const slug = `${name.replaceAll(" ", "-")}-${number}`;
    const cta = { type: "button", label: "See the offer", url: `https://shop.example/${slug}` };
    yield { title: `Offer ${number}: ${name}`, content: `A special price on ${name}, while stocks last.`, slug, cta };
  }
}
