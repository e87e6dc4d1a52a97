/**
 * Dialects, which describe as data how one particular service behaves.
 *
 * @module
 */
export { type AnswerTemplate, type AnswerTemplates, type DialectFile, dialectSchema } from "./dialect/file.ts";
export { type FormatName, formats, type PlaceholderFormat } from "./dialect/formats.ts";
export { namedAnswers, shapeSwitches } from "./dialect/interpretations.ts";
export type { Facts, List, Placeholder, PlaceholderName, Subject, ValueSchema } from "./dialect/placeholders.ts";
export { placeholders, placeholdersAbout, renderPlaceholder } from "./dialect/placeholders.ts";
export { listSubjects, renderTemplate } from "./dialect/render.ts";
export type { AnswerShape, AnswerShapes, Dialect, DialectChoice, DialectModule } from "./dialect/resolve.ts";
export { dialectPresets, type PresetName, readAnswers, readPageId } from "./dialect/resolve.ts";
export { referenceDialect, resolveDialect } from "./dialect/resolve.ts";
export type { Repeated, TemplateMember, TemplateNode, TemplatePlace } from "./dialect/template.ts";
export { escapeTemplate, readTemplate } from "./dialect/template.ts";
export type { Json } from "./json.ts";
