// The way into domain assignment for the other rooms.
import { freezeDeep } from "@landing-page-service/contract";
import {
  type AssignablePage,
  type Assignment,
  type AssignmentRule,
  explain,
  type RejectedDomain,
} from "./assignment.ts";
import { defaultCatalogue, type Domain, parseCatalogue } from "./catalogue.ts";
import { describeLanguage, fitLocale, readTag } from "./language.ts";
import { type DomainMatch, hasEnough, scoreTerms, TermIndex, thresholdFor } from "./term-index.ts";
import { isMatch, type ReadPage, readPage } from "./words.ts";

export type * from "./assignment.ts";
export { explain } from "./assignment.ts";
export { catalogueSchema, defaultCatalogue, type Domain, parseAssignmentRule, parseCatalogue } from "./catalogue.ts";

/** Most domains that serve a page, and most near misses in an explanation. */
const mostDomains = 3;
const mostNearMisses = 5;

/** Share of the best score that a further domain must reach, and the share of that which makes a near miss. */
const relativeCut = 0.6;
const nearMissShare = 0.5;

/** Makes a catalogue ready to assign pages; the index is built when the first page comes. @throws {TypeError} as {@link parseCatalogue}. */
export function createDomainNetwork(catalogue: readonly Domain[]): DomainNetwork {
  // Tests create a service each, nearly always with this catalogue. A network holds no state, so they share one.
  if (catalogue === defaultCatalogue) return (defaultNetwork ??= new DomainNetwork(catalogue));
  return new DomainNetwork(parseCatalogue(catalogue));
}

let defaultNetwork: DomainNetwork | undefined;

/** A catalogue made ready to assign pages. It holds no state about pages, so the same page and load give the same assignment. */
export class DomainNetwork {
  /** The domains, in the order given; frozen, also within. */
  readonly domains: readonly Readonly<Domain>[];
  /** For pages that may be English, and for others; each is made when the first such page comes. */
  readonly #indexes = new Map<boolean, TermIndex>();

  /** Takes the catalogue as valid: see `createDomainNetwork`. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    Object.freeze(this);
  }

  /**
   * Decides which domains serve a page. `load` returns how many pages a domain serves already; it is called only for domains with a
   * `capacity`. `rules` overrule the words; the last one that matches counts.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(
    page: AssignablePage,
    load: (domainName: string) => number,
    rules: readonly AssignmentRule[] = [],
  ): Assignment {
    const read = readPage(page);
    const index = this.#indexes.get(read.isEnglish) ?? new TermIndex(this.domains, read.isEnglish);
    this.#indexes.set(read.isEnglish, index);
    const terms = index.match(read);
    const candidates = this.domains.map((domain) => ({
      domain,
      ...scoreTerms(terms.get(domain) ?? []),
      policy: refuse(domain, read),
      hash: rendezvousHash(read.slug, domain.name),
    }));
    return choose(candidates, read, load, rules);
  }

  /** Names of the domains that {@link assign} gives, best first. */
  choose(page: AssignablePage, load: (domainName: string) => number, rules?: readonly AssignmentRule[]): string[] {
    return this.assign(page, load, rules).domains.map(({ name }) => name);
  }

  /** Returns those of some domains that may not serve a page, however much room they have, with the reason. Unknown domains may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    const read = readPage(page);
    return domainNames.flatMap((name) => {
      const domain = this.domains.find((some) => some.name === name);
      const refusal = domain && refuse(domain, read);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }
}

/** A domain compared with a page. */
interface Candidate extends DomainMatch {
  domain: Domain;
  /** Why the domain may not serve the page, however much room it has. */
  policy: Refusal | undefined;
  /** Breaks ties; the higher wins. */
  hash: number;
}

/** One way to decide: the domains it would keep, best first, and how many of them at most. */
interface Choice extends Pick<Assignment, "how" | "rule"> {
  wanted: readonly Candidate[];
  most: number;
}

/** Keeps the domains of the first choice that has any which can take the page. */
function choose(
  candidates: readonly Candidate[],
  page: ReadPage,
  load: (domainName: string) => number,
  rules: readonly AssignmentRule[],
): Assignment {
  const refusalOf = ({ domain, policy }: Candidate) => policy ?? refuseFull(domain, load);
  const isOpen = (candidate: Candidate) => refusalOf(candidate) === undefined;
  const byHash = candidates.toSorted((one, other) => other.hash - one.hash || compareNames(one.domain, other.domain));
  // Scores that differ only by rounding are a tie.
  const ranked = byHash.toSorted((one, other) => Math.round(other.score * 1e9) - Math.round(one.score * 1e9));
  const enough = ranked.filter((candidate) => hasEnough(candidate, page));
  const matchCut = (enough.find(isOpen)?.score ?? 0) * relativeCut;
  const choices: Choice[] = [
    ...chooseByRules(ranked, page, rules),
    { how: "match", wanted: enough.filter(({ score }) => score >= matchCut), most: mostDomains },
    { how: "catch-all", wanted: findCatchAlls(byHash, page), most: 1 },
    { how: "rendezvous", wanted: byHash, most: 1 },
  ];
  const decided = choices.find(({ wanted }) => wanted.some(isOpen));
  const { how, rule, wanted, most } = decided ?? { how: "none" as const, wanted: [], most: 0 };
  const kept = wanted.filter(isOpen).slice(0, most);
  const tried = decided ? choices.slice(0, choices.indexOf(decided) + 1) : choices;
  const considered = new Set(tried.flatMap((choice) => choice.wanted));
  const cut = how === "match" ? matchCut : 0;

  const near = ranked.filter((candidate) => {
    const isClose = candidate.score > 0 && candidate.score >= cut * nearMissShare;
    const refusal = considered.has(candidate) ? refusalOf(candidate) : candidate.policy;
    return isClose && refusal === undefined && !kept.includes(candidate);
  });
  const shares = candidates.some(({ score }) => score > 0);
  const unmatched = enough.length > 0 ? "rejected" : shares ? "thin-evidence" : "nothing-matched";
  return explain({
    how,
    cut,
    ...(rule && { rule }),
    ...(rule === undefined && how !== "match" && { unmatched }),
    threshold: thresholdFor(page),
    domains: kept.map(({ domain: { name }, score, evidence, terms }) => ({ name, score, evidence, terms })),
    rejected: Array.from(considered)
      .flatMap((candidate) => {
        const refusal = refusalOf(candidate);
        return refusal ? [{ name: candidate.domain.name, ...refusal, score: candidate.score }] : [];
      })
      .sort((one, other) => other.score - one.score || compareNames(one, other)),
    nearMisses: (rule ? [] : near).slice(0, mostNearMisses).map((candidate) => {
      const { domain, score, evidence } = candidate;
      const reason = !hasEnough(candidate, page) ? "thin-evidence" : score < cut ? "below-cut" : "beyond-limit";
      return { name: domain.name, score, evidence, reason };
    }),
  });
}

/** The test's last rule for the page, then the catalogue's pins. */
function chooseByRules(ranked: readonly Candidate[], page: ReadPage, rules: readonly AssignmentRule[]): Choice[] {
  const choices: Choice[] = [];
  const rule = rules.findLast(({ match }) => isMatch(match, page));
  const named = rule?.domains.flatMap((name) => ranked.find(({ domain }) => domain.name === name) ?? []);
  if (rule && named) choices.push({ how: "rule", rule: rule.match, wanted: named, most: mostDomains });
  const pinOf = ({ domain }: Candidate) => domain.pins?.find((pin) => isMatch(pin, page));
  const pinned = ranked.filter((candidate) => pinOf(candidate) !== undefined);
  const pin = pinned[0] && pinOf(pinned[0]);
  if (pin) choices.push({ how: "pin", rule: pin, wanted: pinned, most: mostDomains });
  return choices;
}

/** Catch-alls of the page's language before those of any. One with a locale takes no page whose language is uncertain. */
function findCatchAlls(byHash: readonly Candidate[], { language }: ReadPage): Candidate[] {
  const catchAlls = byHash.filter(({ domain }) => domain.catchAll === true);
  const fitOf = ({ domain }: Candidate) => domain.locale && fitLocale(readTag(domain.locale), language);
  const ofLanguage = catchAlls.filter((candidate) => fitOf(candidate) === "yes");
  return [...ofLanguage, ...catchAlls.filter((candidate) => !["yes", "maybe"].includes(fitOf(candidate) ?? ""))];
}

function compareNames(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain may not serve a page, at a create and at every update; `undefined` when it may. */
function refuse({ active, locale, blockedCtaHosts }: Domain, page: ReadPage): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
  const tag = locale === undefined ? undefined : readTag(locale);
  if (tag && fitLocale(tag, page.language) === "no") {
    const detail = `serves ${tag.baseName}, while the page is ${describeLanguage(page.language)}`;
    return { reason: "locale", detail };
  }
  const ctaHost = blockedCtaHosts && URL.parse(page.ctaUrl)?.hostname.replace(/\.$/, "");
  const blocked = blockedCtaHosts?.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked === undefined) return undefined;
  return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
}

function refuseFull({ name, capacity }: Domain, load: (domainName: string) => number): Refusal | undefined {
  if (capacity === undefined) return undefined;
  const pages = load(name);
  return pages < capacity ? undefined : { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}

/**
 * Rendezvous hashing: for a key, the domain with the highest number wins. Over many keys each domain wins equally often, and one
 * that comes or goes moves only the keys it wins.
 */
function rendezvousHash(key: string, name: string): number {
  return mix(Math.imul(hash(key), 0x9e3779b1) ^ hash(name));
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return mix(state);
}

/** The finalizer of MurmurHash3: every bit of the input reaches every bit of the result, 0 to 2^32 - 1. */
function mix(value: number): number {
  let state = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
