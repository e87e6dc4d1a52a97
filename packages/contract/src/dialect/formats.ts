// The formats that a hole may have: how its value is written.
import { freezeDeep } from "../freeze.ts";

/** One way to write the value of a hole. */
export interface HoleFormat {
  /** What is written, in words. */
  readonly summary: string;
  /** JSON type that comes out. */
  readonly type: "string" | "integer" | "number";
  /** Writes a value; never called with `null` or `undefined`, which `text` makes an empty text. */
  readonly write: (value: unknown) => string | number;
}

/** Every format, by name; `{created_at:seconds:text}` applies two, one after the other. */
export const formats = freezeDeep({
  text: { summary: "As text; an empty one when there is nothing.", type: "string", write: asText },
  number: { summary: "As a number.", type: "number", write: Number },
  json: { summary: "As JSON text.", type: "string", write: (value) => JSON.stringify(value) },
  html: { summary: "As text in HTML.", type: "string", write: (value) => escapeHtml(asText(value)) },
  url: { summary: "As a part of a URL.", type: "string", write: (value) => encodeURIComponent(asText(value)) },
  seconds: {
    summary: "A moment, in seconds since 1970 UTC.",
    type: "integer",
    write: (value) => Math.floor(asTime(value) / 1000),
  },
  milliseconds: { summary: "A moment, in milliseconds since 1970 UTC.", type: "integer", write: asTime },
  microseconds: {
    summary: "A moment, in microseconds since 1970 UTC.",
    type: "integer",
    write: (value) => asTime(value) * 1000,
  },
  "iso-seconds": {
    summary: "A moment without fractions: `2026-03-01T12:00:00Z`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19)}Z`,
  },
  "iso-offset": {
    summary: "A moment with an offset: `2026-03-01T12:00:00+00:00`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19)}+00:00`,
  },
  "iso-micros": {
    summary: "A moment in microseconds: `2026-03-01T12:00:00.000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "000Z"),
  },
  "iso-ticks": {
    summary: "A moment in tenths of these: `2026-03-01T12:00:00.0000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "0000Z"),
  },
  "iso-nanos": {
    summary: "A moment in nanoseconds: `2026-03-01T12:00:00.000000000Z`.",
    type: "string",
    write: (value) => asIso(value).replace("Z", "000000Z"),
  },
  "iso-basic": {
    summary: "A moment without signs between: `20260301T120000Z`.",
    type: "string",
    write: (value) => `${asIso(value).slice(0, 19).replaceAll(/[-:]/g, "")}Z`,
  },
  sql: {
    summary: "A moment as databases write it: `2026-03-01 12:00:00`.",
    type: "string",
    write: (value) => asIso(value).slice(0, 19).replace("T", " "),
  },
  "with-offset": {
    summary: "After a form that ends in `Z`: `+00:00` in its place, as in `{created_at:iso-micros:with-offset}`.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, "+00:00"),
  },
  "with-basic-offset": {
    summary: "Likewise with `+0000`.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, "+0000"),
  },
  "without-zone": {
    summary: "Likewise with nothing.",
    type: "string",
    write: (value) => asText(value).replace(/Z$/, ""),
  },
  spaced: {
    summary: "After a form with a `T`: a space in its place.",
    type: "string",
    write: (value) => asText(value).replace("T", " "),
  },
  date: { summary: "A day: `2026-03-01`.", type: "string", write: (value) => asIso(value).slice(0, 10) },
  camel: { summary: "A name as `metaDescription`.", type: "string", write: (value) => writeName(value, toCamel) },
  pascal: { summary: "A name as `MetaDescription`.", type: "string", write: (value) => writeName(value, toPascal) },
  kebab: { summary: "A name as `meta-description`.", type: "string", write: (value) => writeName(value, toKebab) },
  snake: { summary: "A name as `meta_description`.", type: "string", write: (value) => writeName(value, toSnake) },
  upper: { summary: "As capitals: `META_DESCRIPTION`.", type: "string", write: (value) => asText(value).toUpperCase() },
  http: {
    summary: "A moment as HTTP writes it.",
    type: "string",
    write: (value) => new Date(asTime(value)).toUTCString(),
  },
} as const satisfies Record<string, HoleFormat>);

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
