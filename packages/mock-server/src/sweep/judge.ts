import { findBreaches } from "./etiquette.ts";
import { compareHoldings } from "./holdings.ts";
import type { Finding, FindingKind } from "./report.ts";
import type { Observation } from "./run.ts";

/** What was done to a run, as a finding tells it. */
export type Setting = Pick<Finding, "call" | "fault" | "rules" | "reproduce">;

/** What one run did wrong, and what it lost and told of. */
export interface Verdict {
  readonly findings: readonly Finding[];
  readonly losses: readonly Finding[];
}

/** Judges a run by what the undisturbed one was like. */
export function judge(undisturbed: Observation, run: Observation, setting: Setting): Verdict {
  const told = run.isTold;
  const differences = compareHoldings(undisturbed.holdings, run.holdings)
    // What a flow that hangs did not come to is no other finding.
    .filter(({ kind }) => !run.isHanging || kind === "twice")
    .map((difference): Finding => Object.assign({ told }, difference, setting));
  const isLoss = ({ kind }: Finding): boolean => told && kind !== "twice";
  const breachesBefore = findBreaches(undisturbed.exchanges);
  const breaches = findBreaches(run.exchanges).filter((breach) => !breachesBefore.includes(breach));
  const find = (kind: FindingKind, whats: readonly string[]): Finding[] =>
    whats.map((what) => Object.assign({ kind, told, what }, setting));
  return {
    findings: [
      ...differences.filter((difference) => !isLoss(difference)),
      ...find("hang", run.isHanging ? ["the flow never ends"] : []),
      ...find(
        "unhandled",
        run.unhandled.map((name) => `a rejection, ${name}`),
      ),
      ...find("etiquette", breaches),
    ],
    losses: differences.filter(isLoss),
  };
}
