// The fields of a page, in whatever form a service writes them: text, call to action, moment.
import { parseWhole } from "./body.ts";
import { type Holder, holderOf, member } from "./holder.ts";
import { isObject, type JsonObject } from "../json.ts";
import { ctaKeys, fieldKeys, flatCtaKeys, innerTimeKeys, textKeys, timeKeys } from "./names.ts";
import { keyOf } from "./words.ts";
import type { Cta } from "../page.ts";

/** What helps to choose between texts of several languages. */
export interface TextHints {
  /** What was sent under this name. */
  readonly sent?: unknown;
  /** The language in which the account writes, where the answer tells. */
  readonly language?: string | undefined;
}

/** The documented fields that are texts. */
export const documented = ["title", "content", "slug", "meta_description"] as const;
/** A documented field of a page that is no list. */
export type Field = (typeof documented)[number] | "cta" | "created_at" | "updated_at";

/** Reads a documented field of an object, in any spelling, as what it is documented to be; `undefined` when it has none that is. */
export function readField(
  holder: Holder,
  field: Field,
  hints: TextHints = {},
): { readonly name: string; readonly value: unknown } | undefined {
  const isMoment = field === "created_at" || field === "updated_at";
  const found = member(holder, isMoment ? timeKeys[field] : fieldKeys[field]);
  const value =
    found &&
    (isMoment ? readTime(found.value) : field === "cta" ? readCta(found.value, holder) : readText(found.value, hints));
  if (found !== undefined && value !== undefined) return { name: found.name, value };
  return field === "cta" ? readFlatCta(holder) : undefined;
}

/** How many documented fields an object has, in any spelling and of any usable type. */
export function countFields({ members, value }: Holder): number {
  let count = members.has("ctaurl") ? 1 : 0;
  for (const keys of Object.values(fieldKeys)) {
    const key = keys.find((each) => members.has(each));
    const found = key === undefined ? undefined : value[members.get(key) ?? key];
    if (key !== undefined && (!Array.isArray(found) || found.length === 1 || readText(found) !== undefined)) count += 1;
  }
  return count;
}

/** Reads a text, also one inside an object; `undefined` when there is none. */
export function readText(value: unknown, hints: TextHints = {}, level = 0): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (level > 4 || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return readRichText(value, hints, level);
  const holder = holderOf(value as JsonObject); // why: neither an array nor null
  // A text may stand under the name of its own kind: `{ "type": "title", "title": … }`.
  const kind = holder.value["type"];
  const typed =
    typeof kind === "string" && kind !== "type" && Object.hasOwn(holder.value, kind) ? holder.value[kind] : undefined;
  if (typed !== undefined) return readText(typed, hints, level + 1);
  for (const key of textKeys) {
    const text = holder.members.has(key) ? readText(member(holder, [key])?.value, hints, level + 1) : undefined;
    if (text !== undefined) return text;
  }
  return readLanguages(holder, hints, level) ?? readTyped(holder);
}

/** The one text beside a name of a type: `{ "_type": "slug", "current": "…" }`. */
function readTyped({ value, members }: Holder): string | undefined {
  const names = [...members.values()];
  const others = names.filter((name) => !/^(?:[_@$]|type$)/.test(name)).map((name) => value[name]);
  const [text] = others;
  return others.length === 1 && names.length > 1 && typeof text === "string" ? text : undefined;
}

/** An array of one, or a text in pieces. */
function readRichText(pieces: readonly unknown[], hints: TextHints, level: number): string | undefined {
  if (pieces.length > 1 && !pieces.every((piece) => isObject(piece) && ("text" in piece || "plain_text" in piece)))
    return undefined;
  const texts = pieces.map((piece) =>
    readText(isObject(piece) ? (piece["plain_text"] ?? piece) : piece, hints, level + 1),
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join("");
}

/** A text in one language, or in several: the one that was sent, the account's own, English, the first. */
function readLanguages({ value }: Holder, { sent, language }: TextHints, level: number): string | undefined {
  const entries = Object.entries(value).slice(0, 200);
  const isMap = entries.length > 0 && entries.every(([name]) => /^[a-z]{2,3}(?:[-_][a-z\d]{2,8})*$/i.test(name));
  if (!isMap) return undefined;
  const texts = entries.flatMap(([name, inner]): [string, string][] => {
    const text = readText(inner, {}, level + 1);
    return text === undefined || text === "" ? [] : [[name.toLowerCase().replace("_", "-"), text]];
  });
  const own = language?.toLowerCase().replace("_", "-");
  const found =
    texts.find(([, text]) => text === sent) ??
    texts.find(([name]) => name === own) ??
    texts.find(([name]) => own !== undefined && name.startsWith(`${own}-`)) ??
    texts.find(([name]) => /^en\b/.test(name)) ??
    texts[0];
  return found?.[1];
}

/** Reads a call to action; `undefined` when it is not whole. */
export function readCta(value: unknown, around?: Holder, level = 0): Cta | undefined {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const inner = typeof only === "string" && /^\s*\{/.test(only.slice(0, 100)) ? parseWhole(only) : only;
  if (!isObject(inner) || level > 4) return undefined;
  const holder = holderOf(inner, [], around);
  const part = (keys: readonly string[]) => {
    const found = member(holder, keys);
    return found && { name: found.name, text: readText(found.value) };
  };
  const [type, label, url] = [part(ctaKeys.type), part(ctaKeys.label), part(ctaKeys.url)];
  if (type?.text !== undefined && label?.text !== undefined && url?.text !== undefined) {
    const rest = Object.entries(inner).filter(([name]) => ![type.name, label.name, url.name].includes(name));
    return { ...Object.fromEntries(rest), type: type.text, label: label.text, url: url.text };
  }
  const wrapped = Object.values(inner).filter((each) => isObject(each) || Array.isArray(each));
  return wrapped.length === 1 ? readCta(wrapped[0], around, level + 1) : undefined;
}

/** Reads a call to action whose members stand in the record itself: `cta_type`, `ctaLabel`, `cta_url`. */
function readFlatCta(holder: Holder): { name: string; value: Cta } | undefined {
  const [type, label, url] = [flatCtaKeys.type, flatCtaKeys.label, flatCtaKeys.url].map((keys) => member(holder, keys));
  const value = url && readCta({ type: type?.value, label: label?.value, url: url.value });
  return url && value && { name: url.name, value };
}

/**
 * Reads a moment as ISO 8601; `undefined` when it is none. A number is told from its size, as the reset of the rate limit
 * is: below 1e11 seconds since 1970, below 1e14 milliseconds, else micro- and nanoseconds.
 */
export function readTime(value: unknown, level = 0): string | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value === "string") return fromText(value.trim());
  if (!isObject(value) || level > 3) return undefined;
  const parts = member(holderOf(value), innerTimeKeys);
  return parts === undefined ? undefined : readTime(parts.value, level + 1);
}

function fromNumber(value: number): string | undefined {
  if (!(value >= 1e8)) return undefined; // a count or a flag
  const ms = value < 1e11 ? value * 1000 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6;
  return new Date(ms).toISOString();
}

const isoMoment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function fromText(text: string): string | undefined {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text));
  const wrapped = /^\/Date\((\d+)(?:[+-]\d{4})?\)\/$/.exec(text);
  if (wrapped !== null) return fromNumber(Number(wrapped[1]));
  const iso = text
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T")
    .replace(/ (?=[+-]\d\d|UTC|Z)/, "")
    .replace(/UTC$/, "Z");
  // A moment without a zone is in UTC, as all that the spec shows are.
  if (isoMoment.test(iso)) return /T[^Z+-]*$/i.test(iso) ? `${iso}Z` : iso;
  const atMs = /^[A-Z][a-z]{2,8},? .*\d{4}/.test(text) && text.length < 100 ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** Whether a key speaks of languages, to find the account's own. */
export function readLanguage(holders: readonly (Holder | undefined)[]): string | undefined {
  for (const holder of holders) {
    const found =
      holder &&
      member(holder, ["defaultlocale", "defaultlanguage", "primarylocale", "locale", "language", "lang"])?.value;
    if (typeof found === "string" && found.length < 20 && keyOf(found) !== "") return found;
  }
  return undefined;
}
