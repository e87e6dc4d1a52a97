// Bodies as they came, and what an error keeps of one: enough to find an identifier in it, little enough for a log, and never the key.
import { findProblem, readBody } from "@landing-page-service/contract";
import type { ApiProblem } from "./report/errors.ts";
import { quote } from "./report/messages.ts";
import { hideKey } from "./redact.ts";

/** Finds what an error body says, cut to what a message may quote; a body that says nothing gives an empty detail. Gap: see docs/spec-gaps.md#error-body */
export function readProblem(text: string): ApiProblem {
  const { detail, errors, type } = findProblem(text);
  return {
    detail: quote(detail),
    errors: errors.map((error) => ({ pointer: quote(error.pointer), detail: quote(error.detail) })),
    ...(type === undefined ? {} : { type: quote(type) }),
  };
}

/** The body of an answer as it came: parsed JSON, the text that is none, or `undefined` when there is nothing. */
export function readWhole(text: string): unknown {
  const body = readBody(text);
  return body.kind === "json" ? body.value : body.kind === "empty" ? undefined : text;
}

/** Whether a text begins as JSON and ends within it: what lost the rest, a proxy perhaps, may have ended it cleanly. */
export function isCutShort(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at);
    else if (letter === "{" || letter === "[") depth += 1;
    else if (letter === "}" || letter === "]") depth -= 1;
  }
  return depth > 0;
}

/** Where a string ends that begins at a place; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
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
