// The way into domain assignment for the other rooms.
import { hash } from "node:crypto";
import { freezeDeep } from "@landing-page-service/contract";
import {
  type AssignablePage,
  type Assignment,
  type AssignmentRule,
  explain,
  type PageMatch,
  type RejectedDomain,
} from "./assignment.ts";
import { defaultCatalogue, type Domain, parseCatalogue } from "./catalogue.ts";
import { type DomainMatch, hasEnough, TermIndex, thresholdFor } from "./term-index.ts";
import { describeLanguage, fitLocale, isMatch, type ReadPage, readPage, readTag, type Tag } from "./words.ts";

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
  /** The languages that the domains serve, for those that name one. */
  readonly #tags: ReadonlyMap<Domain, Tag>;
  /** For pages that may be English, and for others; each is made when the first such page comes. */
  readonly #indexes = new Map<boolean, TermIndex>();

  /** Takes the catalogue as valid: see `createDomainNetwork`. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    this.#tags = new Map(
      domains.flatMap((domain) => (domain.locale ? [[domain, readTag(domain.locale)] as const] : [])),
    );
    Object.freeze(this);
  }

  /**
   * Decides which domains serve a page. `load` returns how many pages a domain serves already; it is called only for domains with a
   * `capacity`. `rules` overrule the words; the last one that matches counts.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(page: AssignablePage, load: (domainName: string) => number, rules?: readonly AssignmentRule[]): Assignment {
    return describe(this.#decide(page, load, rules));
  }

  /** Names of the domains that {@link assign} gives, best first. */
  choose(page: AssignablePage, load: (domainName: string) => number, rules?: readonly AssignmentRule[]): string[] {
    return this.#decide(page, load, rules).kept.map(({ domain }) => domain.name);
  }

  /** Returns those of some domains that may not serve a page, however much room they have, with the reason. Unknown domains may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    const read = readPage(page);
    return domainNames.flatMap((name) => {
      const domain = this.domains.find((some) => some.name === name);
      const refusal = domain && refuse(domain, this.#tags.get(domain), read);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  #decide(page: AssignablePage, load: (domainName: string) => number, rules: readonly AssignmentRule[] = []): Decision {
    const read = readPage(page);
    const index = this.#indexes.get(read.isEnglish) ?? new TermIndex(this.domains, read.isEnglish);
    this.#indexes.set(read.isEnglish, index);
    const matches = index.match(read);
    const candidates: Candidate[] = [];
    for (const domain of this.domains) {
      const { score, evidence, terms } = matches.get(domain) ?? { score: 0, evidence: 0, terms: [] };
      const tag = this.#tags.get(domain);
      const refusal = refuse(domain, tag, read) ?? refuseFull(domain, load);
      candidates.push({
        domain,
        tag,
        score,
        evidence,
        terms,
        refusal,
        hash: hash("sha256", `${read.slug} ${domain.name}`),
      });
    }
    return choose(candidates, read, rules);
  }
}

/** A domain compared with a page. */
interface Candidate extends DomainMatch {
  domain: Domain;
  /** The language it serves; `undefined` for any. */
  tag: Tag | undefined;
  /** Why the domain cannot take the page. */
  refusal: Refusal | undefined;
  /**
   * Breaks ties; the higher wins. By this rendezvous hashing each domain wins equally often, and one that comes or goes moves only
   * the pages it wins.
   */
  hash: string;
}

/** One way to decide: the domains it would keep, best first, and how many of them at most. */
interface Choice extends Pick<Assignment, "how" | "rule"> {
  wanted: readonly Candidate[];
  most: number;
}

/** The domains that serve a page, and what led to them. */
interface Decision extends Choice {
  page: ReadPage;
  kept: readonly Candidate[];
  /** All domains, best first. */
  ranked: readonly Candidate[];
  /** Those of them that have enough evidence. */
  enough: readonly Candidate[];
  /** The ways that were tried, the one that decided last. */
  tried: readonly Choice[];
  cut: number;
}

/** Keeps the domains of the first choice that has any which can take the page. */
function choose(candidates: Candidate[], page: ReadPage, rules: readonly AssignmentRule[]): Decision {
  // Scores that differ only by rounding are a tie.
  const rank = ({ score }: Candidate) => Math.round(score * 1e9);
  const byHash = candidates.sort((one, other) => (one.hash > other.hash ? -1 : 1));
  const ranked = byHash.toSorted((one, other) => rank(other) - rank(one));
  const enough = ranked.filter((candidate) => hasEnough(candidate, page));
  const cut = (enough.find(isOpen)?.score ?? 0) * relativeCut;
  const choices: Choice[] = [
    ...chooseByRules(ranked, page, rules),
    { how: "match", wanted: enough.filter(({ score }) => score >= cut), most: mostDomains },
    { how: "catch-all", wanted: findCatchAlls(byHash, page), most: 1 },
    { how: "rendezvous", wanted: byHash, most: 1 },
  ];
  const at = choices.findIndex(({ wanted }) => wanted.some(isOpen));
  const tried = at < 0 ? choices : choices.slice(0, at + 1);
  const decided = choices[at] ?? { how: "none", wanted: [], most: 0 };
  const kept = decided.wanted.filter(isOpen).slice(0, decided.most);
  return { ...decided, page, kept, ranked, enough, tried, cut: decided.how === "match" ? cut : 0 };
}

function isOpen({ refusal }: Candidate): boolean {
  return refusal === undefined;
}

/** A decision with its reasons, as plain data. */
function describe({ how, rule, page, kept, ranked, enough, tried, cut }: Decision): Assignment {
  const shares = ranked.some(({ score }) => score > 0);
  const considered = new Set(tried.flatMap(({ wanted }) => wanted));
  const near = ranked.filter((some) => {
    return some.score > 0 && some.score >= cut * nearMissShare && isOpen(some) && !kept.includes(some);
  });
  const unmatched = enough.length > 0 ? "rejected" : shares ? "thin-evidence" : "nothing-matched";
  return explain({
    how,
    cut,
    ...(rule && { rule }),
    ...(rule === undefined && how !== "match" && { unmatched }),
    threshold: thresholdFor(page),
    domains: kept.map(({ domain: { name }, score, evidence, terms }) => ({ name, score, evidence, terms })),
    rejected: Array.from(considered)
      .flatMap(({ domain: { name }, refusal, score }) => (refusal ? [{ name, ...refusal, score }] : []))
      .sort((one, other) => other.score - one.score || compareNames(one, other)),
    nearMisses: (rule ? [] : near).slice(0, mostNearMisses).map((some) => {
      const { domain, score, evidence } = some;
      const reason = !enough.includes(some) ? "thin-evidence" : score < cut ? "below-cut" : "beyond-limit";
      return { name: domain.name, score, evidence, reason };
    }),
  });
}

/** The test's last rule for the page, then the catalogue's pins. */
function chooseByRules(ranked: readonly Candidate[], page: ReadPage, rules: readonly AssignmentRule[]): Choice[] {
  const rule = rules.findLast(({ match }) => isMatch(match, page));
  const named = rule?.domains.flatMap((name) => ranked.find(({ domain }) => domain.name === name) ?? []) ?? [];
  const pins = new Map<Candidate, PageMatch>();
  for (const candidate of ranked)
    for (const pin of candidate.domain.pins ?? [])
      if (!pins.has(candidate) && isMatch(pin, page)) pins.set(candidate, pin);
  const [pin] = pins.values();
  return [
    ...(rule ? [{ how: "rule" as const, rule: rule.match, wanted: named, most: mostDomains }] : []),
    ...(pin ? [{ how: "pin" as const, rule: pin, wanted: [...pins.keys()], most: mostDomains }] : []),
  ];
}

/** Catch-alls of the page's language before those of any. One with a locale takes no page whose language is uncertain. */
function findCatchAlls(byHash: readonly Candidate[], { language }: ReadPage): Candidate[] {
  const catchAlls = byHash.filter(({ domain }) => domain.catchAll === true);
  const fitOf = ({ tag }: Candidate) => (tag ? fitLocale(tag, language) : "any");
  return ["yes", "any", "no"].flatMap((fit) => catchAlls.filter((candidate) => fitOf(candidate) === fit));
}

function compareNames(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

/** Why a domain may not serve a page, at a create and at every update; `undefined` when it may. */
function refuse({ active, blockedCtaHosts }: Domain, tag: Tag | undefined, page: ReadPage): Refusal | undefined {
  if (active === false) return { reason: "inactive", detail: "takes no new pages" };
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
