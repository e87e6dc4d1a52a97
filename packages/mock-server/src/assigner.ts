import type { AssignablePage, AssignedDomain, Assignment, NearMiss, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { DomainIndex, pageFields, type PageField, type PageTerm, type ScoredDomain } from "./domain-index.ts";
import { describeLanguage, fitLocale, readLanguage, type PageLanguage } from "./page-locale.ts";
import { rendezvousScore } from "./rendezvous.ts";
import { tellAssignment } from "./sentence.ts";

/** Most domains a page is served by. */
const mostDomains = 3;

/** Share of the best score that a further domain must reach. */
const relativeCut = 0.6;

/** Domains below this share of the best score are not worth telling about. */
const nearMissShare = 0.3;
const mostNearMisses = 5;

/** Decides where pages go in one catalogue, which is taken as valid. */
export class Assigner {
  readonly #places: readonly Place[];
  readonly #index: DomainIndex;
  readonly #hasLocales: boolean;
  readonly #hasBlockedHosts: boolean;

  constructor(domains: readonly Domain[]) {
    this.#places = domains.map((domain) => ({
      domain,
      locale: domain.locale === undefined ? undefined : new Intl.Locale(domain.locale),
    }));
    this.#index = new DomainIndex(domains);
    this.#hasLocales = domains.some((domain) => domain.locale !== undefined);
    this.#hasBlockedHosts = domains.some((domain) => (domain.blockedCtaHosts ?? []).length > 0);
  }

  /** See `DomainNetwork.assign`. */
  assign(page: AssignablePage, load: (domainName: string) => number): Assignment {
    const terms = this.#index.readPage(pageFields.map((field) => fieldText(page, field)));
    const scored = this.#index.scoreDomains(terms);
    const request = this.#readRequest(page, load);
    const decision = this.#match(terms, scored, request) ?? this.#fallBack(scored, request);
    return { ...decision, sentence: tellAssignment(decision) };
  }

  #readRequest(page: AssignablePage, load: (domainName: string) => number): PlacementRequest {
    const needsLanguage = this.#hasLocales || page.locale !== undefined;
    const text = `${page.title}\n${page.meta_description ?? ""}\n${page.content}`;
    return {
      slug: page.slug,
      language: needsLanguage ? readLanguage(text, page.locale) : {},
      ctaHost: this.#hasBlockedHosts ? URL.parse(page.cta.url)?.hostname.replace(/\.$/, "") : undefined,
      load,
    };
  }

  /** The domains that share enough words with the page; `undefined` when none that shares any can take it. */
  #match(terms: readonly PageTerm[], scored: readonly ScoredDomain[], request: PlacementRequest): Decision | undefined {
    let best = 0;
    for (const { domainId, score } of scored) {
      if (score > best && this.#refusal(domainId, score, request) === undefined) best = score;
    }
    if (best === 0) return undefined;

    const cut = best * relativeCut;
    const ranked: RankedDomain[] = [];
    const rejected: RejectedDomain[] = [];
    for (const { domainId, score } of scored) {
      if (score < best * nearMissShare) continue;
      const refusal = this.#refusal(domainId, score, request);
      if (refusal === undefined) insertRanked(ranked, this.#rank(domainId, score, request.slug));
      else if (score >= cut) rejected.push(refusal);
    }

    const kept = ranked.slice(0, mostDomains).filter(({ score }) => score >= cut);
    const nearMisses = ranked.slice(kept.length, kept.length + mostNearMisses);
    return {
      how: "match",
      domains: kept.map((domain) => this.#explain(domain, terms)),
      rejected: rejected.sort(compareRejected),
      nearMisses: nearMisses.map(({ name, score }): NearMiss => {
        return { name, score, reason: score < cut ? "below-cut" : "beyond-limit" };
      }),
      cut,
    };
  }

  /** One domain for a page whose words decide nothing. */
  #fallBack(scored: readonly ScoredDomain[], request: PlacementRequest): Decision {
    const scores = new Map(scored.map(({ domainId, score }) => [domainId, score]));
    const refusals = this.#places.map((_, domainId) => this.#refusal(domainId, scores.get(domainId) ?? 0, request));
    const open = this.#places.filter((_, domainId) => refusals[domainId] === undefined);
    const catchAlls = open.filter(({ domain }) => domain.catchAll === true);
    const ofItsLanguage = catchAlls.filter(({ locale }) => locale && fitLocale(locale, request.language) === "yes");
    const ofAnyLanguage = catchAlls.filter(({ locale }) => locale === undefined);

    const catchAll = drawDomain(ofItsLanguage, request.slug) ?? drawDomain(ofAnyLanguage, request.slug);
    const winner = catchAll ?? drawDomain(open, request.slug);
    const wasInTheRunning = ({ domain }: Place, domainId: number) =>
      catchAll === undefined || scores.has(domainId) || domain.catchAll === true;
    const rejected = this.#places.flatMap((place, id) => (wasInTheRunning(place, id) ? (refusals[id] ?? []) : []));
    return {
      how: catchAll ? "catch-all" : winner ? "rendezvous" : "none",
      domains: winner ? [{ name: winner.name, score: 0, terms: [] }] : [],
      rejected: rejected.sort(compareRejected),
      nearMisses: [],
      cut: 0,
    };
  }

  #refusal(domainId: number, score: number, request: PlacementRequest): RejectedDomain | undefined {
    const place = this.#places[domainId];
    const refusal = place && refuse(place, request);
    return refusal && { name: place.domain.name, ...refusal, score };
  }

  #rank(domainId: number, score: number, slug: string): RankedDomain {
    const { name = "", weight = defaultWeight } = this.#places[domainId]?.domain ?? {};
    return { domainId, name, score, tie: rendezvousScore(slug, name, weight) };
  }

  #explain({ domainId, name, score }: RankedDomain, terms: readonly PageTerm[]): AssignedDomain {
    const contributions = terms.map((term) => ({ ...term, score: this.#index.contribution(term, domainId) }));
    return {
      name,
      score,
      terms: contributions
        .filter((term) => term.score > 0)
        .sort((one, other) => other.score - one.score)
        .map(({ id, words, counts, score }) => {
          return { term: this.#index.stem(id), words, fields: nameFields(counts), score };
        }),
    };
  }
}

type Decision = Omit<Assignment, "sentence">;

/** A domain as the filters see it. */
interface Place {
  domain: Domain;
  locale: Intl.Locale | undefined;
}

/** What the filters need to know of a page. */
interface PlacementRequest {
  slug: string;
  language: PageLanguage;
  ctaHost: string | undefined;
  load: (domainName: string) => number;
}

interface RankedDomain {
  domainId: number;
  name: string;
  score: number;
  tie: number;
}

const defaultWeight = 1;

function fieldText(page: AssignablePage, field: PageField): string {
  return field === "cta.label" ? page.cta.label : (page[field] ?? "");
}

function nameFields(counts: readonly number[]): { field: PageField; count: number }[] {
  return pageFields.map((field, index) => ({ field, count: counts[index] ?? 0 })).filter(({ count }) => count > 0);
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

function refuse({ domain, locale }: Place, { language, ctaHost, load }: PlacementRequest): Refusal | undefined {
  const { name, active = true, capacity, blockedCtaHosts = [] } = domain;
  if (!active) return { reason: "inactive", detail: "takes no new pages" };
  if (locale !== undefined && fitLocale(locale, language) === "no") {
    return { reason: "locale", detail: `serves ${locale.baseName}, while the page is ${describeLanguage(language)}` };
  }
  const blocked = blockedCtaHosts.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked !== undefined) {
    return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
  }
  const pages = capacity === undefined ? 0 : load(name);
  if (capacity === undefined || pages < capacity) return undefined;
  return { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}

/** Keeps the list at the few best, best first. */
function insertRanked(ranked: RankedDomain[], domain: RankedDomain): void {
  const position = ranked.findIndex((other) => compareRanked(domain, other) < 0);
  if (position === -1) ranked.push(domain);
  else ranked.splice(position, 0, domain);
  if (ranked.length > mostDomains + mostNearMisses) ranked.pop();
}

/** Scores that differ only by rounding are a tie, which the slug's hash decides. */
function compareRanked(one: RankedDomain, other: RankedDomain): number {
  const difference = Math.round(other.score * 1e9) - Math.round(one.score * 1e9);
  return difference || other.tie - one.tie || (one.name < other.name ? -1 : 1);
}

function compareRejected(one: RejectedDomain, other: RejectedDomain): number {
  return other.score - one.score || (one.name < other.name ? -1 : 1);
}

/** The domain the slug's weighted hash picks; `undefined` from none. */
function drawDomain(places: readonly Place[], slug: string): Domain | undefined {
  const ranked = places.map(({ domain }) => {
    const { name, weight = defaultWeight } = domain;
    return { domain, name, tie: rendezvousScore(slug, name, weight) };
  });
  return ranked.reduce<(typeof ranked)[number] | undefined>((best, next) => {
    return best === undefined || next.tie > best.tie || (next.tie === best.tie && next.name < best.name) ? next : best;
  }, undefined)?.domain;
}
