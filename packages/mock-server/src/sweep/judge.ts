// Compares a run with the run without faults, and lists the differences.
import type { PlannedRun } from "./plan.ts";
import type { Finding, FindingKind } from "./report.ts";
import type { Exchange, Observation, Stored } from "./run.ts";

/** Lists the findings of a run. A missing or changed record that the flow reported is a loss; see `isLoss`. */
export function judge(baseline: Observation, run: Observation, planned: PlannedRun): Finding[] {
  const { dialect, ...setting } = planned;
  const find = (kind: FindingKind, what: string): Finding => ({ kind, isReported: run.isReported, what, ...setting });
  const isHanging = run.settled === undefined;
  // A hanging flow did not reach its last calls, so their missing records are no extra finding.
  const differences = compareStored(baseline.stored, run.stored).filter(({ kind }) => !isHanging || kind === "twice");
  const usual = findBreaches(baseline.exchanges, baseline.exchanges);
  return [
    ...differences.map(({ kind, what }) => find(kind, what)),
    ...(isHanging ? [find("hang", "the flow never ends")] : []),
    ...run.unhandled.map((name) => find("unhandled", `a rejection, ${name}`)),
    ...findBreaches(run.exchanges, baseline.exchanges)
      .filter((breach) => !usual.includes(breach))
      .map((breach) => find("etiquette", breach)),
  ];
}

/** Whether the flow reported a missing or changed record, so that its caller can act. */
export function isLoss({ kind, isReported }: Finding): boolean {
  return isReported && (kind === "missing" || kind === "changed");
}

/** Compares the stored records with those of a run without faults. */
export function compareStored(expected: Stored, actual: Stored): Pick<Finding, "kind" | "what">[] {
  const whats = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  return whats.flatMap((what): Pick<Finding, "kind" | "what">[] => {
    const [before, after] = [expected.get(what) ?? [], actual.get(what) ?? []];
    if (after.length < before.length) return [{ kind: "missing", what }];
    if (before.length === 0) return [{ kind: "changed", what: `${what} should not be there` }];
    if (after.length > before.length) return [{ kind: "twice", what }];
    const isSame = before.every((fields, index) => fields === after[index]);
    return isSame ? [] : [{ kind: "changed", what: `${what} has other fields` }];
  });
}

/** A request, and the exchanges whose responses its caller had read before. */
interface Call extends Exchange {
  readonly known: readonly Exchange[];
  /** Whether its caller had read a 401 shortly before. Later, the key may have been renewed. */
  readonly isLate: boolean;
}

type Rule = (call: Call, calls: readonly Call[], usual: readonly Exchange[]) => boolean;

/** Makes a function that finds the same request. */
const equalTo =
  ({ sent }: Exchange) =>
  (other: Exchange) =>
    other.sent === sent;

/**
 * Rules of the service for its callers, in the order of the report. A function says whether a call breaks the rule. `usual` are the requests
 * of the flow without faults.
 */
const rules: Record<string, Rule> = {
  "sent a request before the reset of a 429": ({ known, startedAtMs }) =>
    known.some(({ response }) => response?.status === 429 && startedAtMs < response.retryAtMs),
  "repeated a request after a 400": (call, calls, usual) =>
    call.known.filter(equalTo(call)).some(({ response }) => response?.status === 400) &&
    calls.filter(equalTo(call)).length > usual.filter(equalTo(call)).length,
  "sent another body under one Idempotency-Key": ({ idempotencyKey, sent }, calls) =>
    idempotencyKey !== null && calls.find((first) => first.idempotencyKey === idempotencyKey)?.sent !== sent,
  // After a 401 a request may be sent once more, with another key.
  "sent another request after a 401": (call, calls) => {
    const equal = calls.filter(equalTo(call));
    const first = equal.filter(({ isLate, response }) => !isLate && response?.status === 401);
    return equal.filter(({ isLate }) => isLate).length > first.length;
  },
};

/** Lists the rules that the requests of a run break. */
function findBreaches(exchanges: readonly Exchange[], usual: readonly Exchange[]): string[] {
  const calls = exchanges.map((call): Call => {
    const known = exchanges.filter(({ response }) => {
      return response !== undefined && response.order < call.order && response.readAtMs <= call.startedAtMs;
    });
    const recent = known.filter(({ response }) => call.startedAtMs < (response?.readAtMs ?? 0) + 20_000);
    return { ...call, known, isLate: recent.some(({ response }) => response?.status === 401) };
  });
  return Object.keys(rules).filter((rule) => calls.some((call) => rules[rule]?.(call, calls, usual)));
}
