// What is judged of a statement, and the words for it.
import type { Exchange } from "./exchange.ts";

/** Whether a statement is true of a service, as far as can be seen. */
export type Verdict = "holds" | "broken" | "not observable";

/** A verdict, why, and what shows it. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly note: string;
  readonly evidence: readonly Exchange[];
}

/** What became of a request, in words. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange?.answer !== undefined) return `answered ${exchange.answer.status}`;
  return exchange?.failure === undefined ? "was not tried" : `was not answered (${exchange.failure})`;
}

/** The statement is true of the service. */
export function holds(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return judgement("holds", note, evidence);
}

/** The service does otherwise. */
export function broken(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return judgement("broken", note, evidence);
}

/** The visit could not tell. */
export function unseen(note: string, ...evidence: (Exchange | undefined)[]): Judgement {
  return judgement("not observable", note, evidence);
}

function judgement(verdict: Verdict, note: string, evidence: (Exchange | undefined)[]): Judgement {
  return { verdict, note, evidence: [...new Set(evidence.filter((exchange) => exchange !== undefined))] };
}
