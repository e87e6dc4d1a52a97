// What is known of every answer of a visit: the plaintext from which templates are learned.
import { type FoundPage, isObject } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { lastSegment, lookup, plainJson, readPageIn } from "./answers.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { findById } from "./listing.ts";
import { hasNumberIds, type SentPage, type Visit } from "./visit.ts";

/** An answer, and what it is about. */
export interface Sight {
  readonly exchange: Exchange;
  readonly facts: Facts;
}

type PageFacts = NonNullable<Facts["page"]>;
/** What is known of a page: what was sent of it. */
export type Known = Partial<SentPage>;

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
      const previous = pageFacts(visit, undefined, before, id, exchange);
      return { exchange, facts: { ...facts, changes: isObject(changes) ? changes : undefined, previous } };
    }),
  );
}

/** The answers to deletes: of the page without a description, and of those with one when they are cleaned up. */
export function seeDeletes(visit: Visit, exchanges: readonly Exchange[]): Sight[] {
  const { steps, sent, fullId, shortestId, twinId } = visit;
  const cleanUpOf = (id: string | undefined) => {
    const names = id === undefined ? [] : [id, lastSegment(id)];
    const paths = new Set(names.map((name) => `/api/content/${encodeURIComponent(name)}`));
    return exchanges.find((one) => one.request.method === "DELETE" && paths.has(one.request.path) && hasSucceeded(one));
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
    const page = { ...pageFacts(visit, undefined, known, id, exchange), domains: domainsOf(visit, id, own) };
    return [{ exchange, facts: { ...commonFacts(exchange), event: { id: "", pageId, timestamp }, page } }];
  });
}

/** The bodies of answers, as samples. */
export function bodiesOf(sights: readonly Sight[]): Sample[] {
  return sights.map(({ exchange, facts }) => ({ value: plainJson(exchange), facts }));
}

function seePage(visit: Visit, exchange: Exchange | undefined, known: Known, id: string | undefined): Sight[] {
  if (exchange === undefined || !hasSucceeded(exchange)) return [];
  const found = readPageIn(exchange);
  const page = { ...pageFacts(visit, found, known, id, exchange), domains: domainsOf(visit, id, found) };
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

/** A page as far as it is known: what was sent of it, else what the answer shows. */
export function pageFacts(
  visit: Visit,
  found: FoundPage | undefined,
  known: Known,
  id: string | undefined,
  exchange: Exchange,
): PageFacts {
  const shown = found?.page;
  const { now } = commonFacts(exchange);
  const cta = known.cta ?? shown?.cta ?? { type: "", label: "", url: "" };
  return {
    // Identifiers of digits are numbers in the dialect that is learned, wherever they are not written as text.
    id: id !== undefined && hasNumberIds(visit) ? Number(id) : (id ?? ""),
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
