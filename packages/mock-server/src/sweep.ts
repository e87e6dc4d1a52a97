/**
 * Runs an app with every failure of every call.
 *
 * @module
 */
export type { FailureName, SweptCall } from "./sweep/plan.ts";
export type { Cause, Finding, FindingKind, ReportParts, Survival } from "./sweep/report.ts";
export { SweepReport } from "./sweep/report.ts";
export type { Flow, SweptAccount, SweptClientOptions } from "./sweep/run.ts";
export type { SweepOptions } from "./sweep/sweep.ts";
export { sweep } from "./sweep/sweep.ts";
