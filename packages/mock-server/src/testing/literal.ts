// Values in messages, the way a person would write them in a program.
import { types } from "node:util";
import { isAsymmetric } from "./keep.ts";
import { isPattern } from "./match.ts";

/** Writes a value as in a program; patterns and asymmetric matchers by what they look for. */
export function showLiteral(value: unknown): string {
  if (isPattern(value)) return String(value);
  if (isAsymmetric(value)) return showAsymmetric(value);
  if (Array.isArray(value)) return `[${value.map(showLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{ ${members.map(([name, member]) => `${showName(name)}: ${showLiteral(member)}`).join(", ")} }`;
}

function showName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Runners print some of theirs by methods, and others by what they were made with. */
function showAsymmetric(value: object): string {
  if ("toAsymmetricMatcher" in value && typeof value.toAsymmetricMatcher === "function")
    return String(value.toAsymmetricMatcher());
  const { name } = value.constructor;
  return "sample" in value ? `${name} ${showLiteral(value.sample)}` : name;
}

/** What kind of thing was given instead of what was expected. */
export function tellKind(value: unknown): string {
  if (types.isPromise(value)) return "a promise: await it";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return "an object of another kind";
  return JSON.stringify(value) ?? String(value);
}
