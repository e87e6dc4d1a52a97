// Likely combinations of readings, as files that a person can copy and change.
import { freezeDeep } from "../freeze.ts";
import type { DialectFile } from "./file.ts";
import reference from "./presets/reference.json" with { type: "json" };
import minimal from "./presets/minimal.json" with { type: "json" };
import wrapped from "./presets/wrapped.json" with { type: "json" };
import mongoLike from "./presets/mongo-like.json" with { type: "json" };
import railsLike from "./presets/rails-like.json" with { type: "json" };
import springLike from "./presets/spring-like.json" with { type: "json" };
import lenient from "./presets/lenient.json" with { type: "json" };
import strict from "./presets/strict.json" with { type: "json" };

/** Names of the presets. */
export type PresetName =
  "reference" | "minimal" | "wrapped" | "mongo-like" | "rails-like" | "spring-like" | "lenient" | "strict";

const files = {
  reference,
  minimal,
  wrapped,
  "mongo-like": mongoLike,
  "rails-like": railsLike,
  "spring-like": springLike,
  lenient,
  strict,
};

/** Likely dialects, by name. Gap: see docs/spec-gaps.md#presets */
export const dialectPresets = freezeDeep(files as Readonly<Record<PresetName, DialectFile>>); // why: TypeScript takes every text of a JSON file for any text; a test reads each
