// Bodies as they came, and what an error keeps of one: enough to find an identifier in it, little enough for a log, and never the key.
import { findProblem, type FoundProblem, parseExactJson, readBody } from "@landing-page-service/contract/internal";
import type { ApiProblem } from "../report/errors.ts";
import { quote } from "../report/messages.ts";

/** Finds what an error body says, cut to what a message may quote; a body that says nothing gives an empty detail. Gap: see docs/spec-gaps.md#error-body */
export function readProblem(text: string, found: FoundProblem = findProblem(text)): ApiProblem {
  const { detail, errors, type } = found;
  return {
    detail: quote(detail),
    errors: errors.map((error) => ({ pointer: quote(error.pointer), detail: quote(error.detail) })),
    ...(type === undefined ? {} : { type: quote(type) }),
  };
}

/** The body of a response as it came: parsed JSON, the text that is not JSON, or `undefined` when there is nothing. */
export function readWhole(text: string): unknown {
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
  // Without its texts, JSON that is whole closes all that it opens.
  const signs = text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, "");
  if (signs.includes('"')) return true;
  return signs.replaceAll(/[^[{]/g, "").length > signs.replaceAll(/[^\]}]/g, "").length;
}

const mostParts = 500;
const longestText = 500;
const deepest = 8;

/** Parses a body, takes the key out, and cuts what is long or deep; `undefined` when there is none. */
export function boundBody(text: string | undefined, key: string): unknown {
  if (text === undefined) return undefined;
  let parts = 0;
  const bound = (value: unknown, level: number): unknown => {
    parts += 1;
    if (typeof value === "string") return cut(hideKey(value.slice(0, 20_000), key));
    if (typeof value !== "object" || value === null) return value;
    if (level >= deepest) return "…";
    if (Array.isArray(value)) {
      const kept: unknown[] = [];
      for (const each of value) {
        if (parts >= mostParts) break;
        kept.push(bound(each, level + 1));
      }
      return kept.length < value.length ? [...kept, `… ${value.length - kept.length} more`] : kept;
    }
    const kept: [string, unknown][] = [];
    for (const name in value) {
      if (parts >= mostParts) break;
      if (Object.hasOwn(value, name)) kept.push([cut(hideKey(name, key)), bound(Reflect.get(value, name), level + 1)]);
    }
    return Object.fromEntries(kept);
  };
  return bound(readWhole(text), 0);
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}

/** Takes the API key out of a text that the error redacts again once it is finished. */
export function hideKey(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "[API key]");
}
