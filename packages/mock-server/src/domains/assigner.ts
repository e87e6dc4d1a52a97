import { freezeDeep } from "@landing-page-service/contract";
import type { AssignablePage, Assignment, AssignmentRule, NearMiss, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue.ts";
import { hasEnough, thresholdFor } from "./evidence.ts";
import { explain } from "./explanation.ts";
import { fitLocale, readTag, type Tag } from "./language.ts";
import { compareByHash, type Refusal, refuse, refuseFull } from "./policy.ts";
import { isMatch, type ReadPage, readPage } from "./read-page.ts";
import { type Candidate, TermIndex } from "./term-index.ts";

/** Most domains a page is served by, and most near misses in an explanation. */
const mostDomains = 3;
const mostNearMisses = 5;

/** Share of the best score that a further domain must reach, and the share of that which makes a near miss. */
const relativeCut = 0.6;
const nearMissShare = 0.5;

/** A catalogue made ready to assign pages. It holds no state about pages: the same page and load give the same assignment. */
export class DomainNetwork {
  /** The domains, in the order given; frozen, also within. */
  readonly domains: readonly Readonly<Domain>[];
  /** The locales of the domains that have one. */
  readonly #tags: ReadonlyMap<Domain, Tag>;
  /** For pages that may be English, and for others; made when the first such page comes. */
  readonly #indexes = new Map<boolean, TermIndex>();

  /** Takes the catalogue as valid: see `createDomainNetwork`. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    this.#tags = new Map(domains.flatMap((domain) => (domain.locale ? [[domain, readTag(domain.locale)]] : [])));
    Object.freeze(this);
  }

  /**
   * Decides which domains serve a page. `load` tells how many pages a domain serves already; it is asked only for domains with a
   * `capacity`. `rules` overrule the words; the last one that matches counts.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(
    page: AssignablePage,
    load: (domainName: string) => number,
    rules: readonly AssignmentRule[] = [],
  ): Assignment {
    const read = readPage(page);
    const found = this.#index(read.isEnglish).match(read);
    const candidates = this.domains.map((domain) => found.get(domain) ?? { domain, score: 0, evidence: 0, terms: [] });
    const policyOf = ({ domain }: Candidate): Refusal | undefined => refuse(domain, this.#tags.get(domain), read);
    const refusalOf = (candidate: Candidate): Refusal | undefined =>
      policyOf(candidate) ?? refuseFull(candidate.domain, load);
    const contest: Contest = { page: read, candidates, tags: this.#tags, policyOf, refusalOf };
    return describe(contest, choose(contest, rules));
  }

  /** Those of some domains that may not serve a page, however much room they have, with the reason. Unknown domains may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    const read = readPage(page);
    return domainNames.flatMap((name) => {
      const domain = this.domains.find((some) => some.name === name);
      const refusal = domain && refuse(domain, this.#tags.get(domain), read);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  #index(isEnglish: boolean): TermIndex {
    const index = this.#indexes.get(isEnglish) ?? new TermIndex(this.domains, isEnglish);
    this.#indexes.set(isEnglish, index);
    return index;
  }
}

/** All that an assignment is decided by. */
interface Contest {
  page: ReadPage;
  candidates: readonly Candidate[];
  tags: ReadonlyMap<Domain, Tag>;
  /** Why a domain may not serve the page, however much room it has. */
  policyOf: (candidate: Candidate) => Refusal | undefined;
  /** Why a domain cannot take the page. */
  refusalOf: (candidate: Candidate) => Refusal | undefined;
}

/** Which domains serve the page; `kept` has the best first, `considered` also those that would serve it but cannot. */
type Choice = Pick<Assignment, "how" | "rule" | "unmatched"> & {
  kept: readonly Candidate[];
  considered: readonly Candidate[];
  cut: number;
};

function choose(contest: Contest, rules: readonly AssignmentRule[]): Choice {
  const considered: Candidate[] = [];
  for (const { wanted, ...overruling } of findRules(contest, rules)) {
    considered.push(...wanted);
    const kept = keepOpen(wanted, contest);
    if (kept.length > 0) return { ...overruling, kept, considered, cut: 0 };
  }
  const choice = chooseByWords(contest);
  return { ...choice, considered: [...considered, ...choice.considered] };
}

/** The domains that rules ask for, best first: those of the test's last rule for the page, then those that pin it. */
function findRules({ candidates, page }: Contest, rules: readonly AssignmentRule[]) {
  const found: (Pick<Choice, "how" | "rule"> & { wanted: Candidate[] })[] = [];
  const rule = rules.findLast(({ match }) => isMatch(match, page));
  const wanted = rule?.domains.flatMap((name) => candidates.find(({ domain }) => domain.name === name) ?? []);
  if (rule && wanted) found.push({ how: "rule", rule: rule.match, wanted });
  const pinOf = ({ domain }: Candidate) => domain.pins?.find((pin) => isMatch(pin, page));
  const pinned = candidates.filter((candidate) => pinOf(candidate) !== undefined).sort(rankFor(page));
  const pin = pinned[0] && pinOf(pinned[0]);
  if (pin) found.push({ how: "pin", rule: pin, wanted: pinned });
  return found;
}

/** The domains with enough evidence whose score comes near the best; a single domain where there is none. */
function chooseByWords(contest: Contest): Choice {
  const { candidates, page, refusalOf } = contest;
  const enough = candidates.filter((candidate) => hasEnough(candidate, page)).sort(rankFor(page));
  const best = enough.find((candidate) => refusalOf(candidate) === undefined);
  if (best !== undefined) {
    const cut = best.score * relativeCut;
    const considered = enough.filter(({ score }) => score >= cut);
    return { how: "match", kept: keepOpen(considered, contest), considered, cut };
  }
  const tooLittle = candidates.some(({ score }) => score > 0) ? "thin-evidence" : "nothing-matched";
  return { ...fallBack(contest, enough), unmatched: enough.length > 0 ? "rejected" : tooLittle };
}

/** One domain for a page without enough evidence: a catch-all of its language, else one for any, else one by the hash of its slug. */
function fallBack({ candidates, page, tags, refusalOf }: Contest, enough: readonly Candidate[]): Choice {
  const open = candidates.filter((candidate) => refusalOf(candidate) === undefined).sort(hashFor(page));
  const catchAlls = open.filter(({ domain }) => domain.catchAll === true);
  const catchAll =
    catchAlls.find(({ domain }) => isOfLanguage(tags.get(domain), page)) ??
    catchAlls.find(({ domain }) => !tags.has(domain));
  const winner = catchAll ?? open[0];
  const considered = catchAll ? candidates.filter(({ domain }) => domain.catchAll === true) : candidates;
  const how = catchAll ? "catch-all" : winner ? "rendezvous" : "none";
  return { how, kept: winner ? [winner] : [], considered: [...new Set([...enough, ...considered])], cut: 0 };
}

function isOfLanguage(tag: Tag | undefined, { language }: ReadPage): boolean {
  return tag !== undefined && fitLocale(tag, language) === "yes";
}

function keepOpen(wanted: readonly Candidate[], { refusalOf }: Contest): Candidate[] {
  return wanted.filter((candidate) => refusalOf(candidate) === undefined).slice(0, mostDomains);
}

type Compare = (one: Candidate, other: Candidate) => number;

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
function rankFor(page: ReadPage): Compare {
  const byHash = hashFor(page);
  return (one, other) => Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || byHash(one, other);
}

function hashFor({ slug }: ReadPage): Compare {
  return (one, other) => compareByHash(slug, one.domain.name, other.domain.name);
}

function describe(contest: Contest, choice: Choice): Assignment {
  const { kept, cut, how, rule, unmatched } = choice;
  const domains = kept.map(({ domain: { name }, score, evidence, terms }) => {
    const sorted = terms.toSorted((one, other) => other.score - one.score || (one.term < other.term ? -1 : 1));
    return { name, score, evidence, terms: sorted };
  });
  const rejected = findRejected(contest, choice);
  const nearMisses = rule === undefined ? findNearMisses(contest, choice) : [];
  const why = { ...(rule && { rule }), ...(unmatched && { unmatched }), threshold: thresholdFor(contest.page) };
  return explain({ how, cut, ...why, domains, rejected, nearMisses });
}

function findRejected({ refusalOf }: Contest, { considered }: Choice): RejectedDomain[] {
  const rejected = Array.from(new Set(considered)).flatMap((candidate) => {
    const refusal = refusalOf(candidate);
    return refusal ? [{ name: candidate.domain.name, ...refusal, score: candidate.score }] : [];
  });
  return rejected.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
}

/** The load of a domain that would not be kept anyway is not asked for. */
function findNearMisses(
  { page, candidates, policyOf, refusalOf }: Contest,
  { kept, considered, cut }: Choice,
): NearMiss[] {
  const near = candidates.filter((candidate) => {
    const isClose = candidate.score > 0 && candidate.score >= cut * nearMissShare;
    const whyNot = considered.includes(candidate) ? refusalOf : policyOf;
    return isClose && !kept.includes(candidate) && whyNot(candidate) === undefined;
  });
  const best = near.sort(rankFor(page)).slice(0, mostNearMisses);
  return best.map((candidate) => {
    const { domain, score, evidence } = candidate;
    const reason = !hasEnough(candidate, page) ? "thin-evidence" : score < cut ? "below-cut" : "beyond-limit";
    return { name: domain.name, score, evidence, reason };
  });
}
