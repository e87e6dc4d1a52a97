import * as z from "zod";
import { integer, optional, parseArgument } from "../argument.ts";
import type { Finding, SweepReport } from "./report.ts";

/** How many findings of each kind are allowed. A kind that is left out is not looked at. */
export interface Survival {
  /** Runs after which something was stored more often than it should be. */
  twice?: number;
  /** Runs after which something is missing or changed, and the flow did not report it. */
  silent?: number;
  /** Runs that never ended. */
  hangs?: number;
  /** Runs that left a rejection to nobody. */
  unhandled?: number;
  /** Runs that did what the service asks its callers not to do. */
  etiquette?: number;
}

const counted: Record<keyof Survival, (finding: Finding) => boolean> = {
  twice: ({ kind }) => kind === "twice",
  silent: ({ kind, told }) => (kind === "missing" || kind === "changed") && !told,
  hangs: ({ kind }) => kind === "hang",
  unhandled: ({ kind }) => kind === "unhandled",
  etiquette: ({ kind }) => kind === "etiquette",
};
const names = Object.keys(counted) as (keyof Survival)[]; // why: keys of an object literal are its own
const survivalSchema = z.strictObject(Object.fromEntries(names.map((name) => [name, optional(integer(0))])));
const reportSchema = z.custom<SweepReport>((report) => Array.isArray(Object(report).findings), {
  error: "expected the report of a sweep",
});

/** Compares a report with what is allowed, by default nothing. @throws {TypeError} when a name or a number is wrong. */
export function compareSurvival(
  report: SweepReport,
  allowed: Survival | undefined,
  where: string,
): { isMet: boolean; message: () => string } {
  parseArgument(where, reportSchema, report);
  parseArgument(where, survivalSchema, allowed ?? {});
  const excess = names.flatMap((name) => {
    const most = allowed === undefined ? 0 : (allowed[name] ?? Infinity);
    const found = report.findings.filter(counted[name]).length;
    return found > most ? [`${name}: ${found}, at most ${most} allowed`] : [];
  });
  const title = excess.length === 0 ? "expected the flow not to survive" : excess.join("; ");
  return { isMet: excess.length === 0, message: () => `${title}\n\n${String(report)}` };
}
