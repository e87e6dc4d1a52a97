// The main job, end to end, over real HTTP: `pnpm demo`.
import { once } from "node:events";
import { join } from "node:path";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { BadRequestError, type ClientEvent, LandingPages, NotFoundError, type Page } from "@landing-page-service/sdk";
import { readPages } from "./pages.ts";
import { dim, good, heading, note, say, wrap } from "./terminal.ts";

// Small plans with short windows, so that the rate limit can be watched.
const service = createMockService({
  accounts: [
    { id: "demo", keys: ["demo-key"], plan: { limit: 60, windowMs: 2_000 } },
    { id: "busy", keys: ["busy-key"], plan: { limit: 30, windowMs: 1_000 } },
  ],
});
const server = await listen(service, { port: 0, inspector: true });
const seen = { requests: 0, refused: 0, startedAtMs: Date.now() };
const client = new LandingPages({ apiKey: "demo-key", baseUrl: server.url, onEvent: count });

try {
  heading(
    `A Landing Page Service at ${server.url}`,
    `${service.domains.domains.length} domains, 60 requests every 2 seconds`,
  );
  note(`look at it while it runs: ${server.url}/`);
  const pages = await publish();
  await list();
  await update(pages[0]);
  await recordViews(pages);
  await meetTheRateLimit();
  await callFiftyAtOnce();
  await makeMistakes(pages);
  await offerALook();
  await sumUp(pages);
} finally {
  await server.close();
}

async function publish(): Promise<Page[]> {
  const inputs = await readPages(join(import.meta.dirname, "pages"));
  heading(`Publish ${inputs.length} pages from examples/pages`, "the service chooses the domains, and can say why");

  const pages: Page[] = [];
  for (const input of inputs) {
    const page = await client.pages.create(input);
    say(page.title);
    for (const { name, url } of page.domains) note(url ?? name);
    wrap(service.assignment(page.id)?.explanation ?? "");
    pages.push(page);
  }
  return pages;
}

async function list(): Promise<void> {
  heading("List them, three at a time", "for await (const page of client.pages.iterate({ batchSize: 3 }))");

  const before = seen.requests;
  for await (const page of client.pages.iterate({ batchSize: 3 })) say(`${dim(page.id)}  ${page.slug}`);
  note(
    `${seen.requests - before} list requests; each overlaps the last by one page, so that none is missed while others create and delete pages`,
  );
}

async function update(page: Page | undefined): Promise<void> {
  if (page === undefined) return;
  heading("Update one field", `client.pages.update("${page.id}", { title })`);

  const updated = await client.pages.update(page.id, { title: "Burst pipe? A plumber at your door within the hour" });
  for (const field of ["title", "content", "slug", "meta_description", "cta", "domains"] as const) {
    const same = JSON.stringify(page[field]) === JSON.stringify(updated[field]);
    say(`${field.padEnd(16)} ${same ? dim("as it was") : good(`now ${JSON.stringify(updated[field])}`)}`);
  }
}

async function recordViews(pages: Page[]): Promise<void> {
  heading("Record views", "queue.push(event) returns at once; close() waits until every event is accounted for");

  const queue = client.analytics.queue();
  for (const [index, page] of pages.entries())
    for (let view = 0; view <= index; view++) queue.push({ pageId: page.id });
  await queue.close();
  const { accepted, delivered, failed, dropped, pending } = queue.counts;
  say(
    `accepted ${accepted} = delivered ${good(String(delivered))} + failed ${failed} + dropped ${dropped} + pending ${pending}`,
  );
}

async function meetTheRateLimit(): Promise<void> {
  heading("Run into the rate limit", "another program with the same key uses up the limit");

  const spent = await useUpRateLimit();
  say(`${spent} requests later the service responds with 429. Our next call gets one too:`);
  const { data, attempts } = await client.pages.list({ limit: 1 }).withResponse();
  say(good(`${data.data.length} page after ${attempts.length} attempts; the caller saw none of it`));
}

async function useUpRateLimit(): Promise<number> {
  for (let requests = 1; ; requests++) {
    const response = await fetch(`${server.url}/api/content?limit=1`, {
      headers: { Authorization: "Bearer demo-key" },
    });
    await response.arrayBuffer();
    if (response.status === 429) return requests;
  }
}

async function callFiftyAtOnce(): Promise<void> {
  heading("Fifty calls at once, 30 allowed a second", "all calls of a client share one rate limiter");

  const refusedBefore = seen.refused;
  const startedAtMs = Date.now();
  const busy = new LandingPages({ apiKey: "busy-key", baseUrl: server.url, onEvent: count });
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => busy.pages.list()));
  const succeeded = results.filter(({ status }) => status === "fulfilled").length;
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  say(`${good(`${succeeded} succeeded`)} in ${seconds} s; ${seen.refused - refusedBefore} responses were 429`);
}

async function makeMistakes(pages: Page[]): Promise<void> {
  heading("Make mistakes", "errors say what is wrong, and where");

  const bad = {
    title: "",
    content: "Too short a story.",
    slug: "Not A Slug",
    cta: { type: "button", label: "Go", url: "https://go.example/" },
  };
  const refused = await client.pages.create(bad).catch((error: unknown) => error);
  if (BadRequestError.is(refused)) wrap(`BadRequestError: ${refused.message}`);

  const [page] = pages;
  if (page === undefined) return;
  await client.pages.delete(page.id);
  const gone = await client.pages.update(page.id, { title: "Still there?" }).catch((error: unknown) => error);
  if (NotFoundError.is(gone)) wrap(`NotFoundError: ${gone.message}`);
}

/** On a terminal, keeps everything running until somebody presses a key. */
async function offerALook(): Promise<void> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || process.env["CI"] !== undefined) return;
  heading("Look around", `${server.url}/#/pages?account=demo`);

  say("The pages stay until you press a key.");
  stdin.setRawMode(true);
  const [pressed] = (await once(stdin, "data")) as [Buffer]; // why: a stream without an encoding gives bytes
  stdin.setRawMode(false);
  stdin.pause();
  // In raw mode Ctrl-C is an ordinary key.
  if (pressed[0] === 3) process.kill(process.pid, "SIGINT");
}

async function sumUp(pages: Page[]): Promise<void> {
  heading("Delete everything", "for await (const page of client.pages.iterate()) await client.pages.delete(page.id)");

  let deleted = 1; // the one that was deleted by the mistake above
  for await (const page of client.pages.iterate()) {
    await client.pages.delete(page.id);
    deleted++;
  }
  const { data } = await client.pages.list();
  const seconds = ((Date.now() - seen.startedAtMs) / 1000).toFixed(1);
  say(`${data.length} pages are left.`);

  heading("What happened", `${seen.requests} requests in ${seconds} s`);
  say(`${pages.length} pages published, listed, one of them changed, ${deleted} deleted.`);
  say(`Responses with 429: ${seen.refused}. ${good("No call failed because of them, and nothing was sent twice.")}`);
}

/** Counts requests and refusals, and prints each wait. */
function count(event: ClientEvent): void {
  if (event.type === "request") seen.requests++;
  if (event.type === "response" && event.status === 429) seen.refused++;
  if (event.type === "retry")
    note(
      `${event.reason}; the service says when to try again, so the client waits ${(event.delayMs / 1000).toFixed(1)} s …`,
    );
}
