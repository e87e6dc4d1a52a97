import { inspect } from "node:util";
import * as z from "zod";
import { integer, optional, parseArgument } from "../argument.ts";
import type { FaultRule } from "../testing/faults.ts";
import type { SweptCall } from "./plan.ts";

/** What can be wrong after a run, worst first, and the name by which `toSurvive` allows it. */
const allowances = {
  twice: "twice",
  missing: "silent",
  changed: "silent",
  hang: "hangs",
  unhandled: "unhandled",
  etiquette: "etiquette",
} as const satisfies Record<string, keyof Survival>;

/** What can be wrong after a run. */
export type FindingKind = keyof typeof allowances;

const findingKinds = Object.keys(allowances);

/** One thing that one run did wrong. */
export interface Finding {
  /**
   * `twice`: stored more often than after the undisturbed run; `missing`, `changed`: not stored, or otherwise; `hang`: the flow
   * never ended; `unhandled`: a rejection that nobody caught; `etiquette`: what the service asks its callers not to do.
   */
  readonly kind: FindingKind;
  /** Whether the flow said that something went wrong: it rejected, gave an error among its values, or called `report`. */
  readonly told: boolean;
  /** What it is about, such as `page "tea"`. */
  readonly what: string;
  /** The call that was disturbed; `undefined` where the whole run was, by another dialect. */
  readonly call: SweptCall | undefined;
  /** What happened to the call, such as `lost: 500 once it was done`. */
  readonly fault: string;
  /** What was planned; empty where the service spoke another dialect. */
  readonly rules: readonly FaultRule[];
  /** The line that makes it happen again in a test. */
  readonly reproduce: string;
}

/** Findings that have one cause: the same went wrong at calls of the same endpoint. */
export interface Cause {
  /** What goes wrong. */
  readonly kind: FindingKind;
  /** Whether the flow reported it in every run. */
  readonly told: boolean;
  /** The calls at which it went wrong, such as `createPage #1, #2`. */
  readonly calls: string;
  /** What can make it happen. */
  readonly faults: readonly string[];
  /** What the first finding is about, and how many other things are. */
  readonly what: string;
  /** A further consequence, for example that a call which is repeated blindly ignores what the service asked for. */
  readonly also: readonly string[];
  /** The line that makes the first happen again. */
  readonly reproduce: string;
  /** All of them. */
  readonly findings: readonly Finding[];
}

/** The parts of a report, with findings and losses in any order. */
export type ReportParts = Pick<SweepReport, "seed" | "requests" | "runs" | "skipped" | "findings" | "losses">;

/** What a sweep has found; printed, it is a table, worst first. */
export class SweepReport {
  /** Repeats the sweep: pass it as the option of the same name. */
  readonly seed: number;
  /** Calls of the undisturbed run, in order. */
  readonly requests: readonly SweptCall[];
  /** Disturbed runs that were made. */
  readonly runs: number;
  /** Runs left out because of `maxRuns`. */
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

  /** The findings, folded by what causes them, worst first. */
  get causes(): Cause[] {
    return foldFindings(this.findings);
  }

  /** The report as a table for people. */
  toString(): string {
    const { requests, runs, skipped, findings, losses, seed, causes } = this;
    const left = skipped === 0 ? "" : `, ${skipped} left out by maxRuns`;
    const head = `${count(requests.length, "call")}, ${count(runs, "disturbed run")}${left}, seed ${seed}`;
    const lost = `${count(losses.length, "loss", "losses")} that the flow reported`;
    if (findings.length === 0) return `${head}: nothing found; ${lost}.\n`;
    const rows = causes.map(({ kind, told, calls, faults, what, also, reproduce }) =>
      [
        `${told ? "reported" : "SILENT  "} ${kind.padEnd(9)} ${what}, at ${calls}`,
        `         faults    ${faults.join("; ")}`,
        ...also.map((breach) => `         also      ${breach}`),
        `         reproduce ${reproduce}`,
      ].join("\n"),
    );
    return `${head}: ${count(findings.length, "finding")} of ${count(causes.length, "cause")}; ${lost}.\n\n${rows.join("\n\n")}\n`;
  }

  /** The same table, where the report is logged. */
  [inspect.custom](): string {
    return this.toString();
  }
}

function compareFindings(one: Finding, other: Finding): number {
  return (
    Number(one.told) - Number(other.told) ||
    findingKinds.indexOf(one.kind) - findingKinds.indexOf(other.kind) ||
    (one.call?.index ?? -1) - (other.call?.index ?? -1)
  );
}

/** A list with at least one finding. */
type Group = readonly [Finding, ...Finding[]];

/** Gathers what has one cause. The findings come worst first, and so do the causes. */
function foldFindings(findings: readonly Finding[]): Cause[] {
  const groups = [...Map.groupBy(findings, causeKey).values()] as [Finding, ...Finding[]][]; // why: groupBy makes no empty group
  const baseOf = (group: Group): Group => groups.find((base) => isConsequence(group[0], base[0])) ?? group;
  return groups
    .filter((group) => baseOf(group) === group)
    .map((base) => describeCause(base, groups.filter((group) => group !== base && baseOf(group) === base).flat()));
}

/** What the same code does wrong: code that makes one sort of call, or, where it hangs, all of it. */
function causeKey({ kind, what, call }: Finding): string {
  return kind === "hang" ? kind : JSON.stringify([kind, kind === "etiquette" ? what : (call?.endpoint ?? "")]);
}

/** Whether a finding comes with a worse one. */
function isConsequence({ kind, call }: Finding, base: Finding): boolean {
  if (base.call === undefined) return false;
  // Another dialect shows the same as a fault does. Whoever repeats a call blindly does so after a 400 or a 429 too.
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
    told: same.every(({ told }) => told),
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

const names = new Set(Object.values(allowances));
const survivalSchema = z.strictObject(Object.fromEntries([...names].map((name) => [name, optional(integer(0))])));
const reportSchema = z.custom<SweepReport>(
  (report) => Array.isArray(Object(report).findings),
  "expected the report of a sweep",
);

/** Compares a report with what is allowed, by default nothing. @throws {TypeError} when a name or a number is wrong. */
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
