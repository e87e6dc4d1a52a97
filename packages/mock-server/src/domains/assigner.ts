import { freezeDeep } from "@landing-page-service/contract";
import type { AssignablePage, Assignment, NearMiss, PlacedPages, PlaceRule, RejectedDomain } from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { type Candidate, DomainIndex } from "./domain-index.ts";
import { fitLocale, readDomainLocale } from "./page-locale.ts";
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
  #known: number | undefined;
  #places: readonly Place[] | undefined;
  /** For pages that may be English, and for others. */
  readonly #indexes: [DomainIndex?, DomainIndex?] = [];

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
    return this.#decide(page, load, rules).explain();
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
    const request = this.#readPage(page);
    return domainNames.flatMap((name) => {
      const place = this.#read().find(({ domain }) => domain.name === name);
      const refusal = place && refuse(place, request);
      return refusal === undefined ? [] : [{ name, ...refusal, score: 0 }];
    });
  }

  /** Asks `load` for the same domains whether or not reasons are told later, so that a decision can be made again from what it said. */
  #decide(page: AssignablePage, load: Load, rules: readonly PlaceRule[] = []): Choice & { explain: () => Assignment } {
    const request = this.#readPage(page);
    const index = this.#index(request.isEnglish);
    const candidates = index.match(request);
    const refusalOf: RefusalOf = ({ place }) => refuse(place, request, load);
    const asked: Candidate[] = [];
    const decide = (choice: Choice) => ({ ...choice, explain: () => tellReasons(choice, request, index, refusalOf) });
    for (const { wanted, ...wish } of readWishes(candidates, request, rules)) {
      const kept = wanted.filter((some) => refusalOf(some) === undefined).slice(0, mostDomains);
      asked.push(...wanted);
      if (kept.length > 0) return decide({ ...wish, kept, asked, near: [], cut: 0 });
    }
    const choice = choose(candidates, refusalOf, request);
    return decide({ ...choice, asked: [...asked, ...choice.asked] });
  }

  #read(): readonly Place[] {
    return (this.#places ??= this.domains.map((domain, index) => {
      const locale = domain.locale === undefined ? undefined : readDomainLocale(domain.locale);
      return { domain, index, locale };
    }));
  }

  /** Endings are English where both sides are, or may be; elsewhere words are compared as they are written. */
  #index(isEnglish: boolean): DomainIndex {
    const isStemmed = ({ locale }: Place): boolean => isEnglish && (locale?.language ?? "en") === "en";
    return (this.#indexes[isEnglish ? 0 : 1] ??= new DomainIndex(this.#vocabulary, this.#read(), isStemmed));
  }

  /** Of words, those of the catalogue are learned first. Those of pages are forgotten once they are many: each may have its own, as a number in its slug. */
  #readPage(page: AssignablePage): PlacementRequest {
    this.#index(true);
    this.#known ??= this.#vocabulary.texts.length;
    if (this.#vocabulary.texts.length > this.#known + 2 ** 14) this.#vocabulary.keep(this.#known);
    return readRequest(page, this.#vocabulary);
  }
}

/** Where a page goes. */
interface Choice extends Pick<Assignment, "how" | "rule" | "unmatched" | "cut"> {
  /** Best first. */
  kept: readonly Candidate[];
  /** Those that were in the running, which is told of those that cannot take the page. */
  asked: readonly Candidate[];
  /** Those that can take the page, and share words with it. */
  near: readonly Candidate[];
}

/** Tells how many pages a domain serves already. */
type Load = (domainName: string) => number;
/** Tells why a domain cannot take the page. */
type RefusalOf = (some: Candidate) => Refusal | undefined;
type Compare = (one: Candidate, other: Candidate) => number;

/** The domains that rules ask for, best first, whether or not they can take the page: a test's, its last, then pins. */
function* readWishes(
  candidates: readonly Candidate[],
  request: PlacementRequest,
  rules: readonly PlaceRule[],
): Generator<{ how: "place" | "pin"; rule: PlacedPages; wanted: Candidate[] }> {
  const placed = rules.findLast(({ match }) => isMeant(match, request));
  const wanted = placed?.domains.flatMap((name) => candidates.find((some) => some.name === name) ?? []) ?? [];
  if (placed !== undefined) yield { how: "place", rule: placed.match, wanted };
  const pinOf = ({ place: { domain } }: Candidate): PlacedPages | undefined =>
    domain.pins?.find((pin) => isMeant(pin, request));
  const pinned = candidates.filter((some) => pinOf(some) !== undefined).sort(rankFor(request));
  const rule = pinned[0] && pinOf(pinned[0]);
  if (rule !== undefined) yield { how: "pin", rule, wanted: pinned };
}

/** The domains that share enough with the page; else, and where the words of a catch-all for any language do most, one of all. */
function choose(candidates: readonly Candidate[], refusalOf: RefusalOf, request: PlacementRequest): Choice {
  const isOpen = (some: Candidate): boolean => refusalOf(some) === undefined;
  const sharing = candidates.filter(({ evidence }) => evidence > 0);
  const near = sharing.filter(isOpen);
  const isEnough = ({ evidence }: Candidate): boolean => evidence > request.floor;
  const best = findFirst(near.filter(isEnough), rankFor(request));
  if (best === undefined || isForTheRest(best)) {
    const choice = fallBack(candidates, candidates.filter(isOpen), request);
    const unshared = sharing.length > 0 ? "below-floor" : "nothing-matched";
    const unmatched = best ? "catch-all" : sharing.some(isEnough) ? "rejected" : unshared;
    return { ...choice, unmatched, near, cut: best?.score ?? 0 };
  }
  const cut = best.score * relativeCut;
  const reaches = (some: Candidate): boolean => isEnough(some) && some.score >= cut && !isForTheRest(some);
  const kept = near.filter(reaches).sort(rankFor(request)).slice(0, mostDomains);
  return { how: "match", kept, asked: sharing.filter(reaches), near, cut };
}

/** One domain for a page whose words decide nothing, or speak for a catch-all. */
function fallBack(
  candidates: readonly Candidate[],
  open: readonly Candidate[],
  { slug, language, floor }: PlacementRequest,
): Pick<Choice, "how" | "kept" | "asked"> {
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const byHash: Compare = (one, other) => compareByHash(slug, one.name, other.name);
  const catchAll = findFirst(ofItsLanguage, byHash) ?? findFirst(ofAnyLanguage, byHash);
  const winner = catchAll ?? findFirst(open, byHash);
  const isAsked = (some: Candidate): boolean =>
    some.evidence > floor || catchAll === undefined || some.place.domain.catchAll === true;
  const how = catchAll ? "catch-all" : winner ? "rendezvous" : "none";
  return { how, kept: winner ? [winner] : [], asked: candidates.filter(isAsked) };
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
function rankFor({ slug }: PlacementRequest): Compare {
  return (one, other) =>
    Math.round(other.score * 1e9) - Math.round(one.score * 1e9) || compareByHash(slug, one.name, other.name);
}

/** Tells a decision with its reasons: who was refused, highest score first, then by name; who shares too little, best first. */
function tellReasons(
  { kept, asked, near, rule, unmatched, ...rest }: Choice,
  request: PlacementRequest,
  index: DomainIndex,
  refusalOf: RefusalOf,
): Assignment {
  const domains = kept.map(({ place, ...some }) => ({ ...some, terms: index.explain(place, request) }));
  const refused = new Map(asked.map((some) => [some, refusalOf(some)]));
  const rejected = Array.from(refused).flatMap(([{ name, score }, why]) => (why ? [{ name, ...why, score }] : []));
  rejected.sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  const missed = near.filter((some) => some.score >= rest.cut * nearMissShare && !kept.includes(some));
  missed.sort(rankFor(request));
  const nearMisses = missed.slice(0, mostNearMisses).map(({ name, score, evidence }): NearMiss => {
    const reason = evidence <= request.floor ? "below-floor" : score < rest.cut ? "below-cut" : "beyond-limit";
    return { name, score, evidence, reason };
  });
  const why = { ...(rule && { rule }), ...(unmatched && { unmatched }), floor: request.floor };
  return tellDecision({ ...rest, ...why, domains, rejected, nearMisses });
}
