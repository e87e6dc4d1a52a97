import { checkNames } from "../exchange/names.ts";
import { tellKind } from "../testing/kind.ts";
import type { Finding, SweepReport } from "./report.ts";

/** How much of what may be wrong is allowed; what is left out is not looked at. */
export interface Survival {
  /** Runs after which something was stored more often than it should be. */
  twice?: number;
  /** Runs after which something is missing or otherwise, and the flow did not say so. */
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
const none: Survival = { twice: 0, silent: 0, hangs: 0, unhandled: 0, etiquette: 0 };

/** Holds a report against what is allowed. @throws {TypeError} when a member is none, or no whole number. */
export function compareSurvival(
  report: SweepReport,
  allowed: Survival = none,
  where: string,
): { isMet: boolean; message: () => string } {
  checkNames(where, allowed, Object.keys(counted));
  if (!Array.isArray(report?.findings))
    throw new TypeError(`${where}: expected the report of a sweep, got ${tellKind(report)}`);
  const excess: string[] = [];
  for (const [name, isCounted] of Object.entries(counted)) {
    const most = allowed[name as keyof Survival]; // why: names of `counted` are those of Survival
    if (most === undefined) continue;
    if (!(Number.isSafeInteger(most) && most >= 0))
      throw new TypeError(`${where}: ${name}: expected a whole number of 0 or more, got ${JSON.stringify(most)}`);
    const count = report.findings.filter(isCounted).length;
    if (count > most) excess.push(`${name}: ${count}, at most ${most} allowed`);
  }
  const text = String(report);
  return {
    isMet: excess.length === 0,
    message: () =>
      excess.length === 0 ? `expected the flow not to survive\n\n${text}` : `${excess.join("; ")}\n\n${text}`,
  };
}
