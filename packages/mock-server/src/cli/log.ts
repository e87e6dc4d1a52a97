import type { AnsweredRequest } from "../node.ts";
import type { AccountSummary } from "../service/mock-service.ts";
import { showKey } from "../state/accounts.ts";

/** Longest path that a line shows, in characters. */
const longestPath = 200;

/** A line of text for a person who watches: `12:30:05.123 201 POST /api/content 1.4 ms test_…demo req_…`. */
export function textLine(answered: AnsweredRequest, now: Date): string {
  const { status, wire, method, path = "", durationMs, key, id } = answered;
  const shownPath = path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
  const parts = [
    now.toISOString().slice(11, 23),
    wire ?? status ?? "gone",
    method === undefined ? "not HTTP" : `${method} ${escapeControls(shownPath)}`,
    `${durationMs.toFixed(1)} ms`,
    key,
    id,
  ];
  return `${parts.filter((part) => part !== undefined).join(" ")}\n`;
}

/** A line of text for a sandbox that made room: `12:30:05.123 evicted test_…demo: 3 pages, 1 event, unused for longest`. */
export function evictionLine(summary: AccountSummary, now: Date): string {
  const { account, pages, events } = redactSummary(summary);
  const held = `${pages} ${pages === 1 ? "page" : "pages"}, ${events} ${events === 1 ? "event" : "events"}`;
  return `${now.toISOString().slice(11, 23)} evicted ${account}: ${held}, unused for longest\n`;
}

/** What a log may tell of a sandbox: not its key. */
export function redactSummary({ account, pages, events }: AccountSummary): Omit<AccountSummary, "rateLimit"> {
  return { account: showKey(account), pages, events };
}

/** What happened as a line of JSON, with `time` and `event` before it. */
export function jsonLine(event: string, details: object, now: Date): string {
  return `${escapeControls(JSON.stringify({ time: now.toISOString(), event, ...details }))}\n`;
}

/** Text of others on one line, with the characters escaped that a terminal would obey: `\u001b`. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}
