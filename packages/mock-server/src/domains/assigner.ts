import type { AssignablePage, Assignment, NearMiss, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { DomainIndex, type PageMatch, type PageTexts } from "./domain-index.ts";
import { describeLanguage, fitLocale, readLanguage, type PageLanguage } from "./page-locale.ts";
import { compareByHash } from "./rendezvous.ts";
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
  readonly #hasBlockedHosts: boolean;

  constructor(domains: readonly Domain[]) {
    this.#places = domains.map((domain, id) => {
      return { id, domain, locale: domain.locale === undefined ? undefined : new Intl.Locale(domain.locale) };
    });
    this.#index = new DomainIndex(domains);
    this.#hasBlockedHosts = domains.some((domain) => (domain.blockedCtaHosts ?? []).length > 0);
  }

  /** See `DomainNetwork.assign`. */
  assign(page: AssignablePage, load: (domainName: string) => number): Assignment {
    const { kept, explain, ...rest } = this.#decide(page, load, nearMissShare);
    const domains = kept.map(({ place, score }) => ({ name: place.domain.name, score, terms: explain(place.id) }));
    const decision = { ...rest, domains };
    return { ...decision, sentence: tellAssignment(decision) };
  }

  /** See `DomainNetwork.place`. */
  place(page: AssignablePage, load: (domainName: string) => number): string[] {
    if (this.#places.length === 0) return [];
    return this.#decide(page, load, relativeCut).kept.map(({ place }) => place.domain.name);
  }

  /** Looks at no domain below a share of the best score. */
  #decide(page: AssignablePage, load: (domainName: string) => number, leastShare: number): Decision {
    const request = this.#readRequest(page, load);
    const match = this.#index.match(readTexts(page));
    return this.#choose(match, request, leastShare) ?? this.#fallBack(match, request);
  }

  #readRequest(page: AssignablePage, load: (domainName: string) => number): PlacementRequest {
    let known: PageLanguage | undefined;
    const language = () =>
      (known ??= readLanguage([page.title, page.meta_description ?? "", page.content], page.locale));
    // A locale that is none is refused, whether or not a domain asks for it.
    if (page.locale !== undefined) language();
    return {
      slug: page.slug,
      language,
      ctaHost: this.#hasBlockedHosts ? URL.parse(page.cta.url)?.hostname.replace(/\.$/, "") : undefined,
      load,
    };
  }

  /** The domains that share enough words with the page; `undefined` when none that shares any can take it. */
  #choose({ scores, explain }: PageMatch, request: PlacementRequest, leastShare: number): Decision | undefined {
    const best = this.#bestScore(scores, request);
    if (best === 0) return undefined;

    const cut = best * relativeCut;
    const floor = best * leastShare;
    const ranked: Ranked[] = [];
    const rejected: RejectedDomain[] = [];
    for (let id = 0; id < scores.length; id += 1) {
      const score = scores[id] ?? 0;
      const place = score < floor ? undefined : this.#places[id];
      if (place === undefined) continue;
      const refusal = refuse(place, request);
      if (refusal === undefined) insertRanked(ranked, { place, score }, request.slug);
      else if (score >= cut) rejected.push(reject(place, refusal, score));
    }

    const kept = ranked.slice(0, mostDomains).filter(({ score }) => score >= cut);
    return {
      how: "match",
      kept,
      explain,
      rejected: rejected.sort(compareRejected),
      nearMisses: ranked.slice(kept.length, kept.length + mostNearMisses).map(({ place, score }): NearMiss => {
        return { name: place.domain.name, score, reason: score < cut ? "below-cut" : "beyond-limit" };
      }),
      cut,
    };
  }

  /** Highest score among the domains that can take the page; 0 when none of them shares a word with it. */
  #bestScore(scores: Float64Array, request: PlacementRequest): number {
    let best = 0;
    for (let id = 0; id < scores.length; id += 1) {
      const score = scores[id] ?? 0;
      const place = score > best ? this.#places[id] : undefined;
      if (place !== undefined && refuse(place, request) === undefined) best = score;
    }
    return best;
  }

  /** One domain for a page whose words decide nothing. */
  #fallBack({ scores, explain }: PageMatch, request: PlacementRequest): Decision {
    const refusals = this.#places.map((place) => refuse(place, request));
    const open = this.#places.filter(({ id }) => refusals[id] === undefined);
    const catchAlls = open.filter(({ domain }) => domain.catchAll === true);
    const ofItsLanguage = catchAlls.filter(({ locale }) => locale && fitLocale(locale, request.language()) === "yes");
    const ofAnyLanguage = catchAlls.filter(({ locale }) => locale === undefined);

    const catchAll = draw(ofItsLanguage, request.slug) ?? draw(ofAnyLanguage, request.slug);
    const winner = catchAll ?? draw(open, request.slug);
    const rejected = this.#places.flatMap((place) => {
      const score = scores[place.id] ?? 0;
      const refusal = refusals[place.id];
      const wasInTheRunning = catchAll === undefined || score > 0 || place.domain.catchAll === true;
      return refusal !== undefined && wasInTheRunning ? reject(place, refusal, score) : [];
    });
    return {
      how: catchAll ? "catch-all" : winner ? "rendezvous" : "none",
      kept: winner ? [{ place: winner, score: 0 }] : [],
      explain,
      rejected: rejected.sort(compareRejected),
      nearMisses: [],
      cut: 0,
    };
  }
}

/** Where a page goes; the words that speak for a domain are looked up only for who asks. */
interface Decision extends Omit<Assignment, "domains" | "sentence"> {
  /** Best first. */
  kept: Ranked[];
  explain: PageMatch["explain"];
}

/** A domain as the filters see it. */
interface Place {
  /** Position in the catalogue. */
  id: number;
  domain: Domain;
  locale: Intl.Locale | undefined;
}

/** What the filters need to know of a page. */
interface PlacementRequest {
  slug: string;
  /** Read when a domain first asks for it. */
  language: () => PageLanguage;
  ctaHost: string | undefined;
  load: (domainName: string) => number;
}

interface Ranked {
  place: Place;
  score: number;
}

type Refusal = Pick<RejectedDomain, "reason" | "detail">;

function readTexts({ title, slug, meta_description, cta, content }: AssignablePage): PageTexts {
  return { title, slug, meta_description: meta_description ?? "", "cta.label": cta.label, content };
}

function refuse({ domain, locale }: Place, { language, ctaHost, load }: PlacementRequest): Refusal | undefined {
  const { name, active = true, capacity, blockedCtaHosts = [] } = domain;
  if (!active) return { reason: "inactive", detail: "takes no new pages" };
  if (locale !== undefined && fitLocale(locale, language()) === "no") {
    return { reason: "locale", detail: `serves ${locale.baseName}, while the page is ${describeLanguage(language())}` };
  }
  const blocked = blockedCtaHosts.find((host) => ctaHost === host || ctaHost?.endsWith(`.${host}`));
  if (blocked !== undefined) {
    return { reason: "blocked-cta-host", detail: `blocks ${blocked}, while cta.url points to ${ctaHost}` };
  }
  const pages = capacity === undefined ? 0 : load(name);
  if (capacity === undefined || pages < capacity) return undefined;
  return { reason: "capacity", detail: `is full with ${pages} of ${capacity} pages` };
}

function reject({ domain }: Place, { reason, detail }: Refusal, score: number): RejectedDomain {
  return { name: domain.name, reason, detail, score };
}

function compareRejected(one: RejectedDomain, other: RejectedDomain): number {
  return other.score - one.score || (one.name < other.name ? -1 : 1);
}

/** Keeps the list at the few best, best first. */
function insertRanked(ranked: Ranked[], next: Ranked, slug: string): void {
  let position = ranked.length;
  for (; position > 0; position -= 1) {
    const above = ranked[position - 1];
    if (above === undefined || compareRanked(above, next, slug) < 0) break;
  }
  if (position >= mostDomains + mostNearMisses) return;
  ranked.splice(position, 0, next);
  ranked.length = Math.min(ranked.length, mostDomains + mostNearMisses);
}

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
function compareRanked(one: Ranked, other: Ranked, slug: string): number {
  const difference = Math.round(other.score * 1e9) - Math.round(one.score * 1e9);
  return difference || compareByHash(slug, one.place.domain, other.place.domain);
}

/** The domain the slug's hash picks; `undefined` from none. */
function draw(places: readonly Place[], slug: string): Place | undefined {
  return places.reduce<Place | undefined>((best, next) => {
    return best !== undefined && compareByHash(slug, best.domain, next.domain) < 0 ? best : next;
  }, undefined);
}
