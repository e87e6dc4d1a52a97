// The fields that an object of an error body blames, by the members that name them.
import { isObject, type JsonObject } from "../json.ts";
import { type Holder, holderOf } from "./holder.ts";
import { meaningOf, sureFieldRank } from "./problem-names.ts";

const mostFields = 100;

/**
 * Gives the fields that an object blames, as paths: named by a member, by steps in an array, or one level further in.
 * A name that may mean something else (`name`, `key`, `source`) counts where `isOneOfSeveral`.
 */
export function findBlamed(holder: Holder, isOneOfSeveral: boolean): string[] {
  const { value, members } = holder;
  for (const { name, rank } of rankNames(holder)) {
    if (rank > sureFieldRank && isDoubtful(holder, name, isOneOfSeveral)) continue;
    // Parameters are those of a template as often.
    if (/(?:param|parameter)s$/i.test(name) && !isOneOfSeveral) continue;
    const found = readFields(value[name], name.endsWith("s") && !name.endsWith("address"));
    if (found.length > 0) return found;
  }
  const inner = [...members.values()].flatMap((name) => {
    const each = value[name];
    return isObject(each) && meaningOf(name).kind !== "never" ? findInner(each, name) : [];
  });
  return inner.slice(0, 1);
}

/** Whether a name that may mean a field means something else: the path of an answer, of the request itself, or a key into a table of texts. */
function isDoubtful({ value, members }: Holder, name: string, isOneOfSeveral: boolean): boolean {
  if (!isOneOfSeveral && /^(?:name|key|source|in|element)$/i.test(name)) return true;
  const has = (...keys: readonly string[]) => keys.some((key) => members.has(key));
  if (/key$/i.test(name)) return has("args", "arguments", "translation");
  if (!/path$/i.test(name)) return false;
  const isAddress = String(value[name]).startsWith("/") && has("timestamp", "status", "statuscode", "method");
  return isAddress || has("locations", "extensions");
}

function findInner(inner: JsonObject, name: string): string[] {
  const holder = holderOf(inner);
  const isNamed = meaningOf(name).fieldRank !== undefined;
  const says = (each: string) => meaningOf(each).kind === "sentence" && typeof inner[each] === "string";
  if (!isNamed && [...holder.members.values()].some(says)) return [];
  const named = rankNames(holder).filter(({ rank }) => isNamed || rank <= sureFieldRank);
  return named.flatMap((each) => readFields(inner[each.name], false));
}

/** The names that may name a field, the surest first. */
function rankNames({ members }: Holder): { name: string; rank: number }[] {
  return [...members.values()]
    .flatMap((name) => {
      const rank = meaningOf(name).fieldRank;
      return rank === undefined ? [] : [{ name, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank);
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

const places =
  /^(?:body|query|path|headers?|cookies?|params?|payload|json|form|formdata|uri|url|request|parameter|field)$/i;

/** A field, and neither a sentence, an address, a part of the request nor the name of an error. */
function isFieldName(text: string): boolean {
  const isOther = places.test(text) || /\s|:\/\/|^$|^(?:[A-Z]{2,}(?:_[A-Z]+)+|\w*(?:Error|Exception))$/.test(text);
  return text.length <= 200 && !isOther;
}
