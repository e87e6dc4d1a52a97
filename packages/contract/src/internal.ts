// What the packages of this repository share. It is not stable: it changes in any release.
export type { CheckedValue, Issue } from "./issues.ts";
export { checkValue, formatIssues, formatPath, suggest } from "./issues.ts";
