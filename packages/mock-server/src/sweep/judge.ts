// What one run did wrong, by the undisturbed one.
import type { PlannedRun } from "./plan.ts";
import type { Finding, FindingKind } from "./report.ts";
import type { Exchange, Observation, Stored } from "./run.ts";

/** Lists what a run did wrong. What is missing or otherwise, and told, is a loss; see `isLoss`. */
export function judge(undisturbed: Observation, run: Observation, planned: PlannedRun): Finding[] {
  const { dialect, ...setting } = planned;
  const find = (kind: FindingKind, what: string): Finding => ({ kind, told: run.isTold, what, ...setting });
  const isHanging = run.settled === undefined;
  // What a hanging flow did not get to is no finding of its own.
  const differences = compareStored(undisturbed.stored, run.stored).filter(
    ({ kind }) => !isHanging || kind === "twice",
  );
  const usual = findBreaches(undisturbed.exchanges);
  return [
    ...differences.map(({ kind, what }) => find(kind, what)),
    ...(isHanging ? [find("hang", "the flow never ends")] : []),
    ...run.unhandled.map((name) => find("unhandled", `a rejection, ${name}`)),
    ...findBreaches(run.exchanges)
      .filter((breach) => !usual.includes(breach))
      .map((breach) => find("etiquette", breach)),
  ];
}

/** Whether the caller knows of what is not stored, or otherwise, and can act. */
export function isLoss({ kind, told }: Finding): boolean {
  return told && (kind === "missing" || kind === "changed");
}

/** Compares what is stored with what is stored after an undisturbed run. */
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

/** A request, and what its caller had read when it sent it. */
interface Call extends Exchange {
  readonly known: readonly Exchange[];
  /** Whether a 401 was among it. */
  readonly isLate: boolean;
}

/** What the service asks its callers not to do, in the order of the report: whether one of the calls does it. */
const rules: Record<string, (call: Call, calls: readonly Call[]) => boolean> = {
  "called before the reset of a 429": ({ known, startedAtMs }) =>
    known.some(({ response }) => response?.status === 429 && startedAtMs < response.retryAtMs),
  "sent again what a 400 had refused": ({ known, sent }) =>
    known.some((other) => other.response?.status === 400 && other.sent === sent),
  "sent another body under one Idempotency-Key": ({ idempotencyKey, sent }, calls) =>
    idempotencyKey !== null && calls.find((first) => first.idempotencyKey === idempotencyKey)?.sent !== sent,
  // A request that a 401 refused may be sent once more, with another key.
  "went on calling after a 401": ({ sent }, calls) => {
    const late = calls.filter((other) => other.isLate && other.sent === sent);
    const first = calls.filter((other) => !other.isLate && other.sent === sent && other.response?.status === 401);
    return late.length > first.length;
  },
};

/** Lists the rules that the requests of a run break. */
function findBreaches(exchanges: readonly Exchange[]): string[] {
  const calls = exchanges.map((call): Call => {
    const isKnown = ({ response }: Exchange): boolean =>
      response !== undefined && response.order < call.order && response.readAtMs <= call.startedAtMs;
    const known = exchanges.filter(isKnown);
    return { ...call, known, isLate: known.some(({ response }) => response?.status === 401) };
  });
  return Object.keys(rules).filter((rule) => calls.some((call) => rules[rule]?.(call, calls)));
}
