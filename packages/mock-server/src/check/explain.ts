// Explains a value by what is known: which hole of a template would have put it there.
import { isDeepStrictEqual } from "node:util";
import {
  type Facts,
  type FormatName,
  formats,
  type HoleName,
  holes,
  holesAbout,
  readHole,
} from "@landing-page-service/contract/dialect";
import { explainText, type Sample, type Spot, writeHole } from "./explain-text.ts";

/** The hole that explains every sight of a value, or the text with holes that does; `undefined` when none does. */
export function explain(samples: readonly Sample[], spot: Spot): string | undefined {
  return (
    explainWhole(samples, spot) ??
    explainMoment(samples, spot) ??
    explainEventId(samples, spot) ??
    explainSentence(samples, spot) ??
    explainText(samples, spot)
  );
}

const moments: ReadonlySet<HoleName> = new Set<HoleName>(["created_at", "updated_at", "now", "event.timestamp"]);
const plainFormats: readonly (readonly FormatName[])[] = [[], ["text"], ["number"], ["json"]];

function explainWhole(samples: readonly Sample[], spot: Spot): string | undefined {
  const known = holesAbout(spot.subjects).filter((hole) => !moments.has(hole) || hole === "event.timestamp");
  const candidates = known.flatMap((hole) => plainFormats.map((formatNames) => ({ hole, formatNames })));
  const fitting = candidates.filter(
    ({ hole, formatNames }) =>
      samples.every(({ value, facts }) => isWritten(value, hole, formatNames, facts)) && isLikely(hole, samples, spot),
  );
  const [first] = fitting.toSorted((one, other) => nearness(other.hole, spot) - nearness(one.hole, spot));
  return first && writeHole(first.hole, first.formatNames);
}

function isWritten(value: unknown, hole: HoleName, formatNames: readonly FormatName[], facts: Facts): boolean {
  const [format] = formatNames;
  const plain = readHole(hole, [], facts);
  // A format that changes nothing explains nothing that the bare hole does not.
  if (format === "number" && !(typeof plain === "string" && /^\d+$/.test(plain))) return false;
  if (format === "text" && typeof plain === "string") return false;
  if (format === "json" && typeof plain !== "object") return false;
  const known = format === undefined ? plain : readHole(hole, formatNames, facts);
  return value === undefined ? known === null : isDeepStrictEqual(value, known);
}

/** Numbers and flags are alike by chance: they have to change with what is known, or to stand under a name that says so. */
function isLikely(hole: HoleName, samples: readonly Sample[], { name }: Spot): boolean {
  const values = samples.map(({ value }) => value).filter((value) => value !== undefined);
  if (values.length === 0) return false;
  const isVaried = new Set(values.map((value) => JSON.stringify(value))).size > 1;
  const [value] = values;
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return isVaried;
  if (value === null || value === "") return isVaried || nearness(hole, { name }) > 0;
  if (typeof value === "boolean") return isVaried;
  if (typeof value !== "number" && !(typeof value === "string" && /^\d{1,3}$/.test(value))) return true;
  if (hole === "status") return /status|code/i.test(name);
  const { about } = holes[hole];
  if (about === "page" || about === "event")
    return isVaried || Number(value) >= 1000 || /id|key|pk|no$|num|ref/i.test(name);
  return isVaried || nearness(hole, { name }) > 0 || hole !== "page_number";
}

/** How much a name speaks for a hole. */
function nearness(hole: HoleName, { name }: Pick<Spot, "name">): number {
  const [key, word] = [lettersOf(name), lettersOf(hole.slice(hole.lastIndexOf(".") + 1))];
  if (key === word) return 2;
  return key.includes(word) || hints[hole]?.test(key) === true ? 1 : 0;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

const hints: Partial<Record<HoleName, RegExp>> = {
  offset: /skip|start|from|first/,
  limit: /size|perpage|max|take/,
  count: /size|length|returned/,
  page_count: /pages|last/,
  page_number: /page|current|number/,
  total: /count|found|all|hits/,
};

/** Every way in which a moment is written. */
const momentFormats: readonly (readonly FormatName[])[] = [
  [],
  ["iso-seconds"],
  ["iso-offset"],
  ["sql"],
  ["http"],
  ["date"],
  ["seconds"],
  ["milliseconds"],
  ["seconds", "text"],
  ["milliseconds", "text"],
];
const mostAwayMs = 2 * 86_400_000;

function explainMoment(samples: readonly Sample[], spot: Spot): string | undefined {
  const ofEvent = spot.subjects.includes("event")
    ? momentFormats.find((names) =>
        samples.every(({ value, facts }) => value === spellMoment(facts.event?.timestamp, names)),
      )
    : undefined;
  if (ofEvent !== undefined) return writeHole("event.timestamp", ofEvent);
  const format = momentFormats.find((names) => samples.every((sample) => isMoment(sample, names)));
  return format && writeHole(momentHole(spot), format);
}

function isMoment({ value, facts }: Sample, formatNames: readonly FormatName[]): boolean {
  const atMs = readMoment(value);
  if (atMs === undefined || Math.abs(atMs - Date.parse(facts.now)) > mostAwayMs) return false;
  return spellMoment(new Date(atMs).toISOString(), formatNames) === value;
}

function readMoment(value: unknown): number | undefined {
  if (typeof value === "number" || (typeof value === "string" && /^\d{9,14}$/.test(value))) {
    const number = Number(value);
    return number < 1e11 ? number * 1000 : number;
  }
  if (typeof value !== "string" || value.length > 40) return undefined;
  const atMs = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? `${value.replace(" ", "T")}Z` : value);
  return Number.isNaN(atMs) || Math.abs(atMs) > 8e15 ? undefined : atMs;
}

function spellMoment(moment: string | undefined, formatNames: readonly FormatName[]): unknown {
  if (moment === undefined) return undefined;
  return formatNames.reduce<unknown>((value, format) => formats[format].write(value), moment);
}

function momentHole({ name, subjects, isInPage }: Spot): HoleName {
  if (!subjects.includes("page")) return "now";
  if (/updat|modif|chang|edit|last|mtime/i.test(name)) return "updated_at";
  return isInPage || /creat|add|insert|publi|born|ctime/i.test(name) ? "created_at" : "now";
}

/** Nobody knows the identifier of an event, but its name says that it is one. */
function explainEventId(samples: readonly Sample[], { name, subjects }: Spot): string | undefined {
  const isNamed = subjects.includes("event") && /(?:^|[^a-z])(?:id|uuid|key)$|Id$|ID$|^(?:_id|uid|guid)$/.test(name);
  const isOpaque = samples.every(({ value }) => typeof value === "string" && /^\S*\d\S*$/.test(value));
  return isNamed && isOpaque ? "{event.id}" : undefined;
}

/** What a service says of an error is not known beforehand, but told by its spaces. */
function explainSentence(samples: readonly Sample[], { subjects }: Spot): string | undefined {
  if (!subjects.includes("error") || !samples.every(({ value }) => typeof value === "string" && isSentence(value)))
    return undefined;
  const isFixed = samples.length > 1 && new Set(samples.map(({ value }) => value)).size === 1;
  // What a 400 always says is a headline, not what went wrong.
  if (isFixed && samples[0]?.facts.status === 400) return undefined;
  return samples.some(({ facts }) => facts.field !== undefined) ? "{error.detail}" : "{detail}";
}

function isSentence(text: string): boolean {
  return /\p{L}\s+\S/u.test(text.trim()) && !/^\s*</.test(text);
}
