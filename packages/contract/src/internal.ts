// What the packages of this repository share. It is not stable: it changes in any release.
export type { CheckedValue, Issue } from "./issues.ts";
export { checkValue, formatIssues, formatPath, suggest } from "./issues.ts";
export type { MissingFact, ReadFacts, ReceivedResponse } from "./dialect/read.ts";
export { fitsTemplate, readResponse, readTemplateValue } from "./dialect/read.ts";
export type { PageFacts } from "./dialect/read.ts";
export { readPageFacts, readProblemFacts } from "./dialect/read.ts";
export type { RenderedResponse } from "./dialect/render.ts";
export { renderResponse } from "./dialect/render.ts";
export type { Body } from "./json.ts";
export { parseExactJson, readBody } from "./json.ts";
export type { InferredList, MissingList } from "./infer/find-list.ts";
export { holdsObjects, inferList } from "./infer/find-list.ts";
export type { FoundPage, InferredPage, Layout } from "./infer/find-page.ts";
export type { InferRequest, ParsedResponse } from "./infer/find-page.ts";
export { inferPage } from "./infer/find-page.ts";
export type { FoundProblem } from "./infer/error-body.ts";
export { findProblem, isRefusal } from "./infer/error-body.ts";
export { referenceListSchema, referencePageSchema } from "./page.ts";
