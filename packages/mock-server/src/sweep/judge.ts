import { findBreaches } from "./etiquette.ts";
import type { Finding, FindingKind } from "./report.ts";
import type { Observation } from "./run.ts";
import { compareStored } from "./stored.ts";

/** The faults of a run, as its findings list them. */
export type Setting = Pick<Finding, "call" | "fault" | "rules" | "reproduce">;

/** The findings of a run, and the losses that it reported. */
export interface Verdict {
  readonly findings: readonly Finding[];
  readonly losses: readonly Finding[];
}

/** Judges a run by the undisturbed one. */
export function judge(undisturbed: Observation, run: Observation, setting: Setting): Verdict {
  const find = (kind: FindingKind, what: string): Finding => ({ kind, told: run.isTold, what, ...setting });
  const differences = compareStored(undisturbed.stored, run.stored)
    // What a hanging flow did not get to is no finding of its own.
    .filter(({ kind }) => !run.isHanging || kind === "twice")
    .map(({ kind, what }) => find(kind, what));
  const usual = findBreaches(undisturbed.exchanges);
  return {
    findings: [
      ...differences.filter((difference) => !isLoss(difference)),
      ...(run.isHanging ? [find("hang", "the flow never ends")] : []),
      ...run.unhandled.map((name) => find("unhandled", `a rejection, ${name}`)),
      ...findBreaches(run.exchanges)
        .filter((breach) => !usual.includes(breach))
        .map((breach) => find("etiquette", breach)),
    ],
    losses: differences.filter(isLoss),
  };
}

const isLoss = ({ kind, told }: Finding): boolean => told && kind !== "twice";
