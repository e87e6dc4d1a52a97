// Explains moments: which hole, and which way of writing it, would have put them there.
import { escapeTemplate, type FormatName, formats, type HoleName } from "@landing-page-service/contract/dialect";
import { type Sample, type Spot, writeHole } from "./explain-text.ts";

/** The ways of writing a moment that have a name of their own, before those that are put together. */
const namedFormats: readonly (readonly FormatName[])[] = [
  ["iso-offset"],
  ["iso-basic"],
  ["sql"],
  ["http"],
  ["date"],
  ["seconds"],
  ["milliseconds"],
  ["seconds", "text"],
  ["milliseconds", "text"],
  ["microseconds"],
  ["microseconds", "text"],
];
const zones = [[], ["with-offset"], ["with-basic-offset"], ["without-zone"]] as const;
const precisions = [[], ["iso-seconds"], ["iso-micros"], ["iso-ticks"], ["iso-nanos"]] as const;

/** Every way in which a moment is written. */
const momentFormats: readonly (readonly FormatName[])[] = [
  ...namedFormats,
  ...precisions.flatMap((precision) =>
    zones.flatMap((zone) => [
      [...precision, ...zone],
      [...precision, ...zone, "spaced" as const],
    ]),
  ),
];
const dayMs = 86_400_000;

/** The hole for a moment near the time of its answer, in one of the ways of writing one. */
export function explainMoment(samples: readonly Sample[], spot: Spot): string | undefined {
  const ofEvent =
    spot.subjects.includes("event") && !spot.isInPage
      ? momentFormats.find((names) =>
          samples.every(({ value, facts }) => value === spellMoment(facts.event?.timestamp, names)),
        )
      : undefined;
  if (ofEvent !== undefined) return writeHole("event.timestamp", ofEvent);
  const format = momentFormats.find((names) => samples.every((sample) => isMoment(sample, names)));
  const isWithin = (mostMs: number) =>
    samples.every(({ value, facts }) => Math.abs((readMoment(value) ?? 0) - Date.parse(facts.now)) < mostMs);
  // A service may have another clock than ours: what is far away is of a page where it is not the same for all.
  const isVaried = new Set(samples.map(({ value }) => value)).size > 1;
  const isTold = isVaried && /(?:at|on|date|time|created|updated|modified|published)$/i.test(spot.name);
  return format && isWithin(isTold ? 20 * 365 * dayMs : 2 * dayMs) ? writeHole(momentHole(spot), format) : undefined;
}

function isMoment({ value }: Sample, formatNames: readonly FormatName[]): boolean {
  const atMs = readMoment(value);
  return atMs !== undefined && spellMoment(new Date(atMs).toISOString(), formatNames) === coarsen(value);
}

/** A moment without what is finer than milliseconds, in UTC. */
function coarsen(value: unknown): unknown {
  if (typeof value === "number") return value < 1e14 ? value : Math.floor(value / 1000) * 1000;
  const text = String(value).replace(/(?<=\.\d{3})\d+|(?<=^\d{13})\d+/, (fine) => "0".repeat(fine.length));
  const [, date = "", sign = "", time = "", fine = "", zone = ""] = writtenMoment.exec(text) ?? [];
  if (!/[1-9]/.test(zone)) return text;
  const inUtc = new Date(Date.parse(`${date}T${time}${zone}`)).toISOString();
  return `${inUtc.slice(0, 10)}${sign}${inUtc.slice(11, 19)}${fine}${zone.replaceAll(/\d/g, "0").replace("-", "+")}`;
}

const writtenMoment = /^(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/** A text that has a moment in it, and is the same around it: `/Date(1772366400000)/`. */
export function explainMomentIn(samples: readonly Sample[], spot: Spot): string | undefined {
  const parts = samples.map(({ value }) => (typeof value === "string" ? momentIn.exec(value.slice(0, 200)) : null));
  const around = new Set(parts.map((part) => part && JSON.stringify([part[1], part[3]])));
  const [first] = parts;
  if (!first || around.size > 1) return undefined;
  const inside = samples.map(({ facts }, index) => ({ value: parts[index]?.[2], facts }));
  const hole = explainMoment(inside, spot);
  return hole && `${escapeTemplate(first[1] ?? "")}${hole}${escapeTemplate(first[3] ?? "")}`;
}

const momentIn = /^(.*?)(?<!\d)(\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?|\d{10,16})(?!\d)(.*)$/s;

function readMoment(value: unknown): number | undefined {
  if (typeof value === "number" || (typeof value === "string" && /^\d{9,16}$/.test(value))) {
    const number = Number(value);
    if (!(number > 0 && number < 1e17)) return undefined;
    return number < 1e11 ? number * 1000 : number < 1e14 ? number : Math.floor(number / 1000);
  }
  if (typeof value !== "string" || value.length > 40) return undefined;
  const plain = value.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  // Without a zone it is taken for UTC.
  const [, date, , time, fine = "", zone = "Z"] = writtenMoment.exec(plain) ?? [];
  const atMs = Date.parse(date === undefined ? plain : `${date}T${time}${fine.slice(0, 4)}${zone}`);
  return Number.isNaN(atMs) || Math.abs(atMs) > 8e15 ? undefined : atMs;
}

function spellMoment(moment: string | undefined, formatNames: readonly FormatName[]): unknown {
  if (moment === undefined) return undefined;
  return formatNames.reduce<unknown>((value, format) => formats[format].write(value), moment);
}

function momentHole({ name, subjects, isInPage }: Spot): HoleName {
  if (!subjects.includes("page") || (subjects.includes("event") && !isInPage)) return "now";
  if (/updat|modif|chang|edit|last|mtime/i.test(name)) return "updated_at";
  return isInPage || /creat|add|insert|publi|born|ctime/i.test(name) ? "created_at" : "now";
}
