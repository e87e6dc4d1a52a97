// Derives the facts about every response of a check from the requests before it.
import { defaultListLimit, type EndpointName, endpoints, statusTitles } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { findProblem, inferPage, lettersOf } from "@landing-page-service/contract/internal";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import type { Sample } from "./learn.ts";
import { type Element, listAt } from "./lists.ts";
import { readId } from "./id-places.ts";
import type { PageName, ProbeName, Session } from "./probes.ts";
import type { SentPage } from "./sent-pages.ts";

/** An exchange and the facts about it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly facts: Facts;
  /** The pages of the check in the response, in its order. */
  readonly pages: readonly ShownPage[];
}

/** A page of the check in a response: the whole body, or an element of a list. */
export interface ShownPage extends Sample, Stored {
  readonly exchange: Exchange;
}

type PageFacts = NonNullable<Facts["page"]>;

/** A page of the check as it is stored after a request. */
interface Stored {
  readonly name: PageName;
  readonly page: SentPage;
  /** The fields that the last write sent. */
  readonly sent: Partial<SentPage>;
}

/** Names of responses that have a template of their own in a dialect, in the order of a report. */
export const responseNames = [
  "createPage",
  "updatePage",
  "deletePage",
  "trackEvent",
  "listPages",
  "emptyList",
  "emptyAccount",
] as const satisfies (EndpointName | "emptyList" | "emptyAccount")[];

/** The name of a successful response, or of an error: `errors/` and the status of the reference dialect, or `malformed`. */
export type ResponseName = (typeof responseNames)[number] | `errors/${string}`;

/** All observations, by the name of their template. */
export type Observed = ReadonlyMap<ResponseName, readonly Observation[]>;

type Named = [name: ResponseName, one: Observation];

/** Adds the known facts to all exchanges of a check. */
export function observe(session: Session): Observed {
  const { exchanges, about } = session;
  // Pages whose fields are unknown are not in this map.
  const stored = new Map<PageName, Stored>();
  const named = exchanges.flatMap((exchange): Named[] => {
    const { page: name, fields } = about.get(exchange) ?? {};
    const before = name && stored.get(name);
    if (name !== undefined && fields !== undefined && hasSucceeded(exchange)) {
      const isKnown = before !== undefined || exchange.request.method === "POST";
      if (fields === null || !isKnown) stored.delete(name);
      else stored.set(name, { name, sent: fields, page: { ...before?.page, ...fields } as SentPage }); // why: a create sends all fields
    }
    const common = commonFacts(exchange);
    const show = (value: unknown, known: Stored | undefined): ShownPage | undefined => {
      if (known === undefined) return undefined;
      return { ...known, exchange, value, facts: { ...common, page: pageFacts(session, known, value, common) } };
    };
    if (isList(exchange)) {
      const find = (id: string) => [...stored.values()].find((one) => session.ids[one.name] === id);
      return observeList(session, exchange, common, ({ value }, id) => show(value, find(id)));
    }
    if (name === undefined || !hasSucceeded(exchange)) return [];
    const previous = show(jsonOf(exchange), before);
    const page = show(jsonOf(exchange), stored.get(name)) ?? previous;
    return page ? observeWrite(session, page, previous?.facts.page) : [];
  });
  const groups = Map.groupBy([...named, ...observeErrors(session)], ([name]) => name);
  const names = new Set<ResponseName>([...responseNames, ...groups.keys()]);
  return new Map([...names].map((name) => [name, (groups.get(name) ?? []).map(([, one]) => one)]));
}

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && request.path.startsWith("/api/content");
}

const methods: Record<string, EndpointName> = { GET: "listPages", PUT: "updatePage", DELETE: "deletePage" };

/** The endpoint of a request. */
export function endpointOf({ request: { method, path } }: Exchange): EndpointName {
  return path === endpoints.trackEvent.path ? "trackEvent" : (methods[method] ?? "createPage");
}

/** Observes a successful create, update, delete or event. */
function observeWrite({ about }: Session, shown: ShownPage, previous: PageFacts | undefined): Named[] {
  const { exchange, facts } = shown;
  const { fields, event } = about.get(exchange) ?? {};
  const { method } = exchange.request;
  // The identifier of a second page with the same fields may be unknown.
  if ((method === "PUT" && !fields) || (shown.name === "twin" && facts.page?.id === "")) return [];
  const pages = [shown];
  if (event !== undefined) return [["trackEvent", { exchange, pages, facts: { ...facts, event } }]];
  const changes = method === "PUT" && { changes: { ...fields }, previous };
  return [[endpointOf(exchange), { exchange, pages, facts: { ...facts, ...changes } }]];
}

/** Observes a list: with pages, beyond the last page, or of the empty account. */
function observeList(
  session: Session,
  exchange: Exchange,
  common: Facts,
  show: (element: Element, id: string) => ShownPage | undefined,
): Named[] {
  const { probes, ids, isEmpty, listPath, listIdPlace, listings } = session;
  const own = Object.values(listings).find(({ exchanges }) => exchanges.includes(exchange));
  const { list, listOne, listNext, listPast, listDefault } = probes;
  const isKnown =
    own !== undefined || [isEmpty ? list : undefined, listOne, listNext, listPast, listDefault].includes(exchange);
  const isEnd = exchange === list || exchange === listPast;
  if (!isKnown || !(hasSucceeded(exchange) || (isEnd && exchange.answer?.status === 404))) return [];
  const shown = listAt(jsonOf(exchange), listPath);
  const query = new URLSearchParams(exchange.request.path.split("?")[1]);
  const [offset, count] = [Number(query.get("offset") ?? 0), shown.length];
  // A list request outside a full listing takes its total from the next listing. The check creates no page in between.
  const next = exchange === listOne || exchange === listNext ? listings.made : undefined;
  const whole = own ?? next ?? listings.rewritten ?? listings.titled;
  const total = exchange === list ? 0 : whole?.isWhole ? whole.elements.length : offset + count;
  const limit = Number(query.get("limit") ?? defaultListLimit);
  const facts: Facts = { ...common, list: { total, limit, offset, count } };
  const pages = shown.flatMap((element) => {
    const id = readId(element, listIdPlace);
    const page = id === undefined ? undefined : show(element, id);
    return page ? [{ ...page, facts: { ...facts, page: page.facts.page } }] : [];
  });
  const one = { exchange, facts, pages };
  if (exchange === list) return [["emptyAccount", one]];
  if (exchange === listPast) return count === 0 ? [["emptyList", one]] : [];
  // An empty list is an observation too if the list should contain a page.
  const isDue = own !== undefined || Object.values(ids).filter((id) => id !== undefined).length > offset;
  return count > 0 || isDue ? [["listPages", one]] : [];
}

/** The facts about a stored page, with the domains that a response shows. */
function pageFacts(session: Session, { name, page }: Stored, value: unknown, { origin, now }: Facts): PageFacts {
  const id = session.ids[name] ?? "";
  return {
    meta_description: null,
    ...page,
    id: hasIntegerIds(session) && id !== "" ? Number(id) : id,
    domains: inferDomains(value, page, origin),
    created_at: now,
    updated_at: now,
  };
}

/** Finds the domains that a client without a dialect reads. A check cannot try domains as it tries identifiers. */
function inferDomains(value: unknown, page: SentPage, origin: string): PageFacts["domains"] {
  const response = { status: 200, headers: new Headers(), body: value };
  const { domains } = inferPage(response, { apiHost: new URL(origin).host, sent: { ...page } }).page;
  return domains.map(({ name, url = "" }) => ({ name, url }));
}

/** The facts that every response has. */
function commonFacts({ request, answer }: Exchange): Facts {
  const headers = new Headers(answer?.headers);
  const date = Date.parse(headers.get("Date") ?? "");
  return {
    status: answer?.status ?? 0,
    now: new Date(Number.isNaN(date) ? Date.now() : date).toISOString(),
    requestId: headers.get("X-Request-Id") ?? headers.get("Request-Id") ?? crypto.randomUUID(),
    path: request.path.split("?")[0] ?? "",
    origin: request.origin,
  };
}

/** Whether identifiers are integers. Strings with leading zeros, such as `0041`, are not. */
export function hasIntegerIds({ ids, listings, listIdPlace }: Session): boolean {
  const listed = (listings.made?.elements ?? []).map((element) => readId(element, listIdPlace));
  const known = [...Object.values(ids), ...listed].filter((id) => id !== undefined);
  return known.every((id) => /^(?:0|[1-9]\d{0,14})$/.test(id));
}

/**
 * The errors of the reference dialect, by their status: the probe that is the best example, or else any response with that status, and the
 * names of the probes that a service refuses with it.
 */
const errors: readonly (readonly [name: number | "malformed", best?: ProbeName, refused?: RegExp])[] = [
  [400, "invalid-create", /^(?:invalid|without)-/],
  [401, "anonymous-list", /^(?:anonymous|wrongKey)-/],
  [404, "updateDeleted", /Deleted$|^eventUnknown$/],
  [409, "twin"],
  [429],
  [500],
  ["malformed", "malformed-create", /^malformed-/],
];

/**
 * Observes the errors for which the check knows whether a field is wrong, and the successes of requests that should fail, which may report
 * an error. The first of each name is the best example.
 */
function observeErrors({ probes, exchanges, about }: Session): Named[] {
  return errors.flatMap(([name, bestProbe, refused]) => {
    const best = bestProbe ? probes[bestProbe] : exchanges.find(({ answer }) => answer?.status === name);
    const status = best?.answer?.status ?? 0;
    // A duplicate slug may return 400, like any other wrong field.
    if (best === undefined || status === 0 || (name === 409 && status !== 409)) return [];
    const isRefusal = name === 400 || name === 409;
    const own = Object.entries(probes).flatMap(([probe, one]) => (refused?.test(probe) ? one : []));
    const others = name === "malformed" || status < 400 ? own : exchanges;
    return [...new Set([best, ...others])].flatMap((one): Named[] => {
      const { wrong } = about.get(one) ?? {};
      // A 404 for a list means that it has no pages.
      const isError = one.answer?.status === status && !(status === 404 && isList(one));
      if (!isError || (wrong === undefined && isRefusal)) return [];
      // A 400 or 409 names the wrong field, other fields or none, so look for it. At other statuses, the mock server names only this field.
      const isNamed = wrong !== undefined && (!isRefusal || namesField(one, wrong));
      const pointer = name === "malformed" ? "#" : isNamed ? `${isList(one) ? "" : "#/"}${wrong}` : undefined;
      return [[`errors/${name}`, observeError(one, pointer, status < 400 ? Number(name) || 400 : status)]];
    });
  });
}

/** Whether a response names a field, in any spelling. */
function namesField({ answer }: Exchange, field: string): boolean {
  return lettersOf(answer?.body ?? "").includes(lettersOf(field));
}

function observeError(exchange: Exchange, pointer: string | undefined, status: number): Observation {
  // A check cannot try messages, so it takes the message that a client without a dialect reads.
  const { detail, errors: found } = findProblem(exchange.answer?.body ?? "");
  const errors = pointer === undefined ? [] : [{ pointer, detail: found[0]?.detail ?? detail }];
  const reason = statusTitles[status] ?? "";
  return { exchange, pages: [], facts: { ...commonFacts(exchange), status, error: { reason, detail, errors } } };
}
