// How things in an answer are chosen: every candidate by what speaks for it and against it, each with its weight.

/** One thing that speaks for a candidate, or against it: how much it weighs, and whether it holds, or how often. */
export type Feature<Candidate> = readonly [weight: number, holds: (candidate: Candidate) => number | boolean];

/** The weight of what rules a candidate out; it belongs at the head of a table, as nothing after it is looked at. */
export const never = -Infinity;

/** The candidates that nothing rules out, the best first, and of as good ones the first. */
export function rank<Candidate>(
  candidates: readonly Candidate[],
  features: readonly Feature<Candidate>[],
): readonly Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, features) }))
    .filter(({ score }) => score > never)
    .toSorted((one, other) => other.score - one.score)
    .map(({ candidate }) => candidate);
}

function scoreOf<Candidate>(candidate: Candidate, features: readonly Feature<Candidate>[]): number {
  let score = 0;
  for (const [weight, holds] of features) {
    const held = Number(holds(candidate));
    if (held !== 0) score += weight * held;
    if (score === never) break;
  }
  return score;
}
