// Domain assignment: decides which domains serve a page.
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
import { findContributions, indexTerms, sumUp, type TermIndex } from "./term-index.ts";
import { describeLanguages, isCertain, isMatch, type ReadPage, readPage, servesLanguage } from "./words.ts";

export type * from "./assignment.ts";
export { explain } from "./assignment.ts";
export { localeSchema } from "./words.ts";
export { catalogueSchema, defaultCatalogue, type Domain, parseAssignmentRule, parseCatalogue } from "./catalogue.ts";

/** Most domains that serve a page, and most near misses in an explanation. */
const mostDomains = 3;
const mostNearMisses = 5;

/**
 * `relativeCut`: a further domain is kept if its score reaches this share of the best score, the cut. `nearMissShare`: a domain that is
 * not kept is a near miss if its score reaches this share of the cut.
 */
const relativeCut = 0.6;
const nearMissShare = 0.5;

/** Creates a network from a catalogue. The first page builds the index. @throws {TypeError} as {@link parseCatalogue}. */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Nearly every test creates a service with this catalogue. A network holds no state about pages, so the services share one.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new DomainNetwork(catalogue));
  return new DomainNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;

/** A catalogue that assigns pages. It holds no state about pages, so the same page and load give the same assignment. */
export class DomainNetwork {
  /** The domains, in the order of the catalogue; deeply frozen. */
  readonly domains: readonly Readonly<Domain>[];
  /** One index for pages that may be English and one for others. The first such page builds it. */
  readonly #indexes = new Map<boolean, TermIndex>();

  /** Does not check the catalogue. `createDomainNetwork` does. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    Object.freeze(this);
  }

  /**
   * Decides which domains serve a page. `load` returns how many pages a domain serves already; it is called only for domains with a
   * `capacity`. `rules` overrule the words; the last one that matches counts. With `needsAlias`, a page that would have only one domain gets
   * a second one, unless a rule decides.
   * @throws {TypeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(
    page: AssignablePage,
    load: (domainName: string) => number,
    rules?: readonly AssignmentRule[],
    needsAlias?: boolean,
  ): Assignment {
    return explain(this.#decide(page, load, rules, needsAlias));
  }

  /** Names of the domains that {@link assign} gives, best first. */
  choose(...request: Parameters<DomainNetwork["assign"]>): string[] {
    return this.#decide(...request).domains.map(({ name }) => name);
  }

  /** Returns the domains that may not serve a page, with the reason. Capacity does not count, and unknown names are left out. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    const read = readPage(page);
    return domainNames.flatMap((name) => {
      const domain = this.domains.find((some) => some.name === name);
      const refusal = domain && refuse(domain, read);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  #decide(page: AssignablePage, load: Load, rules: readonly AssignmentRule[] = [], needsAlias = false): Decision {
    const read = readPage(page);
    const index = this.#indexes.get(read.isEnglish) ?? indexTerms(this.domains, read.isEnglish);
    this.#indexes.set(read.isEnglish, index);
    const terms = findContributions(index, read);
    const candidates: Candidate[] = [];
    for (const domain of this.domains) {
      const pin = domain.pins?.find((some) => isMatch(some, read));
      const refusal = refuse(domain, read, load);
      const ownHash = hash("sha256", `${read.slug} ${domain.name}`);
      candidates.push({ ...domain, ...sumUp(terms.get(domain) ?? [], read), pin, refusal, hash: ownHash });
    }
    const rule = rules.findLast(({ match }) => isMatch(match, read));
    return decide(candidates, read, rule, needsAlias);
  }
}

/** Returns how many pages a domain serves already. */
type Load = (domainName: string) => number;

/** An assignment without its explanation. */
type Decision = Omit<Assignment, "explanation">;

/** A domain compared with a page. */
interface Candidate extends Domain, ReturnType<typeof sumUp> {
  /** The pin of the domain that selects the page. */
  pin: PageMatch | undefined;
  /** Why the domain cannot take the page. */
  refusal: Refusal | undefined;
  /**
   * Breaks ties: the highest hash wins. With rendezvous hashing each domain wins equally often, and adding or removing a domain moves
   * only the pages that it wins.
   */
  hash: string;
}

/** The decision methods, in order. Catch-alls for the language of the page come before those for any language. */
const methods = ["rule", "pin", "match", "catch-all", "catch-all", "rendezvous"] as const;

/** Decides by the first method that finds a domain for the page. */
function decide(
  candidates: Candidate[],
  page: ReadPage,
  rule: AssignmentRule | undefined,
  needsAlias: boolean,
): Decision {
  candidates.sort((one, other) => other.score - one.score || compareHashes(one, other));
  const open = candidates.filter(({ refusal }) => refusal === undefined);
  const best = open.find(({ isEnough }) => isEnough);
  const cut = (best?.score ?? 0) * relativeCut;
  const named = rule?.domains ?? [];
  /** Index of the first method that chooses a domain. A catch-all with a locale accepts no page whose language is uncertain. */
  const methodFor = ({ name, pin, isEnough, score, catchAll = false, locale, refusal }: Candidate): number => {
    if (named.includes(name)) return 0;
    if (pin !== undefined) return 1;
    if (isEnough && score >= cut) return 2;
    const isOtherLanguage = refusal?.reason === "locale";
    if (catchAll && locale !== undefined && isCertain(page.languages) && !isOtherLanguage) return 3;
    return catchAll && locale === undefined ? 4 : 5;
  };
  const first = Math.min(...open.map(methodFor));
  const how = methods[first] ?? "none";
  const kept = open.filter((candidate) => methodFor(candidate) === first);
  if (how === "rule") kept.sort((one, other) => named.indexOf(one.name) - named.indexOf(other.name));
  if (how === "catch-all" || how === "rendezvous") kept.sort(compareHashes).splice(1);
  kept.splice(mostDomains);
  const others = needsAlias && kept.length === 1 && how !== "rule" ? open.filter((one) => one !== kept[0]) : [];
  const seconds = [
    ["match", others.find(({ score }) => score > 0)],
    ["catch-all", others.find((one) => methods[methodFor(one)] === "catch-all")],
    ["rendezvous", others[0]],
  ] as const;
  const [addedHow, added] = seconds.find(([, one]) => one !== undefined) ?? [];
  if (added) kept.push(added);
  const rejected: RejectedDomain[] = [];
  const nearMisses: NearMiss[] = [];
  for (const candidate of candidates) {
    const { name, refusal, score, evidence, isEnough } = candidate;
    if (refusal === undefined && score > 0 && score >= cut * nearMissShare && !kept.includes(candidate)) {
      const better = score < cut ? "below-cut" : "beyond-limit";
      nearMisses.push({ name, score, evidence, reason: isEnough ? better : "thin-evidence" });
    }
    if (refusal !== undefined && methodFor(candidate) <= first) rejected.push({ name, ...refusal, score });
  }
  const match = how === "rule" ? rule?.match : kept[0]?.pin;
  return {
    how,
    threshold: page.threshold,
    cut: how === "match" ? cut : 0,
    ...(match ? { rule: match } : how !== "match" && { unmatched: whyUnmatched(candidates) }),
    domains: kept.map(({ name, score, evidence, terms }) => ({ name, score, evidence, terms })),
    ...(added && addedHow && { added: { name: added.name, how: addedHow } }),
    rejected,
    nearMisses: match ? [] : nearMisses.slice(0, mostNearMisses),
  };
}

function whyUnmatched(candidates: readonly Candidate[]): NonNullable<Assignment["unmatched"]> {
  if (candidates.some(({ isEnough }) => isEnough)) return "rejected";
  return candidates.some(({ score }) => score > 0) ? "thin-evidence" : "nothing-matched";
}

function compareHashes(one: Candidate, other: Candidate): number {
  return one.hash > other.hash ? -1 : 1;
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain cannot take a page; `undefined` if it can. Without `load`, as at an update, capacity does not count. */
function refuse(
  { name, active, locale, blockedCtaHosts = [], capacity = Infinity }: Domain,
  page: ReadPage,
  load?: Load,
): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
  if (!servesLanguage(locale, page.languages))
    return { reason: "locale", detail: `serves ${locale}, while the page is ${describeLanguages(page.languages)}` };
  const ctaHost = URL.parse(page.ctaUrl)?.hostname.replace(/\.$/, "");
  const blocked = blockedCtaHosts.find((host) => `.${ctaHost}`.endsWith(`.${host}`));
  if (blocked !== undefined)
    return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
  if (load === undefined || capacity === Infinity) return undefined;
  const pages = load(name);
  return pages < capacity ? undefined : { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}
