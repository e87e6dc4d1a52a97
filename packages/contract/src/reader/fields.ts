// The fields of a page, in whatever form a service writes them: text, call to action, moment.
import { parseInner } from "./body.ts";
import { isObject } from "../json.ts";
import { fields, keys, type texts } from "./names.ts";
import { fact, type Holder, holderOf, member } from "./facts.ts";
import type { Cta } from "../page.ts";

/** What helps to choose between texts of several languages. */
export interface TextHints {
  /** What was sent under this name. */
  readonly sent?: unknown;
  /** The language in which the account writes, where the answer tells. */
  readonly language?: string | undefined;
}

/** A documented field of a page that is no list. */
export type Field = (typeof texts)[number] | "cta" | "created_at" | "updated_at";

/** Reads a documented field of an object, in any spelling, as what it is documented to be; `undefined` when it has none that is. */
export function readField(
  holder: Holder,
  field: Field,
  hints: TextHints = {},
): { readonly name: string; readonly value: unknown } | undefined {
  const found = member(holder, keys[field]);
  if (field === "cta") return (found && named(found.name, readCta(found.value, holder))) ?? readFlatCta(holder);
  const isMoment = field === "created_at" || field === "updated_at";
  return found && named(found.name, isMoment ? readTime(found.value) : readText(found.value, hints));
}

/** A text as it is; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function named<Value>(name: string, value: Value | undefined) {
  return value === undefined ? undefined : { name, value };
}

/** How many documented fields an object has, in any spelling and of any usable type. */
export const countFields = fact(({ members, value }): number => {
  let count = members.has("ctaurl") ? 1 : 0;
  for (const field of fields) {
    const key = keys[field].find((each) => members.has(each));
    const found = key === undefined ? undefined : value[members.get(key) ?? key];
    if (key !== undefined && (!Array.isArray(found) || found.length === 1 || readText(found) !== undefined)) count += 1;
  }
  return count;
});

/** Reads a text, also one inside an object; `undefined` when there is none. */
export function readText(value: unknown, hints: TextHints = {}, level = 0): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (level > 4) return undefined;
  if (Array.isArray(value)) return readRichText(value, hints, level);
  if (!isObject(value)) return undefined;
  const holder = holderOf(value);
  // A text may stand under the name of its own kind: `{ "type": "title", "title": … }`.
  const kind = value["type"];
  if (typeof kind === "string" && kind !== "type" && Object.hasOwn(value, kind))
    return readText(value[kind], hints, level + 1);
  const told = readLanguages(Object.entries(value), hints, level);
  if (told !== undefined) return told;
  for (const key of keys.innerText) {
    const text = readText(member(holder, [key])?.value, hints, level + 1);
    if (text !== undefined) return text;
  }
  return readOnlyText(holder);
}

/** The one text beside a name of a type: `{ "_type": "slug", "current": "…" }`. */
function readOnlyText({ value, members }: Holder): string | undefined {
  const [name = "", ...others] = [...members.values()].filter((each) => !/^(?:[_@$]|type$)/.test(each));
  const text = others.length === 0 && members.size > 1 ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** An array of one, a text in pieces, or one in several languages. */
function readRichText(pieces: readonly unknown[], hints: TextHints, level: number): string | undefined {
  if (pieces.length === 0) return undefined;
  if (pieces.length > 1 && !pieces.every((piece) => isObject(piece) && ("text" in piece || "plain_text" in piece))) {
    const named = pieces.slice(0, 200).map((piece) => [nameOfLanguage(piece), piece] as const);
    return readLanguages(named, hints, level);
  }
  const all = pieces.map((piece) =>
    readText(isObject(piece) ? (piece["plain_text"] ?? piece) : piece, hints, level + 1),
  );
  return all.includes(undefined) ? undefined : all.join("");
}

function nameOfLanguage(piece: unknown): string {
  return isObject(piece) ? textOf(member(holderOf(piece), [...keys.language, "key"])?.value) : "";
}

/** A text in one language, or in several: the one that was sent, the account's own or the one that is named as default, English, the first. */
function readLanguages(
  entries: readonly (readonly [name: string, text: unknown])[],
  { sent, language }: TextHints,
  level: number,
): string | undefined {
  const standard = entries.find(([name, text]) => name === "default" && languageName.test(textOf(text)));
  const texts = entries.slice(0, 200).filter((entry) => entry !== standard && !entry[0].startsWith("_"));
  const others = texts.filter(([name]) => !languageName.test(name));
  if (others.length === texts.length || !others.every(([name]) => /^(?:x-)?default$/.test(name))) return undefined;
  const all = texts.flatMap(([name, inner]): [name: string, text: string][] => {
    const text = readText(inner, {}, level + 1);
    return text === undefined || text === "" ? [] : [[spellLanguage(name), text]];
  });
  const own = spellLanguage(language ?? textOf(standard?.[1]));
  const best =
    all.find(([, text]) => text === sent) ??
    all.find(([name]) => name === own) ??
    all.find(([name]) => name.startsWith(own)) ??
    all.find(([name]) => name.startsWith("en-")) ??
    all[0];
  return best?.[1];
}

/** Of three letters only what is in use: most words of three letters are a language somewhere. */
const languageName =
  /^(?:(?!id$)[a-z]{2}|deu|eng|ger|fra|fre|ita|spa|por|nld|swe|pol|rus|jpn|zho|kor|und)(?:[-_][a-z\d]{2,8})*$/i;

function spellLanguage(name: string): string {
  return `${name.toLowerCase().replace("_", "-")}-`;
}

/** Reads a call to action; `undefined` when it is not whole. */
export function readCta(value: unknown, around?: Holder, level = 0): Cta | undefined {
  const inner = parseInner(Array.isArray(value) && value.length === 1 ? value[0] : value);
  if (!isObject(inner) || level > 4) return undefined;
  const holder = holderOf(inner, [], around);
  const parts = [keys.ctaType, keys.ctaLabel, keys.ctaUrl].map((asked) => member(holder, asked));
  const [type, label, url] = parts.map((part) => readText(part?.value));
  if (type !== undefined && label !== undefined && url !== undefined) {
    const rest = Object.entries(inner).filter(([name]) => !parts.some((part) => part?.name === name));
    return { ...Object.fromEntries(rest), type, label, url };
  }
  const [wrapped, ...others] = Object.values(inner).filter((each) => typeof each === "object" && each !== null);
  return others.length === 0 ? readCta(wrapped, around, level + 1) : undefined;
}

/** Reads a call to action whose members stand in the record itself: `cta_type`, `ctaLabel`, `cta_url`. */
function readFlatCta(holder: Holder): { name: string; value: Cta } | undefined {
  const [type, label, url] = [keys.ctaType, keys.ctaLabel, keys.ctaUrl].map((asked) =>
    member(
      holder,
      asked.map((key) => `cta${key}`),
    ),
  );
  return url && named(url.name, readCta({ type: type?.value, label: label?.value, url: url.value }));
}

/**
 * Reads a moment as ISO 8601; `undefined` when it is none. A number is told from its size, as the reset of the rate limit
 * is: below 1e11 seconds since 1970, below 1e14 milliseconds, else micro- and nanoseconds.
 */
export function readTime(value: unknown, level = 0): string | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value === "string") return fromText(value.trim());
  if (!isObject(value) || level > 3) return undefined;
  const holder = holderOf(value);
  const inner = member(holder, keys.innerTime)?.value;
  const zone = member(holder, ["timezone"])?.value;
  // A clock's reading in the zone of a place cannot be told without the rules of that place.
  const isLocal = typeof zone === "string" && !/^(?:utc|gmt|z|etc\/utc)$/i.test(zone);
  if (isLocal && typeof inner === "string" && !/(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(inner.slice(10))) return undefined;
  return readTime(inner, level + 1);
}

function fromNumber(value: number): string | undefined {
  if (!(value >= 1e8)) return undefined; // a count or a flag
  const ms = value < 1e11 ? value * 1000 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6;
  return new Date(ms).toISOString();
}

const isoMoment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function fromText(text: string): string | undefined {
  const basic = /^(19\d\d|20\d\d)(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)Z?$/i.exec(text)?.slice(1);
  if (basic !== undefined) {
    const [year, month, day, ...clock] = basic;
    return fromText(`${year}-${month}-${day}T${clock.join(":")}Z`);
  }
  const number = /^(?:\/Date\()?(-?\d+(?:\.\d+)?)(?:(?:[+-]\d{4})?\)\/)?$/.exec(text)?.[1];
  if (number !== undefined) return fromNumber(Number(number));
  const iso = text
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T")
    .replace(/ (?=[+-]\d\d|UTC|Z)/, "")
    .replace(/UTC$/, "Z")
    .replace(/(?<=T.*[+-]\d\d)(?::?(\d\d))?$/, (_, minutes = "00") => `:${minutes}`)
    .replace(",", ".");
  // A moment without a zone is in UTC, as all that the spec shows are.
  if (isoMoment.test(iso) && !iso.startsWith("0000")) return /T[^Z+-]*$/i.test(iso) ? `${iso}Z` : iso;
  const atMs = /^[A-Z][a-z]{2,8},? .*\d{4}/.test(text) && text.length < 100 ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
