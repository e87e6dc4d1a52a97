import { types } from "node:util";

/** What kind of thing was given instead of what was expected. */
export function tellKind(value: unknown): string {
  if (types.isPromise(value)) return "a promise: await it";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return "an object of another kind";
  return JSON.stringify(value) ?? String(value);
}
