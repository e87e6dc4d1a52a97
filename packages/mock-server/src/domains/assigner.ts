import type {
  AssignablePage,
  AssignedDomain,
  Assignment,
  NearMiss,
  PlacedPages,
  PlaceRule,
  RejectedDomain,
  TermContribution,
} from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { DomainIndex, type Share } from "./domain-index.ts";
import { fitLocale, readDomainLocale, readLanguage } from "./page-locale.ts";
import { isMeant, type PlacementRequest, readRequest } from "./placement-request.ts";
import { type Place, type Refusal, refuse, refuseFull } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";
import { tellDecision } from "./sentence.ts";

/** Most domains a page is served by. */
const mostDomains = 3;

/** Share of the best score that a further domain must reach. */
const relativeCut = 0.6;

/**
 * More than this much evidence it takes to match at all, however rare or common the words are in the catalogue: a keyword
 * in the title has it, or a topic in the slug; one topic in the content has not, nor have three stray keywords there.
 */
const floor = 3;

const mostNearMisses = 5;

/** Domains below this share of the best score are not worth telling about. */
const nearMissShare = 0.3;

/** Decides where pages go in one catalogue, which is taken as valid. */
export class Assigner {
  readonly #places: ReadonlyMap<string, Place>;
  readonly #pinned: readonly Place[];
  #forEnglish: DomainIndex<Place> | undefined;
  #forOthers: DomainIndex<Place> | undefined;

  constructor(domains: readonly Domain[]) {
    this.#places = new Map(
      domains.map((domain) => {
        const locale = domain.locale === undefined ? undefined : readDomainLocale(domain.locale);
        return [domain.name, { domain, locale }];
      }),
    );
    this.#pinned = [...this.#places.values()].filter(({ domain }) => domain.pins !== undefined);
  }

  /** See `DomainNetwork.assign`. */
  assign(page: AssignablePage, load: Load, rules?: readonly PlaceRule[]): Assignment {
    const { kept, how, why, cut } = this.#decide(page, load, rules);
    return tellDecision({ domains: kept.map(tellDomain), how, ...why(), floor, cut });
  }

  /** See `DomainNetwork.place`. */
  place(page: AssignablePage, load: Load, rules?: readonly PlaceRule[]): string[] {
    return this.#decide(page, load, rules).kept.map(({ name }) => name);
  }

  /** Asks `load` for the same domains whether or not reasons are told later, so that a decision can be made again from what it said. */
  #decide(page: AssignablePage, load: Load, rules: readonly PlaceRule[] = []): Decision {
    if (this.#places.size === 0) {
      readLanguage([], page.locale); // Nothing asks for it, but a locale that is none is refused all the same.
      return nowhere;
    }
    const request = readRequest(page);
    const { shares, explain } = this.#index(request.isEnglish).match(request.words, request.supporting);
    const hold = (place: Place): Candidate => {
      const { score, evidence } = shares.get(place) ?? nothingShared;
      const refusal = refuse(place, request) ?? refuseFull(place, load);
      return { place, name: place.domain.name, score, evidence, refusal, explain };
    };
    const denied: RejectedDomain[] = [];
    for (const { how, rule, wanted } of this.#readWishes(request, rules, hold)) {
      const kept = wanted.filter(isOpen).slice(0, mostDomains);
      denied.push(...wanted.flatMap(reject));
      if (kept.length > 0)
        return { kept, how, why: () => ({ rule, rejected: joinRejected(denied), nearMisses: [] }), cut: 0 };
    }
    const ranked = rank(Array.from(shares.keys(), hold), request);
    return chooseByWords(ranked, denied) ?? fallBack(Array.from(this.#places.values(), hold), ranked, denied, request);
  }

  /** What a test asks for, the last that it said, then what pins ask for. */
  #readWishes(request: PlacementRequest, rules: readonly PlaceRule[], hold: (place: Place) => Candidate): Wish[] {
    const placed = rules.findLast(({ match }) => isMeant(match, request));
    const places = placed?.domains.flatMap((name) => this.#places.get(name) ?? []) ?? [];
    const pins = this.#pinned.flatMap((place) => {
      const rule = place.domain.pins?.find((pin) => isMeant(pin, request));
      return rule === undefined ? [] : [{ rule, candidate: hold(place) }];
    });
    pins.sort((one, other) => compareRanked(one.candidate, other.candidate, request.slug));
    return [
      { how: "place", rule: placed?.match ?? {}, wanted: places.map(hold) },
      { how: "pin", rule: pins[0]?.rule ?? {}, wanted: pins.map(({ candidate }) => candidate) },
    ];
  }

  /** See `DomainNetwork.refuse`. */
  refuse(domainNames: readonly string[], page: AssignablePage): RejectedDomain[] {
    if (domainNames.length === 0) return [];
    const request = readRequest(page);
    return domainNames.flatMap((name) => {
      const place = this.#places.get(name);
      const refusal = place && refuse(place, request);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  /** Endings are English where both sides are, or may be; elsewhere words are compared as they are written. */
  #index(isEnglish: boolean): DomainIndex<Place> {
    const build = (): DomainIndex<Place> =>
      new DomainIndex(this.#places.values(), ({ locale }) =>
        isEnglish && (locale === undefined || locale.locale.language === "en") ? "stem" : "text",
      );
    return isEnglish ? (this.#forEnglish ??= build()) : (this.#forOthers ??= build());
  }
}

/** Tells how many pages a domain serves already. */
type Load = (domainName: string) => number;

/** Where a page goes. Its reasons cost more than the decision, so they are worked out for whoever asks. */
interface Decision extends Pick<Assignment, "how" | "cut"> {
  /** Best first. */
  kept: readonly Candidate[];
  why: () => Pick<Assignment, "rule" | "unmatched" | "rejected" | "nearMisses">;
}

/** What is decided where there is no domain. */
const nowhere: Decision = {
  kept: [],
  how: "none",
  why: () => ({ unmatched: "nothing-matched", rejected: [], nearMisses: [] }),
  cut: 0,
};

/** A domain held against a page. */
interface Candidate extends Share {
  place: Place;
  name: string;
  refusal: Refusal | undefined;
  explain: (place: Place) => TermContribution[];
}

/** The domains that a rule asks for, best first, whether or not they can take the page. */
interface Wish {
  how: "place" | "pin";
  rule: PlacedPages;
  wanted: readonly Candidate[];
}

const nothingShared: Share = { score: 0, evidence: 0 };

/** The domains worth telling about, best first. */
function rank(sharing: readonly Candidate[], { slug }: PlacementRequest): Candidate[] {
  const best = sharing
    .filter((some) => isEnough(some) && isOpen(some))
    .reduce((most, { score }) => Math.max(most, score), 0);
  return sharing
    .filter(({ score }) => score >= best * nearMissShare)
    .sort((one, other) => compareRanked(one, other, slug));
}

/** The domains that share enough with the page; `undefined` when none that can take it does. Takes them best first. */
function chooseByWords(ranked: readonly Candidate[], denied: readonly RejectedDomain[]): Decision | undefined {
  const enough = ranked.filter(isEnough);
  const open = enough.filter(isOpen);
  const [best] = open;
  if (best === undefined) return undefined;

  const cut = best.score * relativeCut;
  const kept = open.slice(0, mostDomains).filter(({ score }) => score >= cut);
  const why = () => ({
    rejected: joinRejected(denied, enough.filter(({ score }) => score >= cut).flatMap(reject)),
    nearMisses: tellNearMisses(ranked, kept, cut),
  });
  return { kept, how: "match", why, cut };
}

/** One domain for a page whose words decide nothing. */
function fallBack(
  candidates: readonly Candidate[],
  ranked: readonly Candidate[],
  denied: readonly RejectedDomain[],
  { slug, language }: PlacementRequest,
): Decision {
  const open = candidates.filter(isOpen);
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const catchAll = draw(ofItsLanguage, slug) ?? draw(ofAnyLanguage, slug);
  const winner = catchAll ?? draw(open, slug);
  const kept = winner ? [winner] : [];

  const isAsked = (some: Candidate): boolean =>
    isEnough(some) || catchAll === undefined || some.place.domain.catchAll === true;
  const why = (): ReturnType<Decision["why"]> => ({
    unmatched: ranked.length === 0 ? "nothing-matched" : ranked.some(isEnough) ? "rejected" : "below-floor",
    rejected: joinRejected(denied, candidates.filter(isAsked).flatMap(reject)),
    nearMisses: tellNearMisses(ranked, kept, 0),
  });
  return { kept, how: catchAll ? "catch-all" : winner ? "rendezvous" : "none", why, cut: 0 };
}

function isEnough({ evidence }: Candidate): boolean {
  return evidence > floor;
}

function isOpen({ refusal }: Candidate): boolean {
  return refusal === undefined;
}

function reject({ name, refusal, score }: Candidate): RejectedDomain[] {
  return refusal === undefined ? [] : [{ name, ...refusal, score }];
}

/** Highest score first, then by name; each domain once. */
function joinRejected(...parts: (readonly RejectedDomain[])[]): RejectedDomain[] {
  const byName = new Map(parts.flat().map((rejected) => [rejected.name, rejected]));
  return [...byName.values()].sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
}

function tellDomain({ place, name, score, evidence, explain }: Candidate): AssignedDomain {
  return { name, score, evidence, terms: explain(place) };
}

function tellNearMisses(ranked: readonly Candidate[], kept: readonly Candidate[], cut: number): NearMiss[] {
  const missed = ranked.filter((some) => isOpen(some) && !kept.some(({ name }) => name === some.name));
  return missed.slice(0, mostNearMisses).map(({ name, score, evidence }) => {
    const reason = evidence <= floor ? "below-floor" : score < cut ? "below-cut" : "beyond-limit";
    return { name, score, evidence, reason };
  });
}

/** Higher score first. Scores that differ only by rounding are a tie, which the slug's hash decides. */
function compareRanked(one: Candidate, other: Candidate, slug: string): number {
  return Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || compareByHash(slug, one.name, other.name);
}

/** The domain the slug's hash picks; `undefined` from none. */
function draw(candidates: readonly Candidate[], slug: string): Candidate | undefined {
  return candidates.toSorted((one, other) => compareByHash(slug, one.name, other.name))[0];
}
