// Bodies as they came, and what an error keeps of one: enough to find an identifier in it, little enough for a log.
import { type FoundProblem, parseExactJson, readBody } from "@landing-page-service/contract/internal";
import type { ApiProblem } from "../report/errors.ts";
import { quote } from "../report/messages.ts";

/** Cuts what an error body says to what a message may quote. */
export function quoteProblem({ detail, errors, type }: FoundProblem): ApiProblem {
  return {
    detail: quote(detail),
    errors: errors.map((error) => ({ pointer: quote(error.pointer), detail: quote(error.detail) })),
    ...(type === undefined ? {} : { type: quote(type) }),
  };
}

/** The body of a response as it came: parsed JSON, the text that is not JSON, or `undefined` when there is nothing. */
export function parseBody(text: string): unknown {
  return text.trim() === "" ? undefined : (parseExactJson(text) ?? text);
}

/**
 * Whether a response is an HTML document: a proxy's, or a login page, and not the service's. Its media type is not enough, because web
 * frameworks send an `OK`, and even JSON, as `text/html`.
 */
export function isHtmlDocument({ headers, text }: { readonly headers: Headers; readonly text: string }): boolean {
  if (readBody(text).kind === "html") return true;
  const isNamedSo = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get("Content-Type") ?? "");
  return isNamedSo && /^\s*</.test(text);
}

/** Whether JSON was broken off: a proxy that lost the rest may have ended the body cleanly. */
export function isCutShort(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  // Without its strings, JSON that is whole closes all that it opens.
  const signs = text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, "");
  if (signs.includes('"')) return true;
  return signs.replaceAll(/[^[{]/g, "").length > signs.replaceAll(/[^\]}]/g, "").length;
}

const mostParts = 500;
const longestText = 500;
const deepest = 8;

/** Parses a body and cuts what is long or deep; `undefined` when there is none. Every string goes through `hide` before it is cut. */
export function boundBody(text: string | undefined, hide: (text: string) => string): unknown {
  let parts = 0;
  const cut = (each: string) => {
    const shown = hide(each.slice(0, 20_000));
    return shown.length <= longestText ? shown : `${shown.slice(0, longestText - 1)}…`;
  };
  const bound = (value: unknown, level: number): unknown => {
    parts += 1;
    if (typeof value === "string") return cut(value);
    if (typeof value !== "object" || value === null) return value;
    if (level >= deepest) return "…";
    const entries = Object.entries(value);
    const kept = entries
      .slice(0, mostParts)
      .flatMap(([name, each]) => (parts < mostParts ? [[cut(name), bound(each, level + 1)] as const] : []));
    if (!Array.isArray(value)) return Object.fromEntries(kept);
    const items = kept.map(([, each]) => each);
    return items.length < value.length ? [...items, `… ${value.length - items.length} more`] : items;
  };
  return text === undefined ? undefined : bound(parseBody(text), 0);
}
