// Recognises the timestamps that a service writes itself.
import { type Facts, type FormatName, renderPlaceholder, type Subject } from "@landing-page-service/contract/dialect";

const forms: readonly (readonly FormatName[])[] = [
  [],
  ["iso-seconds"],
  ["iso-offset"],
  ["iso-micros"],
  ["iso-ticks"],
  ["iso-nanos"],
  ["seconds"],
  ["milliseconds"],
  ["microseconds"],
  ["seconds", "text"],
  ["milliseconds", "text"],
  ["sql"],
  ["http"],
  ["with-offset"],
  ["without-zone"],
  ["iso-seconds", "without-zone"],
  ["iso-micros", "with-offset"],
  ["iso-micros", "without-zone"],
];

/** A placeholder for timestamps near the time of the answers, in the form in which they are written. */
export function findTimestamp(
  samples: readonly { readonly value: unknown; readonly facts: Facts }[],
  name: string,
  subjects: readonly Subject[],
): string | undefined {
  const isAboutPage = subjects.includes("page");
  const placeholder = !isAboutPage
    ? "now"
    : /updat|modif|chang/i.test(name)
      ? "updated_at"
      : /creat|publ/i.test(name)
        ? "created_at"
        : "now";
  const there = samples.filter(({ value }) => value !== null && value !== undefined);
  if (there.length === 0) return undefined;
  const form = forms.find((formats) =>
    there.every(({ value, facts }) => {
      const atMs = parse(value);
      if (!(Math.abs(atMs - Date.parse(facts.now)) < 2 * 86_400_000)) return false;
      const written = renderPlaceholder("now", formats, { ...facts, now: new Date(atMs).toISOString() });
      return typeof written === typeof value && shapeOf(written) === shapeOf(value);
    }),
  );
  return form && `{${[placeholder, ...form].join(":")}}`;
}

/** A text with a 9 for every digit: precision beyond milliseconds is not kept. */
function shapeOf(value: unknown): string {
  return String(value).replaceAll(/\d/g, "9");
}

/** Milliseconds since 1970 UTC; NaN when it is no timestamp. */
function parse(value: unknown): number {
  if (typeof value === "number" || (typeof value === "string" && /^\d{10,16}$/.test(value))) {
    const number = Number(value);
    return number > 1e14 ? Math.floor(number / 1000) : number > 1e11 ? number : number * 1000;
  }
  if (typeof value !== "string" || !/^(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2}, )/.test(value)) return Number.NaN;
  const iso = value.replace(" ", value.startsWith("2") ? "T" : " ");
  return Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso);
}
