// Identifiers with more digits than a number holds, written shorter, so that learning can take them for the numbers they are.
import { isNumberId } from "./answers.ts";
import { idsOf, type Visit } from "./visit.ts";

/** The same visit, every long identifier of digits shortened wherever it stands: what was text stays text, what was a number one. */
export function shortenIds<Value extends readonly [Visit, ...unknown[]]>(said: Value): Value {
  const long = idsOf(said[0]).filter((id) => isNumberId(id) && id.length > 15);
  if (long.length === 0) return said;
  const mark = new RegExp(`(?<!\\d)(?:${long.join("|")})(?!\\d)`, "g");
  // One exchange stays one exchange, wherever it is named.
  const known = new Map<object, unknown>();
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(mark, (id) => `9${id.slice(-14)}`);
    if (typeof value !== "object" || value === null) return value;
    if (!known.has(value)) {
      const entries = Object.entries(value).map(([name, inner]) => [name, shorten(inner)] as const);
      known.set(value, Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries));
    }
    return known.get(value);
  };
  return shorten(said) as Value; // why: only texts are other ones
}
