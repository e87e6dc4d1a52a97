// What is known of every answer of a check: the facts from which templates are learned.
import { defaultListLimit, type EndpointName } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, mapTexts, mentions } from "./json.ts";
import { type Element, listAt, pathOf, readElementId } from "./pages.ts";
import { type Observations, readTotal } from "./probes.ts";
import type { SentPage } from "./sent.ts";

/** An answer, and what is known of it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly facts: Facts;
  /** What is known of each page of a list, in its order; `undefined` of one that is none of the check's. */
  readonly pages?: readonly (PageFacts | undefined)[];
}

type PageFacts = NonNullable<Facts["page"]>;

/** The errors of one name among `errors`: a status of our reference service, or `malformed`. */
export interface ErrorsOfOneName {
  readonly name: string;
  readonly observations: readonly Observation[];
}

/** Everything that can be learned from, by the name of the template that it is an answer in. */
export interface Observed {
  readonly answers: Readonly<Record<EndpointName | "emptyList" | "emptyAccount", readonly Observation[]>>;
  /** By the name of the error: a status of our reference service, or `malformed`. */
  readonly errors: readonly ErrorsOfOneName[];
  /** Whether identifiers are written with digits alone. */
  readonly hasNumberIds: boolean;
}

type Known = Partial<SentPage>;

/** Tells the answers of a check apart, those that are no errors. `exchanges` is everything that was said, cleaning up included. */
export function tellApart(...said: [seen: Observations, exchanges: readonly Exchange[]]): Omit<Observed, "errors"> {
  const [seen, exchanges] = shortenIds(said);
  const about = new PageKnowledge(seen);
  const answers = { ...observePages(about, exchanges), ...observeLists(about) };
  return { answers, hasNumberIds: about.hasNumberIds };
}

/** What is known of the pages of a check. */
class PageKnowledge {
  readonly seen: Observations;
  readonly hasNumberIds: boolean;
  /** By the slug: what a page is at depends on it. */
  readonly #domains: ReadonlyMap<string, PageFacts["domains"]>;
  readonly #apiHost: string;

  constructor(seen: Observations) {
    this.seen = seen;
    this.hasNumberIds = idsOf(seen).every(isNumberId);
    const { probes, listings, sent } = seen;
    this.#apiHost = new URL(probes.list?.request.origin ?? "http://localhost").host;
    const listed = [listings.made, listings.titled, listings.rewritten].flatMap((one) => one?.elements ?? []);
    const values = [...Object.values(probes).filter(hasSucceeded).map(jsonOf), ...listed.map(({ value }) => value)];
    const slugs = [sent.full.slug, sent.shortest.slug, sent.rest.slug];
    this.#domains = new Map(
      slugs.map((slug) => [
        slug,
        findDomains(
          values.filter((value) => mentions(value, slug)),
          slug,
          this.#apiHost,
        ),
      ]),
    );
  }

  /** A page as it was sent; its domains as the value shows them, else as any answer did. */
  factsOf(id: string | undefined, known: Known, exchange: Exchange, value: unknown = jsonOf(exchange)): PageFacts {
    const { now } = commonFacts(exchange);
    const { slug = "" } = known;
    const told = this.#domains.get(slug) ?? [];
    const own = findDomains([value], slug, this.#apiHost);
    return {
      id: id !== undefined && this.hasNumberIds ? Number(id) : (id ?? ""),
      title: known.title ?? "",
      content: known.content ?? "",
      slug,
      meta_description: known.meta_description ?? null,
      cta: known.cta ?? { type: "", label: "", url: "" },
      domains:
        own.length === 0
          ? told
          : own.map(({ name, url }) => ({ name, url: url || (told.find((one) => one.name === name)?.url ?? "") })),
      created_at: now,
      updated_at: now,
    };
  }
}

/** The answers that are about one page each. */
function observePages(about: PageKnowledge, exchanges: readonly Exchange[]) {
  const { probes, sent, ids } = about.seen;
  const { full, shortest, rest, title, otherTitle } = sent;
  const see = (exchange: Exchange | undefined, id: string | undefined, known: Known, before?: Known): Observation[] =>
    hasSucceeded(exchange) ? [{ exchange, facts: pageFacts(about, exchange, id, known, before) }] : [];
  const titled = { ...full, title };
  const other = { ...shortest, title: otherTitle };
  const cleanUpOf = (id: string | undefined) =>
    exchanges.find(
      (one) =>
        id !== undefined && one.request.method === "DELETE" && one.request.path === pathOf(id) && hasSucceeded(one),
    );
  return {
    createPage: [
      ...see(probes.create, ids.full, full),
      ...see(probes.shortest, ids.shortest, shortest),
      ...(ids.twin === undefined ? [] : see(probes.twin, ids.twin, full)),
    ],
    updatePage: [
      ...see(probes.updateTitle, ids.full, titled, full),
      ...(ids.shortest === undefined ? [] : see(probes.updateOther, ids.shortest, other, shortest)),
      ...see(probes.updateRest, ids.moved ?? ids.full, { ...titled, ...rest }, titled),
    ],
    deletePage: [...see(probes.delete, ids.shortest, other), ...see(cleanUpOf(ids.twin), ids.twin, full)],
    trackEvent: [...see(probes.event, ids.full, titled), ...see(probes.eventOther, ids.shortest, other)],
  };
}

function pageFacts(
  about: PageKnowledge,
  exchange: Exchange,
  id: string | undefined,
  known: Known,
  before?: Known,
): Facts {
  const { body, path } = exchange.request;
  const sent = JSON.parse(body ?? "null") as { pageId: string; timestamp: string }; // why: the check has sent both in an event
  return {
    ...commonFacts(exchange),
    page: about.factsOf(id, known, exchange),
    ...(path === "/api/analytics/view" && { event: { id: "", pageId: sent.pageId, timestamp: sent.timestamp } }),
    ...(before && { changes: { ...sent }, previous: about.factsOf(id, before, exchange) }),
  };
}

/** The answers to lists: with pages, after the last page, and of the account while it had none. */
function observeLists(about: PageKnowledge) {
  const { probes, listings, sent, isEmpty } = about.seen;
  const { full, shortest, title, otherTitle } = sent;
  const made = [full, shortest] as const;
  const later = [
    { ...full, title },
    { ...shortest, title: otherTitle },
  ] as const;
  const see = (exchange: Exchange | undefined, known: readonly Known[] | undefined): Observation[] =>
    exchange?.answer === undefined ? [] : [observeList(about, exchange, known)];
  const all = [
    ...(listings.made?.exchanges ?? []).flatMap((exchange) => see(exchange, made)),
    ...see(probes.listOne, later),
    ...see(probes.listNext, later),
    ...see(probes.listDefault, undefined),
    ...see(isEmpty ? undefined : probes.list, undefined),
    ...(listings.deleted?.exchanges ?? []).flatMap((exchange) => see(exchange, undefined)),
  ];
  const due = new Set([listings.made?.exchanges[0], probes.listOne, listings.deleted?.exchanges[0]]);
  if (about.seen.ids.shortest !== undefined) due.add(probes.listNext);
  return {
    // Those too in which a page must be, whether it is found there or not.
    listPages: all.filter((one) => hasSucceeded(one.exchange) && (!isNone(one) || due.has(one.exchange))),
    emptyList: see(probes.listPast, undefined).filter((one) => isFound(one) && isNone(one)),
    emptyAccount: isEmpty ? see(probes.list, undefined).filter(isFound) : [],
  };
}

function isFound({ exchange }: Observation): boolean {
  return hasSucceeded(exchange) || exchange.answer?.status === 404;
}

function isNone({ facts }: Observation): boolean {
  return facts.list?.count === 0;
}

function observeList(about: PageKnowledge, exchange: Exchange, known: readonly Known[] | undefined): Observation {
  const { seen } = about;
  const elements = listAt(jsonOf(exchange), seen.listPath);
  const query = new URLSearchParams(exchange.request.path.split("?")[1]);
  const offset = Number(query.get("offset") ?? 0);
  const count = elements.length;
  const total = readTotal(seen, jsonOf(exchange)) ?? countPages(seen, exchange) ?? offset + count;
  const list = { total, limit: Number(query.get("limit") ?? defaultListLimit), offset, count };
  const [full, shortest] = known ?? [];
  const pages = elements.map((element): PageFacts | undefined => {
    const id = readElementId(element, seen.listIdPlace);
    const sent = known && (id === seen.ids.full ? full : id === seen.ids.shortest ? shortest : undefined);
    return id !== undefined && sent !== undefined ? about.factsOf(id, sent, exchange, element.value) : undefined;
  });
  return { exchange, facts: { ...commonFacts(exchange), list }, pages };
}

/** How many pages there are in all, where a listing next to this one was read to its end. */
function countPages({ listings, probes, isEmpty }: Observations, exchange: Exchange): number | undefined {
  if (exchange === probes.list) return isEmpty ? 0 : undefined;
  const isOf = (name: "made" | "deleted") => listings[name]?.exchanges.includes(exchange);
  const listing = isOf("made")
    ? listings.made
    : isOf("deleted")
      ? listings.deleted
      : (listings.rewritten ?? listings.partial);
  return listing?.isWhole === true ? listing.elements.length : undefined;
}

/** What is known of every answer. */
export function commonFacts({ request, answer }: Pick<Exchange, "request" | "answer">): Facts {
  const headers = new Headers(answer?.headers);
  const date = Date.parse(headers.get("Date") ?? "");
  return {
    status: answer?.status ?? 0,
    now: new Date(Number.isNaN(date) ? Date.now() : date).toISOString(),
    requestId: headers.get("X-Request-Id") ?? headers.get("Request-Id") ?? "",
    path: request.path.split("?")[0] ?? "",
    origin: request.origin,
  };
}

/**
 * The domains of a page: the hosts of links that end in its slug, and host names that stand alone. Nothing else in a
 * response tells where a page is, and this cannot be tried.
 */
function findDomains(values: readonly unknown[], slug: string, apiHost: string): PageFacts["domains"] {
  const urls = new Map<string, string>();
  const add = (name: string, url: string): void => {
    const isOwn = name === apiHost || name === "example.com";
    if (!isOwn && !urls.get(name)) urls.set(name, url);
  };
  for (const value of values)
    for (const leaf of listHosts(value, [])) {
      const url = /^https?:\/\//.test(leaf.text) ? URL.parse(leaf.text) : null;
      if (url !== null && mentions(url.pathname, slug)) add(url.host, leaf.text);
      else if (leaf.isNamed && hostName.test(leaf.text)) add(leaf.text, "");
      else if (leaf.isNamed && url !== null) add(url.host, leaf.text);
    }
  return [...urls].map(([name, url]) => ({ name, url }));
}

const hostName = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/;

/** Texts and names of members, and whether they are under a name that speaks of domains. */
function listHosts(value: unknown, path: readonly string[]): { text: string; isNamed: boolean }[] {
  const isNamed = path.some((name) => /domain|host|alias|fqdn|site/i.test(name));
  if (typeof value === "string") return [{ text: value, isNamed }];
  return entriesOf(value).flatMap(([name, inner]) =>
    (hostName.test(name) ? [{ text: name, isNamed }] : []).concat(listHosts(inner, path.concat(name))),
  );
}

/** The identifiers of all pages that were seen. */
function idsOf({ ids, listings, listIdPlace }: Observations): string[] {
  const listed = (listings.made?.elements ?? []).map((element: Element) => readElementId(element, listIdPlace));
  return [ids.full, ids.twin, ids.shortest, ids.moved, ...listed].filter((id) => id !== undefined);
}

/** Whether an identifier can be a number: digits that a number is written with, and not `0041`. */
function isNumberId(id: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(id);
}

/** The same, every identifier that no number holds shortened wherever it stands: a string stays one, a number too. */
function shortenIds<Value extends readonly [Observations, ...unknown[]]>(said: Value): Value {
  const long = idsOf(said[0]).filter((id) => isNumberId(id) && id.length > 15);
  if (long.length === 0) return said;
  const mark = new RegExp(`(?<!\\d)(?:${long.join("|")})(?!\\d)`, "g");
  return mapTexts(said, (text) => text.replaceAll(mark, (id) => `9${id.slice(-14)}`));
}
