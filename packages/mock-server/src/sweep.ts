export type { FailureName, SweptCall } from "./sweep/failures.ts";
export type { Cause, Finding, FindingKind, ReportParts } from "./sweep/report.ts";
export { SweepReport } from "./sweep/report.ts";
export type { Flow, SweptAccount, SweptClientOptions } from "./sweep/run.ts";
export type { Survival } from "./sweep/survive.ts";
export type { SweepOptions } from "./sweep/sweep.ts";
export { sweep } from "./sweep/sweep.ts";
