// Parses response bodies, and cuts the copy that an error keeps. It is long enough to find an identifier and short enough for a log.
import { type FoundProblem, isHtml, parseExactJson } from "@landing-page-service/contract/internal";
import type { ApiProblem } from "../report/errors.ts";
import { quote } from "../report/messages.ts";

/** Cuts the problem in an error body to a length that a message may quote. `hide` redacts keys. */
export function quoteProblem({ detail, errors, type }: FoundProblem, hide: (text: string) => string): ApiProblem {
  const shown = (text: string) => hide(quote(text));
  return {
    detail: shown(detail),
    errors: errors.map((error) => ({ pointer: shown(error.pointer), detail: shown(error.detail) })),
    ...(type !== undefined && { type: shown(type) }),
  };
}

/** Parses the body of a response. Returns the JSON value, a string if it is not JSON, or `undefined` if it is empty. */
export function parseBody(text: string): unknown {
  return text.trim() === "" ? undefined : (parseExactJson(text) ?? text);
}

/**
 * Whether a response is an HTML document, which comes from a proxy or a login page and not from the service. The media type is not
 * enough, because web frameworks send an `OK`, and even JSON, as `text/html`.
 */
export function isHtmlDocument({ headers, text }: { readonly headers: Headers; readonly text: string }): boolean {
  if (isHtml(text)) return true;
  const isNamedSo = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get("Content-Type") ?? "");
  return isNamedSo && /^\s*</.test(text);
}

/** Whether JSON is cut short. A proxy that lost the rest may have ended the body cleanly. */
export function isCutShort(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  // Complete JSON closes every bracket that it opens outside of strings.
  const signs = text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, "");
  if (signs.includes('"')) return true;
  return signs.replaceAll(/[^[{]/g, "").length > signs.replaceAll(/[^\]}]/g, "").length;
}

const mostParts = 500;
const longestText = 500;
const deepest = 8;

/** Parses a body and cuts long and deep values; `undefined` when there is no body. Every string goes through `hide` before it is cut. */
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
    const kept = Object.entries(value).flatMap(([name, each]) =>
      parts < mostParts ? [[cut(name), bound(each, level + 1)] as const] : [],
    );
    if (!Array.isArray(value)) return Object.fromEntries(kept);
    const items = kept.map(([, each]) => each);
    return items.length < value.length ? [...items, `… ${value.length - items.length} more`] : items;
  };
  return text === undefined ? undefined : bound(parseBody(text), 0);
}
