// Collects views over HTTP, `POST /views/:pageId`, and passes them on. What the service has not taken when the process is told to
// end waits in a file for the next start: no outage and no deployment costs a view, and none is counted twice. Killed without being
// told, it loses those that came since its start and were not sent.
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { LandingPages, type QueuedEvent } from "@landing-page-service/sdk";

const file = process.argv[2] ?? "views.ndjson";
/** The views of the last run, until all of them are dealt with. */
const sending = `${file}.sending`;
let isLeaving = false;
const client = new LandingPages(); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL
const views = client.analytics.queue({
  onLost: (view, reason) => {
    // Refused for itself, or the service may have it: kept out of the file, so that it is not counted twice.
    if (reason.kind === "failed") console.error(`view of ${view.pageId} was lost:`, reason.error);
    else keep([view]);
  },
});

for (const view of takeKept()) views.push(view);
void views.flush().then(() => isLeaving || rmSync(sending, { force: true }));

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
  isLeaving = true;
  const left = await views.drain();
  if (keep(left)) rmSync(sending, { force: true });
  console.log(`${views.counts.delivered} views delivered, ${left.length} kept for the next start`);
}

/**
 * Appends views, one a line, each with a key that stays its own: sent twice, it counts once where the service honours that. Where the
 * disk takes none they are printed, so that at least a log has them. Gives whether the file has them.
 */
function keep(events: readonly QueuedEvent[]): boolean {
  const lines = events.map((event) => `\n${JSON.stringify({ idempotencyKey: randomUUID(), ...event })}`).join("");
  try {
    if (lines !== "") appendFileSync(file, `${lines}\n`);
    return true;
  } catch (error) {
    console.error(`${file} cannot be written (${String(error)}), so these views are nowhere else:${lines}`);
    process.exitCode = 1;
    return false;
  }
}

/** Reads the views of the last run, and of one that was killed while it sent those of the run before. */
function takeKept(): QueuedEvent[] {
  if (existsSync(file)) {
    appendFileSync(sending, readFileSync(file));
    rmSync(file);
  }
  return existsSync(sending) ? readFileSync(sending, "utf8").split("\n").flatMap(readLine) : [];
}

/** Reads one view; a line that broke off, as the disk was full or the machine stopped, is told and costs no other. */
function readLine(line: string): QueuedEvent[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as QueuedEvent]; // why: written by `keep`
  } catch {
    console.error(`${sending} has a line that is no view: ${line}`);
    return [];
  }
}
