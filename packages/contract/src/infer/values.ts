// Reads the values of documented fields in the forms that services use.
import { isObject, type JsonObject } from "../json.ts";
import { names } from "./names.ts";
import { decode, findField, listOwnFields, type NamedField, pick, untag } from "./fields.ts";

/** Reads a string, also in an object or an array of one. Of several languages it takes the string that was sent, else English, else the first. */
export function readText(value: unknown, sent?: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.length === 1 ? readText(untag(value[0]), sent) : readTexts(value, sent);
  if (!isObject(value)) return undefined;
  const kind = value["type"];
  if (typeof kind === "string" && Object.hasOwn(value, kind)) return readText(value[kind], sent);
  return pick(value, names.text, readText, sent) ?? readLanguage(value, sent);
}

function readTexts(values: readonly unknown[], sent: unknown): string | undefined {
  const texts = values.map((each) => pick(each, names.text, readText));
  const isByLanguage = values.some((each) => pick(each, ["locale", "language", "lang"], readText) !== undefined);
  if (isByLanguage) return texts.find((each) => each === sent) ?? texts[0];
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join("");
}

function readLanguage(value: JsonObject, sent: unknown): string | undefined {
  const languages = Object.keys(value).filter((name) => /^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(name));
  const english = languages.find((name) => /^en\b/i.test(name));
  const texts = [languages.find((name) => value[name] === sent), english, ...languages].map((name = "") => value[name]);
  return texts.find((text) => typeof text === "string");
}

/** Reads a call to action in an object. */
export function readCta(given: unknown): JsonObject | undefined {
  const value = decode(given);
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const inner = decode(pick(one, ["value"], (each) => each));
  const cta = isObject(inner) ? inner : one;
  const parts = readCtaParts(listOwnFields(cta), "");
  return parts && { ...Object(cta), ...parts };
}

const ctaNames = [
  ["type", "type kind"],
  ["label", "label text title"],
  ["url", "url href link"],
] as const;

/** Reads the parts of a call to action among its fields, or among those of the page, such as `cta_label`. */
export function readCtaParts(fields: readonly NamedField[], prefix: "" | "cta"): JsonObject | undefined {
  const parts: Record<string, string> = {};
  for (const [part, wanted] of ctaNames) {
    const keys = wanted.split(" ").map((name) => `${prefix}${name}`);
    const text = findField(fields, keys, readText)?.value;
    if (text === undefined) return undefined;
    parts[part] = text;
  }
  return parts;
}

/** Reads a timestamp and returns it as ISO 8601. A number is seconds or milliseconds since 1970; a time without a zone is in UTC. */
export function readTime(value: unknown): string | undefined {
  if (isObject(value)) {
    const zone = value["timezone"] ?? value["timeZone"] ?? "UTC";
    return zone === "UTC" ? pick(value, ["date", "seconds", "iso", "value"], readTime) : undefined;
  }
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return text;
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  if (/^\d{9,13}$/.test(text)) return new Date(Number(text) * (text.length < 12 ? 1000 : 1)).toISOString();
  const isLocal = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text);
  const atMs = Date.parse(isLocal ? `${text.replace(" ", "T")}Z` : text);
  return Number.isNaN(atMs) || !(isLocal || /^[A-Z][a-z]{2},? /.test(text)) ? undefined : new Date(atMs).toISOString();
}

/** Reads a count, also in a string or an object. */
export function readCount(value: unknown): number | undefined {
  if (isObject(value)) return readCount(value["value"]);
  const count = typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Reads an identifier as a string; `undefined` when the value cannot be one, or belongs to something else. */
export function readId(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (Array.isArray(value)) return value.length === 1 ? readId(value[0]) : undefined;
  if (isObject(value)) return pick(value, ["oid", "value", "id"], readId);
  if (typeof value !== "string" || value.trim() === "" || value.length > 1024) return undefined;
  return /^(?:https?:)?\/|^(?:txn|task|req|job|usr|acc|evt|trace)[_-]/i.test(value) ? undefined : value;
}
