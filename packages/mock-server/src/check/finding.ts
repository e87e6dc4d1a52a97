// What was found out about a service, and the words for it.
import type { AnswerTemplates } from "@landing-page-service/contract/dialect";
import type { Exchange } from "./client.ts";
import type { Observations } from "./probes.ts";

/** Whether a statement is true of a service, as far as can be seen. */
export type Verdict = "holds" | "broken" | "not observable";

/** A verdict or the name of a reading, why, and what shows it. */
export interface Finding<Result extends string = string> {
  /** `undefined` when nothing showed it, or it was none of those that have a name. */
  readonly result: Result | undefined;
  readonly note: string;
  readonly evidence: readonly Exchange[];
}

/** The verdict on a statement. */
export type Judgement = Finding<"holds" | "broken">;

/** What was found, and the requests that show it. */
export function found<Result extends string>(
  result: Result | undefined,
  note: string,
  ...evidence: (Exchange | undefined)[]
): Finding<Result> {
  return { result, note, evidence: [...new Set(evidence.filter((exchange) => exchange !== undefined))] };
}

/** The statement is true of the service. */
export function holds(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return found("holds", note, ...evidence);
}

/** The service does otherwise. */
export function broken(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return found("broken", note, ...evidence);
}

/** The visit could not tell. */
export function unseen(note: string, ...evidence: (Exchange | undefined)[]): Finding<never> {
  return found<never>(undefined, note, ...evidence);
}

/** What became of a request, in words. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange?.answer !== undefined) return `answered ${exchange.answer.status}`;
  return exchange?.failure === undefined ? "was not tried" : `was not answered (${exchange.failure})`;
}

/** What statements and gaps are judged by. */
export interface Evidence {
  readonly seen: Observations;
  /** Everything that was said, cleaning up included. */
  readonly exchanges: readonly Exchange[];
  /** Every template that was learned. */
  readonly templates: Partial<AnswerTemplates>;
  /** Whether identifiers are written with digits alone. */
  readonly hasNumberIds: boolean;
  /** The limit that the answer to a list says it has; `undefined` when it says none. */
  readonly readLimit: (exchange: Exchange | undefined) => number | undefined;
}
