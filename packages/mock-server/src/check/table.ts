import { stripVTControlCharacters, styleText } from "node:util";
import type { Drift } from "./compare.ts";
import type { Exchange } from "./client.ts";
import type { CheckReport, GapResult, StatementResult } from "./report.ts";
import type { Verdict } from "./finding.ts";
import type { Unexplained } from "./templates.ts";

/** How a report is written for people. */
export interface RenderOptions {
  /** Whether to colour the text for a terminal. @defaultValue false */
  readonly colour?: boolean;
  /** Columns of the terminal; longer lines are folded. @defaultValue nothing is folded */
  readonly width?: number | undefined;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;
/** Lines under a title; none where there are no lines. */
type Part = (title: string, lines: readonly string[]) => string[];

const marks: Record<Verdict, { mark: string; style: Style }> = {
  holds: { mark: "✔", style: "green" },
  broken: { mark: "✘", style: "red" },
  "not observable": { mark: "–", style: "dim" },
};

/** Writes a report for people. */
export function renderReport(report: CheckReport, { colour = false, width }: RenderOptions = {}): string {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const fold = (line: string) => (width === undefined ? line : foldLine(line, Math.max(width, 40)));
  const broken = report.statements.filter(({ verdict }) => verdict === "broken");
  const part: Part = (title, lines) => (lines.length === 0 ? [] : ["", paint("bold", title), ...lines]);
  const lines = [
    paint(isFine(report) ? "green" : "red", verdictLine(report)),
    ...leftoverLines(report, paint),
    ...part(
      "Broken",
      broken.flatMap((result) => statementLines(result, paint)),
    ),
    ...part(
      "Different from our default",
      report.gaps.filter(isOther).map((gap) => gapLine(gap, paint)),
    ),
    ...part(
      "Not explained: a constant in the dialect, or our default where the pages of a list were not found",
      report.unexplained.map(unexplainedLine),
    ),
    ...part(
      "Not observed: our default in the dialect",
      report.unseen.map((name) => `  – ${name}`),
    ),
    ...part("Options that fit this service", optionLines(report)),
    ...part("Drift from the dialect", (report.drift ?? []).map(driftLine)),
    ...(report.drift === undefined ? listUsual(report, paint, part) : []),
    "",
  ];
  return lines.map(fold).join("\n");
}

/** What is as documented and assumed: who compares has read it before. */
function listUsual({ statements, gaps }: CheckReport, paint: Paint, part: Part): string[] {
  const statementsOf = (wanted: Verdict) => statements.filter(({ verdict }) => verdict === wanted);
  const usual = [...statementsOf("holds"), ...statementsOf("not observable")];
  const same = gaps.filter((gap) => !isOther(gap));
  return [
    ...part(
      "Documented",
      usual.flatMap((result) => statementLines(result, paint)),
    ),
    ...part(
      "Same as our default, or not observed",
      same.map((gap) => gapLine(gap, paint)),
    ),
  ];
}

function isOther({ reading, assumed }: GapResult): boolean {
  return reading !== undefined && reading !== assumed;
}

function isFine({ ok, leftovers, drift = [] }: CheckReport): boolean {
  return ok && leftovers.length === 0 && drift.length === 0;
}

function verdictLine({ baseUrl, requests, statements, gaps, drift }: CheckReport): string {
  const count = (verdict: Verdict) => statements.filter((result) => result.verdict === verdict).length;
  const others = gaps.filter(({ reading, assumed }) => reading !== undefined && reading !== assumed).length;
  const drifted =
    drift === undefined
      ? ""
      : drift.length === 0
        ? "; no drift from the dialect"
        : `; ${drift.length} places differ from the dialect`;
  return (
    `${baseUrl}: ${count("holds")} documented statements hold, ${count("broken")} broken, ${count("not observable")} not observable; ` +
    `${others} of ${gaps.length} open questions differ from our default${drifted} (${requests} requests)`
  );
}

function driftLine({ place, expected, found }: Drift): string {
  return `  ≠ ${place}: expected ${expected}, found ${found}`;
}

function unexplainedLine({ place, value, line }: Unexplained): string {
  return `  ? ${place}: ${excerpt(JSON.stringify(value))}${line === undefined ? "" : ` (line ${line} of the dialect file)`}`;
}

function optionLines({ clientOptions }: CheckReport): string[] {
  const notes = [
    clientOptions.strict && "  strict: true                   every response shows whole records",
    clientOptions.retry && '  retry: { writes: "safe" }      the service ignores Idempotency-Key',
  ];
  return notes.filter((note) => typeof note === "string");
}

/** Breaks a line between words; what goes on is indented as the line is, and a little more. Colours take no room. */
function foldLine(line: string, width: number): string {
  const indent = " ".repeat(Math.min((/^ */.exec(line)?.[0].length ?? 0) + 4, width / 2));
  const rows: string[] = [];
  let row = "";
  for (const word of line.split(/(?<=\S) /)) {
    if (row !== "" && stripVTControlCharacters(`${row} ${word}`).length > width) {
      rows.push(row);
      row = `${indent}${word.trimStart()}`;
    } else {
      row = row === "" ? word : `${row} ${word}`;
    }
  }
  return [...rows, row].join("\n");
}

function statementLines({ id, statement, verdict, note, evidence }: StatementResult, paint: Paint): string[] {
  const { mark, style } = marks[verdict];
  const line = `  ${paint(style, `${mark} ${verdict.padEnd(14)}`)} ${id.padEnd(22)} ${statement}`;
  if (verdict === "holds") return [line];
  const why = `${" ".repeat(19)}${paint(style, note)}`;
  return verdict === "broken" ? [line, why, ...evidence.flatMap(exchangeLines)] : [line, why];
}

function exchangeLines({ request, answer, failure }: Exchange): string[] {
  const indent = " ".repeat(21);
  const sent = `${request.method} ${request.path} ${excerpt(request.body ?? "")}`.trimEnd();
  const got = answer === undefined ? `no response: ${failure}` : `${answer.status} ${excerpt(answer.body)}`.trimEnd();
  const limits = Object.entries(answer?.headers ?? {}).filter(([name]) => name.startsWith("x-ratelimit-"));
  const headers = limits.map(([name, value]) => `${name}: ${value}`).join(", ");
  return [`${indent}> ${sent}`, `${indent}< ${got}`, ...(headers === "" ? [] : [`${indent}  ${headers}`])];
}

function gapLine({ id, reading, assumed, note }: GapResult, paint: Paint): string {
  if (reading === undefined) return paint("dim", `    ${id.padEnd(18)} ${"undetermined".padEnd(20)} ${note}`);
  const isAssumed = reading === assumed;
  const shown = paint(isAssumed ? "green" : "yellow", reading.padEnd(20));
  const compared = isAssumed ? "our default" : `our default: ${assumed}`;
  return `  ${isAssumed ? "=" : "≠"} ${id.padEnd(18)} ${shown} ${compared}${note === reading ? "" : `; ${note}`}`;
}

function leftoverLines({ leftovers }: CheckReport, paint: Paint): string[] {
  if (leftovers.length === 0) return [];
  return ["", paint("red", `Pages left behind: ${leftovers.join(", ")}. Their slugs begin with landing-page-check-.`)];
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
