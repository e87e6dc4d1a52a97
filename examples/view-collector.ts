// Collects views over HTTP, `POST /views/:pageId`, and passes them on. What the service has not taken when the process is told to
// end waits in a file for the next start: no outage and no deployment costs a view, and none is counted twice. What a process that
// is killed had from the file is sent again at the next start, with the same `Idempotency-Key`.
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { LandingPages, type QueuedEvent } from "@landing-page-service/sdk";

const file = process.argv[2] ?? "views.ndjson";
let taken = ""; // what the queue has from the file; it stays in there until it is sent
let unsent: string[] = []; // of those the ones for which the queue has had no room yet, the oldest last
let isLeaving = false;
const capacity = 1000;
const client = new LandingPages(); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL
const views = client.analytics.queue({
  capacity,
  onLost: (view, reason) => {
    // Refused for itself, or the service may have it: kept out of the file, so that it is not counted twice.
    if (reason.kind === "failed") console.error(`view of ${view.pageId} was lost:`, reason.error);
    else append(file, [toLine(view)]);
  },
});

void sendKept();

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
  const lines = [...left.map(toLine), ...unsent.toReversed()];
  const isKept = replaceTaken(lines);
  console.log(`${views.counts.delivered} views delivered, ${isKept ? lines.length : 0} kept for the next start`);
}

async function sendKept(): Promise<void> {
  taken = readKept();
  if (taken === "") return;
  unsent = taken.split("\n").filter(Boolean).toReversed();
  for (let line = unsent.pop(); line !== undefined; line = unsent.pop()) {
    try {
      views.push(JSON.parse(line) as QueuedEvent); // why: what is none is refused
    } catch {
      console.error(`cannot be read, kept in ${file}.torn: ${line}`);
      append(`${file}.torn`, [line]);
    }
    await waitForRoom();
    if (isLeaving) return;
  }
  await views.flush();
  // What visitors left no room for has been kept meanwhile.
  if (!isLeaving && replaceTaken([])) await sendKept();
}

async function waitForRoom(): Promise<void> {
  while (views.counts.pending >= capacity) await views.flush();
}

/** Puts lines in the place of those taken. The file is the old or the new one, never half of one. */
function replaceTaken(lines: readonly string[]): boolean {
  if (taken === "") return append(file, lines);
  return write(lines, (text) => {
    writeFileSync(`${file}.new`, readKept().slice(taken.length) + text, { flush: true });
    renameSync(`${file}.new`, file);
  });
}

function append(path: string, lines: readonly string[]): boolean {
  return lines.length === 0 || write(lines, (text) => appendFileSync(path, text, { flush: true }));
}

/** Writes lines, told apart from one that was cut off before them. Those that cannot be written are printed. */
function write(lines: readonly string[], writeText: (text: string) => void): boolean {
  try {
    writeText(lines.map((line) => `\n${line}\n`).join(""));
    return true;
  } catch (error) {
    console.error([`not kept: ${String(error)}`, ...lines].join("\n"));
    process.exitCode = 1;
    return false;
  }
}

function readKept(): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8") : "";
}

/** A view as it is kept, under a key that stays its own. */
function toLine(view: QueuedEvent): string {
  return JSON.stringify({ idempotencyKey: randomUUID(), ...view });
}
