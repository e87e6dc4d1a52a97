// What the packages of this repository share. It is not stable: it changes in any release.
export type { CheckedValue, Issue } from "./issues.ts";
export { checkValue, formatIssues, formatPath, suggest } from "./issues.ts";
export type { MissingFact, ReadFacts, ReceivedResponse } from "./dialect/read.ts";
export { readResponse, readTemplateValue } from "./dialect/read.ts";
export type { PageFacts } from "./dialect/read-page.ts";
export { readPageFacts, readProblemFacts } from "./dialect/read-page.ts";
export type { RenderedResponse } from "./dialect/render.ts";
export { renderResponse } from "./dialect/render.ts";
export { parseExactJson } from "./json.ts";
