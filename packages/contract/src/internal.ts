// Exports that the packages of this repository share. They are not stable and may change in any release.
export type { CheckedValue, Issue } from "./issues.ts";
export { checkValue, formatIssues, formatPath, suggest } from "./issues.ts";
export type { PageFacts, ReadFacts, ReceivedResponse, TemplatePart } from "./dialect/read.ts";
export {
  fitsBetter,
  isWithin,
  listErrors,
  readPageFacts,
  readProblemFacts,
  readResponse,
  readTemplateValue,
} from "./dialect/read.ts";
export type { RenderedResponse } from "./dialect/render.ts";
export { renderResponse } from "./dialect/render.ts";
export { decodePercent, isHtml, parseExactJson } from "./json.ts";
export type { InferredList, MissingList } from "./infer/find-list.ts";
export { holdsObjects, inferList } from "./infer/find-list.ts";
export type { FoundPage, InferredPage, Layout } from "./infer/find-page.ts";
export type { ParsedResponse } from "./infer/find-page.ts";
export type { InferRequest } from "./infer/nodes.ts";
export { findPagePath, inferPage } from "./infer/find-page.ts";
export { isRefusal } from "./infer/refusal.ts";
export type { FoundProblem } from "./infer/error-body.ts";
export { findProblem } from "./infer/error-body.ts";
export { referenceListSchema, referencePageSchema } from "./page.ts";
export { isHeadline, lettersOf, toPointer } from "./problem.ts";
