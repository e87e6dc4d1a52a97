// The report of a check, as data and as text for people.
import { stripVTControlCharacters, styleText } from "node:util";
import {
  type Gap,
  type GapId,
  gaps,
  type Statement,
  type StatementId,
  statements,
  switchIds,
  type Switches,
} from "@landing-page-service/contract";
import { type DialectFile, readAnswers, resolveDialect, shapeSwitches } from "@landing-page-service/contract/dialect";
import { fitsBetter, listErrors } from "@landing-page-service/contract/internal";
import { type Exchange, hasSucceeded } from "./client.ts";
import { endpointOf, observe, type Observed, responseNames } from "./facts.ts";
import { observeGaps } from "./gaps.ts";
import { mapStrings, type Path, stepsOf, valueAt } from "./json.ts";
import type { Session } from "./probes.ts";
import { compareDialect, type Drift, readExchange } from "./compare.ts";
import { type Derived, inOtherForm, judges, type Verdict } from "./statements.ts";
import { learnTemplates, type Learned } from "./templates.ts";

/** The result for one documented statement. */
export interface StatementResult extends Statement {
  /** Id of the statement, such as `list-offset`. */
  readonly id: StatementId;
  /** Whether it is true of the service, as far as the check could observe. */
  readonly verdict: Verdict;
  /** The reason, in a few words. */
  readonly note: string;
  /** The requests and responses that prove it. Bodies are cut to 1 000 characters, and keys are hidden. */
  readonly evidence: readonly Exchange[];
}

/** The service's interpretation of one gap. */
export interface GapResult {
  /** Id of the gap, such as `list-envelope`. */
  readonly id: GapId;
  /** The question that the spec leaves open. */
  readonly question: string;
  /**
   * Name of the observed interpretation; `undefined` if it is unknown or could not be observed. For a question about the shape of
   * responses, it is `undefined` unless the templates are exactly those of one interpretation. The dialect has the templates.
   */
  readonly interpretation: string | undefined;
  /** The default of the mock server. */
  readonly assumed: string;
  /** The observation, in a few words. */
  readonly note: string;
  /** The requests and responses that prove it. Bodies are cut to 1 000 characters, and keys are hidden. */
  readonly evidence: readonly Exchange[];
}

/** The result of a check. */
export interface CheckReport {
  /** The service that was checked. */
  readonly baseUrl: string;
  /** Timestamp of the start of the check, ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Number of requests, including the deletes of the cleanup. */
  readonly requests: number;
  /** Whether no documented statement is broken. With `compare`, statements under `broken` in that dialect do not count. */
  readonly ok: boolean;
  /** Every documented statement, in the order of the spec. */
  readonly statements: readonly StatementResult[];
  /** Every gap, in the order of the spec. */
  readonly gaps: readonly GapResult[];
  /**
   * The dialect of the service, for `createMockService({ dialect })` or `serve --dialect`: the observed switches, and the templates
   * of responses that differ from those of the reference dialect.
   */
  readonly dialect: DialectFile;
  /** Options of the SDK that fit the service: `strict` if responses show whole pages, and `retry` if it ignores `Idempotency-Key`. */
  readonly clientOptions: { readonly strict?: true; readonly retry?: { readonly writes: "safe" } };
  /** Every difference between the service and the given dialect; absent if no dialect was given. */
  readonly drift?: readonly Drift[];
  /** Values that the check cannot explain. The templates contain those of the first response as constants. */
  readonly unexplained: readonly Unexplained[];
  /** Responses that the check did not observe, such as `emptyAccount` in an account with pages. The dialect uses those of the reference dialect. */
  readonly unseen: readonly string[];
  /** Pages of the check that could not be deleted, by identifier, or by slug if the identifier is unknown. */
  readonly leftovers: readonly string[];
}

/** A value that the check cannot explain. It is a constant in the dialect. */
export interface Unexplained {
  /** Its path in the templates of the dialect, such as `listPages/body/total`. A slash in a name is `~1`. */
  readonly place: string;
  /** The value in the first response. */
  readonly value: unknown;
  /** Line of the dialect file to edit by hand, from 1; `undefined` if the file does not contain the value. */
  readonly line: number | undefined;
}

/** The parts of a report that do not come from the session. */
export interface ReportContext {
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly leftovers: readonly string[];
  /** The dialect to compare with. */
  readonly compare: DialectFile | undefined;
}

/** Makes the report from the observations of a session. */
export function writeReport(session: Session, { baseUrl, startedAt, leftovers, compare }: ReportContext): CheckReport {
  const { observed, all, answers, unexplained, varies } = learnTemplates(observe(session), session.listPath);
  const derived: Derived = { observed, ...createReaders(all, observed) };
  const interpretations = observeGaps(session, all, derived);
  // The templates describe shapes in more detail than these switches.
  const known = switchIds.filter((id) => interpretations[id].result !== undefined && !shapeSwitches.includes(id));
  const switches = Object.fromEntries(known.map((id) => [id, interpretations[id].result])) as Partial<Switches>; // why: each interpretation was observed for its own gap
  const show = createCopier(session);
  const statementIds = Object.keys(statements) as StatementId[]; // why: its own keys
  const judged = statementIds.map((id): StatementResult => {
    const { result: verdict = "not observable", note, evidence } = judges[id](session, derived);
    const { heading, statement } = statements[id];
    return { id, heading, statement, verdict, note, evidence: show(evidence) };
  });
  const broken = judged.flatMap(({ id, verdict }) => (verdict === "broken" ? [id] : []));
  const dialect: DialectFile = {
    switches,
    // Paths accept the identifiers in the templates.
    ...(session.ids.full !== undefined && { pageId: "{id}" }),
    answers,
    ...(varies.length > 0 && { varies }),
    ...(broken.length > 0 && { broken }),
  };
  const gapIds = Object.keys(gaps) as GapId[]; // why: its own keys
  const responses = [all.createPage?.body, all.updatePage?.body, all.listedPage];
  const report: CheckReport = {
    baseUrl,
    startedAt,
    requests: session.exchanges.length,
    ok: broken.every((id) => compare?.broken?.includes(id)),
    statements: judged,
    gaps: gapIds.map((id): GapResult => {
      const { result: interpretation, note, evidence } = interpretations[id];
      const { question, interpretations: known }: Gap = gaps[id];
      return { id, question, interpretation, assumed: Object.keys(known)[0] ?? "", note, evidence: show(evidence) };
    }),
    dialect,
    clientOptions: {
      ...(responses.every((part) => isWhole(part, all.page)) && { strict: true }),
      ...(interpretations.idempotency.result === "ignored" && { retry: { writes: "safe" } }),
    },
    ...(compare !== undefined && { drift: compareDialect(compare, switches, observed, session.listPath) }),
    unexplained: [...unexplained].map(([place, value]) => {
      // The command writes `$schema` before the dialect.
      return { place, value, line: lineOf({ $schema: "", ...dialect }, ["answers", ...stepsOf(place)]) };
    }),
    unseen: responseNames.filter((name) => observed.get(name)?.length === 0),
    leftovers,
  };
  return mapStrings(report, (text) => session.redact(text));
}

/** Makes a function that copies evidence without keys and long bodies. Several statements and gaps share one copy of an exchange. */
function createCopier(session: Session): (evidence: readonly Exchange[]) => Exchange[] {
  const shown = mapStrings(session.exchanges, (text) => {
    // Redaction takes long for a long text, and the end of this part is not shown.
    const redacted = session.redact(text.slice(0, 20_000));
    return redacted.length > 1000 ? `${redacted.slice(0, 1000)}…` : redacted;
  });
  return (evidence) => shown.filter((_, index) => evidence.some((one) => one === session.exchanges[index]));
}

/** Makes the functions that read responses by the learned templates. */
function createReaders(all: Learned["all"], observed: Observed): Omit<Derived, "observed"> {
  const shapes = readAnswers(resolveDialect({ answers: all }).answers);
  const errors = [...observed.values()].flat().filter(({ facts }) => facts.error !== undefined);
  return {
    readLimit(exchange) {
      if (!hasSucceeded(exchange) || all.listPages === undefined) return undefined;
      const { limit } = readExchange(shapes.endpoints.listPages, exchange).values;
      return typeof limit === "number" ? limit : undefined;
    },
    readStatus(exchange) {
      const known = errors.find((one) => one.exchange === exchange)?.facts.status;
      if (known !== undefined || !hasSucceeded(exchange)) return known ?? exchange?.answer?.status ?? 0;
      const { status } = exchange.answer;
      const own = readExchange(shapes.endpoints[endpointOf(exchange)], exchange);
      return listErrors(shapes, status).some((shape) => fitsBetter(readExchange(shape, exchange), own)) ? 400 : status;
    },
  };
}

/** Whether a template shows pages with all documented fields, so that the client can use `strict`. */
function isWhole(template: unknown, page: unknown): boolean {
  const text = JSON.stringify(template ?? null).replaceAll('"{page}"', JSON.stringify(page ?? null));
  const names = ["title", "content", "slug", "meta_description", "cta"];
  return names.every((name) => text.includes(`"${name}":`));
}

/** The line of a path in a dialect file, from 1. */
function lineOf(file: DialectFile, path: Path): number | undefined {
  const mark = crypto.randomUUID();
  const parent = valueAt(file, path.slice(0, -1));
  const write = function (this: unknown, name: string, value: unknown): unknown {
    return this === parent && name === path.at(-1) ? mark : value;
  };
  const lines = JSON.stringify(file, write, 2).split("\n");
  const index = lines.findIndex((line) => line.includes(mark));
  return index < 0 ? undefined : index + 1;
}

/** Options of `renderReport`. */
export interface RenderOptions {
  /** Whether to colour the text for a terminal. @defaultValue false */
  readonly colour?: boolean;
  /** Columns of the terminal; longer lines are folded. @defaultValue nothing is folded */
  readonly width?: number | undefined;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Writes a report for people, with broken statements and differences first. */
export function renderReport(report: CheckReport, { colour = false, width }: RenderOptions = {}): string {
  const { statements, gaps, leftovers, drift, clientOptions, dialect, unexplained, unseen } = report;
  const shapes = Object.keys(dialect.answers ?? {});
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const section = (title: string, ...lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
  const judged = (wanted: Verdict) =>
    statements.filter(({ verdict }) => verdict === wanted).flatMap((result) => statementLines(result, paint));
  const gapLines = (areOther: boolean) =>
    gaps.filter((gap) => isOther(gap) === areOther).map((gap) => gapLine(gap, paint));
  const left = `Pages left behind: ${leftovers.join(", ")}. Delete them, because the next check refuses an account with pages.`;
  const lines = [
    paint(isFine(report) ? "green" : "red", summaryOf(report)),
    ...(leftovers.length === 0 ? [] : ["", paint("red", left)]),
    ...section(report.ok ? "Broken, as the dialect says" : "Broken", ...judged("broken")),
    ...section(
      "Different from our default",
      ...gapLines(true),
      ...(shapes.length === 0 ? [] : [`  ≠ responses          see ${shapes.join(", ")} in \`answers\` of the dialect`]),
    ),
    ...section(
      "Not explained (constants in the dialect, or our default if the check did not find the pages of a list)",
      ...unexplained.map(({ place, value, line }) => {
        const where = line === undefined ? "" : ` (line ${line} of the dialect file)`;
        return `  ? ${place}: ${excerpt(JSON.stringify(value))}${where}`;
      }),
    ),
    ...section("Not observed (the dialect uses our default)", ...unseen.map((name) => `  – ${name}`)),
    ...section(
      "Options that fit this service",
      ...(clientOptions.strict ? ["  strict: true                   every response shows whole pages"] : []),
      ...(clientOptions.retry ? ['  retry: { writes: "safe" }      the service ignores Idempotency-Key'] : []),
    ),
    ...section(
      "Drift from the dialect",
      ...(drift ?? []).map(({ place, expected, found }) => `  ≠ ${place}: expected ${expected}, actual ${found}`),
    ),
    // With `compare`, the report leaves out the statements that hold and the gaps that match the default.
    ...(drift === undefined
      ? [
          ...section("Documented", ...judged("holds"), ...judged("not observable")),
          ...section("Same as our default, or not observed", ...gapLines(false)),
        ]
      : []),
    "",
  ];
  return lines.map((line) => (width === undefined ? line : foldLine(line, Math.max(width, 40)))).join("\n");
}

/** Whether the check found nothing wrong: no page is left behind, `ok` is true, and there is no drift. */
export function isFine({ ok, leftovers, drift = [] }: CheckReport): boolean {
  return ok && leftovers.length === 0 && drift.length === 0;
}

function isOther({ interpretation, assumed }: GapResult): boolean {
  return interpretation !== undefined && interpretation !== assumed;
}

function summaryOf({ baseUrl, requests, statements, gaps, dialect, drift }: CheckReport): string {
  const hasOther = Object.keys(dialect.answers ?? {}).length > 0;
  const count = (wanted: Verdict) => statements.filter(({ verdict }) => verdict === wanted).length;
  const drifted =
    drift?.length === 0 ? "; no drift from the dialect" : `; ${drift?.length} places differ from the dialect`;
  return (
    `${baseUrl}: ${count("holds")} documented statements hold, ${count("broken")} broken, ${count("not observable")} not observable; ` +
    `${gaps.filter(isOther).length} of ${gaps.length} open questions${hasOther ? " and some responses" : ""} differ from our default` +
    `${drift === undefined ? "" : drifted} (${requests} requests)`
  );
}

/** Breaks a line between words. Continuation lines are indented 4 columns more. Colours do not count as columns. */
function foldLine(line: string, width: number): string {
  const indent = " ".repeat(Math.min((/^ */.exec(line)?.[0].length ?? 0) + 4, width / 2));
  const [first = "", ...words] = line.split(/(?<=\S) /);
  let row = first;
  let folded = "";
  for (const word of words) {
    const isFull = stripVTControlCharacters(`${row} ${word}`).length > width;
    if (isFull) folded += `${row}\n`;
    row = isFull ? indent + word.trimStart() : `${row} ${word}`;
  }
  return folded + row;
}

const marks = {
  holds: { mark: "✔", style: "green" },
  broken: { mark: "✘", style: "red" },
  "not observable": { mark: "–", style: "dim" },
} as const;

function statementLines({ id, statement, verdict, note, evidence }: StatementResult, paint: Paint): string[] {
  const { mark, style } = marks[verdict];
  const line = `  ${paint(style, `${mark} ${verdict.padEnd(14)}`)} ${id.padEnd(22)} ${statement}`;
  if (verdict === "holds" && !note.includes(inOtherForm)) return [line];
  return [line, " ".repeat(19) + paint(style, note), ...(verdict === "broken" ? evidence.flatMap(exchangeLines) : [])];
}

function exchangeLines({ request, answer, failure }: Exchange): string[] {
  const sent = `> ${request.method} ${request.path} ${excerpt(request.body ?? "")}`;
  const got = answer === undefined ? `no response: ${failure}` : `${answer.status} ${excerpt(answer.body)}`;
  const limits = Object.entries(answer?.headers ?? {}).filter(([name]) => name.startsWith("x-ratelimit-"));
  const headers = limits.map(([name, value]) => `${name}: ${value}`).join(", ");
  const lines = [sent, `< ${got}`, `  ${headers}`].map((line) => " ".repeat(21) + line.trimEnd());
  return headers === "" ? lines.slice(0, 2) : lines;
}

function gapLine({ id, interpretation, assumed, note }: GapResult, paint: Paint): string {
  if (interpretation === undefined) return paint("dim", `    ${id.padEnd(18)} ${"undetermined".padEnd(20)} ${note}`);
  const isAssumed = interpretation === assumed;
  const shown = paint(isAssumed ? "green" : "yellow", interpretation.padEnd(20));
  const compared = isAssumed ? "our default" : `our default: ${assumed}`;
  return `  ${isAssumed ? "=" : "≠"} ${id.padEnd(18)} ${shown} ${compared}${note === interpretation ? "" : `; ${note}`}`;
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
