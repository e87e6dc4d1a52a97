// What the members of an object of an error body are: texts, codes, or what is said of the field that they are named after.
import { readText } from "./fields.ts";
import { holderOf } from "./holder.ts";
import { isObject, type JsonObject } from "../json.ts";
import { looksOf } from "./looks.ts";
import { type Container, containerOf, isDocumented, isEnvelope, isPath, type Role, roleOf } from "./problem-names.ts";

/** A member of an object of an error body. */
export interface ProblemMember {
  readonly name: string;
  readonly value: unknown;
  /** Its text, also one with its language or in several. */
  readonly text: string | undefined;
  readonly role: Role;
}

/** What an object is, for its members. */
interface Around {
  /** Whether the names in it are those of fields. */
  readonly areFields: Container["areFields"];
  /** Whether the field has been named beside. */
  readonly isNamed: boolean;
  /** Whether it is the body itself. */
  readonly isTop: boolean;
}

const mostLooked = 10;

/** Makes a member of a name and its value. */
export function toMember(name: string, value: unknown): ProblemMember {
  const role = roleOf(name);
  const isText = role.kind === "sentence" || role.kind === "headline";
  const text = typeof value === "string" ? value : isText && isObject(value) ? readLanguages(value) : undefined;
  return { name, value, text, role };
}

/** What a member for programs lists is for programs too, unless it reads otherwise. */
export function isCodes({ value, role }: ProblemMember): boolean {
  return (
    role.kind === "code" &&
    Array.isArray(value) &&
    value.slice(0, mostLooked).every((each) => typeof each !== "object" && looksOf(String(each)) !== "sentence")
  );
}

/** Whether a value is one for programs: a number, or a text without spaces. */
export function isCode(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "" && !/\s/.test(value));
}

const languageNames =
  /^(?:lang|language|locale|value|text|default|raw|html|plain|markdown|format|[a-z]{2}(?:[-_][a-z]{2,4})?)$/i;

/** A text with its language, or one in several languages. */
function readLanguages(value: JsonObject): string | undefined {
  const names = [...holderOf(value).members];
  return names.length <= 40 && names.every(([key, name]) => languageNames.test(key) || languageNames.test(name))
    ? readText(value)
    : undefined;
}

/** Whether the name of a member is the field that what is in it speaks of. */
export function isField({ name, value, role }: ProblemMember, { areFields, isNamed, isTop }: Around): boolean {
  const looks = typeof value === "string" && value !== "" ? looksOf(value) : undefined;
  if (looks === undefined && (typeof value !== "object" || value === null)) return false;
  if (isNamed && looks === "sentence") return areFields !== "no" && !/link|stack|trace/i.test(name);
  const isKnown = isDocumented(name) || (isPath(name) && role.kind !== "sentence");
  if (!isKnown && (role.kind === "sentence" || /link|stack|trace/i.test(name))) return false;
  if (areFields === "sure") {
    if (looks !== undefined) return looks !== "code" || role.kind === "other";
    return (
      isKnown ||
      (role.kind === "never" || containerOf(name).cost > 0 ? isMessages(value) || isProblemObject(value) : true)
    );
  }
  if (role.kind === "never" || (!isKnown && isEnvelope(name))) return false;
  if (looks !== undefined) return looks === "sentence" && areFields !== "no";
  if (isMessages(value)) return areFields !== "no" || (isTop && isKnown);
  return areFields === "objects" ? isKnown || isProblemObject(value) : areFields === "texts" && isKnown;
}

/** Messages for one field: texts, problems, or a map of such for what is in it. A few tell for all. */
function isMessages(value: unknown, level = 0): boolean {
  if (Array.isArray(value)) {
    const some = value.slice(0, mostLooked);
    return (
      some.length > 0 &&
      some.every((each) => (typeof each === "string" && looksOf(each) !== "code") || isProblemObject(each))
    );
  }
  if (!isObject(value) || level > 2) return false;
  const names = [...holderOf(value).members.values()].slice(0, mostLooked);
  return names.length > 0 && names.every((name) => isMessages(value[name], level + 1));
}

function isProblemObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  return [...holderOf(value).members.values()].some((name) => {
    const text = value[name];
    return (
      roleOf(name).kind === "sentence" &&
      (Array.isArray(text) ? text.length > 0 : typeof text === "string" && text !== "")
    );
  });
}
