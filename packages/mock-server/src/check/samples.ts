// What is known of every answer of a visit: the plaintext from which templates are learned.
import type { FoundPage } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, lastSegment, plainJson, readPageIn } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { hasNumberIds, repeatedIdOf, type SentPage, type Visit } from "./visit.ts";

/** An answer, and what it is about. */
export interface Sight {
  readonly exchange: Exchange;
  readonly facts: Facts;
  /** What would be known of the answer if it told what others may: which field is wrong. */
  readonly wanted?: Facts;
}

type PageFacts = NonNullable<Facts["page"]>;
/** What is known of a page: what was sent of it. */
export type Known = Partial<SentPage>;

/** What answers of a visit tell of its pages. */
export interface Told {
  readonly visit: Visit;
  /** The domains of each page, by its identifier. */
  readonly domains: ReadonlyMap<string, PageFacts["domains"]>;
}

/** The answers that are about one page each. `exchanges` is everything that was said, cleaning up included. */
export function seePages(
  told: Told,
  exchanges: readonly Exchange[],
): Record<"createPage" | "updatePage" | "deletePage" | "trackEvent", Sight[]> {
  const { visit } = told;
  const { steps, sent, fullId, twinId, shortestId, movedId } = visit;
  const { full, shortest, rest, title } = sent;
  const see = (exchange: Exchange | undefined, id: string | undefined, known: Known, before?: Known) =>
    exchange !== undefined && hasSucceeded(exchange)
      ? [{ exchange, facts: seePage(told, exchange, id, known, before) }]
      : [];
  const repeatId = repeatedIdOf(visit);
  const titled = { ...full, title };
  const cleanUpOf = (id: string | undefined) => {
    const names = id === undefined ? [] : [id, lastSegment(id)];
    const paths = new Set(names.map((name) => `/api/content/${encodeURIComponent(name)}`));
    return exchanges.find((one) => one.request.method === "DELETE" && paths.has(one.request.path) && hasSucceeded(one));
  };
  // What became of the first page by updates that may be refused or not, only the answer tells.
  const { cta: _, ...rewritten } = { ...rest, title };
  const ofFull = cleanUpOf(fullId);
  const isRewritten = Object.values(rewritten).every((text) => ofFull?.answer?.body.includes(text));
  return {
    createPage: [
      ...see(steps.create, fullId, full),
      ...see(steps.shortest, shortestId, shortest),
      ...see(steps.twin, twinId, full),
      ...(repeatId === undefined ? [] : see(steps.repeat, repeatId, full)),
    ],
    updatePage: [
      ...see(steps.updateTitle, fullId, titled, full),
      ...see(steps.updateRest, movedId ?? fullId, { ...titled, ...rest }, titled),
      ...see(steps.updateOther, shortestId, { ...shortest, title }, shortest),
    ],
    deletePage: [
      ...see(steps.delete, shortestId, { ...shortest, title }),
      ...see(cleanUpOf(twinId), twinId, full),
      ...(isRewritten ? see(ofFull, fullId, rewritten) : []),
    ],
    trackEvent: [...see(steps.event, fullId, full), ...see(steps.eventOther, shortestId, shortest)],
  };
}

/** The bodies of answers, as samples. */
export function bodiesOf(sights: readonly Sight[]): Sample[] {
  return sights.map(({ exchange, facts }) => ({ value: plainJson(exchange), facts }));
}

/** What is known of an answer about a page; `before` is the page as it was before an update. */
function seePage(told: Told, exchange: Exchange, id: string | undefined, known: Known, before?: Known): Facts {
  const { body, path } = exchange.request;
  const sent = JSON.parse(body ?? "null") as { pageId: string; timestamp: string }; // why: the visit has sent both in an event
  const isEvent = path === "/api/analytics/view";
  const found = readPageIn(exchange, isEvent ? { ...known } : undefined);
  // What has the slug of the page is the page; anything else in the answer to an event tells of that.
  const own = isEvent && !JSON.stringify(found?.record ?? null).includes(known.slug ?? id ?? "") ? undefined : found;
  return {
    ...commonFacts(exchange),
    page: pageFacts(told, own, known, id, exchange),
    ...(isEvent && { event: { id: "", pageId: sent.pageId, timestamp: sent.timestamp } }),
    ...(before && { changes: { ...sent }, previous: pageFacts(told, undefined, before, id, exchange) }),
  };
}

/** The most that any answer tells of the domains of each page; a URL is known from any. */
export function listDomains({ steps, views }: Visit): Told["domains"] {
  const answers = Object.values(steps).map((exchange) => readPageIn(exchange)?.page);
  const listed = Object.values(views).flatMap(({ pages }) => pages.map(({ page }) => page));
  const pages = Map.groupBy([...answers, ...listed], (page) => page?.id ?? "");
  return new Map(
    [...pages].map(([id, sights]) => {
      const told = sights.map((page) => page?.domains ?? []);
      const [most = []] = told.toSorted((one, other) => other.length - one.length);
      const urlOf = (name: string) => told.flat().find((one) => one.name === name && one.url !== undefined)?.url;
      return [id, most.map(({ name, url }) => ({ name, url: url ?? urlOf(name) ?? "" }))];
    }),
  );
}

/** A page as far as it is known: what was sent of it, else what the answer shows. */
export function pageFacts(
  { visit, domains }: Told,
  found: FoundPage | undefined,
  known: Known,
  id: string | undefined,
  exchange: Exchange,
): PageFacts {
  const shown = found?.page;
  const { now } = commonFacts(exchange);
  const told = domains.get(id ?? "") ?? [];
  const own = shown?.domains ?? [];
  const cta = known.cta ?? shown?.cta ?? { type: "", label: "", url: "" };
  return {
    // Identifiers of digits are numbers in the dialect that is learned, wherever they are not written as text.
    id: id !== undefined && hasNumberIds(visit) ? Number(id) : (id ?? ""),
    title: known.title ?? shown?.title ?? "",
    content: known.content ?? shown?.content ?? "",
    slug: known.slug ?? shown?.slug ?? "",
    meta_description: known.slug === undefined ? (shown?.meta_description ?? null) : (known.meta_description ?? null),
    cta: { type: cta.type, label: cta.label, url: cta.url },
    domains:
      own.length === 0
        ? told
        : own.map(({ name, url = told.find((one) => one.name === name)?.url ?? "" }) => ({ name, url })),
    created_at: now,
    updated_at: now,
  };
}

/** What is known of every answer. */
export function commonFacts({ request, answer }: Exchange): Facts {
  const headers = new Headers(answer?.headers);
  const date = Date.parse(headers.get("Date") ?? "");
  return {
    status: answer?.status ?? 0,
    now: new Date(Number.isNaN(date) ? Date.now() : date).toISOString(),
    // A request has one, told in a header or not.
    requestId: headers.get("X-Request-Id") ?? headers.get("Request-Id") ?? "",
    path: request.path.split("?")[0] ?? "",
    origin: request.origin,
  };
}
