// Collects views over HTTP, `POST /views/:pageId`, and sends them to the service. When the process is stopped, it writes the views
// that it could not send to a file, and sends them at its next start. So an outage or a deployment loses no view and counts none
// twice. If the process is killed, the next start sends the views of the file again with the same `Idempotency-Key`.
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { LandingPages, type QueuedEvent } from "@landing-page-service/sdk";

const file = process.argv[2] ?? "views.ndjson";
let taken = ""; // the text of the file that was pushed to the queue; it stays in the file until all of it is sent
let unsent: string[] = []; // lines of it for which the queue had no room yet, the oldest last
let isLeaving = false;
const capacity = 1000;
const client = new LandingPages(); // LANDING_PAGES_API_KEY and LANDING_PAGES_BASE_URL
const views = client.analytics.queue({
  capacity,
  onLost: (view, reason) => {
    // The service refused this view, or may have counted it: do not write it to the file, or it may count twice.
    if (reason.kind === "failed") console.error(`view of ${view.pageId} was lost:`, reason.error);
    else append(file, [toLine(view)]);
  },
});

void sendKept();

const server = createServer((request, response) => {
  const pageId = /^\/views\/([^/]+)$/.exec(request.url ?? "")?.[1];
  if (request.method !== "POST" || pageId === undefined) return response.writeHead(404).end();
  views.push({ pageId: decodeURIComponent(pageId) }); // returns at once; the timestamp is now, however late the event is sent
  return response.writeHead(202).end();
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log(server.address()));

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    server.close(() => void leave()); // first refuse new visitors, then drain the queue
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
      views.push(JSON.parse(line) as QueuedEvent); // why: push() checks it
    } catch {
      console.error(`unreadable, moved to ${file}.torn: ${line}`);
      append(`${file}.torn`, [line]);
    }
    await waitForRoom();
    if (isLeaving) return;
  }
  await views.flush();
  // Meanwhile, views that found no room in the queue were written to the file.
  if (!isLeaving && replaceTaken([])) await sendKept();
}

async function waitForRoom(): Promise<void> {
  while (views.counts.pending >= capacity) await views.flush();
}

/** Replaces the taken lines with others. The rename is atomic, so the file is never half written. */
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

/** Writes lines, with a line break before each in case the last write was cut off. Prints lines that cannot be written. */
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

/** A view as a line of the file. Its idempotency key stays the same for every attempt. */
function toLine(view: QueuedEvent): string {
  return JSON.stringify({ idempotencyKey: randomUUID(), ...view });
}
