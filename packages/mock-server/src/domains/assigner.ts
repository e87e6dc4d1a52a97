import { freezeDeep } from "@landing-page-service/contract";
import type { AssignablePage, Assignment, NearMiss, PlaceRule, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { type Candidate, DomainIndex, type Hit } from "./domain-index.ts";
import { fitLocale, readTag } from "./page-locale.ts";
import { isMeant, type PlacementRequest, readRequest } from "./placement-request.ts";
import { type Place, type Refusal, refuse } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";
import { tellDecision } from "./sentence.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Most domains a page is served by, and most others that are told about. */
const mostDomains = 3;
const mostNearMisses = 5;

/** Share of the best score that a further domain must reach, and of that again, to be worth telling about. */
const relativeCut = 0.6;
const nearMissShare = 0.5;

/** A catalogue made ready to place pages, when the first one comes. Holds no state about pages: same page, same load, same answer. */
export class DomainNetwork {
  /** The domains, in the order given; frozen, also within. */
  readonly domains: readonly Readonly<Domain>[];
  readonly #vocabulary = new Vocabulary();
  readonly #hasPins: boolean;
  #known: number | undefined;
  #places: readonly Place[] | undefined;
  /** For pages that may be English, and for others. */
  readonly #indexes: [DomainIndex?, DomainIndex?] = [];

  /** Takes the catalogue as valid: see `createDomainNetwork`. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
    this.#hasPins = domains.some(({ pins }) => pins !== undefined);
    // All services of a process share that of the catalogue that ships.
    Object.freeze(this);
  }

  /**
   * Decides where a page goes. `load` tells how many pages a domain serves already; it is asked only for domains with a
   * `capacity`. `rules` overrule the words, the last that is for the page.
   * @throws {RangeError} when `page.locale` is not a BCP 47 tag.
   */
  assign(page: AssignablePage, load: (domainName: string) => number, rules?: readonly PlaceRule[]): Assignment {
    return tellReasons(this.#decide(page, load, rules));
  }

  /** Names of the domains that {@link assign} gives, best first, for whoever needs no reasons. @throws {RangeError} as {@link assign}. */
  place(page: AssignablePage, load: (domainName: string) => number, rules?: readonly PlaceRule[]): string[] {
    return this.#decide(page, load, rules).choice.kept.map(({ place }) => place.domain.name);
  }

  /** Those of some domains that may not serve a page, however much room they have, with the reason. What is not in the catalogue may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    if (domainNames.length === 0) return [];
    const request = this.#readPage(page);
    return domainNames.flatMap((name) => {
      const place = this.#read().find(({ domain }) => domain.name === name);
      const refusal = place && refuse(place, request);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  /** Asks `load` for the same domains whether or not reasons are told later, so that a decision can be made again from what it said. */
  #decide(page: AssignablePage, load: (domainName: string) => number, rules: readonly PlaceRule[] = []): Decision {
    const request = this.#readPage(page);
    const index = this.#index(request.isEnglish);
    const refusalOf = ({ place }: Candidate): Refusal | undefined => refuse(place, request, load);
    const hits = index.find(request);
    const race: Race = { request, index, hits, candidates: index.match(request, hits), refusalOf, asked: [] };
    const wishes = rules.length > 0 || this.#hasPins ? readWishes(race, rules) : [];
    for (const { wanted, how, rule } of wishes) {
      const kept = findOpen(wanted, race);
      if (kept.length > 0) return { race, choice: { how, rule, kept, cut: 0 } };
    }
    return { race, choice: choose(race) };
  }

  #read(): readonly Place[] {
    return (this.#places ??= this.domains.map((domain, index) => {
      return { domain, index, locale: domain.locale === undefined ? undefined : readTag(domain.locale) };
    }));
  }

  #index(isEnglish: boolean): DomainIndex {
    return (this.#indexes[isEnglish ? 0 : 1] ??= new DomainIndex(this.#vocabulary, this.#read(), isEnglish));
  }

  /** Of words, those of the catalogue are learned first. Those of pages are forgotten once they are many: each may have its own, as a number in its slug. */
  #readPage(page: AssignablePage): PlacementRequest {
    this.#index(true);
    this.#known ??= this.#vocabulary.facts.length;
    if (this.#vocabulary.facts.length > this.#known + 2 ** 14) this.#vocabulary.keep(this.#known);
    return readRequest(page, this.#vocabulary);
  }
}

/** All that where a page goes follows from. */
interface Race {
  request: PlacementRequest;
  index: DomainIndex;
  hits: readonly Hit[];
  candidates: readonly Candidate[];
  /** Why a domain cannot take the page. */
  refusalOf: (some: Candidate) => Refusal | undefined;
  /** Those that were in the running, which is told of those that cannot take the page. */
  asked: Candidate[];
}

/** Where a page goes; `kept` has the best first. */
type Choice = Pick<Assignment, "how" | "rule" | "unmatched" | "cut"> & { kept: readonly Candidate[] };
type Decision = { race: Race; choice: Choice };
type Compare = (one: Candidate, other: Candidate) => number;

/** The domains that rules ask for, best first, whether or not they can take the page: a test's, its last, then pins. */
function* readWishes({ candidates, request }: Race, rules: readonly PlaceRule[]) {
  const placed = rules.findLast(({ match }) => isMeant(match, request));
  const wanted =
    placed?.domains.flatMap((name) => candidates.find(({ place }) => place.domain.name === name) ?? []) ?? [];
  if (placed !== undefined) yield { how: "place" as const, rule: placed.match, wanted };
  const pinOf = ({ place }: Candidate) => place.domain.pins?.find((pin) => isMeant(pin, request));
  const pinned = candidates.filter((some) => pinOf(some) !== undefined).sort(rankFor(request));
  const rule = pinned[0] && pinOf(pinned[0]);
  if (rule !== undefined) yield { how: "pin" as const, rule, wanted: pinned };
}

/** Of those in the running, best first, as many as a page is kept on. */
function findOpen(running: readonly Candidate[], { asked, refusalOf }: Race): Candidate[] {
  asked.push(...running);
  return running.filter((some) => refusalOf(some) === undefined).slice(0, mostDomains);
}

/** The domains that share enough with the page; else, and where the words of a catch-all for any language do most, one of all. */
function choose(race: Race): Choice {
  const { candidates, refusalOf, request } = race;
  const isOpen = (some: Candidate): boolean => refusalOf(some) === undefined;
  const enough = candidates.filter(({ evidence }) => evidence > request.floor);
  const best = findFirst(enough.filter(isOpen), rankFor(request));
  if (best === undefined || isForTheRest(best)) {
    const unshared = candidates.some(({ evidence }) => evidence > 0) ? "below-floor" : "nothing-matched";
    const unmatched = best ? "catch-all" : enough.length > 0 ? "rejected" : unshared;
    return { ...fallBack(race, candidates.filter(isOpen)), unmatched, cut: best?.score ?? 0 };
  }
  const cut = best.score * relativeCut;
  const running = enough.filter((some) => some.score >= cut && !isForTheRest(some)).sort(rankFor(request));
  return { how: "match", kept: findOpen(running, race), cut };
}

/** One domain for a page whose words decide nothing, or speak for a catch-all. */
function fallBack({ asked, candidates, request }: Race, open: readonly Candidate[]): Pick<Choice, "how" | "kept"> {
  const { language, floor } = request;
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const byHash = hashFor(request);
  const catchAll = findFirst(ofItsLanguage, byHash) ?? findFirst(ofAnyLanguage, byHash);
  const winner = catchAll ?? findFirst(open, byHash);
  asked.push(...candidates.filter(({ evidence, place }) => evidence > floor || !catchAll || place.domain.catchAll));
  return { how: catchAll ? "catch-all" : winner ? "rendezvous" : "none", kept: winner ? [winner] : [] };
}

/** Whether it takes what no other does, in any language: a page is not served there beside others. */
function isForTheRest({ place: { domain, locale } }: Candidate): boolean {
  return domain.catchAll === true && locale === undefined;
}

/** The candidate that comes before all others; `undefined` of none. */
function findFirst(some: readonly Candidate[], compare: Compare): Candidate | undefined {
  return some.reduce<Candidate | undefined>((best, one) => (best && compare(best, one) < 0 ? best : one), undefined);
}

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
function rankFor(request: PlacementRequest): Compare {
  const byHash = hashFor(request);
  return (one, other) => Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || byHash(one, other);
}

function hashFor({ slug }: PlacementRequest): Compare {
  return (one, other) => compareByHash(slug, one.place.domain.name, other.place.domain.name);
}

/** Tells a decision with its reasons: who was refused, highest score first, then by name; who shares too little, best first. */
function tellReasons({ race, choice: { kept, rule, unmatched, how, cut } }: Decision): Assignment {
  const { request, index, hits, candidates, asked, refusalOf } = race;
  const domains = kept.map(({ place, score, evidence }) => {
    return { name: place.domain.name, score, evidence, terms: index.explain(place, request, hits) };
  });
  const refused = new Map(asked.map((some) => [some, refusalOf(some)]));
  const rejected = Array.from(refused).flatMap(([{ place, score }, why]) => {
    return why ? [{ name: place.domain.name, ...why, score }] : [];
  });
  rejected.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  // How full a domain is nobody asks that would not be kept.
  const isOpen = (some: Candidate): boolean => (refused.get(some) ?? refuse(some.place, request)) === undefined;
  const isNear = (some: Candidate): boolean =>
    rule === undefined && some.evidence > 0 && some.score >= cut * nearMissShare && !kept.includes(some);
  const missed = candidates.filter((some) => isNear(some) && isOpen(some)).sort(rankFor(request));
  const nearMisses = missed.slice(0, mostNearMisses).map(({ place, score, evidence }): NearMiss => {
    const reason = evidence <= request.floor ? "below-floor" : score < cut ? "below-cut" : "beyond-limit";
    return { name: place.domain.name, score, evidence, reason };
  });
  const why = { ...(rule && { rule }), ...(unmatched && { unmatched }), floor: request.floor };
  return tellDecision({ how, cut, ...why, domains, rejected, nearMisses });
}
