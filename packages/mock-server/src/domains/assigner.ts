import type { AssignablePage, Assignment, PlacedPages, PlaceRule, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import {
  type Candidate,
  compareRanked,
  isOpen,
  joinRejected,
  rank,
  reject,
  tellDomain,
  tellNearMisses,
} from "./candidate.ts";
import { DomainIndex, type Share } from "./domain-index.ts";
import { fitLocale, readDomainLocale, readLanguage } from "./page-locale.ts";
import { floors, isMeant, type PlacementRequest, readRequest } from "./placement-request.ts";
import { type Place, refuse, refuseFull } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";
import { tellDecision } from "./sentence.ts";

/** Most domains a page is served by. */
const mostDomains = 3;

/** Share of the best score that a further domain must reach. */
const relativeCut = 0.6;

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
    const { kept, how, why, floor, cut } = this.#decide(page, load, rules);
    return tellDecision({ domains: kept.map(tellDomain), how, ...why(), floor, cut });
  }

  /** See `DomainNetwork.place`. */
  place(page: AssignablePage, load: Load, rules?: readonly PlaceRule[]): string[] {
    return this.#decide(page, load, rules).kept.map(({ name }) => name);
  }

  /** Asks `load` for the same domains whether or not reasons are told later, so that a decision can be made again from what it said. */
  #decide(page: AssignablePage, load: Load, rules: readonly PlaceRule[] = []): Decision {
    if (this.#places.size === 0) {
      if (page.locale !== undefined) readLanguage([], page.locale); // Not asked for, but one that is none is refused all the same.
      return nowhere;
    }
    const request = readRequest(page);
    const { shares, explain } = this.#index(request.isEnglish).match(request.words, request.supporting);
    const hold = (place: Place): Candidate => {
      const { score, evidence } = shares.get(place) ?? nothingShared;
      const refusal = refuse(place, request) ?? refuseFull(place, load);
      return { place, name: place.domain.name, score, evidence, isEnough: evidence > request.floor, refusal, explain };
    };
    const denied: RejectedDomain[] = [];
    for (const { how, rule, wanted } of this.#readWishes(request, rules, hold)) {
      const kept = wanted.filter(isOpen).slice(0, mostDomains);
      denied.push(...wanted.flatMap(reject));
      if (kept.length > 0)
        return {
          kept,
          how,
          why: () => ({ rule, rejected: joinRejected(denied), nearMisses: [] }),
          floor: request.floor,
          cut: 0,
        };
    }
    const ranked = rank(Array.from(shares.keys(), hold), request.slug);
    return (
      chooseByWords(ranked, denied, request) ??
      fallBack(Array.from(this.#places.values(), hold), ranked, denied, request)
    );
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
interface Decision extends Pick<Assignment, "how" | "floor" | "cut"> {
  /** Best first. */
  kept: readonly Candidate[];
  why: () => Pick<Assignment, "rule" | "unmatched" | "rejected" | "nearMisses">;
}

/** What is decided where there is no domain. */
const nowhere: Decision = {
  kept: [],
  how: "none",
  why: () => ({ unmatched: "nothing-matched", rejected: [], nearMisses: [] }),
  floor: floors.bare,
  cut: 0,
};

/** The domains that a rule asks for, best first, whether or not they can take the page. */
interface Wish {
  how: "place" | "pin";
  rule: PlacedPages;
  wanted: readonly Candidate[];
}

const nothingShared: Share = { score: 0, evidence: 0 };

/** The domains that share enough with the page; `undefined` when none that can take it does. Takes them best first. */
function chooseByWords(
  ranked: readonly Candidate[],
  denied: readonly RejectedDomain[],
  { floor }: PlacementRequest,
): Decision | undefined {
  const enough = ranked.filter(({ isEnough }) => isEnough);
  const open = enough.filter(isOpen);
  const [best] = open;
  if (best === undefined) return undefined;

  const cut = best.score * relativeCut;
  const kept = open.slice(0, mostDomains).filter(({ score }) => score >= cut);
  const why = () => ({
    rejected: joinRejected(denied, enough.filter(({ score }) => score >= cut).flatMap(reject)),
    nearMisses: tellNearMisses(ranked, kept, cut),
  });
  return { kept, how: "match", why, floor, cut };
}

/** One domain for a page whose words decide nothing. */
function fallBack(
  candidates: readonly Candidate[],
  ranked: readonly Candidate[],
  denied: readonly RejectedDomain[],
  { slug, language, floor }: PlacementRequest,
): Decision {
  const open = candidates.filter(isOpen);
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const catchAll = draw(ofItsLanguage, slug) ?? draw(ofAnyLanguage, slug);
  const winner = catchAll ?? draw(open, slug);
  const kept = winner ? [winner] : [];

  const isAsked = (some: Candidate): boolean =>
    some.isEnough || catchAll === undefined || some.place.domain.catchAll === true;
  const why = (): ReturnType<Decision["why"]> => ({
    unmatched:
      ranked.length === 0 ? "nothing-matched" : ranked.some(({ isEnough }) => isEnough) ? "rejected" : "below-floor",
    rejected: joinRejected(denied, candidates.filter(isAsked).flatMap(reject)),
    nearMisses: tellNearMisses(ranked, kept, 0),
  });
  return { kept, how: catchAll ? "catch-all" : winner ? "rendezvous" : "none", why, floor, cut: 0 };
}

/** The domain the slug's hash picks; `undefined` from none. */
function draw(candidates: readonly Candidate[], slug: string): Candidate | undefined {
  return candidates.toSorted((one, other) => compareByHash(slug, one.name, other.name))[0];
}
