import {
  type Gap,
  type GapId,
  gaps,
  isObject,
  type StatementId,
  statements,
  switchIds,
  type Switches,
} from "@landing-page-service/contract";
import {
  type AnswerTemplates,
  type DialectFile,
  readAnswers,
  resolveDialect,
  shapeSwitches,
} from "@landing-page-service/contract/dialect";
import { readResponse } from "@landing-page-service/contract/internal";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { compareDialect, type Drift } from "./compare.ts";
import { observeErrors } from "./errors.ts";
import { observeGaps, type Readings } from "./gaps.ts";
import { entriesOf, mapTexts } from "./json.ts";
import { tellApart } from "./observe.ts";
import type { Evidence, Verdict } from "./finding.ts";
import { judgeStatements } from "./statements.ts";
import type { Observations } from "./probes.ts";
import { learnTemplates, lineOf, type Unexplained } from "./templates.ts";

/** What became of one documented statement. */
export interface StatementResult {
  /** Id of the statement, such as `list-offset`. */
  readonly id: StatementId;
  /** Heading of the spec under which it stands. */
  readonly heading: string;
  /** What is stated. */
  readonly statement: string;
  /** Whether it is true of the service, as far as could be seen. */
  readonly verdict: Verdict;
  /** Why, in a few words. */
  readonly note: string;
  /** The requests and answers that show it; bodies are cut to 1 000 characters, keys blacked out. */
  readonly evidence: readonly Exchange[];
}

/** Which reading of one gap the service speaks. */
export interface GapResult {
  /** Id of the gap, such as `list-envelope`. */
  readonly id: GapId;
  /** The question that the spec leaves open. */
  readonly question: string;
  /** Name of the reading observed; `undefined` when it was none of the known ones, or could not be seen. */
  readonly reading: string | undefined;
  /** The reading that our reference service assumes. */
  readonly assumed: string;
  /** What was seen, in a few words. */
  readonly note: string;
  /** The requests and answers that show it; bodies are cut to 1 000 characters, keys blacked out. */
  readonly evidence: readonly Exchange[];
}

/** What a check found out. */
export interface CheckReport {
  /** The service that was checked. */
  readonly baseUrl: string;
  /** Moment the check began, ISO 8601 in UTC. */
  readonly startedAt: string;
  /** How many requests were sent, those for cleaning up included. */
  readonly requests: number;
  /** Whether no documented statement is broken. */
  readonly ok: boolean;
  /** Every documented statement, in the order of the spec. */
  readonly statements: readonly StatementResult[];
  /** Every gap, in the order of the spec. */
  readonly gaps: readonly GapResult[];
  /**
   * How the service speaks, for `createMockService({ dialect })` or `serve --dialect`: what it does, as far as it was seen, and
   * templates for answers that differ from those of our reference service.
   */
  readonly dialect: DialectFile;
  /** Options of the SDK that fit the service: whether its records are whole, and whether its creates may be repeated. */
  readonly clientOptions: { readonly strict?: true; readonly retry?: { readonly writes: "safe" } };
  /** Every place where the service no longer does what the given dialect says; absent when none was given. */
  readonly drift?: readonly Drift[];
  /** Values that nothing explains; the templates keep them as they first came. */
  readonly unexplained: readonly Unexplained[];
  /** Answers that were never seen, such as `emptyAccount` in an account with pages: the dialect has them as our reference service. */
  readonly unseen: readonly string[];
  /** Pages of the check that could not be deleted, by identifier, or by slug where none was told; slugs begin with `landing-page-check-`. */
  readonly leftovers: readonly string[];
}

/** What a report is written from. */
export interface ReportMaterial {
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly seen: Observations;
  /** Everything that was said, cleaning up included. */
  readonly exchanges: readonly Exchange[];
  readonly leftovers: readonly string[];
  /** The dialect to compare with. */
  readonly compare: DialectFile | undefined;
}

const mostShown = 1000;

/** Judges what was seen and writes it down. */
export function writeReport({ baseUrl, startedAt, seen, exchanges, leftovers, compare }: ReportMaterial): CheckReport {
  const observed = { ...tellApart(seen, exchanges), errors: observeErrors(seen, exchanges) };
  const { all: templates, answers, unexplained } = learnTemplates(seen, observed);
  const evidence = {
    seen,
    exchanges,
    templates,
    hasNumberIds: observed.hasNumberIds,
    readLimit: limitReader(templates),
  };
  const judged = judgeStatements(evidence);
  const readings = observeGaps(evidence);
  const switches = switchesOf(readings);
  const varies = compareDialect({ switches, answers }, { switches, observed }).map(({ place }) => place);
  const dialect = { switches, answers, ...(varies.length > 0 && { varies }) };
  const statementIds = Object.keys(statements) as StatementId[]; // why: its own keys
  const gapIds = Object.keys(gaps) as GapId[]; // why: its own keys
  return {
    baseUrl,
    startedAt,
    requests: exchanges.length,
    ok: statementIds.every((id) => judged[id].result !== "broken"),
    statements: statementIds.map((id) => {
      const { result: verdict = "not observable", note, evidence } = judged[id];
      const { heading, statement } = statements[id];
      return { id, heading, statement, verdict, note, evidence: evidence.map(shorten) };
    }),
    gaps: gapIds.map((id) => {
      const { result: reading, note, evidence } = readings[id];
      const { question, readings: known }: Gap = gaps[id];
      const [assumed = ""] = Object.keys(known);
      return { id, question, reading, assumed, note, evidence: evidence.map(shorten) };
    }),
    dialect,
    clientOptions: recommendOptions(seen, readings.idempotency.result),
    ...(compare !== undefined && { drift: compareDialect(compare, { switches, observed }) }),
    unexplained: unexplained.map(({ place, value }) => {
      return { place, value, line: lineOf(dialect, ["answers", ...place.split("/")]) };
    }),
    unseen: Object.entries(observed.answers).flatMap(([name, { length }]) => (length === 0 ? [name] : [])),
    leftovers,
  };
}

/** Reads the limit that the answer to a list says it has. */
function limitReader(templates: Partial<AnswerTemplates>): Evidence["readLimit"] {
  const shape = readAnswers(resolveDialect({ answers: templates }).answers).endpoints.listPages;
  return (exchange) => {
    if (!hasSucceeded(exchange) || templates.listPages === undefined) return undefined;
    const { headers, body: text } = exchange.answer;
    const { limit } = readResponse(shape, { headers: new Headers(headers), text }).values;
    return typeof limit === "number" ? limit : undefined;
  };
}

/** A service whose answers all show whole records can be read strictly; one that ignores keys must not be asked twice. */
function recommendOptions(
  { probes, listings }: Observations,
  idempotency: string | undefined,
): CheckReport["clientOptions"] {
  const listed = listings.made?.elements.map(({ value }) => value) ?? [];
  const shown = [probes.create, probes.updateTitle].filter(hasSucceeded).map(jsonOf);
  const isStrict = listed.length > 0 && [...shown, ...listed].every(hasRecord);
  return { ...(isStrict && { strict: true }), ...(idempotency === "ignored" && { retry: { writes: "safe" } }) };
}

/** Whether a whole record with the documented names stands anywhere in a value. */
function hasRecord(value: unknown): boolean {
  if (isObject(value) && isWhole(value)) return true;
  return entriesOf(value).some(([, inner]) => hasRecord(inner));
}

function isWhole(record: Readonly<Record<string, unknown>>): boolean {
  const { meta_description: description, cta } = record;
  return (
    ["title", "content", "slug"].every((name) => typeof record[name] === "string") &&
    (description === null || typeof description === "string") &&
    isObject(cta) &&
    typeof cta["url"] === "string"
  );
}

/** Readings about a shape are left to the templates, which say more. */
function switchesOf(observed: Readings): Partial<Switches> {
  const known = switchIds.filter((id) => observed[id].result !== undefined && !shapeSwitches.includes(id));
  // why: each reading was observed for its own gap
  return Object.fromEntries(known.map((id) => [id, observed[id].result])) as Partial<Switches>;
}

/** A copy with texts of a length that can be read. */
function shorten(exchange: Exchange): Exchange {
  return mapTexts(exchange, (text) => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text));
}
