import type { AssignedDomain, NearMiss, RejectedDomain, TermContribution } from "./assignment.ts";
import type { Share } from "./domain-index.ts";
import type { Place, Refusal } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";

const mostNearMisses = 5;

/** Domains below this share of the best score are not worth telling about. */
const nearMissShare = 0.3;

/** A domain held against a page. */
export interface Candidate extends Share {
  place: Place;
  name: string;
  /** Whether its evidence is above the floor. */
  isEnough: boolean;
  refusal: Refusal | undefined;
  explain: (place: Place) => TermContribution[];
}

/** The domains worth telling about, best first. */
export function rank(sharing: readonly Candidate[], slug: string): Candidate[] {
  const best = sharing
    .filter((some) => some.isEnough && isOpen(some))
    .reduce((most, { score }) => Math.max(most, score), 0);
  return sharing
    .filter(({ score }) => score >= best * nearMissShare)
    .sort((one, other) => compareRanked(one, other, slug));
}

/** Whether it can take the page. */
export function isOpen({ refusal }: Candidate): boolean {
  return refusal === undefined;
}

/** What is told of a domain that cannot take the page; nothing of one that can. */
export function reject({ name, refusal, score }: Candidate): RejectedDomain[] {
  return refusal === undefined ? [] : [{ name, ...refusal, score }];
}

/** Highest score first, then by name; each domain once. */
export function joinRejected(...parts: (readonly RejectedDomain[])[]): RejectedDomain[] {
  const byName = new Map(parts.flat().map((rejected) => [rejected.name, rejected]));
  return [...byName.values()].sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
}

/** What is told of a domain that serves the page. */
export function tellDomain({ place, name, score, evidence, explain }: Candidate): AssignedDomain {
  return { name, score, evidence, terms: explain(place) };
}

/** What is told of the domains that could serve the page, but share too little with it. */
export function tellNearMisses(ranked: readonly Candidate[], kept: readonly Candidate[], cut: number): NearMiss[] {
  const missed = ranked.filter((some) => isOpen(some) && !kept.some(({ name }) => name === some.name));
  return missed.slice(0, mostNearMisses).map(({ name, score, evidence, isEnough }) => {
    const reason = !isEnough ? "below-floor" : score < cut ? "below-cut" : "beyond-limit";
    return { name, score, evidence, reason };
  });
}

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
export function compareRanked(one: Candidate, other: Candidate, slug: string): number {
  return Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || compareByHash(slug, one.name, other.name);
}
