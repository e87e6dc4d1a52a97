import type {
  AssignedDomain,
  Assignment,
  NearMiss,
  PageMatch,
  RejectedDomain,
  TermContribution,
} from "./assignment.ts";
import { splitWords } from "./words.ts";

/** Words named for the best domain; the rest are summed up. */
const mostWordsListed = 5;
const mostDomainsListed = 3;

/** Adds the explanation to a decision, replacing an earlier one: the words that decided, the domains, what came close, who was left out. */
export function explain(decision: Omit<Assignment, "explanation">): Assignment {
  const { domains, how, cut, rejected, nearMisses, left = [] } = decision;
  const [best, ...others] = domains;
  const parts = [best === undefined ? "No domain can take this page." : describeBest(best, decision)];
  if (others.length > 0) {
    const why = how === "match" ? `, at or above the ${cut.toFixed(2)} it takes` : "";
    parts.push(`Also on ${joinFew(others.map(describeScore))}${why}.`);
  }
  if (how === "match" && nearMisses.length > 0)
    parts.push(`Near, but not enough: ${joinFew(nearMisses.map(describeScore))}.`);
  if (rejected.length > 0) parts.push(`Not on ${joinFew(rejected.map(describeRejected))}.`);
  if (left.length > 0) parts.push(`An update took it off ${joinFew(left.map(describeRejected))}.`);
  return { ...decision, explanation: parts.join(" ") };
}

function describeBest(
  best: AssignedDomain,
  { how, rule = {}, unmatched, nearMisses, threshold }: Omit<Assignment, "explanation">,
): string {
  if (how === "rule") return `The test assigns pages with ${describeRule(rule)} to ${best.name}.`;
  if (how === "pin") return `The catalogue pins pages with ${describeRule(rule)} to ${best.name}.`;
  if (how === "match") {
    const described = best.terms.slice(0, mostWordsListed).map(describeTerm);
    const rest = best.terms.slice(mostWordsListed);
    const more = rest.reduce((total, { score }) => total + score, 0);
    if (rest.length > 0) described.push(`${rest.length} more (${more.toFixed(2)})`);
    return `${joinWords(described)} assign this page to ${best.name} with ${best.score.toFixed(2)}.`;
  }
  const why = {
    "nothing-matched": "No domain lists a word of this page",
    "thin-evidence": `No domain has enough evidence${describeNearest(nearMisses, threshold)}`,
    rejected: "The domains that match cannot take this page",
  }[unmatched ?? "nothing-matched"];
  const where =
    how === "catch-all" ? "it goes to the catch-all" : "there is no catch-all, and the hash of its slug picks";
  return `${why}, so ${where} ${best.name}.`;
}

function describeNearest([nearest]: readonly NearMiss[], threshold: number): string {
  if (nearest === undefined) return "";
  const { name, evidence } = nearest;
  const lack = evidence > threshold ? "in too few words" : `and it takes more than ${threshold.toFixed(2)}`;
  return ` (${name} came nearest with ${evidence.toFixed(2)}, ${lack})`;
}

function describeRule({ slug, words = [] }: PageMatch): string {
  const described = slug === undefined ? [] : [`the slug "${slug}"`];
  if (words.length > 0) described.push(joinWords(words.map((word) => `"${word}"`)));
  return joinWords(described);
}

/** A term in the forms that the page has, the catalogue's own with its accents and capitals. */
function describeTerm({ term, words, fields, score }: TermContribution): string {
  const compared = words.includes(term) ? term : splitWords(term).join(" ");
  const described = words.map((word) => `"${word === compared ? term : word}"`);
  const places = fields.map(({ field, count }) => (count === 1 ? field : `${field}, ${count} times`));
  return `${joinWords(described)} (${places.join(", ")}: ${score.toFixed(2)})`;
}

function describeScore({ name, score }: { name: string; score: number }): string {
  return score > 0 ? `${name} (${score.toFixed(2)})` : name;
}

function describeRejected({ name, detail }: RejectedDomain): string {
  return `${name}, which ${detail}`;
}

function joinFew(described: readonly string[]): string {
  const more = described.length - mostDomainsListed;
  return joinWords(more > 0 ? [...described.slice(0, mostDomainsListed), `${more} more`] : described);
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
