// Door: how one particular service speaks, as data.
export type { Dialect, DialectChoice } from "./dialect/dialect.ts";
export { referenceDialect, resolveDialect } from "./dialect/dialect.ts";
export type { AnswerTemplate, AnswerTemplates, DialectFile } from "./dialect/file.ts";
export type { FormatName, HoleFormat } from "./dialect/formats.ts";
export { formats } from "./dialect/formats.ts";
export type { Facts, Json, List, Subject } from "./dialect/facts.ts";
export { listChanges } from "./dialect/facts.ts";
export { hasFilling, leadsNowhere, listSubjects } from "./dialect/filling.ts";
export type { Hole, HoleName } from "./dialect/holes.ts";
export { holes, readHole } from "./dialect/holes.ts";
export { shapeSwitches } from "./dialect/named.ts";
export type { PresetName } from "./dialect/presets.ts";
export { dialectPresets } from "./dialect/presets.ts";
export { dialectSchema } from "./dialect/schema.ts";
export type { AnswerShape, AnswerShapes } from "./dialect/shapes.ts";
export { readAnswers } from "./dialect/shapes.ts";
export type { Repeated, TemplateMember, TemplateNode, TemplatePlace } from "./dialect/template.ts";
export { escapeTemplate, holesAbout, readTemplate } from "./dialect/template.ts";
