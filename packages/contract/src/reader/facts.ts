// Arrays and objects of an answer as rows of facts: where they are, their members by what they are called, and what is worked out of them once.
import { isObject, type JsonObject } from "../json.ts";
import { keyOf } from "./names.ts";
import { type Naming, namingOf, renamed } from "./naming.ts";

/** An array or an object of an answer, also one in a text that is JSON, or nothing in its place. */
export interface Place {
  readonly value: unknown;
  /** Names on the way to it from the top; an index for an element of an array. */
  readonly path: readonly string[];
  /** The object around it. */
  readonly above: Holder | undefined;
  /** Whether it is in an element of an array beside others: then it is only the page when it says so. */
  readonly isOneOfSeveral: boolean;
}

/** A place that is an object, or an array that is written for one. */
export interface Holder extends Place {
  readonly value: JsonObject;
  /** Names of its members by key, the way they are compared; of a very large object the first two hundred. */
  readonly members: ReadonlyMap<string, string>;
  /** What its names share, or those around it. */
  readonly naming: Naming | undefined;
  /** What has been worked out of it. */
  readonly facts: Record<number, unknown>;
}

const mostMembers = 200;

/** Whether a place is an object. */
export function isHolder(place: Place): place is Holder {
  return "members" in place;
}

/** Makes a row of an object. */
export function holderOf(
  value: JsonObject,
  path: readonly string[] = [],
  above?: Holder,
  isOneOfSeveral = above?.isOneOfSeveral ?? false,
): Holder {
  const own = readMembers(value);
  const naming = namingOf(value, own) ?? above?.naming;
  return { value, path, above, members: naming ? renamed(own, naming) : own, isOneOfSeveral, naming, facts: {} };
}

function readMembers(value: JsonObject): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let count = 0;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if ((count += 1) > mostMembers) break;
    const key = keyOf(name);
    // The plainest spelling wins: `id` over `_id`, `Type` over `@Type`.
    const known = members.get(key);
    if (known === undefined || name === key || (/^\W|^_/.test(known) && /^\w/.test(name))) members.set(key, name);
  }
  return members;
}

let facts = 0;

/** Makes a fact of an object, worked out once. */
export function fact<Value>(tell: (holder: Holder) => Value): (holder: Holder) => Value {
  const at = (facts += 1);
  return (holder) => {
    if (!(at in holder.facts)) holder.facts[at] = tell(holder);
    return holder.facts[at] as Value; // why: only this fact is kept there
  };
}

/** The names of the members of an object as its record means them, each with the name as it is written. */
export const membersOf = fact(({ members, naming }) =>
  [...members].map(([key, name]) => {
    const meant = naming?.(name) ?? name;
    return [keyOf(meant) === key ? meant : name, name] as const;
  }),
);

/** The value of the first of these keys that an object has; `undefined` when it has none of them or only `null`. */
export function member(holder: Holder, asked: readonly string[]): { name: string; value: unknown } | undefined {
  for (const key of asked) {
    const name = holder.members.get(key);
    const value = name === undefined ? undefined : holder.value[name];
    if (name !== undefined && value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Objects right inside a holder under these keys: they hold its identifier and its moments. */
export function innerHolders(holder: Holder, asked: readonly string[]): Holder[] {
  return [...holder.members].flatMap(([key, name]) => {
    const value = asked.includes(key) || name === "$" ? holder.value[name] : undefined;
    return isObject(value) ? [holderOf(value, [...holder.path, name], holder)] : [];
  });
}

/** The objects around an object, the innermost first. */
export function ancestorsOf({ above }: Holder): Holder[] {
  return above === undefined ? [] : [above, ...ancestorsOf(above)];
}

/** The names on the way to an object from the top of the answer, or of the element of a list. */
export const wayTo = fact((holder) => holder.path.slice((ancestorsOf(holder).at(-1) ?? holder).path.length));

/** Writes a place as a JSON pointer. Source: RFC 6901, section 6. */
export function pointerOf(path: readonly string[]): string {
  let pointer = "#";
  for (const name of path)
    pointer += `/${/[~/]/.test(name) || name.length > 100 ? name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1") : name}`;
  return pointer;
}

/** Whether a value is nothing, or holds nothing. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) for (const name in value) if (Object.hasOwn(value, name)) return false;
  return typeof value === "object";
}
