// How one particular service speaks: switches for what it does, templates for what its answers look like.
import { freezeDeep } from "../freeze.ts";
import { gaps, referenceSwitches, type SwitchId, switchIds, type Switches } from "../gaps.ts";
import type { AnswerTemplates, DialectFile } from "./file.ts";
import { namedAnswers } from "./named.ts";
import { dialectPresets, type PresetName } from "./presets.ts";
import { answerNames, readAnswers } from "./shapes.ts";
import { isObject } from "../json.ts";
import { checkMembers, oneOf, quote, suggest } from "./words.ts";

/** A dialect, as a person chooses one: the name of a preset, or what differs from our reference service. */
export type DialectChoice = PresetName | DialectFile;

/** A whole dialect: one reading for every gap that can be switched, and a template for every answer. */
export interface Dialect {
  readonly switches: Switches;
  readonly answers: AnswerTemplates;
}

/** How our reference service speaks unless told otherwise. */
export const referenceDialect: Dialect = freezeDeep({
  switches: referenceSwitches,
  answers: namedAnswers(referenceSwitches),
});

/**
 * Turns a choice into a whole dialect: names of presets are looked up, missing readings and templates are those of our
 * reference service. A bare array has no room for a total, so `list-envelope: "array"` always comes with `list-total: "none"`.
 *
 * @param choice - a {@link DialectChoice}, or anything read from a file.
 * @throws {TypeError} when it is neither, or names an unknown gap, reading, answer or placeholder.
 */
export function resolveDialect(choice?: unknown): Dialect {
  if (choice === undefined) return referenceDialect;
  const file = typeof choice === "string" ? findPreset(choice) : choice;
  if (!isObject(file))
    throw new TypeError("A dialect is the name of a preset, or an object with `switches` and `answers`.");
  checkFile(file);
  const switches = resolveSwitches(file["switches"] ?? {});
  const given = file["answers"] ?? {};
  if (!isObject(given)) throw new TypeError(`answers: expected an object of templates, got ${quote(given)}.`);
  checkMembers(given, answerNames, "answers");
  // why: reading the whole below checks every member
  const answers = { ...namedAnswers(switches), ...given } as AnswerTemplates;
  readAnswers(answers);
  // What was given stays whose it is, and what was read once is never anything else.
  const dialect: Dialect = freezeDeep({ switches, answers: structuredClone(answers) });
  // One object for the reference dialect, so that answers which need no translation are told by a glance.
  return JSON.stringify(dialect) === JSON.stringify(referenceDialect) ? referenceDialect : dialect;
}

/** A switch beside `switches` is the likeliest mistake, so it is told where it belongs. */
function checkFile(file: Readonly<Record<string, unknown>>): void {
  const misplaced = Object.keys(file).find((name) => Object.hasOwn(gaps, name));
  if (misplaced !== undefined)
    throw new TypeError(`A dialect has no member ${quote(misplaced)}: it is a switch, and belongs under \`switches\`.`);
  const { varies = [] } = file;
  if (!Array.isArray(varies) || !varies.every((place) => typeof place === "string"))
    throw new TypeError(`varies: expected an array of places, got ${quote(varies)}.`);
  checkMembers(file, ["$schema", "summary", "switches", "answers", "varies"], "A dialect");
}

function findPreset(name: string): DialectFile {
  const preset = Object.entries<DialectFile>(dialectPresets).find(([known]) => known === name)?.[1];
  if (preset !== undefined) return preset;
  const names = Object.keys(dialectPresets);
  throw new TypeError(`Unknown dialect preset ${quote(name)}${suggest(name, names)}: expected ${oneOf(names)}.`);
}

function resolveSwitches(readings: unknown): Switches {
  if (!isObject(readings)) throw new TypeError(`switches: expected an object of readings, got ${quote(readings)}.`);
  for (const [id, reading] of Object.entries(readings)) checkReading(id, reading);
  const switches: Switches = { ...referenceSwitches, ...readings };
  if (switches["list-envelope"] === "array") switches["list-total"] = "none";
  return switches;
}

function checkReading(id: string, reading: unknown): void {
  const known: SwitchId | undefined = switchIds.find((switchId) => switchId === id);
  if (known === undefined) {
    const why = Object.hasOwn(gaps, id)
      ? "has a single reading, so there is nothing to switch"
      : `is no gap of the spec${suggest(id, switchIds)}`;
    throw new TypeError(`Unknown dialect switch ${quote(id)}: it ${why}.`);
  }
  const readings = Object.keys(gaps[known].readings);
  if (typeof reading === "string" && readings.includes(reading)) return;
  const hint = typeof reading === "string" ? suggest(reading, readings) : "";
  throw new TypeError(`Unknown reading ${quote(reading)} of ${quote(id)}${hint}: expected ${oneOf(readings)}.`);
}
