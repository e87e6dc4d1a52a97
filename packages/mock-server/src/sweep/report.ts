import { inspect } from "node:util";
import * as z from "zod";
import { integer, optional, parseArgument } from "../argument.ts";
import type { FaultRule } from "../testing/faults.ts";
import type { SweptCall } from "./plan.ts";

/** The kinds of finding, worst first, each with the option of `toSurvive` that allows it. */
const allowances = {
  twice: "twice",
  missing: "silent",
  changed: "silent",
  hang: "hangs",
  unhandled: "unhandled",
  etiquette: "etiquette",
} as const satisfies Record<string, keyof Survival>;

/** Kind of a finding. */
export type FindingKind = keyof typeof allowances;

const findingKinds = Object.keys(allowances);

/** A problem in one run. */
export interface Finding {
  /**
   * `twice`: stored more often than in the run without faults. `missing`: not stored. `changed`: stored with other content. `hang`: the
   * flow never ended. `unhandled`: an uncaught rejection. `etiquette`: the flow broke a rule of the service for its callers.
   */
  readonly kind: FindingKind;
  /** Whether the flow reported that something went wrong: it rejected, its result contains an error, or it called `report`. */
  readonly isReported: boolean;
  /** The wrong record, such as `page "tea"`. */
  readonly what: string;
  /** The call with the fault; `undefined` if the run had another dialect instead. */
  readonly call: SweptCall | undefined;
  /** Name of the fault, such as `lost: 500 after the work`. */
  readonly fault: string;
  /** The planned faults; empty if the run had another dialect instead. */
  readonly rules: readonly FaultRule[];
  /** The line that reproduces the finding in a test. */
  readonly reproduce: string;
}

/** Findings with one cause: the same kind at calls of the same endpoint. */
export interface Cause {
  /** Kind of the findings. */
  readonly kind: FindingKind;
  /** Whether the flow reported it in every run. */
  readonly isReported: boolean;
  /** The calls with the fault, such as `createPage #1, #2`. */
  readonly calls: string;
  /** Names of the faults that lead to it. */
  readonly faults: readonly string[];
  /** The record of the first finding, and the number of others. */
  readonly what: string;
  /** Other consequences, for example that a blind retry ignores a `Retry-After`. */
  readonly also: readonly string[];
  /** The line that reproduces the first finding. */
  readonly reproduce: string;
  /** All findings with this cause. */
  readonly findings: readonly Finding[];
}

/** The parts of a report, with findings and losses in any order. */
export type ReportParts = Pick<SweepReport, "seed" | "requests" | "runs" | "skipped" | "findings" | "losses">;

/** The result of a sweep. It prints as a table, worst first. */
export class SweepReport {
  /** Seed of the sweep. To repeat the sweep, pass it as the option of the same name. */
  readonly seed: number;
  /** Calls of the run without faults, in order. */
  readonly requests: readonly SweptCall[];
  /** Number of runs with faults or another dialect. */
  readonly runs: number;
  /** Number of runs left out because of `maxRuns`. */
  readonly skipped: number;
  /** Findings, worst first. A loss or a change that the flow reported is not a finding; see `losses`. */
  readonly findings: readonly Finding[];
  /** Losses and changes that the flow reported, so the caller can act. */
  readonly losses: readonly Finding[];

  constructor({ seed, requests, runs, skipped, findings, losses }: ReportParts) {
    this.seed = seed;
    this.requests = requests;
    this.runs = runs;
    this.skipped = skipped;
    this.findings = findings.toSorted(compareFindings);
    this.losses = losses.toSorted(compareFindings);
  }

  /** The findings grouped by cause, worst first. */
  get causes(): Cause[] {
    return foldFindings(this.findings);
  }

  /** The report as a table for people. */
  toString(): string {
    const { requests, runs, skipped, findings, losses, seed, causes } = this;
    const left = skipped === 0 ? "" : `, ${skipped} left out by maxRuns`;
    const head = `${count(requests.length, "call")}, ${count(runs, "run")}${left}, seed ${seed}`;
    const lost = `${count(losses.length, "loss", "losses")} that the flow reported`;
    if (findings.length === 0) return `${head}: nothing found; ${lost}.\n`;
    const rows = causes.map(({ kind, isReported, calls, faults, what, also, reproduce }) =>
      [
        `${isReported ? "reported" : "SILENT  "} ${kind.padEnd(9)} ${what}, at ${calls}`,
        `         faults    ${faults.join("; ")}`,
        ...also.map((breach) => `         also      ${breach}`),
        `         reproduce ${reproduce}`,
      ].join("\n"),
    );
    return `${head}: ${count(findings.length, "finding")} of ${count(causes.length, "cause")}; ${lost}.\n\n${rows.join("\n\n")}\n`;
  }

  /** The same table for `console.log`. */
  [inspect.custom](): string {
    return this.toString();
  }
}

function compareFindings(one: Finding, other: Finding): number {
  return (
    Number(one.isReported) - Number(other.isReported) ||
    findingKinds.indexOf(one.kind) - findingKinds.indexOf(other.kind) ||
    (one.call?.index ?? -1) - (other.call?.index ?? -1)
  );
}

/** A list with at least one finding. */
type Group = readonly [Finding, ...Finding[]];

/** Groups findings by cause. Both are sorted worst first. */
function foldFindings(findings: readonly Finding[]): Cause[] {
  const groups = [...Map.groupBy(findings, causeKey).values()] as [Finding, ...Finding[]][]; // why: groupBy makes no empty group
  const baseOf = (group: Group): Group => groups.find((base) => isConsequence(group[0], base[0])) ?? group;
  return groups
    .filter((group) => baseOf(group) === group)
    .map((base) => describeCause(base, groups.filter((group) => group !== base && baseOf(group) === base).flat()));
}

/** Key of the cause: the kind and the endpoint, because one piece of code makes the calls of an endpoint. A hang has one cause. */
function causeKey({ kind, what, call }: Finding): string {
  return kind === "hang" ? kind : JSON.stringify([kind, kind === "etiquette" ? what : (call?.endpoint ?? "")]);
}

/** Whether a finding is a consequence of a worse one. */
function isConsequence({ kind, call }: Finding, base: Finding): boolean {
  if (base.call === undefined) return false;
  // Another dialect reveals the same as a fault. A client that repeats calls blindly also does so after a 400 or a 429.
  if (call === undefined) return base.kind === kind;
  return kind === "etiquette" && base.kind === "twice" && base.call.endpoint === call.endpoint;
}

function describeCause(base: Group, folded: readonly Finding[]): Cause {
  const [{ kind, call, what, reproduce }] = base;
  const findings = [...base, ...folded];
  const same = findings.filter((finding) => finding.kind === kind);
  const others = new Set(same.map((finding) => finding.what)).size - 1;
  return {
    kind,
    isReported: same.every(({ isReported }) => isReported),
    calls: call === undefined ? "every call" : listPlaces(same),
    faults: [...new Set(same.map(({ fault }) => fault))],
    what: others === 0 ? what : `${what} and ${others} more`,
    also: [...new Set(folded.filter((finding) => finding.kind !== kind).map((finding) => finding.what))],
    reproduce,
    findings,
  };
}

/** The calls, such as `createPage #1, #2; trackEvent #1`. */
function listPlaces(findings: readonly Finding[]): string {
  const calls = findings.flatMap(({ call }) => (call === undefined ? [] : [call]));
  const places = [...Map.groupBy(calls, ({ endpoint }) => endpoint)].map(([endpoint, ofOne]) => {
    const numbers = [...new Set(ofOne.map(({ skip }) => skip + 1))].sort((one, other) => one - other);
    return `${endpoint} ${numbers.map((number) => `#${number}`).join(", ")}`;
  });
  return places.join("; ");
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Most findings of each kind that are allowed. A kind that is left out is not checked. */
export interface Survival {
  /** Findings where a record was stored too often. */
  twice?: number;
  /** Findings where a record is missing or changed, and the flow did not report it. */
  silent?: number;
  /** Findings where the flow never ended. */
  hangs?: number;
  /** Findings with an uncaught rejection. */
  unhandled?: number;
  /** Findings where the flow broke a rule of the service for its callers. */
  etiquette?: number;
}

const names = new Set(Object.values(allowances));
const survivalSchema = z.strictObject(Object.fromEntries([...names].map((name) => [name, optional(integer(0))])));
const reportSchema = z.custom<SweepReport>(
  (report) => Array.isArray(Object(report).findings),
  "expected the report of a sweep",
);

/** Compares a report with the allowed numbers, by default 0. @throws {TypeError} when a name or a number is wrong. */
export function compareSurvival(
  report: SweepReport,
  allowed: Survival | undefined,
  where: string,
): { isMet: boolean; message: () => string } {
  parseArgument(where, reportSchema, report);
  parseArgument(where, survivalSchema, allowed ?? {});
  const excess = [...names].flatMap((name) => {
    const most = allowed === undefined ? 0 : (allowed[name] ?? Infinity);
    const found = report.findings.filter(({ kind }) => allowances[kind] === name).length;
    return found > most ? [`${name}: ${found}, at most ${most} allowed`] : [];
  });
  const title = excess.length === 0 ? "expected the flow not to survive" : excess.join("; ");
  return { isMet: excess.length === 0, message: () => `${title}\n\n${String(report)}` };
}
