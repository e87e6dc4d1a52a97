import type { AssignedDomain, Assignment, PlacedPages, RejectedDomain, TermContribution } from "./assignment.ts";
import { splitWords } from "./words.ts";

/** Words named for the best domain; the rest are summed up. */
const mostWordsTold = 5;
const mostDomainsTold = 3;

/** Completes a decision with its sentence, anew where it has one: the words that decided, where the page goes, what came close, who was left out. */
export function tellDecision(decision: Omit<Assignment, "sentence">): Assignment {
  const { domains, how, cut, rejected, nearMisses, left = [] } = decision;
  const [best, ...others] = domains;
  const parts = [best === undefined ? "No domain can take this page." : tellBest(best, decision)];
  if (others.length > 0) {
    const why = how === "match" ? `, at or above the ${cut.toFixed(2)} it takes` : "";
    parts.push(`Also on ${joinFew(others.map(tellScore))}${why}.`);
  }
  if (how === "match" && nearMisses.length > 0)
    parts.push(`Near, but not enough: ${joinFew(nearMisses.map(tellScore))}.`);
  if (rejected.length > 0) parts.push(`Not on ${joinFew(rejected.map(tellRejected))}.`);
  if (left.length > 0) parts.push(`An update took it off ${joinFew(left.map(tellRejected))}.`);
  return { ...decision, sentence: parts.join(" ") };
}

function tellBest(
  best: AssignedDomain,
  { how, rule = {}, unmatched, nearMisses, floor }: Omit<Assignment, "sentence">,
): string {
  if (how === "place") return `The test places pages with ${tellRule(rule)} on ${best.name}.`;
  if (how === "pin") return `The catalogue pins pages with ${tellRule(rule)} to ${best.name}.`;
  if (how === "match") {
    const told = best.terms.slice(0, mostWordsTold).map(tellTerm);
    const rest = best.terms.slice(mostWordsTold);
    const more = rest.reduce((total, { score }) => total + score, 0);
    if (rest.length > 0) told.push(`${rest.length} more (${more.toFixed(2)})`);
    return `${joinWords(told)} put this page on ${best.name} with ${best.score.toFixed(2)}.`;
  }
  const [first] = nearMisses;
  const near = first ? `; ${first.name} came nearest with ${first.evidence.toFixed(2)}` : "";
  const why = {
    "nothing-matched": "No domain lists a word of this page",
    "below-floor": `No domain has more evidence than the floor of ${floor}${near}`,
    rejected: "The domains that match cannot take this page",
    "catch-all": "The words of this page are a catch-all's",
  }[unmatched ?? "nothing-matched"];
  const where =
    how === "catch-all" ? "it goes to the catch-all" : "there is no catch-all, and the hash of its slug picks";
  return `${why}, so ${where} ${best.name}.`;
}

function tellRule({ slug, words = [] }: PlacedPages): string {
  const told = slug === undefined ? [] : [`the slug "${slug}"`];
  if (words.length > 0) told.push(joinWords(words.map((word) => `"${word}"`)));
  return joinWords(told);
}

/** Tells a term in the forms that the page has, the catalogue's own with its accents and capitals. */
function tellTerm({ term, words, fields, score }: TermContribution): string {
  const compared = words.includes(term) ? term : splitWords(term).join(" ");
  const told = words.map((word) => `"${word === compared ? term : word}"`);
  const places = fields.map(({ field, count }) => (count === 1 ? field : `${field}, ${count} times`));
  return `${joinWords(told)} (${places.join(", ")}: ${score.toFixed(2)})`;
}

function tellScore({ name, score }: { name: string; score: number }): string {
  return score > 0 ? `${name} (${score.toFixed(2)})` : name;
}

function tellRejected({ name, detail }: RejectedDomain): string {
  return `${name}, which ${detail}`;
}

function joinFew(told: readonly string[]): string {
  const more = told.length - mostDomainsTold;
  return joinWords(more > 0 ? [...told.slice(0, mostDomainsTold), `${more} more`] : told);
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
