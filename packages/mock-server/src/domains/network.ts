// Domain assignment, as the other rooms use it: decides which domains serve a page.
import { hash } from "node:crypto";
import { freezeDeep } from "@landing-page-service/contract";
import {
  type AssignablePage,
  type Assignment,
  type AssignmentRule,
  explain,
  type NearMiss,
  type PageMatch,
  type RejectedDomain,
} from "./assignment.ts";
import { defaultCatalogue, type Domain, parseCatalogue } from "./catalogue.ts";
import { type DomainMatch, indexTerms, matchDomains, type TermIndex, thresholdFor } from "./term-index.ts";
import { describeLanguage, fitLocale, isMatch, type LocaleFit, type ReadPage, readPage } from "./words.ts";

export type * from "./assignment.ts";
export { explain } from "./assignment.ts";
export { catalogueSchema, defaultCatalogue, type Domain, parseAssignmentRule, parseCatalogue } from "./catalogue.ts";

/** Most domains that serve a page, and most near misses in an explanation. */
const mostDomains = 3;
const mostNearMisses = 5;

/** Share of the best score that another domain must reach to be kept, and share of that cut that makes a near miss. */
const relativeCut = 0.6;
const nearMissShare = 0.5;

/** Creates a network from a catalogue. The first page builds the index. @throws {TypeError} as {@link parseCatalogue}. */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Nearly every test creates a service with this catalogue. A network holds no state, so the services share one.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new DomainNetwork(catalogue));
  return new DomainNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;

/** A catalogue that assigns pages. It holds no state about pages, so the same page and load give the same assignment. */
export class DomainNetwork {
  /** The domains, in the order given; frozen, also within. */
  readonly domains: readonly Readonly<Domain>[];
  readonly #locales = new Map<Domain, Intl.Locale>();
  /** One index for pages that may be English and one for others. The first such page builds it. */
  readonly #indexes = new Map<ReadPage["stem"], TermIndex>();

  /** Does not check the catalogue. `createDomainNetwork` does. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    for (const domain of domains)
      if (domain.locale !== undefined) this.#locales.set(domain, new Intl.Locale(domain.locale));
    Object.freeze(this);
  }

  /**
   * Decides which domains serve a page. `load` returns how many pages a domain serves already; it is called only for domains with a
   * `capacity`. `rules` overrule the words; the last one that matches counts.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(page: AssignablePage, load: (domainName: string) => number, rules?: readonly AssignmentRule[]): Assignment {
    return explain(this.#decide(page, load, rules));
  }

  /** Names of the domains that {@link assign} gives, best first. */
  choose(page: AssignablePage, load: (domainName: string) => number, rules?: readonly AssignmentRule[]): string[] {
    return this.#decide(page, load, rules).domains.map(({ name }) => name);
  }

  /** Returns the domains that may not serve a page, with the reason. Capacity does not count, and unknown names are left out. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    const read = readPage(page);
    return domainNames.flatMap((name) => {
      const domain = this.domains.find((some) => some.name === name);
      const refusal = domain && refuse(domain, fitLocale(this.#locales.get(domain), read.language), read);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  #decide(page: AssignablePage, load: (domainName: string) => number, rules: readonly AssignmentRule[] = []): Decision {
    const read = readPage(page);
    const index = this.#indexes.get(read.stem) ?? indexTerms(this.domains, read.stem);
    this.#indexes.set(read.stem, index);
    const matches = matchDomains(index, read);
    const candidates: Candidate[] = [];
    for (const domain of this.domains) {
      const match = matches.get(domain) ?? { score: 0, evidence: 0, terms: [], isEnough: false };
      const fit = fitLocale(this.#locales.get(domain), read.language);
      const refusal = refuse(domain, fit, read, load);
      candidates.push({ ...match, domain, fit, refusal, hash: hash("sha256", `${read.slug} ${domain.name}`) });
    }
    return decide(candidates, read, rules);
  }
}

/** An assignment without its explanation. */
type Decision = Omit<Assignment, "explanation">;

/** A domain compared with a page. */
interface Candidate extends DomainMatch {
  domain: Domain;
  fit: LocaleFit;
  /** Why the domain cannot take the page. */
  refusal: Refusal | undefined;
  /**
   * Breaks ties: the highest hash wins. With rendezvous hashing each domain wins equally often, and adding or removing a domain moves
   * only the pages that it wins.
   */
  hash: string;
}

/** One way to decide: the domains that it would keep, best first, and the most that it keeps. */
interface Choice extends Pick<Assignment, "how" | "rule"> {
  wanted: readonly Candidate[];
  most: number;
}

/** Decides by the first choice with a domain that can take the page. */
function decide(candidates: Candidate[], page: ReadPage, rules: readonly AssignmentRule[]): Decision {
  const byHash = candidates.sort((one, other) => (one.hash > other.hash ? -1 : 1));
  const ranked = byHash.toSorted((one, other) => other.score - one.score);
  const enough = ranked.filter(({ isEnough }) => isEnough);
  const cut = (enough.find(isOpen)?.score ?? 0) * relativeCut;
  // Catch-alls of the page's language come before those of any. One with a locale takes no page whose language is uncertain.
  const catchAlls = byHash.filter(({ domain, fit }) => domain.catchAll === true && (fit === "yes" || fit === "any"));
  catchAlls.sort((one, other) => Number(other.fit === "yes") - Number(one.fit === "yes"));
  const choices: Choice[] = [
    ...chooseByRules(ranked, page, rules),
    { how: "match", wanted: enough.filter(({ score }) => score >= cut), most: mostDomains },
    { how: "catch-all", wanted: catchAlls, most: 1 },
    { how: "rendezvous", wanted: byHash, most: 1 },
  ];
  const considered = new Set<Candidate>();
  let decided: Choice = { how: "none", wanted: [], most: 0 };
  let kept: readonly Candidate[] = [];
  for (const choice of choices) {
    for (const candidate of choice.wanted) considered.add(candidate);
    kept = choice.wanted.filter(isOpen).slice(0, choice.most);
    if (kept.length === 0) continue;
    decided = choice;
    break;
  }
  const { how, rule } = decided;
  const neededScore = how === "match" ? cut : 0;
  const rejected: RejectedDomain[] = [];
  const nearMisses: NearMiss[] = [];
  for (const candidate of ranked) {
    const { domain, score, evidence, isEnough, refusal } = candidate;
    const { name } = domain;
    if (refusal !== undefined) {
      if (considered.has(candidate)) rejected.push({ name, ...refusal, score });
    } else if (score > 0 && score >= neededScore * nearMissShare && !kept.includes(candidate)) {
      const reason = !isEnough ? "thin-evidence" : score < neededScore ? "below-cut" : "beyond-limit";
      nearMisses.push({ name, score, evidence, reason });
    }
  }
  const shares = ranked[0] !== undefined && ranked[0].score > 0;
  const unmatched = enough.length > 0 ? "rejected" : shares ? "thin-evidence" : "nothing-matched";
  return {
    how,
    cut: neededScore,
    ...(rule ? { rule } : how !== "match" && { unmatched }),
    threshold: thresholdFor(page),
    domains: kept.map(({ domain, score, evidence, terms }) => ({ name: domain.name, score, evidence, terms })),
    rejected: rejected.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1)),
    nearMisses: rule ? [] : nearMisses.slice(0, mostNearMisses),
  };
}

function isOpen({ refusal }: Candidate): boolean {
  return refusal === undefined;
}

/** The test's last rule for the page, then the catalogue's pins. */
function chooseByRules(ranked: readonly Candidate[], page: ReadPage, rules: readonly AssignmentRule[]): Choice[] {
  const choices: Choice[] = [];
  const rule = rules.findLast(({ match }) => isMatch(match, page));
  if (rule !== undefined) {
    const wanted = rule.domains.flatMap((name) => ranked.find(({ domain }) => domain.name === name) ?? []);
    choices.push({ how: "rule", rule: rule.match, wanted, most: mostDomains });
  }
  const pinned = new Set<Candidate>();
  let pin: PageMatch | undefined;
  for (const candidate of ranked)
    for (const match of candidate.domain.pins ?? [])
      if (isMatch(match, page)) {
        pinned.add(candidate);
        pin ??= match;
      }
  if (pin !== undefined) choices.push({ how: "pin", rule: pin, wanted: [...pinned], most: mostDomains });
  return choices;
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain cannot take a page; `undefined` if it can. Without `load`, as at an update, capacity does not count. */
function refuse(
  { name, active, locale, blockedCtaHosts = [], capacity = Infinity }: Domain,
  fit: LocaleFit,
  page: ReadPage,
  load?: (domainName: string) => number,
): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
  if (fit === "no")
    return { reason: "locale", detail: `serves ${locale}, while the page is ${describeLanguage(page.language)}` };
  if (blockedCtaHosts.length > 0) {
    const ctaHost = URL.parse(page.ctaUrl)?.hostname.replace(/\.$/, "");
    const blocked = blockedCtaHosts.find((host) => `.${ctaHost}`.endsWith(`.${host}`));
    if (blocked !== undefined)
      return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
  }
  if (load === undefined || capacity === Infinity) return undefined;
  const pages = load(name);
  return pages < capacity ? undefined : { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}
