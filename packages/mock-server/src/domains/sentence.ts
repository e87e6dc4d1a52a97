import type { AssignedDomain, Assignment, RejectedDomain, TermContribution } from "./assignment.ts";

/** Words named for the best domain; the rest are summed up. */
const mostWordsTold = 5;
const mostRejectedTold = 3;

/** Tells a decision in plain English: which domains, for which words in which fields, and who was left out. */
export function tellAssignment(decision: Omit<Assignment, "sentence">): string {
  const [best, ...others] = decision.domains;
  const parts = [best === undefined ? "No domain can take this page." : tellBest(best, decision)];
  if (others.length > 0) {
    const names = others.map(({ name, score }) => `${name} (${score.toFixed(2)})`);
    parts.push(
      `Also on ${joinWords(names)}, at or above the ${decision.cut.toFixed(2)} that 60 % of the best score makes.`,
    );
  }
  const { rejected } = decision;
  if (rejected.length > 0) {
    const told = rejected.slice(0, mostRejectedTold).map(tellRejected);
    const more = rejected.length - told.length;
    parts.push(`Not on ${joinWords(more > 0 ? [...told, `${more} more`] : told)}.`);
  }
  return parts.join(" ");
}

function tellBest(best: AssignedDomain, { how }: Omit<Assignment, "sentence">): string {
  if (how === "catch-all")
    return `No domain that can take this page lists a word of it, so it goes to the catch-all ${best.name}.`;
  if (how === "rendezvous") {
    return `No domain that can take this page lists a word of it and there is no catch-all, so the hash of its slug picks ${best.name}.`;
  }
  const told = best.terms.slice(0, mostWordsTold).map(tellTerm);
  const rest = best.terms.slice(mostWordsTold);
  if (rest.length > 0) {
    const sum = rest.reduce((total, { score }) => total + score, 0);
    told.push(`${rest.length} more ${rest.length === 1 ? "word adds" : "words add"} ${sum.toFixed(2)}`);
  }
  return `Placed on ${best.name} with a score of ${best.score.toFixed(2)}: ${told.join("; ")}.`;
}

function tellTerm({ words, fields, score }: TermContribution): string {
  const places = fields.map(({ field, count }) => (count === 1 ? field : `${field} (${count} times)`));
  return `${joinWords(words.map((word) => `"${word}"`))} in ${joinWords(places)} adds ${score.toFixed(2)}`;
}

function tellRejected({ name, detail }: RejectedDomain): string {
  return `${name}, which ${detail}`;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
