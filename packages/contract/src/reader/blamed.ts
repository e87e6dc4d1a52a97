// The fields that an object of an error body blames, by the members that name them.
import { isObject } from "../json.ts";
import { type Holder, holderOf } from "./facts.ts";
import { meaningOf, says } from "./problem-names.ts";

const mostFields = 100;

/** Gives the fields that an object blames, as paths; a name that may mean something else counts where it is one of several. */
export function findBlamed({ value, members }: Holder, isListed: boolean, level = 0): string[] {
  const names = [...members.values()];
  const sure = names.filter((name) => meaningOf(name).names === "field");
  const doubtful = names.filter((name) => isListed && meaningOf(name).names === "perhaps");
  for (const name of [...sure, ...doubtful]) {
    const said = value[name];
    // The path of a request, that of an answer, and the key of a text in a table.
    const isAddress = !isListed && typeof said === "string" && said.startsWith("/");
    const isOther = /path$/i.test(name)
      ? isAddress || members.has("extensions")
      : /key$/i.test(name) && members.has("args");
    const found = isOther ? [] : readFields(said, name.endsWith("s"));
    if (found.length > 0) return found;
  }
  for (const name of level < 2 ? names : []) {
    const inner = value[name];
    const isNamed = meaningOf(name).names !== "no";
    if (!isObject(inner) || (!isNamed && says(inner))) continue;
    const found = findBlamed(holderOf(inner), isNamed, level + 1);
    if (found.length > 0) return found.slice(0, 1);
  }
  return [];
}

function readFields(value: unknown, areSeveral: boolean): string[] {
  if (typeof value === "string") return isFieldName(value) ? [value] : [];
  if (!Array.isArray(value)) return [];
  const steps = value.slice(0, mostFields) as readonly unknown[]; // why: an array's elements are `any`
  if (steps.every(Array.isArray)) return steps.flatMap(readPath);
  return areSeveral ? steps.filter((step) => typeof step === "string").filter(isFieldName) : readPath(steps);
}

function readPath(steps: readonly unknown[]): string[] {
  const texts = steps
    .slice(0, mostFields)
    .map((step) => (typeof step === "string" || typeof step === "number" ? String(step) : " "));
  // What was asked for, and places in the request, are told before the field at times.
  const start = texts.findIndex(
    (step, at) => !operations.test(step) && (at === texts.length - 1 || !places.test(step)),
  );
  const path = start < 0 ? [] : texts.slice(start);
  return path.length === 0 || path.some((step) => /\s/.test(step)) ? [] : [path.join("/")];
}

/** What a GraphQL service was asked to do: `createPage`. */
const operations = /^(?:create|update|edit|save|publish|upsert|delete|list)[A-Z_]/;
const places =
  /^(?:body|query|path|headers?|cookies?|params?|payload|json|form|formdata|input|uri|url|request|parameter|field)$/i;

/** A field, and neither a sentence, an address, a part of the request nor the name of an error. */
function isFieldName(text: string): boolean {
  const isOther = places.test(text) || /\s|:\/\/|^$|^(?:[A-Z]{2,}(?:_[A-Z]+)+|\w*(?:Error|Exception))$/.test(text);
  return text.length <= 200 && !isOther;
}
