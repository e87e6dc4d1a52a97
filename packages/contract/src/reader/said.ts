// Walks through an error body and gives every text that may be what a person would read, and where it stands. Pure.
import { isObject, type JsonObject, parseJson } from "../json.ts";
import { findBlamed } from "./blamed.ts";
import { readText } from "./fields.ts";
import { type Holder, holderOf } from "./holder.ts";
import { type Looks, looksOf, readable } from "./looks.ts";
import { isEnvelope, isNoField, isPath, type Meaning, meaningOf } from "./problem-names.ts";
import { isDocumented } from "./words.ts";

/** A text of an error body. */
export interface Said {
  readonly text: string;
  readonly looks: Looks;
  /** The field of which it speaks, as a path; empty when of none. */
  readonly field: string;
  /** How many arrays of details and maps from fields it stands in. */
  readonly listed: number;
  /** How far it is from the sentence a person would read: 0 is near, 8 and more is a code. */
  readonly cost: number;
  /** How much of that is because of what it stands in: 1 and more says that it may be about something else. */
  readonly aside: number;
}

/** What a text stands in. */
interface Place extends Pick<Said, "field" | "listed" | "aside">, Pick<Meaning, "isAboutError" | "holdsFields"> {
  /** Objects around, and of those the ones that are about the error. */
  readonly level: number;
  readonly depth: number;
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
const plainRole: Role = { kind: "sentence", cost: 0.3 };
const top: Omit<Place, "budget"> = {
  field: "",
  listed: 0,
  level: 0,
  depth: 0,
  aside: 0,
  isAboutError: true,
  holdsFields: "no",
  isNamed: false,
};

/** Gives every text of a parsed error body that may be what a person would read. */
export function findSaid(body: unknown): Said[] {
  return read(body, plainRole, { ...top, budget: { left: mostValues } });
}

function read(value: unknown, role: Role, place: Place): Said[] {
  if ((place.budget.left -= 1) < 0 || place.level > deepest) return [];
  if (typeof value === "string") return readString(value, role, place);
  if (Array.isArray(value)) return readArray(value, role, place);
  return isObject(value) ? readObject(holderOf(value), place) : [];
}

function readString(value: string, role: Role, place: Place): Said[] {
  const inner = /^\s*[{["]/.test(value.slice(0, 100)) ? parseJson(value) : undefined;
  if (typeof inner === "object" || typeof inner === "string")
    return read(inner, role, { ...place, level: place.level + 1 });
  const text = readable(value);
  const looks = looksOf(text);
  const isExpected = role.kind === "sentence" || (role.kind === "headline" && place.isAboutError);
  if (text === "" || role.kind === "never" || (!isExpected && (looks !== "sentence" || !place.isAboutError))) return [];
  const { field, listed, aside, depth } = place;
  const cost =
    aside +
    role.cost +
    looksCost[looks] -
    Math.min(depth, 3) * 0.4 +
    (isExpected ? 0 : 6) +
    (text.length > 1000 ? 1 : 0);
  return [{ text, looks, field, listed, cost, aside: aside + (role.cost >= 2 ? role.cost : 0) }];
}

function readArray(array: readonly unknown[], role: Role, place: Place): Said[] {
  const items = array.slice(0, mostItems);
  const areTexts = items.every((item) => typeof item === "string");
  const isText =
    place.isAboutError || place.field !== "" || (areTexts && items.every((item) => looksOf(item) === "sentence"));
  const textRole: Role = isText && role.kind !== "sentence" ? { kind: "sentence", cost: 0.5 } : role;
  const holdsFields = place.field !== "" && place.holdsFields !== "no" ? "sure" : place.holdsFields;
  const inner = { ...place, listed: place.listed + 1, level: place.level + 1, holdsFields };
  // Of several messages for one field the first says enough.
  const told = place.field !== "" && areTexts ? items.slice(0, 1) : items;
  return told.flatMap((item) => read(item, typeof item === "string" ? textRole : plainRole, inner));
}

/** A member of an object of an error body. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly meaning: Meaning;
  /** Its text, also one with its language or in several. */
  readonly text: string | undefined;
}

function readObject(holder: Holder, around: Place): Said[] {
  const members = [...holder.members.values()].map((name): Member => {
    const meaning = meaningOf(name);
    const value = holder.value[name];
    const isText = (meaning.kind === "sentence" || meaning.kind === "headline") && isObject(value);
    return {
      name,
      value,
      meaning,
      text: typeof value === "string" ? value : isText ? readLanguages(value) : undefined,
    };
  });
  const isProblem = members.some(({ meaning, value, text = "" }) =>
    meaning.kind === "sentence" ? text !== "" : meaning.kind === "code" && isCode(value),
  );
  const blamed = findBlamed(holder, around.listed > 0);
  const isTold = around.listed > 0 && (isProblem || blamed.length > 0);
  const place: Place = {
    ...around,
    field: blamed[0] ?? around.field,
    isAboutError: around.isAboutError || isProblem,
    aside: isTold && around.aside < 2 ? 0 : around.aside,
    holdsFields: isProblem || blamed.length > 0 ? "no" : around.holdsFields,
    isNamed: around.isNamed || blamed.length > 0,
  };
  const said: { own: Said[]; inner: Said[] } = { own: [], inner: [] };
  for (const member of members) {
    const { value, text, meaning } = member;
    if (isField(member, place)) said.inner.push(...readField(member, place));
    else if (text !== undefined) said.own.push(...readString(text, meaning, place));
    else if (typeof value === "object" && value !== null && meaning.kind !== "never" && !isCodes(member))
      said.inner.push(...readContainer(member, place));
  }
  if (said.own.length + said.inner.length === 0 && (blamed.length > 0 || place.listed > 0))
    said.own.push(...readCode(members, place));
  return tell(said.own, said.inner, blamed, place);
}

/** Whether the name of a member is the field that what is in it speaks of. */
function isField({ name, value, meaning }: Member, { holdsFields, isNamed, level }: Place): boolean {
  const isMap = holdsFields !== "no";
  const isKnown = isDocumented(name) || (isPath(name) && meaning.kind !== "sentence");
  const isPlain = meaning.kind !== "never" && (isKnown || !isEnvelope(name));
  const looks = typeof value === "string" ? looksOf(value) : undefined;
  if (isNamed && isMap && looks === "sentence") return true;
  if (!isKnown && (meaning.kind === "sentence" || /link|stack|trace/i.test(name))) return false;
  if (looks !== undefined) {
    const isSure = holdsFields === "sure" && value !== "" && (looks !== "code" || meaning.kind === "other");
    return isSure || (looks === "sentence" && isMap && isPlain);
  }
  const says = isMessages(value) || isProblem(value);
  if (holdsFields !== "sure") return says && isPlain && (isMap || (level === 0 && isKnown));
  return isKnown || says || (typeof value === "object" && meaning.kind !== "never" && meaning.aside === 0);
}

/** Messages for one field: texts, problems, or a map of such for what is in it. A few tell for all. */
function isMessages(value: unknown, level = 0): boolean {
  if (Array.isArray(value)) {
    const isOne = (each: unknown) => isProblem(each) || (typeof each === "string" && looksOf(each) !== "code");
    return value.length > 0 && value.slice(0, 10).every(isOne);
  }
  if (!isObject(value) || level > 2) return false;
  const names = [...holderOf(value).members.values()].slice(0, 10);
  return names.length > 0 && names.every((name) => isMessages(value[name], level + 1));
}

function isProblem(value: unknown): boolean {
  if (!isObject(value)) return false;
  return [...holderOf(value).members.values()].some((name) => {
    const text = value[name];
    const says = Array.isArray(text) ? text.length > 0 : typeof text === "string" && text !== "";
    return says && meaningOf(name).kind === "sentence";
  });
}

/** What a member for programs lists is for programs too, unless it reads otherwise. */
function isCodes({ value, meaning }: Member): boolean {
  if (meaning.kind !== "code" || !Array.isArray(value)) return false;
  return value.slice(0, 10).every((each) => typeof each !== "object" && looksOf(String(each)) !== "sentence");
}

/** Whether a value is one for programs: a number, or a text without spaces. */
function isCode(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "" && !/\s/.test(value));
}

const languageNames =
  /^(?:lang|language|locale|value|text|default|raw|html|plain|markdown|format|[a-z]{2}(?:[-_][a-z]{2,4})?)$/i;

/** A text with its language, or one in several languages. */
function readLanguages(value: JsonObject): string | undefined {
  const names = [...holderOf(value).members.values()];
  return names.length <= 40 && names.every((name) => languageNames.test(name)) ? readText(value) : undefined;
}

function readField({ name, value }: Member, place: Place): Said[] {
  const isText = typeof value === "string";
  const isNone = (place.isNamed && isText) || (isNoField(name) && !isDocumented(name));
  const aside = isText && place.holdsFields !== "sure" ? Math.max(place.aside, 1) : place.aside;
  const field = isNone ? place.field : [place.field, name].filter((step) => step !== "").join("/");
  const inner = { listed: place.listed + 1, level: place.level + 1, isAboutError: true, holdsFields: "sure" } as const;
  return read(value, plainRole, { ...place, ...inner, field, aside });
}

function readContainer({ value, meaning }: Member, place: Place): Said[] {
  const { isAboutError, holdsFields } = meaning;
  const own = Array.isArray(value) && meaning.aside < 5 ? 0 : meaning.aside;
  // Advice and causes stay that, however deep.
  const hard = Math.max(own, place.aside >= 2 ? place.aside : 0);
  const aside = isAboutError ? hard : Math.max(hard, 1);
  const depth = place.depth + (isAboutError ? 1 : 0);
  return read(value, meaning, { ...place, level: place.level + 1, depth, aside, isAboutError, holdsFields });
}

/** The code of an object that says nothing else of its field. */
function readCode(members: readonly Member[], { field, listed, aside }: Place): Said[] {
  const code = members.find(({ name, text }) => codeNames.test(name) && text !== undefined && isCode(text))?.text;
  return code === undefined ? [] : [{ text: code, looks: "code", field, listed, cost: looksCost.code, aside }];
}
const codeNames = /(?:code|type|rule|keyword|kind|reason)$/i;

/** The text that costs least, the first of several. */
export function nearest(said: readonly Said[]): Said | undefined {
  return said.toSorted((one, other) => one.cost - other.cost)[0];
}

/** Of an object's own texts the best one is told, unless what is listed in it says more. */
function tell(own: readonly Said[], inner: readonly Said[], blamed: readonly string[], place: Place): Said[] {
  const best = nearest(own);
  if (best === undefined) return [...inner];
  if (place.listed === 0 && place.field === "") return [best, ...inner];
  const more = inner.filter(
    (each) =>
      looksCost[each.looks] <= looksCost[best.looks] &&
      each.aside < Math.max(1, best.aside + 1) &&
      (each.listed > best.listed || (each.field !== "" && each.field !== best.field) || each.cost < best.cost),
  );
  if (more.length > 0) return [{ ...best, field: "", listed: 0 }, ...more];
  return blamed.length > 1 ? blamed.map((field): Said => ({ ...best, field })) : [best];
}
