// Exports that the packages of this repository share. They are not stable and may change in any release.
export { type CheckedValue, checkValue, formatIssues, formatPath, type Issue, suggest } from "./issues.ts";
export { fitsBetter, isWithin, listErrors, readPageFacts, readProblemFacts } from "./dialect/read.ts";
export { type PageFacts, type ReadFacts, type ReceivedResponse, type TemplatePart } from "./dialect/read.ts";
export { readResponse, readTemplateValue } from "./dialect/read.ts";
export { type RenderedResponse, renderResponse } from "./dialect/render.ts";
export { decodePercent, isHtml, parseExactJson } from "./json.ts";
export { holdsObjects, type InferredList, inferList, type MissingList } from "./infer/find-list.ts";
export { findPagePath, type FoundPage, type InferredPage, inferPage, type Layout } from "./infer/find-page.ts";
export { type InferRequest } from "./infer/nodes.ts";
export { isRefusal } from "./infer/refusal.ts";
export { findProblem, type FoundProblem } from "./infer/error-body.ts";
export { referenceListSchema, referencePageSchema } from "./page.ts";
export { lettersOf } from "./nearest.ts";
export { isHeadline, toPointer } from "./problem.ts";
