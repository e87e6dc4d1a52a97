// What is known of every answer of a visit: the plaintext from which templates are learned.
import { defaultListLimit, type FieldProblem, type FoundPage, isObject } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { isNumberId, lookup, readJson, readListIn, readPageIn, valueAt } from "./answers.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { isEmptyNotFound, type SentPage, type Step, type Visit } from "./visit.ts";

// Not imported: an import of node:http reads every export of it, WebSocket too, which loads all of fetch.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** An answer, and what it is about. */
export interface Sight {
  readonly exchange: Exchange;
  readonly facts: Facts;
}

type PageFacts = NonNullable<Facts["page"]>;
type Known = Partial<SentPage>;

/** The answers to creates. */
export function seeCreates({ steps, sent, fullId, twinId, shortestId }: Visit): Sight[] {
  const seen: [Exchange | undefined, Known, string | undefined][] = [
    [steps.create, sent.full, fullId],
    [steps.shortest, sent.shortest, shortestId],
    [steps.twin, sent.full, twinId],
  ];
  return seen.flatMap(([exchange, known, id]) => seePage(exchange, known, id));
}

/** The answers to updates, each with the fields that it was sent. */
export function seeUpdates({ steps, sent, fullId, movedId, shortestId }: Visit): Sight[] {
  const titled = { ...sent.full, title: sent.title };
  const seen: [Exchange | undefined, Known, string | undefined][] = [
    [steps.updateTitle, titled, fullId],
    [steps.updateRest, { ...titled, ...sent.rest }, movedId ?? fullId],
    [steps.updateOther, { ...sent.shortest, title: sent.title }, shortestId],
  ];
  return seen
    .flatMap(([exchange, known, id]) => seePage(exchange, known, id))
    .map(({ exchange, facts }) => {
      const changes: unknown = JSON.parse(exchange.request.body ?? "");
      return { exchange, facts: { ...facts, changes: isObject(changes) ? changes : undefined } };
    });
}

/** The answers to deletes: of the page without a description, and of one with it when that is cleaned up. */
export function seeDeletes({ steps, sent, shortestId, twinId }: Visit, exchanges: readonly Exchange[]): Sight[] {
  const path = twinId === undefined ? undefined : `/api/content/${encodeURIComponent(twinId)}`;
  const ofTwin = exchanges.find(
    (one) => one.request.method === "DELETE" && one.request.path === path && hasSucceeded(one),
  );
  return [
    ...seePage(steps.delete, { ...sent.shortest, title: sent.title }, shortestId),
    ...seePage(ofTwin, sent.full, twinId),
  ];
}

/** The answer to an event. */
export function seeEvents({ steps: { event } }: Visit): Sight[] {
  if (!hasSucceeded(event) || event === undefined) return [];
  const { pageId, timestamp } = JSON.parse(event.request.body ?? "") as { pageId: string; timestamp: string }; // why: the visit has sent both
  return [{ exchange: event, facts: { ...commonFacts(event), event: { id: "", pageId, timestamp } } }];
}

/** The answers to lists; `isEmpty` asks for those without a page. */
export function seeLists(visit: Visit, isEmpty: boolean): Sight[] {
  const { steps, views } = visit;
  if (isEmpty && steps.list !== undefined && isEmptyNotFound(visit)) {
    const list = { total: 0, limit: defaultListLimit, offset: 0, count: 0 };
    return [{ exchange: steps.list, facts: { ...commonFacts(steps.list), list } }];
  }
  const wholeCount = views.made?.isWhole === true ? views.made.pages.length : undefined;
  const seen: [Exchange | undefined, number | undefined][] = [
    [steps.list, 0],
    ...(views.made?.exchanges ?? []).map((exchange): [Exchange, number | undefined] => [exchange, wholeCount]),
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

/** Every page that lists show, as it came, with what is known of it. */
export function seeListed({ views, sent, fullId, twinId, shortestId }: Visit, lists: readonly Sight[]): Sample[] {
  const known = new Map<string | undefined, Known>([
    [fullId, sent.full],
    [shortestId, sent.shortest],
    [twinId, sent.full],
  ]);
  const later = new Set(views.deleted?.exchanges);
  return lists.flatMap(({ exchange, facts }) => {
    const list = readListIn(exchange);
    const elements = valueAt(readJson(exchange), list?.place ?? "");
    return (list?.pages ?? []).map((found, index) => {
      const { id } = found.page;
      const fields = later.has(exchange) ? undefined : known.get(id);
      return {
        value: elementOf(elements, index, id),
        facts: { ...facts, page: pageFacts(found, fields ?? {}, id, exchange) },
      };
    });
  });
}

function elementOf(elements: unknown, index: number, id: string | undefined): unknown {
  if (isObject(elements) && id !== undefined && Object.hasOwn(elements, id)) return elements[id];
  return Object.values(elements ?? {})[index];
}

/** The field that is wrong in what a step sends; of all others nobody knows whether one is to blame. */
const wrongFields: Partial<Record<Step, string>> = {
  "invalid-create": "title",
  "without-title": "title",
  "without-content": "content",
  "without-slug": "slug",
  "without-cta": "cta",
  "invalid-update": "title",
  updateTooLong: "title",
  updateSlugFormat: "slug",
  twin: "slug",
  eventUnknown: "pageId",
};

/** Statuses that blame the request as a whole. */
const blamesNoField = new Set([401, 403, 404, 410, 429]);

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && /^\/api\/content(?:\?|$)/.test(request.path);
}

/** Every answer with a status of an error, the one that shows it best first. */
export function seeErrors(
  visit: Visit,
  exchanges: readonly Exchange[],
  status: number,
  best: Exchange | undefined,
): Sight[] {
  const { steps } = visit;
  const isEmptyList = (exchange: Exchange) => status === 404 && isEmptyNotFound(visit) && isList(exchange);
  const fields = new Map(Object.entries(wrongFields).map(([step, field]) => [steps[step as Step], field])); // why: its own keys
  const seen = new Set([best, ...exchanges].filter((exchange) => exchange?.answer?.status === status));
  return [...seen].flatMap((exchange) => {
    if (exchange === undefined || isEmptyList(exchange)) return [];
    if (!(fields.has(exchange) || blamesNoField.has(status) || status >= 500)) return [];
    const field = fields.get(exchange);
    const errors: FieldProblem[] = field === undefined ? [] : [{ pointer: `#/${field}`, detail: "" }];
    const reason = STATUS_CODES[status] ?? "";
    return [{ exchange, facts: { ...commonFacts(exchange), error: { reason, detail: "", errors } } }];
  });
}

/** The bodies of answers, as samples. */
export function bodiesOf(sights: readonly Sight[]): Sample[] {
  return sights.map(({ exchange, facts }) => ({ value: readJson(exchange), facts }));
}

function seePage(exchange: Exchange | undefined, known: Known, id: string | undefined): Sight[] {
  if (exchange === undefined || !hasSucceeded(exchange)) return [];
  const found = readPageIn(exchange);
  return [{ exchange, facts: { ...commonFacts(exchange), page: pageFacts(found, known, id, exchange) } }];
}

function pageFacts(found: FoundPage | undefined, known: Known, id: string | undefined, exchange: Exchange): PageFacts {
  const shown = found?.page;
  const { now } = commonFacts(exchange);
  const cta = known.cta ?? shown?.cta ?? { type: "", label: "", url: "" };
  return {
    // Identifiers of digits are numbers in the dialect that is learned, wherever they are not written as text.
    id: id !== undefined && id.length <= 15 && isNumberId(id) ? Number(id) : (id ?? ""),
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

function commonFacts({ request, answer }: Exchange): Facts {
  const headers = lookup(answer?.headers ?? {});
  const date = Date.parse(headers.get("Date") ?? "");
  return {
    status: answer?.status ?? 0,
    now: new Date(Number.isNaN(date) ? Date.now() : date).toISOString(),
    requestId: headers.get("X-Request-Id") ?? headers.get("Request-Id"),
    path: request.path.split("?")[0] ?? "",
  };
}
