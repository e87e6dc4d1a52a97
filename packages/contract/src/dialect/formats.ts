// The formats of placeholders. Each writes a value and reads it back.
import { decodePercent, freezeDeep, parseJson } from "../json.ts";

/** One way to write the value of a placeholder. */
export interface PlaceholderFormat {
  /** JSON type of the result. */
  readonly type: "string" | "integer" | "number";
  /** Writes a value; never called with `null` or `undefined`, which `text` turns into an empty string. */
  readonly write: (value: unknown) => string | number;
  /** Reads back what `write` wrote, as far as it can be known; `undefined` when the format cannot have written it. */
  readonly read: (written: string | number) => unknown;
}

/** Every format, by name; `{created_at:seconds:text}` applies two, one after the other. */
export const formats = freezeDeep({
  // An empty string when there is no value.
  text: { type: "string", write: asText, read: (written) => written },
  number: { type: "number", write: Number, read: (written) => written },
  json: { type: "string", write: (value) => JSON.stringify(value), read: (written) => parseJson(String(written)) },
  html: textFormat(
    (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    (written) => written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  ),
  url: textFormat(encodeURIComponent, decodePercent),

  seconds: epochFormat(1, 1000),
  milliseconds: epochFormat(1, 1),
  microseconds: epochFormat(1000, 1),

  // `2026-03-01T12:00:00Z`
  "iso-seconds": timeFormat((iso) => `${iso.slice(0, 19)}Z`),
  // `2026-03-01T12:00:00+00:00`
  "iso-offset": timeFormat((iso) => `${iso.slice(0, 19)}+00:00`),
  // `2026-03-01T12:00:00.000000Z`, then with 7 and 9 digits
  "iso-micros": timeFormat((iso) => iso.replace("Z", "000Z")),
  "iso-ticks": timeFormat((iso) => iso.replace("Z", "0000Z")),
  "iso-nanos": timeFormat((iso) => iso.replace("Z", "000000Z")),
  // `20260301T120000Z`
  "iso-basic": timeFormat(
    (iso) => `${iso.slice(0, 19).replaceAll(/[-:]/g, "")}Z`,
    (written) => written.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"),
  ),
  // `2026-03-01 12:00:00`
  sql: timeFormat(
    (iso) => iso.slice(0, 19).replace("T", " "),
    (written) => `${written.replace(" ", "T")}Z`,
  ),
  // `2026-03-01`
  date: timeFormat((iso) => iso.slice(0, 10)),
  // `Sun, 01 Mar 2026 12:00:00 GMT`
  http: timeFormat((iso) => new Date(iso).toUTCString()),

  // These follow a form that ends in `Z`, as in `{created_at:iso-micros:with-offset}`.
  "with-offset": zoneFormat("+00:00"),
  "with-basic-offset": zoneFormat("+0000"),
  "without-zone": zoneFormat(""),
  // A space instead of the `T`.
  spaced: textFormat(
    (iso) => iso.replace("T", " "),
    (written) => written.replace(" ", "T"),
  ),

  // Each step of a path such as `#/cta/url` or `cta.meta_description`.
  camel: nameFormat(([first = "", ...others]) => first + others.map(capitalize).join("")),
  pascal: nameFormat((words) => words.map(capitalize).join("")),
  kebab: nameFormat((words) => words.join("-")),
  snake: nameFormat((words) => words.join("_")),
  upper: textFormat(
    (text) => text.toUpperCase(),
    (written) => written.toLowerCase(),
  ),
} as const satisfies Record<string, PlaceholderFormat>);

/** Name of a format, such as `seconds`. */
export type FormatName = keyof typeof formats;

/** Whether a string is the name of a format. */
export function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}

/** Converts a value to a string; empty if there is no value. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textFormat(write: (text: string) => string, read: (written: string) => string | undefined): PlaceholderFormat {
  return { type: "string", write: (value) => write(asText(value)), read: (written) => read(String(written)) };
}

/** Makes a format that writes a timestamp as an integer since 1970 UTC, counting `units` per `milliseconds` (1 per 1000 for seconds). */
function epochFormat(units: number, milliseconds: number): PlaceholderFormat {
  return {
    type: "integer",
    write: (value) => Math.floor((asTime(value) * units) / milliseconds),
    read: (written) => toIso((Number(written) * milliseconds) / units),
  };
}

/** Makes a format that replaces the `Z` at the end of a timestamp. */
function zoneFormat(zone: string): PlaceholderFormat {
  return textFormat(
    (iso) => iso.replace(/Z$/, zone),
    (written) => (written.endsWith(zone) ? `${written.slice(0, written.length - zone.length)}Z` : written),
  );
}

/** Makes a timestamp format from ISO 8601; `read` turns it into a string that `Date` can parse. */
function timeFormat(write: (iso: string) => string, read = (written: string): string => written): PlaceholderFormat {
  return {
    type: "string",
    write: (value) => write(new Date(asTime(value)).toISOString()),
    read: (written) => (typeof written === "string" ? toIso(Date.parse(read(written))) : undefined),
  };
}

function asTime(value: unknown): number {
  return typeof value === "number" ? value : Date.parse(asText(value));
}

function toIso(ms: number): string | undefined {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}

function nameFormat(join: (words: readonly string[]) => string): PlaceholderFormat {
  const rewrite = (text: string, write: typeof join) =>
    text.replaceAll(/[A-Za-z\d]+(?:[_-][A-Za-z\d]+)*/g, (name) => {
      const spaced = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase();
      return write(spaced.split(/[_-]/));
    });
  return textFormat(
    (text) => rewrite(text, join),
    (written) => rewrite(written, (words) => words.join("_")),
  );
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
