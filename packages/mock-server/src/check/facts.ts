// What is known of every response of a check: it follows from what was sent before.
import { defaultListLimit, type EndpointName, statusTitles } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, mentions } from "./json.ts";
import { lettersOf } from "./learn.ts";
import { listAt, pathOf, readCreatedId, readElementId } from "./pages.ts";
import type { ProbeName, SentPage, Session } from "./probes.ts";

/** A response, and what is known of it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly facts: Facts;
  /** The known facts about each page of a list, in its order; `undefined` for a page of somebody else. */
  readonly pages?: readonly (PageFacts | undefined)[];
}

type PageFacts = NonNullable<Facts["page"]>;
/** A page as it is stored; `undefined` once it was sent something of which nobody knows what becomes of it. */
type Stored = SentPage | undefined;

/** The templates of a dialect for single responses, in the order in which a report has them. */
export const responseNames = [
  "createPage",
  "updatePage",
  "deletePage",
  "trackEvent",
  "listPages",
  "emptyList",
  "emptyAccount",
] as const satisfies (EndpointName | "emptyList" | "emptyAccount")[];

/** A response that succeeded, or an error by the status that our reference service has, or `malformed`. */
type ResponseName = (typeof responseNames)[number] | `errors/${string}`;

/** Everything that was observed, by the name of the template. */
export type Observed = ReadonlyMap<ResponseName, readonly Observation[]>;

/** Goes through everything that was said, and keeps the pages of the check as each request found and left them. */
export function observe(session: Session): Observed {
  const about = createFacts(session);
  const stored = new Map<string, Stored>();
  const named = session.client.exchanges.flatMap((exchange) => {
    if (isList(exchange)) return observeList(session, about, exchange, stored);
    return hasSucceeded(exchange) ? observeWrite(session, about, exchange, stored) : [];
  });
  const groups = Map.groupBy([...named, ...observeErrors(session)], ([name]) => name);
  const names = new Set<ResponseName>([...responseNames, ...groups.keys()]);
  return new Map([...names].map((name) => [name, (groups.get(name) ?? []).map(([, one]) => one)]));
}

type Named = [name: ResponseName, one: Observation];
type About = ReturnType<typeof createFacts>;

/** A list with pages, one after the last page, or one of the account while it had none. */
function observeList(
  { probes, listings, isEmpty }: Session,
  about: About,
  exchange: Exchange,
  stored: ReadonlyMap<string, Stored>,
): Named[] {
  const isFound = hasSucceeded(exchange) || exchange.answer?.status === 404;
  const { list, listOne, listNext, listPast, listDefault } = probes;
  const others = [
    listOne,
    listNext,
    listDefault,
    ...[listings.made, listings.deleted].flatMap((one) => one?.exchanges),
  ];
  if (!isFound || ![isEmpty ? list : undefined, listPast, ...others].includes(exchange)) return [];
  const one = about.list(exchange, stored);
  const { count = 0, offset = 0 } = one.facts.list ?? {};
  if (exchange === listPast) return count === 0 ? [["emptyList", one]] : [];
  if (exchange === list) return [["emptyAccount", one]];
  // Those too in which a page must be, whether it is found there or not.
  const isDue = count > 0 || stored.size > offset || exchange === listings.made?.exchanges[0];
  return hasSucceeded(exchange) && isDue ? [["listPages", one]] : [];
}

/** The success of a create, an update, a delete or an event. */
function observeWrite(session: Session, about: About, exchange: Exchange, stored: Map<string, Stored>): Named[] {
  const { probes, ids, sent, idPlace } = session;
  const { method, path, body = "" } = exchange.request;
  if ([probes.create, probes.shortest, probes.twin].includes(exchange)) {
    const [known, page] = exchange === probes.shortest ? [ids.shortest, sent.shortest] : [ids.full, sent.full];
    const id = readCreatedId(exchange, idPlace) ?? (exchange === probes.twin ? ids.twin : known);
    if (id !== undefined) stored.set(id, page);
    return id === undefined && exchange === probes.twin ? [] : [["createPage", about.page(exchange, id, page)]];
  }
  if (exchange === probes.event || exchange === probes.eventOther) {
    const event = JSON.parse(body) as { pageId: string; timestamp: string }; // why: the check has sent both
    const { facts } = about.page(exchange, event.pageId, stored.get(event.pageId));
    return [["trackEvent", { exchange, facts: { ...facts, event: { id: "", ...event } } }]];
  }
  const id = [...stored.keys()].find((id) => pathOf(id) === path);
  if (id === undefined || (method !== "PUT" && method !== "DELETE")) return [];
  const before = stored.get(id);
  stored.delete(id);
  if (method === "DELETE") return [["deletePage", about.page(exchange, id, before)]];
  const isPlain = [probes.updateTitle, probes.updateOther, probes.updateRest].includes(exchange);
  if (before === undefined || !isPlain) {
    stored.set(id, undefined);
    return [];
  }
  const changes = JSON.parse(body) as Partial<SentPage>; // why: the check has sent it
  const page = { ...before, ...changes };
  // An identifier may follow from the slug.
  const moved = id.replace(before.slug, page.slug);
  stored.set(moved, page);
  const previous = about.page(exchange, moved, before).facts.page;
  const { facts } = about.page(exchange, moved, page);
  return [["updatePage", { exchange, facts: { ...facts, changes: { ...changes }, previous } }]];
}

/** Tells the facts of single responses. */
function createFacts(session: Session) {
  const { client, sent, listings, listIdPlace, listPath } = session;
  const apiHost = new URL(client.exchanges[0]?.request.origin ?? "http://localhost").host;
  const listed = Object.values(listings).flatMap(({ elements }) => elements.map(({ value }) => value));
  const bodies = client.exchanges.filter((one) => hasSucceeded(one) && one.request.method !== "GET").map(jsonOf);
  const hasNumbers = hasNumberIds(session);
  const told = new Map(
    [sent.full.slug, sent.shortest.slug, sent.rest.slug].map((slug) => {
      const values = [...bodies, ...listed].filter((value) => mentions(value, slug));
      return [slug, findDomains(values, slug, apiHost)];
    }),
  );
  const pageFacts = (id: string | undefined, page: Stored, exchange: Exchange, value: unknown): PageFacts => {
    const { now } = commonFacts(exchange);
    const { title = "", content = "", slug = "", meta_description = null, cta } = page ?? {};
    const known = told.get(slug) ?? [];
    // A response may show only some of them.
    const own = findDomains([value], slug, apiHost);
    const urlOf = (name: string) => known.find((one) => one.name === name)?.url ?? "";
    return {
      id: id !== undefined && hasNumbers ? Number(id) : (id ?? ""),
      title,
      content,
      slug,
      meta_description,
      cta: cta ?? { type: "", label: "", url: "" },
      domains: own.length === 0 ? known : own.map(({ name, url }) => ({ name, url: url || urlOf(name) })),
      created_at: now,
      updated_at: now,
    };
  };
  /** How many pages there are, where a listing next to this one was read to its end. */
  const countPages = (exchange: Exchange): number | undefined => {
    const { made, deleted, rewritten, titled } = listings;
    const listing = [made, deleted].find((one) => one?.exchanges.includes(exchange)) ?? rewritten ?? titled;
    return listing?.isWhole === true ? listing.elements.length : undefined;
  };
  return {
    page: (exchange: Exchange, id: string | undefined, page: Stored): Observation => ({
      exchange,
      facts: { ...commonFacts(exchange), page: pageFacts(id, page, exchange, jsonOf(exchange)) },
    }),
    list: (exchange: Exchange, stored: ReadonlyMap<string, Stored>): Observation => {
      const elements = listAt(jsonOf(exchange), listPath);
      const query = new URLSearchParams(exchange.request.path.split("?")[1]);
      const [offset, count] = [Number(query.get("offset") ?? 0), elements.length];
      const total = exchange === session.probes.list ? 0 : (countPages(exchange) ?? offset + count);
      const list = { total, limit: Number(query.get("limit") ?? defaultListLimit), offset, count };
      const pages = elements.map((element) => {
        const id = readElementId(element, listIdPlace);
        const page = id === undefined ? undefined : stored.get(id);
        return page && pageFacts(id, page, exchange, element.value);
      });
      return { exchange, facts: { ...commonFacts(exchange), list }, pages };
    },
  };
}

/** What is known of every response. */
function commonFacts({ request, answer }: Exchange): Facts {
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

/** Whether identifiers are numbers: digits that a number is written with, and not `0041`. */
export function hasNumberIds({ ids, listings, listIdPlace }: Session): boolean {
  const listed = (listings.made?.elements ?? []).map((element) => readElementId(element, listIdPlace));
  const known = [...Object.values(ids), ...listed].filter((id) => id !== undefined);
  return known.every((id) => /^(?:0|[1-9]\d{0,14})$/.test(id));
}

/**
 * The domains of a page: the hosts of links that end in its slug, and host names that are a whole string under a name for
 * hosts. Nothing else in a response says where a page is, and this cannot be tried.
 */
function findDomains(values: readonly unknown[], slug: string, apiHost: string): PageFacts["domains"] {
  const urls = new Map<string, string>();
  const add = (name: string, url: string): void => {
    if (name !== apiHost && name !== "example.com" && !urls.get(name)) urls.set(name, url);
  };
  const visit = (value: unknown, isNamed: boolean): void => {
    for (const [name, inner] of entriesOf(value)) {
      if (isNamed && hostName.test(name)) add(name, "");
      visit(inner, isNamed || /domain|host|alias|fqdn|site/i.test(name));
    }
    if (typeof value !== "string") return;
    const url = /^https?:\/\//.test(value) ? URL.parse(value) : null;
    if (url !== null && (isNamed || mentions(url.pathname, slug))) add(url.host, value);
    else if (isNamed && hostName.test(value)) add(value, "");
  };
  for (const value of values) visit(value, false);
  return [...urls].map(([name, url]) => ({ name, url }));
}

const hostName = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/;

/** The field that is wrong in what a probe sends. */
const wrongFields: Partial<Record<ProbeName, string>> = {
  "invalid-create": "title",
  "without-title": "title",
  "without-content": "content",
  "without-slug": "slug",
  "without-cta": "cta",
  "invalid-update": "title",
  updateTooLong: "title",
  updateSlugFormat: "slug",
  updateDescription: "meta_description",
  twin: "slug",
  eventUnknown: "pageId",
  "invalid-event": "timestamp",
  "invalid-list": "limit",
};

/** Every error of which it is known whether a field is to blame, by the status that our reference service has, the one that shows it best first. */
function observeErrors({ probes, client }: Session): Named[] {
  const answered = (status: number) => client.exchanges.find(({ answer }) => answer?.status === status);
  const shown: readonly (readonly [number, Exchange | undefined])[] = [
    [400, probes["invalid-create"]],
    [401, probes["anonymous-list"]],
    [404, probes.updateDeleted],
    [409, probes.twin],
    [429, answered(429)],
    [500, answered(500)],
  ];
  const fields = new Map(Object.entries(wrongFields).map(([name, field]) => [probes[name as ProbeName], field])); // why: its own keys
  const named = shown.flatMap(([name, best]) => {
    const status = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    if (best === undefined || status < 400 || (name === 409 && status !== 409)) return [];
    const isTold = (one: Exchange) => fields.has(one) || [401, 403, 404, 410, 429].includes(status) || status >= 500;
    // A list that is not found is one without pages.
    const isError = (one: Exchange) => one.answer?.status === status && !(status === 404 && isList(one));
    return [...new Set([best, ...client.exchanges])].flatMap((one): Named[] => {
      if (!isError(one) || !isTold(one)) return [];
      const field = fields.get(one);
      // Of a wrong request nobody knows how many fields are blamed; for other statuses the mock server blames this one.
      const isNamed = field !== undefined && ((status !== 400 && status !== 422) || namesField(one, field));
      return [[`errors/${name}`, observeError(one, isNamed ? `${isList(one) ? "" : "#/"}${field}` : undefined)]];
    });
  });
  const malformed = [probes["malformed-create"], probes["malformed-update"], probes["malformed-event"]];
  const status = malformed[0]?.answer?.status ?? 0;
  const same = malformed
    .filter((one) => one !== undefined)
    .filter((one) => status >= 400 && one.answer?.status === status);
  return [...named, ...same.map((one): Named => ["errors/malformed", observeError(one, "#")])];
}

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && request.path.startsWith("/api/content");
}

/** Whether a response names a field, in any spelling: a service may blame none. */
function namesField({ answer }: Exchange, field: string): boolean {
  return lettersOf(answer?.body ?? "").includes(lettersOf(field));
}

function observeError(exchange: Exchange, pointer: string | undefined): Observation {
  const errors = pointer === undefined ? [] : [{ pointer, detail: "" }];
  const reason = statusTitles[exchange.answer?.status ?? 0] ?? "";
  return { exchange, facts: { ...commonFacts(exchange), error: { reason, detail: "", errors } } };
}
