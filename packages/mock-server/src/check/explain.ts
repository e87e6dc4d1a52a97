// Explains a value by what is known: which hole of a template would have put it there.
import { isDeepStrictEqual } from "node:util";
import {
  escapeTemplate,
  type FormatName,
  type HoleName,
  holes,
  holesAbout,
  readHole,
} from "@landing-page-service/contract/dialect";
import { explainMoment, explainMomentIn } from "./explain-moment.ts";
import { explainText, isFieldName, nameFormats, nearness, type Sample, type Spot, writeHole } from "./explain-text.ts";
import { hasPages } from "./telling.ts";

/** The hole that explains every sight of a value, or the text with holes that does; `undefined` when none does. */
export function explain(samples: readonly Sample[], spot: Spot): string | undefined {
  return (
    explainWhole(samples, spot) ??
    explainLink(samples, spot) ??
    explainMoment(samples, spot) ??
    explainOpaqueId(samples, spot) ??
    explainSentence(samples, spot) ??
    explainText(samples, spot) ??
    explainMomentIn(samples, spot) ??
    explainMostFields(samples, spot)
  );
}

const moments: ReadonlySet<HoleName> = new Set<HoleName>(["created_at", "updated_at", "now", "event.timestamp"]);
const plainFormats: readonly (readonly FormatName[])[] = [[], ["text"], ["number"], ["json"]];

function explainWhole(samples: readonly Sample[], spot: Spot): string | undefined {
  const all = holesAbout(spot.subjects).filter(
    (hole) => !moments.has(hole) || (hole === "event.timestamp" && !spot.isInPage),
  );
  // The answer to an event is about that, before it is about the page.
  const known = all.toSorted((one, other) => Number(isOfEvent(other)) - Number(isOfEvent(one)));
  const candidates = known.flatMap((hole) =>
    (isFieldName(hole) ? nameFormats : plainFormats).map((formatNames): Candidate => ({ hole, formatNames })),
  );
  const fitting = candidates.filter(
    (candidate) => isWritten(samples, candidate) && isLikely(candidate.hole, samples, spot),
  );
  // What is missing elsewhere is told by a hole with nothing in it there, and then by its name.
  const weigh = ({ hole }: Candidate) =>
    nearness(hole, spot) + (spot.absent?.every((facts) => readHole(hole, [], facts) === null) === true ? 3 : 0);
  const [first] = fitting.toSorted((one, other) => weigh(other) - weigh(one));
  return first && writeHole(first.hole, first.formatNames);
}

interface Candidate {
  readonly hole: HoleName;
  readonly formatNames: readonly FormatName[];
}

function isOfEvent(hole: HoleName): boolean {
  return holes[hole].about === "event";
}

/** What is there exactly where more pages are leads to them: a text that says where, or one that nobody can read. */
function explainLink(samples: readonly Sample[], spot: Spot): string | undefined {
  if (!spot.subjects.includes("list")) return undefined;
  for (const way of ["next", "previous"] as const) {
    const present = samples.filter(({ value }) => value !== undefined && value !== null);
    const missing = samples.filter((sample) => !present.includes(sample));
    const absent = [...missing.map(({ facts }) => facts), ...(spot.absent ?? [])];
    const isLink =
      present.every(({ facts }) => hasPages(facts, `${way}_offset`)) &&
      !absent.some((facts) => hasPages(facts, `${way}_offset`));
    const isText = present.every(({ value }) => typeof value === "string");
    if (!isLink || !isText || present.length === 0 || absent.length === 0) continue;
    const written = explainText(present, spot);
    if (written?.includes(`{${way}_offset}`)) return written;
    const start = /^(?:https?:\/\/|(?=\/))/.exec(String(present[0]?.value))?.[0];
    // Beside a link there may be a word that is always the same.
    if (missing.length === 0 && start === undefined && !present.every(({ value }) => /\d/.test(String(value))))
      continue;
    return start === undefined
      ? `{${way}_cursor}`
      : `${start === "" ? "" : "{origin}"}${escapeTemplate(present[0]?.facts.path ?? "")}?limit={limit}&offset={${way}_offset}`;
  }
  return undefined;
}

function isWritten(samples: readonly Sample[], { hole, formatNames }: Candidate): boolean {
  const [format] = formatNames;
  const plain = samples.map(({ facts }) => readHole(hole, [], facts));
  // A format that changes nothing explains nothing that the bare hole does not.
  if (format === "number" && !plain.every((value) => typeof value === "string" && /^\d+$/.test(value))) return false;
  if (format === "text" && plain.every((value) => typeof value === "string")) return false;
  if (format === "json" && !plain.every((value) => typeof value === "object")) return false;
  return samples.every((sample) => writes(sample, hole, formatNames));
}

function writes({ value, facts }: Sample, hole: HoleName, formatNames: readonly FormatName[]): boolean {
  const known = readHole(hole, formatNames, facts);
  return value === undefined ? known === null : isDeepStrictEqual(value, known);
}

function isBlaming({ facts }: Sample): boolean {
  return readHole("error.field", [], facts) !== null;
}

/** A service may have another name for one of its fields: the names that most have are those of all. */
function explainMostFields(samples: readonly Sample[], { subjects }: Spot): string | undefined {
  if (!subjects.includes("field")) return undefined;
  const [blaming, others] = [samples.filter(isBlaming), samples.filter((sample) => !isBlaming(sample))];
  for (const hole of ["error.field", "error.pointer"] as const)
    for (const formatNames of nameFormats) {
      const named = blaming.filter((sample) => writes(sample, hole, formatNames));
      const fields = new Set(named.map(({ value }) => value));
      const isMost = fields.size > 1 && named.length * 2 > blaming.length;
      if (isMost && others.every((sample) => writes(sample, hole, formatNames))) return writeHole(hole, formatNames);
    }
  return undefined;
}

/** Numbers and flags are alike by chance: they have to change with what is known, or to stand under a name that says so. */
function isLikely(hole: HoleName, samples: readonly Sample[], { name }: Spot): boolean {
  const values = samples.map(({ value }) => value).filter((value) => value !== undefined);
  if (values.length === 0) return false;
  const isVaried = new Set(values.map((value) => JSON.stringify(value))).size > 1;
  const [value] = values;
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return isVaried;
  // What is always empty is explained by nothing, but for a description where none was sent.
  if (value === null || value === "")
    return isVaried || (hole === "meta_description" && nearness(hole, { name }) === 2);
  if (hole === "cta.type") return isVaried || /type|kind|style|variant/i.test(name);
  if (typeof value === "boolean") return isVaried;
  if (typeof value !== "number" && !(typeof value === "string" && /^\d{1,3}$/.test(value))) return true;
  if (hole === "status") return /status|code/i.test(name);
  const { about } = holes[hole];
  if (about === "page" || about === "event")
    return isVaried || Number(value) >= 1000 || /id|key|pk|no$|num|ref/i.test(name);
  return isVaried || nearness(hole, { name }) > 0 || hole !== "page_number";
}

/** Nobody knows the identifier of an event, or of a request, but its name says that it is one. */
function explainOpaqueId(samples: readonly Sample[], { name, subjects }: Spot): string | undefined {
  if (!samples.every(({ value }) => typeof value === "string" && /^\S*\d\S*$/.test(value))) return undefined;
  if (/(?:request|correlation|trace)[_-]?id$/i.test(name)) return "{request_id}";
  const isNamed = subjects.includes("event") && /(?:^|[^a-z])(?:id|uuid|key)$|Id$|ID$|^(?:_id|uid|guid)$/.test(name);
  return isNamed ? "{event.id}" : undefined;
}

/** What a service says of an error is not known beforehand, but told by its spaces. */
function explainSentence(samples: readonly Sample[], { subjects, headlines }: Spot): string | undefined {
  if (!subjects.includes("error") || !samples.every(({ value }) => typeof value === "string" && isSentence(value)))
    return undefined;
  const isFixed = samples.length > 1 && new Set(samples.map(({ value }) => value)).size === 1;
  // What a refused field, or several statuses, always say is a headline, not what went wrong.
  if (isFixed && [400, 422].includes(samples[0]?.facts.status ?? 0)) return undefined;
  if (samples.every(({ value }) => headlines?.has(value) === true)) return undefined;
  return samples.some(({ facts }) => facts.field !== undefined) ? "{error.detail}" : "{detail}";
}

function isSentence(text: string): boolean {
  return /\p{L}\s+\S/u.test(text.trim()) && !/^\s*</.test(text);
}
