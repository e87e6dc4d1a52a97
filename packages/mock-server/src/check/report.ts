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
import { type DialectFile, shapeSwitches } from "@landing-page-service/contract/dialect";
import { compareDialect, type Drift } from "./compare.ts";
import { type Observations, observeGaps } from "./gaps.ts";
import { type Exchange, readPageIn } from "./exchange.ts";
import type { Verdict } from "./finding.ts";
import { learnAnswers, type Unexplained } from "./learned.ts";
import { seeAnswers, type Sights } from "./sights.ts";
import { judgeStatements } from "./statements.ts";
import type { Visit } from "./visit.ts";

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
  /** How many answers were too long to be kept whole: only what they tell of the check's own pages is certain. */
  readonly abridged: number;
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
  readonly visit: Visit;
  /** Everything that was said, cleaning up included. */
  readonly exchanges: readonly Exchange[];
  readonly leftovers: readonly string[];
  /** The dialect to compare with. */
  readonly compare: DialectFile | undefined;
  /** Blacks out the keys. */
  readonly redact: (text: string) => string;
}

const mostShown = 1000;

/** Judges what was seen and writes it down. */
export function writeReport({
  baseUrl,
  startedAt,
  visit,
  exchanges,
  leftovers,
  compare,
  redact,
}: ReportMaterial): CheckReport {
  const judged = judgeStatements(visit, exchanges);
  const sights = seeAnswers(visit, exchanges);
  const { answers, unexplained, seen } = learnAnswers(sights);
  const observed = observeGaps(visit, exchanges, seen);
  const switches = switchesOf(observed);
  const dialect = { switches, answers: redactAll(answers, redact) };
  const material = { switches, sights, dialect };
  const varies = redactAll(compareDialect(dialect, material), redact).map(({ place }) => place);
  const publish = (evidence: readonly Exchange[]) => evidence.map((exchange) => publishExchange(exchange, redact));
  const statementIds = Object.keys(statements) as StatementId[]; // why: its own keys
  const gapIds = Object.keys(gaps) as GapId[]; // why: its own keys
  return {
    baseUrl,
    startedAt,
    requests: exchanges.length,
    abridged: exchanges.filter(({ answer }) => answer?.abridgedFrom !== undefined).length,
    ok: statementIds.every((id) => judged[id].result !== "broken"),
    statements: statementIds.map((id) => {
      const { result: verdict = "not observable", note, evidence } = judged[id];
      const { heading, statement } = statements[id];
      return { id, heading, statement, verdict, note: redact(note), evidence: publish(evidence) };
    }),
    gaps: gapIds.map((id) => {
      const { result: reading, note, evidence } = observed[id];
      const { question, readings }: Gap = gaps[id];
      const [assumed = ""] = Object.keys(readings);
      return { id, question, reading, assumed, note: redact(note), evidence: publish(evidence) };
    }),
    dialect: { ...dialect, ...(varies.length > 0 && { varies }) },
    clientOptions: recommendOptions(visit, observed.idempotency.result),
    ...(compare !== undefined && {
      drift: redactAll(compareDialect(compare, material), redact),
    }),
    unexplained: redactAll(unexplained, redact),
    unseen: listUnseen(sights),
    leftovers,
  };
}

function listUnseen({ answers }: Sights): string[] {
  return Object.entries(answers).flatMap(([name, { length }]) => (length === 0 ? [name] : []));
}

/** A service whose answers all show whole records can be read strictly; one that ignores keys must not be asked twice. */
function recommendOptions({ steps, views }: Visit, idempotency: string | undefined): CheckReport["clientOptions"] {
  const listed = views.made?.pages ?? [];
  const shown = [readPageIn(steps.create), readPageIn(steps.updateTitle), ...listed];
  const isStrict = listed.length > 0 && shown.every((found) => isWhole(found?.record));
  return { ...(isStrict && { strict: true }), ...(idempotency === "ignored" && { retry: { writes: "safe" } }) };
}

function isWhole(record: Readonly<Record<string, unknown>> | undefined): boolean {
  if (record === undefined) return false;
  const texts = ["title", "content", "slug"].every((name) => typeof record[name] === "string");
  const { meta_description: description, cta } = record;
  return (
    texts &&
    (description === null || typeof description === "string") &&
    isObject(cta) &&
    typeof cta["url"] === "string"
  );
}

/** Readings about a shape are left to the templates, which say more. */
function switchesOf(observed: Observations): Partial<Switches> {
  const known = switchIds.filter((id) => observed[id].result !== undefined && !shapeSwitches.includes(id));
  // why: each reading was observed for its own gap
  return Object.fromEntries(known.map((id) => [id, observed[id].result])) as Partial<Switches>;
}

function redactAll<Value>(value: Value, redact: (text: string) => string): Value {
  return JSON.parse(redact(JSON.stringify(value))) as Value; // why: nothing but keys is blacked out, and those are texts
}

/** A copy that can be shown: without keys, and with bodies of a readable length. */
function publishExchange({ request, answer, failure }: Exchange, redact: (text: string) => string): Exchange {
  const show = (text: string) => {
    const clean = redact(text);
    return clean.length > mostShown ? `${clean.slice(0, mostShown)}…` : clean;
  };
  const showAll = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, show(value)]));
  return {
    request: {
      ...request,
      path: show(request.path),
      headers: showAll(request.headers),
      ...(request.body !== undefined && { body: show(request.body) }),
    },
    answer: answer && { ...answer, headers: showAll(answer.headers), body: show(answer.body) },
    ...(failure !== undefined && { failure: show(failure) }),
  };
}
