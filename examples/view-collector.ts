// Collects views over HTTP, `POST /views/:pageId`, and passes them on. What the service has not taken when the process is told to
// end waits in a file for the next start: no outage and no deployment costs a view, and none is counted twice.
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { LandingPages, type QueuedEvent } from "@landing-page-service/sdk";

const file = process.argv[2] ?? "views.ndjson";
const client = new LandingPages(); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL
const views = client.analytics.queue({
  onLost: (view, reason) => {
    // Refused for itself, or the service may have it: kept out of the file, so that it is not counted twice.
    if (reason.kind === "failed") console.error(`view of ${view.pageId} was lost:`, reason.error);
    else keep([view]);
  },
});

for (const view of takeKept()) views.push(view);

const server = createServer((request, response) => {
  const pageId = /^\/views\/([^/]+)$/.exec(request.url ?? "")?.[1];
  if (request.method !== "POST" || pageId === undefined) return response.writeHead(404).end();
  views.push({ pageId: decodeURIComponent(pageId) }); // returns at once; its moment is now, however late it is sent
  return response.writeHead(202).end();
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log(server.address()));

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    server.close(() => void leave()); // first no more visitors, then the views that still wait
    server.closeIdleConnections();
  });
}

async function leave(): Promise<void> {
  const left = await views.drain();
  keep(left);
  console.log(`${views.counts.delivered} views delivered, ${left.length} kept for the next start`);
}

/** Appends views, one a line, so that what is there already stays whole. */
function keep(events: readonly QueuedEvent[]): void {
  appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

/** Reads the views of the last run, and removes the file before the first of them is sent. */
function takeKept(): QueuedEvent[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  rmSync(file);
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as QueuedEvent); // why: written by `keep`
}
