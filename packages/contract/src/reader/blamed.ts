// The fields that an object of an error body blames, by the members that name them.
import { type Holder, holderOf } from "./holder.ts";
import { isObject, type JsonObject } from "../json.ts";
import { fieldRank, isSureField, roleOf } from "./problem-names.ts";

const mostFields = 100;

/**
 * Gives the fields that an object blames, as paths: named by a member, by steps in an array, or one level further in.
 * A name that may mean something else (`name`, `key`, `source`) counts where `isOneOfSeveral`.
 */
export function findBlamed(holder: Holder, isOneOfSeveral: boolean): string[] {
  const { value, members } = holder;
  const named = rankNames(holder).filter(({ name, rank }) => rank <= 3 || !isElsewhere(holder, name));
  for (const { name, rank } of named) {
    if (!isSureField(rank) && !isOneOfSeveral && /^(?:name|key|source|in|element)$/i.test(name)) continue;
    // Parameters are those of a template as often.
    if (/(?:param|parameter)s$/i.test(name) && !isOneOfSeveral) continue;
    const found = readFields(value[name], name.endsWith("s") && !name.endsWith("address"));
    if (found.length > 0) return found;
  }
  for (const name of members.values()) {
    const inner = value[name];
    if (!isObject(inner) || roleOf(name).kind === "never") continue;
    const found = findInner(inner, fieldRank(name) === undefined);
    if (found !== undefined) return [found];
  }
  return [];
}

/** The path of an answer, of the request itself, or a key into a table of texts. */
function isElsewhere({ value, members }: Holder, name: string): boolean {
  if (/key$/i.test(name)) return members.has("args") || members.has("arguments") || members.has("translation");
  if (!/path$/i.test(name)) return false;
  if (members.has("locations") || members.has("extensions")) return true;
  return (
    ["timestamp", "status", "statuscode", "method"].some((key) => members.has(key)) &&
    String(value[name]).startsWith("/")
  );
}

function readFields(value: unknown, areSeveral: boolean): string[] {
  if (typeof value === "string") return isFieldName(value) ? [value] : [];
  if (!Array.isArray(value)) return [];
  const steps = value.slice(0, mostFields) as readonly unknown[]; // why: an array's elements are `any`
  if (steps.every(Array.isArray)) return steps.flatMap((each) => readFields(each, false)).slice(0, mostFields);
  if (!steps.every((step) => typeof step === "number" || (typeof step === "string" && !/\s/.test(step)))) return [];
  if (areSeveral) return steps.filter((step) => typeof step === "string" && isFieldName(step)).map(String);
  // A place in the request is told before the field at times.
  const path = steps.filter((step, index) => index > 0 || steps.length === 1 || !places.test(String(step)));
  return path.length === 0 ? [] : [path.join("/")];
}

function findInner(inner: JsonObject, isSure: boolean): string | undefined {
  const holder = holderOf(inner);
  const { value, members } = holder;
  const named = rankNames(holder).filter(({ rank }) => !isSure || isSureField(rank));
  if (
    isSure &&
    [...members.values()].some((name) => roleOf(name).kind === "sentence" && typeof value[name] === "string")
  )
    return undefined;
  return named.flatMap(({ name }) => readFields(value[name], false))[0];
}

/** The names that may name a field, the surest first. */
function rankNames({ members }: Holder): { name: string; rank: number }[] {
  return [...members.values()]
    .map((name) => ({ name, rank: fieldRank(name) ?? Number.NaN }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((one, other) => one.rank - other.rank);
}

const places =
  /^(?:body|query|path|headers?|cookies?|params?|payload|json|form|formdata|uri|url|request|parameter|field)$/i;

/** A field, and neither a sentence, an address, a part of the request nor the name of an error. */
function isFieldName(text: string): boolean {
  return (
    text !== "" &&
    text.length <= 200 &&
    !/\s|:\/\//.test(text) &&
    !places.test(text) &&
    !/^(?:[A-Z]{2,}(?:_[A-Z]+)+|\w*(?:Error|Exception))$/.test(text)
  );
}
