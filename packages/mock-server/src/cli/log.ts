import type { AnsweredRequest } from "../node.ts";
import type { AccountSummary } from "../service/context.ts";
import { showKey } from "../state/accounts.ts";

/** Longest path that a line shows, in characters. */
const longestPath = 200;

/** Logs each event on a line, as text or as JSON with `time` and `event`. */
export interface Log {
  /** `12:30:05.123 201 POST /api/content 1.4 ms test_…demo req_…` */
  readonly request: (answered: AnsweredRequest) => void;
  /** `12:30:05.123 evicted test_…demo: 3 pages, 1 event, unused for longest` */
  readonly evicted: (summary: AccountSummary) => void;
}

/** Makes the log. */
export function createLog(form: "text" | "json" | "quiet", print: (text: string) => void): Log {
  function write(event: string, details: object, text: string): void {
    const now = new Date();
    if (form === "json") print(jsonLine(event, details, now));
    if (form === "text") print(`${now.toISOString().slice(11, 23)} ${text}\n`);
  }
  return {
    request: (answered) => write("request", answered, describeRequest(answered)),
    evicted({ account, pages, events }) {
      const shown = showKey(account);
      const held = `${countOf(pages, "page")}, ${countOf(events, "event")}`;
      write("evicted", { account: shown, pages, events }, `evicted ${shown}: ${held}, unused for longest`);
    },
  };
}

function describeRequest({ status, wire, method, path, durationMs, key, id }: AnsweredRequest): string {
  const shownPath = path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
  const parts = [wire ?? status ?? "gone", `${method} ${shownPath}`, `${durationMs.toFixed(1)} ms`, key, id];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** An event as a line of JSON, with `time` and `event` before it. */
export function jsonLine(event: string, details: object, now: Date): string {
  return `${escapeControls(JSON.stringify({ time: now.toISOString(), event, ...details }))}\n`;
}

/** A number with its noun. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Escapes line breaks and control characters, such as `\u001b`, which a terminal would obey. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
