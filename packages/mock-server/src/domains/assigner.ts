import type {
  AssignablePage,
  AssignedDomain,
  Assignment,
  NearMiss,
  PageField,
  PlacedPages,
  PlaceRule,
  RejectedDomain,
  TermContribution,
} from "./assignment.ts";
import type { Domain } from "./catalogue-schema.ts";
import { DomainIndex, hasPhrase, type PageWords, type Reading, readPageWords, type Share } from "./domain-index.ts";
import { fitLocale, isPerhapsEnglish, readDomainLocale, readLanguage } from "./page-locale.ts";
import { type Place, type PolicyRequest, type Refusal, refuse, refuseFull } from "./policy.ts";
import { compareByHash } from "./rendezvous.ts";
import { tellDecision } from "./sentence.ts";
import { splitWords, stemEnglish } from "./words.ts";

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
  #forEnglish: DomainIndex | undefined;
  #forOthers: DomainIndex | undefined;

  constructor(domains: readonly Domain[]) {
    this.#places = new Map(
      domains.map((domain) => {
        const locale = domain.locale === undefined ? undefined : readDomainLocale(domain.locale);
        return [domain.name, { domain, locale }];
      }),
    );
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

  #decide(page: AssignablePage, load: Load, rules: readonly PlaceRule[] = []): Decision {
    if (this.#places.size === 0) {
      readLanguage([], page.locale); // Nothing asks for it, but a locale that is none is refused all the same.
      return nowhere;
    }
    const request = readRequest(page);
    const { shares, explain } = this.#index(request.isEnglish).match(
      request.words,
      request.isEnglish ? labelOnly : slugAndLabel,
    );
    const candidates = Array.from(this.#places.values(), (place, id): Candidate => {
      const { score = 0, evidence = 0 } = shares.get(id) ?? {};
      const refusal = refuse(place, request) ?? refuseFull(place, load);
      return { id, place, name: place.domain.name, score, evidence, refusal, explain };
    });
    const best = candidates.reduce(
      (most, next) => (isEnough(next) && !next.refusal ? Math.max(most, next.score) : most),
      0,
    );
    const ranked = candidates
      .filter(({ score }) => score > 0 && score >= best * nearMissShare)
      .sort((one, other) => compareRanked(one, other, page.slug));
    return overrule(candidates, request, rules) ?? chooseByWords(ranked) ?? fallBack(candidates, ranked, request);
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
  #index(isEnglish: boolean): DomainIndex {
    const build = (): DomainIndex =>
      new DomainIndex(
        Array.from(this.#places.values(), ({ domain, locale }) => ({
          ...domain,
          reading: isEnglish && (locale === undefined || locale.locale.language === "en") ? stemEnglish : asWritten,
        })),
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

/** What is read of a page. */
interface PlacementRequest extends PolicyRequest {
  slug: string;
  words: PageWords;
  isEnglish: boolean;
}

/** A domain held against a page. */
interface Candidate extends Share {
  id: number;
  place: Place;
  name: string;
  refusal: Refusal | undefined;
  explain: (id: number) => TermContribution[];
}

/** A call to action only supports what the page says elsewhere; so does a slug, which is often English anywhere. */
const labelOnly: ReadonlySet<PageField> = new Set(["cta.label"]);
const slugAndLabel: ReadonlySet<PageField> = new Set(["cta.label", "slug"]);

const asWritten: Reading = (word) => word;

function readRequest(page: AssignablePage): PlacementRequest {
  const words = readPageWords(page);
  const language = readLanguage([...words.title, ...words.meta_description, ...words.content], page.locale);
  const ctaHost = URL.parse(page.cta.url)?.hostname.replace(/\.$/, "");
  return { slug: page.slug, words, language, isEnglish: isPerhapsEnglish(language), ctaHost };
}

/** What a test or a pin asks for, as far as those domains can take the page; the test goes first, and the last it said. */
function overrule(
  candidates: readonly Candidate[],
  request: PlacementRequest,
  rules: readonly PlaceRule[],
): Decision | undefined {
  const placed = rules.findLast(({ match }) => isMeant(match, request));
  const pinned = candidates.filter(({ place }) => place.domain.pins !== undefined);
  const pins = pinned.flatMap((candidate) => {
    const rule = candidate.place.domain.pins?.find((pin) => isMeant(pin, request));
    return rule === undefined ? [] : [{ candidate, rule }];
  });
  pins.sort((one, other) => compareRanked(one.candidate, other.candidate, request.slug));
  const wanted = placed
    ? placed.domains.flatMap((name) => candidates.filter((candidate) => candidate.name === name))
    : pins.map(({ candidate }) => candidate);
  const open = wanted.filter(({ refusal }) => refusal === undefined).slice(0, mostDomains);
  const rule = placed?.match ?? pins[0]?.rule;
  if (open.length === 0 || rule === undefined) return undefined;
  const why = () => ({ rule, rejected: wanted.flatMap(reject), nearMisses: [] });
  return { kept: open, how: placed ? "place" : "pin", why, cut: 0 };
}

/** The domains that share enough with the page; `undefined` when none that can take it does. Takes them best first. */
function chooseByWords(ranked: readonly Candidate[]): Decision | undefined {
  const enough = ranked.filter(isEnough);
  const open = enough.filter(({ refusal }) => refusal === undefined);
  const [best] = open;
  if (best === undefined) return undefined;

  const cut = best.score * relativeCut;
  const kept = open.slice(0, mostDomains).filter(({ score }) => score >= cut);
  const why = () => ({
    rejected: enough.filter(({ score }) => score >= cut).flatMap(reject),
    nearMisses: tellNearMisses(ranked, kept, cut),
  });
  return { kept, how: "match", why, cut };
}

/** One domain for a page whose words decide nothing. */
function fallBack(
  candidates: readonly Candidate[],
  ranked: readonly Candidate[],
  { slug, language }: PlacementRequest,
): Decision {
  const open = candidates.filter(({ refusal }) => refusal === undefined);
  const catchAlls = open.filter(({ place }) => place.domain.catchAll === true);
  const ofItsLanguage = catchAlls.filter(({ place: { locale } }) => locale && fitLocale(locale, language) === "yes");
  const ofAnyLanguage = catchAlls.filter(({ place: { locale } }) => locale === undefined);
  const catchAll = draw(ofItsLanguage, slug) ?? draw(ofAnyLanguage, slug);
  const winner = catchAll ?? draw(open, slug);
  const kept = winner ? [winner] : [];

  const why = (): ReturnType<Decision["why"]> => ({
    unmatched: ranked.length === 0 ? "nothing-matched" : ranked.some(isEnough) ? "rejected" : "below-floor",
    rejected: candidates
      .filter((candidate) => isEnough(candidate) || catchAll === undefined || candidate.place.domain.catchAll === true)
      .flatMap(reject)
      .sort(compareRejected),
    nearMisses: tellNearMisses(ranked, kept, 0),
  });
  return { kept, how: catchAll ? "catch-all" : winner ? "rendezvous" : "none", why, cut: 0 };
}

function isEnough({ evidence }: Candidate): boolean {
  return evidence > floor;
}

function isMeant({ slug, words = [] }: PlacedPages, request: PlacementRequest): boolean {
  if (slug !== undefined && slug !== request.slug) return false;
  const { title, meta_description, content, slug: slugWords } = request.words;
  const reading = request.isEnglish ? stemEnglish : asWritten;
  return words.every((word) =>
    [title, meta_description, content, slugWords].some((text) => hasPhrase(text, splitWords(word), reading)),
  );
}

function reject({ name, refusal, score }: Candidate): RejectedDomain[] {
  return refusal === undefined ? [] : [{ name, ...refusal, score }];
}

function compareRejected(one: RejectedDomain, other: RejectedDomain): number {
  return other.score - one.score || (one.name < other.name ? -1 : 1);
}

function tellDomain({ id, name, score, evidence, explain }: Candidate): AssignedDomain {
  return { name, score, evidence, terms: explain(id) };
}

function tellNearMisses(ranked: readonly Candidate[], kept: readonly Candidate[], cut: number): NearMiss[] {
  const missed = ranked.filter((candidate) => candidate.refusal === undefined && !kept.includes(candidate));
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
