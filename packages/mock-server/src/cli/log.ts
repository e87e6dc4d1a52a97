import type { AnsweredRequest } from "../node.ts";

/** Longest path that a line shows, in characters. */
const longestPath = 200;

/** A line of text for a person who watches: `12:30:05.123 201 POST /api/content 1.4 ms test_…demo req_…`. */
export function textLine(answered: AnsweredRequest, now: Date): string {
  const { status, wire, method, path, durationMs, key, id } = answered;
  const parts = [
    now.toISOString().slice(11, 23),
    wire ?? status ?? "gone",
    method === undefined ? "not HTTP" : `${method} ${shorten(path ?? "")}`,
    `${durationMs.toFixed(1)} ms`,
    key,
    id,
  ];
  return `${parts.filter((part) => part !== undefined).join(" ")}\n`;
}

/** The same as a line of JSON, with `time` and `event` before it. */
export function jsonLine(event: string, details: object, now: Date): string {
  return `${JSON.stringify({ time: now.toISOString(), event, ...details })}\n`;
}

/** What came is shown as it came, but for what a terminal would obey. */
function shorten(path: string): string {
  const shown = path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
  return shown.replaceAll(/[^\x20-\x7e…]/g, "?");
}
