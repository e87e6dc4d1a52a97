// Walks through an error body and gives every text that may be what a person would read, and where it stands. Pure.
import { findBlamed } from "./blamed.ts";
import { type Holder, holderOf } from "./holder.ts";
import { isObject, parseJson } from "../json.ts";
import { type Looks, looksOf, readable } from "./looks.ts";
import { type Container, containerOf, isDocumented, isNoField, type Role } from "./problem-names.ts";
import { isCode, isCodes, isField, type ProblemMember, toMember } from "./problem-members.ts";

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
interface Place {
  readonly field: string;
  readonly listed: number;
  /** Objects around, and of those the ones that are about the error. */
  readonly level: number;
  readonly depth: number;
  /** Advice and causes stay that, however deep; what is around an error may be anything until something says that it is one. */
  readonly aside: number;
  readonly isAboutError: boolean;
  readonly areFields: Container["areFields"];
  /** Whether the field has been named beside: names further in are those of the rules that were broken. */
  readonly isNamed: boolean;
  /** How many values may still be looked at. */
  readonly budget: { left: number };
}

const deepest = 10;
const mostValues = 3000;
const mostItems = 100;
const looksCost: Readonly<Record<Looks, number>> = { sentence: 0, headline: 4, word: 5, code: 8 };
const plainRole: Role = { kind: "sentence", cost: 0.3 };

/** Gives every text of a parsed error body that may be what a person would read. */
export function findSaid(body: unknown): Said[] {
  const place: Place = {
    field: "",
    listed: 0,
    level: 0,
    depth: 0,
    aside: 0,
    isAboutError: true,
    areFields: "no",
    isNamed: false,
    budget: { left: mostValues },
  };
  return read(body, plainRole, place);
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
  const isText =
    role.kind === "sentence" ||
    place.isAboutError ||
    place.field !== "" ||
    items.every((item) => typeof item === "string" && looksOf(item) === "sentence");
  // Of several messages for one field the first says enough.
  const told = place.field !== "" && items.every((item) => typeof item === "string") ? items.slice(0, 1) : items;
  return told.flatMap((item) =>
    typeof item === "string"
      ? read(item, isText ? asSentence(role) : role, { ...place, listed: place.listed + 1 })
      : read(item, plainRole, {
          ...place,
          listed: place.listed + 1,
          level: place.level + 1,
          areFields: place.areFields === "no" ? "no" : place.field === "" ? place.areFields : "sure",
        }),
  );
}

function asSentence(role: Role): Role {
  return role.kind === "sentence" ? role : { kind: "sentence", cost: 0.5 };
}

function readObject(holder: Holder, around: Place): Said[] {
  const members = [...holder.members.values()].map((name) => toMember(name, holder.value[name]));
  const isProblem = members.some(({ role, value, text = "" }) =>
    role.kind === "sentence" ? text !== "" : role.kind === "code" && isCode(value),
  );
  const blamed = findBlamed(holder, around.listed > 0);
  const isTold = around.listed > 0 && (isProblem || blamed.length > 0);
  const place: Place = {
    ...around,
    field: blamed[0] ?? around.field,
    isAboutError: around.isAboutError || isProblem,
    aside: isTold && around.aside < 2 ? 0 : around.aside,
    areFields: isProblem || blamed.length > 0 ? "no" : around.areFields,
    isNamed: around.isNamed || blamed.length > 0,
  };
  const said: { own: Said[]; inner: Said[] } = { own: [], inner: [] };
  const map = { ...place, isTop: around.level === 0 };
  for (const member of members) {
    const { value, text, role } = member;
    if (isField(member, map)) said.inner.push(...readField(member, place));
    else if (text !== undefined) said.own.push(...readString(text, role, place));
    else if (typeof value === "object" && value !== null && role.kind !== "never" && !isCodes(member))
      said.inner.push(...readContainer(member, place));
  }
  if (said.own.length + said.inner.length === 0 && (blamed.length > 0 || place.listed > 0))
    said.own.push(...readCode(members, place));
  return tell(said.own, said.inner, blamed, place);
}

function readField({ name, value }: ProblemMember, place: Place): Said[] {
  const isRule = place.isNamed && typeof value === "string";
  const isTransparent = isRule || (isNoField(name) && !isDocumented(name));
  const field = isTransparent ? place.field : place.field === "" ? name : `${place.field}/${name}`;
  const isDoubtful = typeof value === "string" && place.areFields !== "sure";
  return read(value, plainRole, {
    ...place,
    field,
    listed: place.listed + 1,
    level: place.level + 1,
    aside: isDoubtful ? Math.max(place.aside, 1) : place.aside,
    isAboutError: true,
    areFields: "sure",
  });
}

function readContainer({ name, value, role }: ProblemMember, place: Place): Said[] {
  const { isAboutError, areFields, ...container } = containerOf(name);
  const cost = Array.isArray(value) && container.cost < 5 ? 0 : container.cost;
  const hard = Math.max(cost, place.aside >= 2 ? place.aside : 0);
  return read(value, role, {
    ...place,
    level: place.level + 1,
    depth: place.depth + (isAboutError ? 1 : 0),
    aside: isAboutError ? hard : Math.max(hard, 1),
    isAboutError,
    areFields,
  });
}

/** The code of an object that says nothing else of its field. */
function readCode(members: readonly ProblemMember[], { field, listed, aside }: Place): Said[] {
  const code = members.find(
    ({ name, value }) =>
      /(?:code|type|rule|keyword|kind|reason)$/i.test(name) && typeof value === "string" && isCode(value),
  )?.value;
  return typeof code === "string" ? [{ text: code, looks: "code", field, listed, cost: looksCost.code, aside }] : [];
}

/** The text that costs least, the first of several. */
export function nearest(said: readonly Said[]): Said | undefined {
  return said.toSorted((one, other) => one.cost - other.cost)[0];
}

/** Of an object's own texts the best one is told, unless what is listed in it says more. */
function tell(own: readonly Said[], inner: readonly Said[], blamed: readonly string[], place: Place): Said[] {
  const best = nearest(own);
  if (best === undefined) return [...inner];
  const isDetail = place.listed > 0 || place.field !== "";
  const saysMore = (each: Said) =>
    looksCost[each.looks] <= looksCost[best.looks] &&
    each.aside < Math.max(1, best.aside + 1) &&
    (each.listed > best.listed || (each.field !== "" && each.field !== best.field) || each.cost < best.cost);
  if (!isDetail) return [best, ...inner];
  if (inner.some(saysMore)) return [{ ...best, field: "", listed: 0 }, ...inner.filter(saysMore)];
  return blamed.length > 1 ? blamed.map((field): Said => ({ ...best, field })) : [best];
}
