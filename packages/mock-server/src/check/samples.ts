// What is known of every answer of a visit: the plaintext from which templates are learned.
import { defaultListLimit, type FoundPage, isObject, parseJson } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { lastSegment } from "./addressing.ts";
import { isNumberId, lookup, readJson, readListIn, readPageIn, valueAt } from "./answers.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { findById } from "./listing.ts";
import { isEmptyNotFound, type SentPage, type Visit } from "./visit.ts";

/** An answer, and what it is about. */
export interface Sight {
  readonly exchange: Exchange;
  readonly facts: Facts;
}

/** What is known of each page that a list shows, if anything, by what is known of the list. */
export type KnownPages = ReadonlyMap<Facts, readonly (Facts | undefined)[]>;

type PageFacts = NonNullable<Facts["page"]>;
type Known = Partial<SentPage>;

/** The answers to creates. */
export function seeCreates(visit: Visit): Sight[] {
  const { steps, sent, fullId, twinId, shortestId } = visit;
  const repeatId = readPageIn(steps.repeat)?.page.id;
  const seen: (readonly [Exchange | undefined, Known, string | undefined])[] = [
    [steps.create, sent.full, fullId],
    [steps.shortest, sent.shortest, shortestId],
    [steps.twin, sent.full, twinId],
    ...(repeatId === undefined ? [] : [[steps.repeat, sent.full, repeatId] as const]),
  ];
  return seen.flatMap(([exchange, known, id]) => seePage(visit, exchange, known, id));
}

/** The answers to updates, each with the fields that it was sent. */
export function seeUpdates(visit: Visit): Sight[] {
  const { steps, sent, fullId, movedId, shortestId } = visit;
  const titled = { ...sent.full, title: sent.title };
  const seen: [Exchange | undefined, before: Known, after: Known, string | undefined][] = [
    [steps.updateTitle, sent.full, titled, fullId],
    [steps.updateRest, titled, { ...titled, ...sent.rest }, movedId ?? fullId],
    [steps.updateOther, sent.shortest, { ...sent.shortest, title: sent.title }, shortestId],
  ];
  return seen.flatMap(([exchange, before, after, id]) =>
    seePage(visit, exchange, after, id).map(({ exchange, facts }) => {
      const changes: unknown = JSON.parse(exchange.request.body ?? "");
      const previous = pageFacts(undefined, before, id, exchange);
      return { exchange, facts: { ...facts, changes: isObject(changes) ? changes : undefined, previous } };
    }),
  );
}

/** The answers to deletes: of the page without a description, and of those with one when they are cleaned up. */
export function seeDeletes(visit: Visit, exchanges: readonly Exchange[]): Sight[] {
  const { steps, sent, fullId, shortestId, twinId } = visit;
  const cleanUpOf = (id: string | undefined) => {
    const paths = [id, id && lastSegment(id)].flatMap((name) =>
      name === undefined ? [] : [`/api/content/${encodeURIComponent(name)}`],
    );
    return exchanges.find(
      (one) => one.request.method === "DELETE" && paths.includes(one.request.path) && hasSucceeded(one),
    );
  };
  const { cta: _, ...rest } = sent.rest;
  const rewritten = { ...rest, title: sent.title };
  // What became of the first page by updates that may be refused or not, only the answer tells.
  const ofFull = cleanUpOf(fullId);
  const isRewritten = Object.values(rewritten).every((text) => ofFull?.answer?.body.includes(text));
  return [
    ...seePage(visit, steps.delete, { ...sent.shortest, title: sent.title }, shortestId),
    ...seePage(visit, cleanUpOf(twinId), sent.full, twinId),
    ...(isRewritten ? seePage(visit, ofFull, rewritten, fullId) : []),
  ];
}

/** The answers to events: for a page with a description, and for one without. */
export function seeEvents(visit: Visit): Sight[] {
  const { steps, sent, fullId, shortestId } = visit;
  const seen: [Exchange | undefined, Known, string | undefined][] = [
    [steps.event, sent.full, fullId],
    [steps.eventOther, sent.shortest, shortestId],
  ];
  return seen.flatMap(([exchange, known, id]) => {
    if (!hasSucceeded(exchange) || exchange === undefined) return [];
    const { pageId, timestamp } = JSON.parse(exchange.request.body ?? "") as { pageId: string; timestamp: string }; // why: the visit has sent both
    const found = readPageIn(exchange, { ...known });
    // What has the slug of the page is the page; anything else tells of the event.
    const own = JSON.stringify(found?.record ?? null).includes(known.slug ?? pageId) ? found : undefined;
    const page = { ...pageFacts(undefined, known, id, exchange), domains: domainsOf(visit, id, own) };
    return [{ exchange, facts: { ...commonFacts(exchange), event: { id: "", pageId, timestamp }, page } }];
  });
}

/** The answers to lists; `isEmpty` asks for those without a page. */
export function seeLists(visit: Visit, isEmpty: boolean): Sight[] {
  const { steps, views } = visit;
  if (isEmpty && steps.list !== undefined && isEmptyNotFound(visit)) {
    const list = { total: 0, limit: defaultListLimit, offset: 0, count: 0 };
    return [{ exchange: steps.list, facts: { ...commonFacts(steps.list), list } }];
  }
  const { made } = views;
  // A first stride that is not full is the whole listing too.
  const isShort = made?.exchanges.length === 1 && made.pages.length < defaultListLimit;
  const wholeCount = made?.isWhole === true || isShort ? made.pages.length : undefined;
  const seen: [Exchange | undefined, number | undefined][] = [
    [steps.list, 0],
    ...(made?.exchanges ?? []).map((exchange): [Exchange, number | undefined] => [exchange, wholeCount]),
    [steps.listOne, wholeCount],
    [steps.listNext, wholeCount],
    [steps.listDefault, undefined],
    ...(views.deleted?.exchanges ?? []).map((exchange): [Exchange, undefined] => [exchange, undefined]),
  ];
  return seen.flatMap(([exchange, total]) => {
    const list = readListIn(exchange);
    if (exchange === undefined || list === undefined || (list.pages.length === 0) !== isEmpty) return [];
    const query = new URLSearchParams(exchange.request.path.split("?")[1]);
    const counts = {
      total: list.total?.count ?? total ?? list.pages.length,
      limit: Number(query.get("limit") ?? defaultListLimit),
      offset: Number(query.get("offset") ?? 0),
      count: list.pages.length,
    };
    // Beyond the end there are no pages either, but a total.
    if (isEmpty && counts.offset > 0) return [];
    return [{ exchange, facts: { ...commonFacts(exchange), list: counts } }];
  });
}

/** A page of a list, and its name where the list is a map. */
export interface ListedSample extends Sample {
  readonly key: string | undefined;
}

/** Every page that lists show, as it came, with what is known of it; and what is known of all pages of each list. */
export function seeListed(visit: Visit, lists: readonly Sight[]): [ListedSample[], KnownPages] {
  const later = new Set(visit.views.deleted?.exchanges);
  const seen = lists.map(({ exchange, facts }) => {
    const list = readListIn(exchange);
    const elements = valueAt(plainJson(exchange), list?.place ?? "");
    const pages = (list?.pages ?? []).map((found, index) => {
      const { id } = found.page;
      const key = keyOf(elements, index, id);
      const value = valueOf(elements, key ?? index);
      const known = findSent(visit, { id, value, isLater: later.has(exchange) });
      return { known, sample: { key, value, facts: { ...facts, page: pageFacts(found, known ?? {}, id, exchange) } } };
    });
    return { facts, pages };
  });
  // A page of which nobody knows what was sent explains nothing.
  const all = seen.flatMap(({ pages }) => pages);
  const certain = all.filter(({ known }) => known !== undefined);
  const listed = (certain.length > 0 ? certain : all).map(({ sample }) => sample);
  const known = seen.map(({ facts, pages }): [Facts, (Facts | undefined)[]] => [
    facts,
    pages.map((page) => page.known && page.sample.facts),
  ]);
  return [listed, new Map(known)];
}

/** What was sent of a listed page: by its identifier, else by the slug that stands in it under whatever name. */
function findSent(
  { sent, fullId, movedId, twinId, shortestId }: Visit,
  { id, value, isLater }: { id: string | undefined; value: unknown; isLater: boolean },
): Known | undefined {
  if (id !== undefined) {
    if (id === shortestId) return sent.shortest;
    if (id === twinId) return sent.full;
    if (id === fullId || id === movedId) return isLater ? undefined : sent.full;
  }
  const text = JSON.stringify(value);
  const at = text.indexOf(sent.full.slug);
  if (at < 0) return undefined;
  const [end = ""] = /^-\w+/.exec(text.slice(at + sent.full.slug.length)) ?? [];
  if (end === "") return sent.full;
  if (end !== "-short" && !/^-\d+$/.test(end)) return undefined;
  // A service may put a number behind a slug that is taken.
  return { ...(text.includes(sent.full.title) ? sent.full : sent.shortest), slug: sent.full.slug + end };
}

/** The body of an answer as JSON, with its long numbers as numbers. */
function plainJson(exchange: Exchange): unknown {
  return parseJson(exchange.answer?.body ?? "") ?? readJson(exchange);
}

function keyOf(elements: unknown, index: number, id: string | undefined): string | undefined {
  if (!isObject(elements)) return undefined;
  return id !== undefined && Object.hasOwn(elements, id) ? id : Object.keys(elements)[index];
}

function valueOf(elements: unknown, key: string | number): unknown {
  return Object.entries(elements ?? {}).find(([name]) => name === String(key))?.[1];
}

/** The bodies of answers, as samples. */
export function bodiesOf(sights: readonly Sight[]): Sample[] {
  return sights.map(({ exchange, facts }) => ({ value: plainJson(exchange), facts }));
}

function seePage(visit: Visit, exchange: Exchange | undefined, known: Known, id: string | undefined): Sight[] {
  if (exchange === undefined || !hasSucceeded(exchange)) return [];
  const found = readPageIn(exchange);
  const page = { ...pageFacts(found, known, id, exchange), domains: domainsOf(visit, id, found) };
  return [{ exchange, facts: { ...commonFacts(exchange), page } }];
}

/** The domains of a page: as its own answer tells them, else whichever tells them first; a URL is known from any. */
function domainsOf(
  { steps, views, fullId, twinId, shortestId }: Visit,
  id: string | undefined,
  own: FoundPage | undefined,
): PageFacts["domains"] {
  const about = [
    { of: fullId, answers: [steps.create, steps.updateTitle, steps.updateRest] },
    { of: shortestId, answers: [steps.shortest, steps.updateOther, steps.delete] },
    { of: twinId, answers: [steps.twin] },
  ].filter(({ of }) => id !== undefined && of === id);
  const listed = Object.values(views).map((view) => findById(view.pages, id));
  const told = [own, ...about.flatMap(({ answers }) => answers.map((answer) => readPageIn(answer))), ...listed].map(
    (found) => found?.page.domains ?? [],
  );
  const urlOf = (name: string) => told.flat().find((one) => one.name === name && one.url !== undefined)?.url;
  const domains = told.find(({ length }) => length > 0) ?? [];
  return domains.map(({ name, url }) => ({ name, url: url ?? urlOf(name) ?? "" }));
}

function pageFacts(found: FoundPage | undefined, known: Known, id: string | undefined, exchange: Exchange): PageFacts {
  const shown = found?.page;
  const { now } = commonFacts(exchange);
  const cta = known.cta ?? shown?.cta ?? { type: "", label: "", url: "" };
  return {
    // Identifiers of digits are numbers in the dialect that is learned, wherever they are not written as text.
    id: id !== undefined && isNumberId(id) ? Number(id) : (id ?? ""),
    title: known.title ?? shown?.title ?? "",
    content: known.content ?? shown?.content ?? "",
    slug: known.slug ?? shown?.slug ?? "",
    meta_description: known.slug === undefined ? (shown?.meta_description ?? null) : (known.meta_description ?? null),
    cta: { type: cta.type, label: cta.label, url: cta.url },
    domains: (shown?.domains ?? []).map(({ name, url }) => ({ name, url: url ?? "" })),
    created_at: now,
    updated_at: now,
  };
}

/** What is known of every answer. */
export function commonFacts({ request, answer }: Exchange): Facts {
  const headers = lookup(answer?.headers ?? {});
  const date = Date.parse(headers.get("Date") ?? "");
  return {
    status: answer?.status ?? 0,
    now: new Date(Number.isNaN(date) ? Date.now() : date).toISOString(),
    requestId: headers.get("X-Request-Id") ?? headers.get("Request-Id"),
    path: request.path.split("?")[0] ?? "",
    origin: request.origin,
  };
}
