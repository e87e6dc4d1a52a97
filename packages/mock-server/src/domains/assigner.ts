import { freezeDeep } from "@landing-page-service/contract";
import type { AssignablePage, Assignment, NearMiss, PlacedPages, PlaceRule, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { DomainIndex, type PageMatch, type Share } from "./domain-index.ts";
import { fitLocale, readDomainLocale } from "./page-locale.ts";
import { isMeant, type PlacementRequest, readRequest } from "./placement-request.ts";
import { type Place, type Refusal, refuse } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";
import { tellDecision } from "./sentence.ts";

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
  #places: ReadonlyMap<string, Place> | undefined;
  #forEnglish: DomainIndex | undefined;
  #forOthers: DomainIndex | undefined;

  /** Takes the catalogue as valid: see `createDomainNetwork`. */
  constructor(domains: readonly Domain[]) {
    this.domains = freezeDeep(domains);
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

  /**
   * Names of the domains that {@link assign} gives, best first, for whoever needs no reasons.
   * @throws {RangeError} as {@link assign}.
   */
  place(page: AssignablePage, load: (domainName: string) => number, rules?: readonly PlaceRule[]): string[] {
    return this.#decide(page, load, rules).kept.map(({ name }) => name);
  }

  /** Those of some domains that may not serve a page, however much room they have, with the reason. What is not in the catalogue may. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    if (domainNames.length === 0) return [];
    const request = readRequest(page);
    return domainNames.flatMap((name) => {
      const place = this.#read().get(name);
      const refusal = place && refuse(place, request);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  /** Asks `load` for the same domains whether or not reasons are told later, so that a decision can be made again from what it said. */
  #decide(page: AssignablePage, load: Load, rules: readonly PlaceRule[] = []): Decision {
    const places = this.#read();
    const request = readRequest(places.size === 0 ? { ...page, ...wordless } : page);
    const { shares, explain } = this.#index(request.isEnglish).match(request);
    const hold = (place: Place): Candidate => {
      const { score, evidence } = shares.get(place) ?? unshared;
      const isEnough = evidence > request.floor;
      return { place, name: place.domain.name, score, evidence, isEnough, refusal: refuse(place, request, load) };
    };
    const about = { explain, request };
    const asked: Candidate[] = [];
    for (const { how, rule, wanted } of readWishes(places, request, rules, hold)) {
      const kept = wanted.filter(isOpen).slice(0, mostDomains);
      asked.push(...wanted);
      if (kept.length > 0) return { ...about, how, rule, kept, asked, sharing: [], cut: 0 };
    }
    const sharing = Array.from(shares.keys(), hold);
    const choice = choose(sharing, () => Array.from(places.values(), hold), request);
    return { ...about, ...choice, sharing, asked: [...asked, ...choice.asked] };
  }

  #read(): ReadonlyMap<string, Place> {
    return (this.#places ??= new Map(
      this.domains.map((domain) => {
        const locale = domain.locale === undefined ? undefined : readDomainLocale(domain.locale);
        return [domain.name, { domain, locale }];
      }),
    ));
  }

  /** Endings are English where both sides are, or may be; elsewhere words are compared as they are written. */
  #index(isEnglish: boolean): DomainIndex {
    const build = (): DomainIndex =>
      new DomainIndex(this.#read().values(), ({ locale }) =>
        isEnglish && (locale === undefined || locale.locale.language === "en") ? "stem" : "text",
      );
    return isEnglish ? (this.#forEnglish ??= build()) : (this.#forOthers ??= build());
  }
}

/** A domain held against a page. */
interface Candidate extends Share {
  place: Place;
  name: string;
  /** Whether its evidence is above the floor. */
  isEnough: boolean;
  refusal: Refusal | undefined;
}

/** Where a page goes. */
interface Choice extends Pick<Assignment, "how" | "rule" | "unmatched" | "cut"> {
  /** Best first. */
  kept: readonly Candidate[];
  /** Those that were in the running, which is told of where they cannot take the page. */
  asked: readonly Candidate[];
}

/** Where a page goes, with all that its reasons are told from, which costs more than the decision. */
interface Decision extends Choice {
  /** Those that words speak for. */
  sharing: readonly Candidate[];
  request: PlacementRequest;
  explain: PageMatch["explain"];
}

/** Tells how many pages a domain serves already. */
type Load = (domainName: string) => number;

/** What a page is read for where there are no domains: its locale, as one that is none is refused all the same. */
const wordless = { title: "", slug: "", meta_description: "", content: "", cta: { type: "", label: "", url: "" } };

const unshared = { score: 0, evidence: 0 };

/** The domains that rules ask for, best first, whether or not they can take the page: a test's, its last, then pins. */
function* readWishes(
  places: ReadonlyMap<string, Place>,
  request: PlacementRequest,
  rules: readonly PlaceRule[],
  hold: (place: Place) => Candidate,
): Generator<{ how: "place" | "pin"; rule: PlacedPages; wanted: Candidate[] }> {
  const placed = rules.findLast(({ match }) => isMeant(match, request));
  if (placed !== undefined) {
    const wanted = placed.domains.flatMap((name) => places.get(name) ?? []);
    yield { how: "place", rule: placed.match, wanted: wanted.map(hold) };
  }
  const pinned = [...places.values()].filter(({ domain }) => domain.pins !== undefined);
  const pins = pinned.flatMap((place) => {
    const rule = place.domain.pins?.find((pin) => isMeant(pin, request));
    return rule === undefined ? [] : [{ ...hold(place), rule }];
  });
  const [best] = pins.sort((one, other) => compareRanked(one, other, request.slug));
  if (best !== undefined) yield { how: "pin", rule: best.rule, wanted: pins };
}

/** The domains that share enough with the page; else, and where the words of a catch-all for any language do most, one of all. */
function choose(sharing: readonly Candidate[], all: () => Candidate[], request: PlacementRequest): Choice {
  const enough = sharing.filter(({ isEnough }) => isEnough);
  const ranked = enough.filter(isOpen).sort((one, other) => compareRanked(one, other, request.slug));
  const [best] = ranked;
  if (best === undefined || isForTheRest(best)) return fallBack(all(), best, request);

  const cut = best.score * relativeCut;
  const reaches = (some: Candidate): boolean => some.score >= cut && !isForTheRest(some);
  return { how: "match", kept: ranked.filter(reaches).slice(0, mostDomains), asked: enough.filter(reaches), cut };
}

/** One domain for a page whose words decide nothing, or speak for a catch-all. */
function fallBack(
  candidates: readonly Candidate[],
  best: Candidate | undefined,
  { slug, language }: PlacementRequest,
): Choice {
  const open = candidates.filter(isOpen);
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const catchAll = draw(ofItsLanguage, slug) ?? draw(ofAnyLanguage, slug);
  const winner = catchAll ?? draw(open, slug);

  const isEnough = candidates.some((some) => some.isEnough);
  const isShared = candidates.some(({ evidence }) => evidence > 0);
  const isAsked = (some: Candidate): boolean =>
    some.isEnough || catchAll === undefined || some.place.domain.catchAll === true;
  return {
    how: catchAll ? "catch-all" : winner ? "rendezvous" : "none",
    unmatched: best ? "catch-all" : isEnough ? "rejected" : isShared ? "below-floor" : "nothing-matched",
    kept: winner ? [winner] : [],
    asked: candidates.filter(isAsked),
    cut: best?.score ?? 0,
  };
}

/** Whether it takes what no other does, in any language: a page is not served there beside others. */
function isForTheRest({ place: { domain, locale } }: Candidate): boolean {
  return domain.catchAll === true && locale === undefined;
}

/** The domain the slug's hash picks; `undefined` from none. */
function draw(candidates: readonly Candidate[], slug: string): Candidate | undefined {
  return candidates.toSorted((one, other) => compareByHash(slug, one.name, other.name))[0];
}

/** Whether it can take the page. */
function isOpen({ refusal }: Candidate): boolean {
  return refusal === undefined;
}

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
function compareRanked(one: Candidate, other: Candidate, slug: string): number {
  return Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || compareByHash(slug, one.name, other.name);
}

/** Tells a decision with its reasons: who was refused, highest score first, then by name; who shares too little, best first. */
function tellReasons({ kept, asked, sharing, explain, request, rule, unmatched, ...rest }: Decision): Assignment {
  const domains = kept.map(({ place, name, score, evidence }) => ({ name, score, evidence, terms: explain(place) }));
  const refused = asked.flatMap(({ name, refusal, score }) => (refusal ? [{ name, ...refusal, score }] : []));
  const rejected = [...new Map(refused.map((some) => [some.name, some])).values()];
  rejected.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  const isMissed = (some: Candidate): boolean =>
    isOpen(some) && some.score >= rest.cut * nearMissShare && !kept.some(({ name }) => name === some.name);
  const missed = sharing.filter(isMissed).sort((one, other) => compareRanked(one, other, request.slug));
  const nearMisses = missed.slice(0, mostNearMisses).map(({ name, score, evidence, isEnough }): NearMiss => {
    const reason = !isEnough ? "below-floor" : score < rest.cut ? "below-cut" : "beyond-limit";
    return { name, score, evidence, reason };
  });
  const why = { ...(rule && { rule }), ...(unmatched && { unmatched }) };
  return tellDecision({ ...rest, ...why, floor: request.floor, domains, rejected, nearMisses });
}
