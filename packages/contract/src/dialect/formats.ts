// The formats that a placeholder may have: how its value is written.
import { freezeDeep } from "../freeze.ts";
import { parseJson } from "../json.ts";

/** One way to write the value of a placeholder. */
export interface PlaceholderFormat {
  /** What is written, in words. */
  readonly summary: string;
  /** JSON type that comes out. */
  readonly type: "string" | "integer" | "number";
  /** Writes a value; never called with `null` or `undefined`, which `text` makes an empty text. */
  readonly write: (value: unknown) => string | number;
  /** Reads back what `write` wrote, as far as it can be known; `undefined` when the format cannot have written it. */
  readonly read: (written: string | number) => unknown;
}

/** Every format, by name; `{created_at:seconds:text}` applies two, one after the other. */
export const formats = freezeDeep({
  text: { summary: "As text; an empty one when there is nothing.", type: "string", write: asText, read: same },
  number: { summary: "As a number.", type: "number", write: Number, read: same },
  json: {
    summary: "As JSON text.",
    type: "string",
    write: (value) => JSON.stringify(value),
    read: (written) => parseJson(String(written)),
  },
  html: {
    summary: "As text in HTML.",
    type: "string",
    write: (value) => escapeHtml(asText(value)),
    read: (written) => unescapeHtml(String(written)),
  },
  url: {
    summary: "As a part of a URL.",
    type: "string",
    write: (value) => encodeURIComponent(asText(value)),
    read: (written) => decodeUrl(String(written)),
  },
  seconds: {
    summary: "A moment, in seconds since 1970 UTC.",
    type: "integer",
    write: (value) => Math.floor(asTime(value) / 1000),
    read: (written) => readEpoch(Number(written) * 1000),
  },
  milliseconds: {
    summary: "A moment, in milliseconds since 1970 UTC.",
    type: "integer",
    write: asTime,
    read: (written) => readEpoch(Number(written)),
  },
  microseconds: {
    summary: "A moment, in microseconds since 1970 UTC.",
    type: "integer",
    write: (value) => asTime(value) * 1000,
    read: (written) => readEpoch(Number(written) / 1000),
  },
  "iso-seconds": {
    summary: "A moment without fractions: `2026-03-01T12:00:00Z`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19)}Z`,
    read: readMoment,
  },
  "iso-offset": {
    summary: "A moment with an offset: `2026-03-01T12:00:00+00:00`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19)}+00:00`,
    read: readMoment,
  },
  "iso-micros": {
    summary: "A moment in microseconds: `2026-03-01T12:00:00.000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "000Z"),
    read: readMoment,
  },
  "iso-ticks": {
    summary: "A moment in tenths of these: `2026-03-01T12:00:00.0000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "0000Z"),
    read: readMoment,
  },
  "iso-nanos": {
    summary: "A moment in nanoseconds: `2026-03-01T12:00:00.000000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "000000Z"),
    read: readMoment,
  },
  "iso-basic": {
    summary: "A moment without signs between: `20260301T120000Z`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19).replaceAll(/[-:]/g, "")}Z`,
    read: (written) => readMoment(String(written).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5")),
  },
  sql: {
    summary: "A moment as databases write it: `2026-03-01 12:00:00`.",
    type: "string",
    write: (value) => asIso(value).slice(0, 19).replace("T", " "),
    read: (written) => readMoment(`${String(written).replace(" ", "T")}Z`),
  },
  "with-offset": {
    summary: "After a form that ends in `Z`: `+00:00` in its place, as in `{created_at:iso-micros:with-offset}`.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, "+00:00"),
    read: (written) => String(written).replace(/\+00:00$/, "Z"),
  },
  "with-basic-offset": {
    summary: "Likewise with `+0000`.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, "+0000"),
    read: (written) => String(written).replace(/\+0000$/, "Z"),
  },
  "without-zone": {
    summary: "Likewise with nothing.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, ""),
    read: (written) => `${written}Z`,
  },
  spaced: {
    summary: "After a form with a `T`: a space in its place.",
    type: "string",
    write: (value) => asText(value).replace("T", " "),
    read: (written) => String(written).replace(" ", "T"),
  },
  date: {
    summary: "A day: `2026-03-01`.",
    type: "string",
    write: (value) => asIso(value).slice(0, 10),
    read: readMoment,
  },
  camel: {
    summary: "A name as `metaDescription`.",
    type: "string",
    write: (value) => writeName(value, toCamel),
    read: (written) => writeName(written, toSnake),
  },
  pascal: {
    summary: "A name as `MetaDescription`.",
    type: "string",
    write: (value) => writeName(value, toPascal),
    read: (written) => writeName(written, toSnake),
  },
  kebab: {
    summary: "A name as `meta-description`.",
    type: "string",
    write: (value) => writeName(value, toKebab),
    read: (written) => writeName(written, toSnake),
  },
  snake: {
    summary: "A name as `meta_description`.",
    type: "string",
    write: (value) => writeName(value, toSnake),
    read: (written) => writeName(written, toSnake),
  },
  upper: {
    summary: "As capitals: `META_DESCRIPTION`.",
    type: "string",
    write: (value) => asText(value).toUpperCase(),
    read: (written) => String(written).toLowerCase(),
  },
  http: {
    summary: "A moment as HTTP writes it.",
    type: "string",
    write: (value) => new Date(asTime(value)).toUTCString(),
    read: readMoment,
  },
} as const satisfies Record<string, PlaceholderFormat>);

/** Name of a format, such as `seconds`. */
export type FormatName = keyof typeof formats;

/** A value as the text that stands for it; an empty one when there is nothing. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Writes each step of a way such as `#/cta/url` or `cta.url`, and leaves what is between them. */
function writeName(value: unknown, write: (words: readonly string[]) => string): string {
  return asText(value).replaceAll(/[A-Za-z\d]+(?:[_-][A-Za-z\d]+)*/g, (name) =>
    write(
      name
        .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_")
        .toLowerCase()
        .split(/[_-]/),
    ),
  );
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const toPascal = (words: readonly string[]): string => words.map(capitalize).join("");
const toCamel = ([first = "", ...others]: readonly string[]): string => first + toPascal(others);
const toKebab = (words: readonly string[]): string => words.join("-");
const toSnake = (words: readonly string[]): string => words.join("_");

function asTime(value: unknown): number {
  return typeof value === "number" ? value : Date.parse(asText(value));
}

function asIso(value: unknown): string {
  return new Date(asTime(value)).toISOString();
}

function escapeHtml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function same(written: string | number): unknown {
  return written;
}

function readEpoch(ms: number): string | undefined {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** Reads a date and time, in any form that the platform knows, into ISO 8601 in UTC. */
function readMoment(written: string | number): string | undefined {
  return typeof written === "string" ? readEpoch(Date.parse(written)) : undefined;
}

function decodeUrl(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

function unescapeHtml(written: string): string {
  return written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
