// How a refusal names what was meant.
import { nearest } from "../nearest.ts";

/** A hint at the nearest known name, ready to be put behind the wrong one; empty when none is near. */
export function suggest(name: string, candidates: readonly string[], before = '"', after = before): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` (did you mean ${before}${candidate}${after}?)`;
}

/** A value as it would stand in JSON, at most 100 characters of it; what cannot, by its kind. */
export function quote(value: unknown): string {
  const text = writeJson(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Names to choose from. */
export function oneOf(names: readonly string[]): string {
  return names.map(quote).join(", ");
}

/** @throws {TypeError} when an object has a member that is not known, naming the nearest one that is. */
export function checkMembers(value: Readonly<Record<string, unknown>>, known: readonly string[], what: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${what} has no member ${quote(unknown)}${suggest(unknown, known)}: expected ${oneOf(known)}.`);
}
