// How the service speaks where the spec is silent.
import {
  type Dialect,
  dialectPresets,
  gaps,
  nearest,
  type PresetName,
  referenceDialect,
  switchIds,
} from "@landing-page-service/contract";

export { translateAnswer } from "./translations.ts";

/** A dialect, as a person chooses one: the name of a preset, or the readings that differ from our reference service. */
export type DialectChoice = PresetName | Readonly<Partial<Dialect>>;

/**
 * Turns a choice into a whole dialect: names of presets are looked up, missing readings are those of our reference
 * service. A bare array has no room for a total, so `list-envelope: "array"` always comes with `list-total: "none"`.
 *
 * @param choice - a {@link DialectChoice}, or anything read from a file.
 * @throws {TypeError} when it is neither, names an unknown gap, or an unknown reading of a known one.
 */
export function resolveDialect(choice: unknown = {}): Dialect {
  const readings = typeof choice === "string" ? presetReadings(choice) : choice;
  if (typeof readings !== "object" || readings === null || Array.isArray(readings))
    throw new TypeError("A dialect is the name of a preset, or an object of readings.");
  for (const [id, reading] of Object.entries(readings)) checkReading(id, reading);
  const dialect: Dialect = { ...referenceDialect, ...readings };
  if (dialect["list-envelope"] === "array") dialect["list-total"] = "none";
  // One object for the reference dialect, so that answers which need no translation are told by a glance.
  return switchIds.every((id) => dialect[id] === referenceDialect[id]) ? referenceDialect : dialect;
}

function presetReadings(name: string): unknown {
  const preset = Object.entries(dialectPresets).find(([known]) => known === name)?.[1];
  if (preset !== undefined) return preset.dialect;
  const names = Object.keys(dialectPresets);
  throw new TypeError(`Unknown dialect preset ${quote(name)}${suggest(name, names)}: expected ${oneOf(names)}.`);
}

function checkReading(id: string, reading: unknown): void {
  const known = switchIds.find((switchId) => switchId === id);
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

function suggest(name: string, candidates: readonly string[]): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` (did you mean ${quote(candidate)}?)`;
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function oneOf(names: readonly string[]): string {
  return names.map(quote).join(", ");
}
