import { styleText } from "node:util";
import type { Exchange } from "./exchange.ts";
import type { CheckReport, GapResult, StatementResult } from "./report.ts";
import type { Verdict } from "./statements.ts";

/** How a report is written for people. */
export interface RenderOptions {
  /** Whether to colour the text for a terminal. @defaultValue false */
  readonly colour?: boolean;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const marks: Record<Verdict, { mark: string; style: Style }> = {
  holds: { mark: "✔", style: "green" },
  broken: { mark: "✘", style: "red" },
  "not observable": { mark: "–", style: "dim" },
};

/** Writes a report as a table: every statement and gap on a line, under a broken statement what shows it. */
export function renderReport(report: CheckReport, { colour = false }: RenderOptions = {}): string {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  return [
    `${paint("bold", report.baseUrl)}, ${report.requests} requests`,
    "",
    paint("bold", "What the spec documents"),
    ...report.statements.flatMap((result) => statementLines(result, paint)),
    "",
    paint("bold", "What the spec leaves open"),
    ...report.gaps.map((result) => gapLine(result, paint)),
    "",
    ...leftoverLines(report, paint),
    summary(report),
    "",
  ].join("\n");
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
  const got = answer === undefined ? `no answer: ${failure}` : `${answer.status} ${excerpt(answer.body)}`.trimEnd();
  const limits = Object.entries(answer?.headers ?? {}).filter(([name]) => name.startsWith("x-ratelimit-"));
  const headers = limits.map(([name, value]) => `${name}: ${value}`).join(", ");
  return [`${indent}> ${sent}`, `${indent}< ${got}`, ...(headers === "" ? [] : [`${indent}  ${headers}`])];
}

function gapLine({ id, reading, assumed, note }: GapResult, paint: Paint): string {
  if (reading === undefined) return paint("dim", `    ${id.padEnd(18)} ${"undetermined".padEnd(20)} ${note}`);
  const isAssumed = reading === assumed;
  const shown = paint(isAssumed ? "green" : "yellow", reading.padEnd(20));
  const compared = isAssumed ? "as assumed" : `assumed: ${assumed}`;
  return `  ${isAssumed ? "=" : "≠"} ${id.padEnd(18)} ${shown} ${compared}${note === reading ? "" : `; ${note}`}`;
}

function leftoverLines({ leftovers }: CheckReport, paint: Paint): string[] {
  if (leftovers.length === 0) return [];
  return [paint("red", `Pages left behind: ${leftovers.join(", ")}. Their slugs begin with landing-page-check-.`), ""];
}

function summary({ statements, gaps }: CheckReport): string {
  const count = (verdict: Verdict) => statements.filter((result) => result.verdict === verdict).length;
  const known = gaps.filter(({ reading }) => reading !== undefined);
  const other = known.filter(({ reading, assumed }) => reading !== assumed).length;
  return (
    `${count("holds")} statements hold, ${count("broken")} broken, ${count("not observable")} not observable. ` +
    `${known.length} of ${gaps.length} gaps answered, ${other} otherwise than we assume.`
  );
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
