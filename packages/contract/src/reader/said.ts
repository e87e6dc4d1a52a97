// Walks through an error body and gives every text that may be what a person would read, and where it stands. Pure.
import { isObject } from "../json.ts";
import { findBlamed } from "./blamed.ts";
import { parseInner } from "./body.ts";
import { readText } from "./fields.ts";
import { type Holder, holderOf } from "./facts.ts";
import { type Looks, looksOf, readable } from "./looks.ts";
import { isPath, type Meaning, meaningOf, says } from "./problem-names.ts";
import { isDocumented } from "./names.ts";

/** A text of an error body. */
export interface Said {
  readonly text: string;
  readonly looks: Looks;
  /** The field of which it speaks, as a path; empty when of none. */
  readonly field: string;
  /** Whether it stands in an array of details or a map from fields. */
  readonly isListed: boolean;
  /** How far it is from the sentence a person would read: 0 is near, 8 and more is a code. */
  readonly cost: number;
  /** How much of that is because of what it stands in: more than 0 says that it may be about something else. */
  readonly aside: number;
}

/** What a text stands in. */
interface Place extends Pick<Said, "field" | "isListed" | "aside">, Pick<Meaning, "isAboutError" | "map"> {
  /** Objects and arrays around. */
  readonly level: number;
  /** Whether the field has been named beside: names further in are those of the rules that were broken. */
  readonly isNamed: boolean;
  /** How many values may still be looked at. */
  readonly budget: { left: number };
}

/** How a text is meant, by the name it stands under. */
type Role = Pick<Meaning, "kind" | "cost">;

const deepest = 10;
const mostValues = 3000;
const mostItems = 100;
const looksCost: Readonly<Record<Looks, number>> = { sentence: 0, headline: 4, word: 5, code: 8 };
const plain: Role = { kind: "sentence", cost: 0.4 };
const top = { field: "", isListed: false, level: 0, aside: 0, isAboutError: true, map: "no", isNamed: false } as const;

/** Gives every text of a parsed error body that may be what a person would read. */
export function findSaid(body: unknown): Said[] {
  return read(body, plain, { ...top, budget: { left: mostValues } });
}

/** The text that costs least, the first of several. */
export function nearest(said: readonly Said[]): Said | undefined {
  return said.toSorted((one, other) => one.cost - other.cost)[0];
}

function read(value: unknown, role: Role, place: Place): Said[] {
  if ((place.budget.left -= 1) < 0 || place.level > deepest) return [];
  const inner = parseInner(value);
  if (typeof inner === "string") return readString(inner, role, place);
  if (Array.isArray(inner)) return readArray(inner, place);
  return isObject(inner) ? readObject(holderOf(inner), place) : [];
}

function readString(
  value: string,
  { kind, cost }: Role,
  { isAboutError, field, isListed, aside: around }: Place,
): Said[] {
  const text = readable(value);
  const looks = looksOf(text);
  const isExpected = kind === "sentence" || (kind === "headline" && isAboutError);
  const mayBe = looks === "sentence" && kind !== "headline" && kind !== "never";
  if (text === "" || !(isExpected || mayBe || (kind === "code" && isListed))) return [];
  const aside = Math.max(around, isAboutError ? 0 : 1);
  return [{ text, looks, field, isListed, aside, cost: aside + cost + looksCost[looks] + (isExpected ? 0 : 6) }];
}

function readArray(array: readonly unknown[], place: Place): Said[] {
  // Of several messages for one field the first says enough.
  const isOneEnough = place.field !== "" && typeof array[0] === "string";
  const inner = { ...place, isListed: true, level: place.level + 1 };
  return array.slice(0, isOneEnough ? 1 : mostItems).flatMap((item) => read(item, plain, inner));
}

function readObject(holder: Holder, around: Place): Said[] {
  const blamed = findBlamed(holder, around.isListed);
  const isTold = blamed.length > 0 || says(holder.value, ["sentence", "code", "mark"]);
  const place: Place = {
    ...around,
    level: around.level + 1,
    field: blamed[0] ?? around.field,
    isAboutError: around.isAboutError || isTold,
    map: isTold ? "no" : around.map,
    isNamed: around.isNamed || blamed.length > 0,
  };
  const own: Said[] = [];
  const inner: Said[] = [];
  for (const name of holder.members.values()) {
    const meaning = meaningOf(name);
    const { isAboutError, map } = meaning;
    const value = readLanguages(holder.value[name]) ?? holder.value[name];
    const field = fieldOf(name, value, place);
    const aside = Math.max(meaning.aside, place.aside);
    if (field !== undefined)
      inner.push(...read(value, plain, { ...place, field, isListed: true, isAboutError: true, map: "sure" }));
    else if (typeof value === "string") own.push(...read(value, meaning, place));
    else if (meaning.kind !== "never" || isDocumented(name))
      inner.push(...read(value, meaning, { ...place, isAboutError, map, aside }));
  }
  return tell(own, inner, blamed, place);
}

/** The field that a member speaks of by its name, as a path; `undefined` when the name is of none. */
function fieldOf(name: string, value: unknown, { field, map, level, isNamed }: Place): string | undefined {
  const { kind } = meaningOf(name);
  const isKnown = isDocumented(name) || isPath(name);
  const mayHold = map !== "no" && (isKnown || map !== "documented");
  const looks = typeof value === "string" ? looksOf(value) : undefined;
  // Beside a field that is named, names further in are those of the rules that were broken.
  if (isNamed && mayHold && looks === "sentence") return field;
  if (!isKnown && (kind === "sentence" || kind === "around")) return undefined;
  const isSaying = looks === "sentence" || isMessages(value) || says(value);
  const isSure = map === "sure" && (isSaying || isKnown || looks !== undefined || kind !== "never");
  const isOwn = isKnown && looks === undefined && (level === 1 || says(value));
  // Of a slug that was sent nobody would think that it is a headline.
  const isTold = isSaying || (kind === "never" && isKnown && looks === "headline");
  const mayBe = (isKnown || kind === "other") && (mayHold || isOwn);
  return isSure || (mayBe && isTold) ? [field, name].filter(Boolean).join("/") : undefined;
}

/** Messages for one field: texts, problems, or a map of such for what is in it. A few tell for all. */
function isMessages(value: unknown, level = 0): boolean {
  if (Array.isArray(value))
    return value.slice(0, 10).every((each) => says(each) || (typeof each === "string" && looksOf(each) !== "code"));
  if (!isObject(value) || level > 2) return false;
  const names = [...holderOf(value).members.values()].slice(0, 10);
  return names.every((name) => isMessages(value[name], level + 1));
}

const languageNames =
  /^(?:lang|language|locale|value|text|default|raw|html|plain|markdown|format|[a-z]{2}(?:[-_][a-z]{2,4})?)$/i;

/** A text with its language, or one in several languages. */
function readLanguages(value: unknown): string | undefined {
  const isText = isObject(value) && [...holderOf(value).members.values()].every((name) => languageNames.test(name));
  return isText ? readText(value) : undefined;
}

/** Of an object's own texts the best one is told, unless what is listed in it says more. */
function tell(own: readonly Said[], inner: readonly Said[], blamed: readonly string[], place: Place): Said[] {
  const best = nearest(own);
  if (best === undefined) return [...inner];
  if (!place.isListed && place.field === "") return [best, ...inner];
  const more = inner.filter(({ looks, aside }) => looksCost[looks] <= looksCost[best.looks] && aside <= best.aside);
  if (more.length > 0) return [{ ...best, field: "", isListed: false }, ...more];
  return blamed.length > 1 ? blamed.map((field): Said => ({ ...best, field })) : [best];
}
