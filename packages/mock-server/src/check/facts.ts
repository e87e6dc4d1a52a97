// What is known of every response of a check: it follows from what was sent before.
import { defaultListLimit, type EndpointName, statusTitles } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { entriesOf, mentions } from "./json.ts";
import { lettersOf } from "./learn-text.ts";
import { listAt, readElementId } from "./pages.ts";
import type { PageName, SentPage, Session } from "./probes.ts";

/** A response, and what is known of it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly facts: Facts;
  /** The known facts about each page of a list, in its order; `undefined` for a page of somebody else. */
  readonly pages?: readonly (PageFacts | undefined)[];
}

type PageFacts = NonNullable<Facts["page"]>;

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
export type ResponseName = (typeof responseNames)[number] | `errors/${string}`;

/** Everything that was observed, by the name of the template. */
export type Observed = ReadonlyMap<ResponseName, readonly Observation[]>;

type Named = [name: ResponseName, one: Observation];

/** Goes through all exchanges of a check, and adds the known facts to each. */
export function observe(session: Session): Observed {
  const readFacts = createPageReader(session);
  const named = session.exchanges.flatMap((exchange) =>
    isList(exchange) ? observeList(session, readFacts, exchange) : observeWrite(session, readFacts, exchange),
  );
  const groups = Map.groupBy([...named, ...observeErrors(session)], ([name]) => name);
  const names = new Set<ResponseName>([...responseNames, ...groups.keys()]);
  return new Map([...names].map((name) => [name, (groups.get(name) ?? []).map(([, one]) => one)]));
}

function isList({ request }: Exchange): boolean {
  return request.method === "GET" && request.path.startsWith("/api/content");
}

const writes = { POST: "createPage", PUT: "updatePage", DELETE: "deletePage" } as const;

/** The success of a create, an update, a delete or an event. */
function observeWrite({ about }: Session, readFacts: ReadFacts, exchange: Exchange): Named[] {
  const { page: name, fields, event } = about.get(exchange) ?? {};
  if (name === undefined || !hasSucceeded(exchange)) return [];
  const method = exchange.request.method as keyof typeof writes; // why: nothing else is about a page
  const { before, after } = readFacts(name, exchange, jsonOf(exchange));
  const page = after ?? before;
  if (page === undefined || (method === "PUT" && !fields)) return [];
  // The identifier of a second page with the same fields may be unknown.
  if (name === "twin" && page.id === "") return [];
  const facts: Facts = { ...commonFacts(exchange), page };
  if (event !== undefined) return [["trackEvent", { exchange, facts: { ...facts, event } }]];
  const changes = method === "PUT" && { changes: { ...fields }, previous: before };
  return [[writes[method], { exchange, facts: { ...facts, ...changes } }]];
}

/** A list with pages, one after the last page, or one of the account while it had none. */
function observeList(session: Session, readFacts: ReadFacts, exchange: Exchange): Named[] {
  const { probes, ids, isEmpty, listPath, listIdPlace } = session;
  const listings = Object.values(session.listings);
  const own = listings.find(({ exchanges }) => exchanges.includes(exchange));
  const { list, listOne, listNext, listPast, listDefault } = probes;
  const isKnown =
    own !== undefined || [isEmpty ? list : undefined, listOne, listNext, listPast, listDefault].includes(exchange);
  const isEnd = exchange === list || exchange === listPast;
  if (!isKnown || !(hasSucceeded(exchange) || (isEnd && exchange.answer?.status === 404))) return [];
  const elements = listAt(jsonOf(exchange), listPath);
  const query = new URLSearchParams(exchange.request.path.split("?")[1]);
  const [offset, count] = [Number(query.get("offset") ?? 0), elements.length];
  // Nothing was made between the listing after the updates and the requests that are in none.
  const whole = own ?? session.listings.rewritten ?? session.listings.titled;
  const total = exchange === list ? 0 : whole?.isWhole ? whole.elements.length : offset + count;
  const pages = elements.map((element) => {
    const id = readElementId(element, listIdPlace);
    const isPage = (page: PageFacts): boolean =>
      listIdPlace === undefined
        ? mentions(element.value, page.slug) && mentions(element.value, page.title)
        : String(page.id) === id;
    const names = Object.keys(ids) as PageName[]; // why: its own keys
    return names.flatMap((name) => readFacts(name, exchange, element.value).after ?? []).find(isPage);
  });
  const limit = Number(query.get("limit") ?? defaultListLimit);
  const one = { exchange, facts: { ...commonFacts(exchange), list: { total, limit, offset, count } }, pages };
  if (exchange === list) return [["emptyAccount", one]];
  if (exchange === listPast) return count === 0 ? [["emptyList", one]] : [];
  // Lists too in which a page must be and is not found.
  const isDue = own !== undefined || Object.values(ids).filter((id) => id !== undefined).length > offset;
  return count > 0 || isDue ? [["listPages", one]] : [];
}

type ReadFacts = ReturnType<typeof createPageReader>;

/** Reads the facts about a page of the check before and after an exchange; `undefined` if they are unknown. */
function createPageReader(session: Session) {
  const { exchanges, about, sent, ids, listings } = session;
  const apiHost = new URL(exchanges[0]?.request.origin ?? "http://localhost").host;
  const hasNumbers = hasNumberIds(session);
  const listed = Object.values(listings).flatMap(({ elements }) => elements.map(({ value }) => value));
  const bodies = exchanges.filter((one) => hasSucceeded(one) && about.has(one)).map(jsonOf);
  const domainsOf = (slug: string) => {
    const values = [...bodies, ...listed].filter((value) => mentions(value, slug));
    return findDomains(values, slug, apiHost);
  };
  const known = new Map([sent.full.slug, sent.shortest.slug, sent.rest.slug].map((slug) => [slug, domainsOf(slug)]));
  return (name: PageName, exchange: Exchange, value: unknown) => {
    const toFacts = (page: SentPage | undefined): PageFacts | undefined => {
      if (page === undefined) return undefined;
      const all = known.get(page.slug) ?? [];
      // A response may show only some of them.
      const own = findDomains([value], page.slug, apiHost);
      const urlOf = (host: string) => all.find((one) => one.name === host)?.url ?? "";
      // An identifier may follow from the slug.
      const id = ids[name]?.replace(sent[name === "shortest" ? name : "full"].slug, page.slug) ?? "";
      const { now } = commonFacts(exchange);
      return {
        meta_description: null,
        ...page,
        id: hasNumbers && id !== "" ? Number(id) : id,
        domains: own.length === 0 ? all : own.map(({ name, url }) => ({ name, url: url || urlOf(name) })),
        created_at: now,
        updated_at: now,
      };
    };
    const { before, after } = findPage(session, name, exchange);
    return { before: toFacts(before), after: toFacts(after) };
  };
}

/** A page of the check as it was stored before and after an exchange. */
function findPage({ exchanges, about }: Session, name: PageName, exchange: Exchange) {
  let before: SentPage | undefined;
  let after: SentPage | undefined;
  for (const one of exchanges) {
    before = after;
    const { page, fields } = about.get(one) ?? {};
    const isKnown = after !== undefined || one.request.method === "POST";
    if (page === name && fields !== undefined && hasSucceeded(one))
      after = fields !== null && isKnown ? ({ ...after, ...fields } as SentPage) : undefined; // why: a create sends all fields
    if (one === exchange) break;
  }
  return { before, after };
}

/** What is known of every response. */
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

/** Whether identifiers are numbers: digits that a number is written with, and not `0041`. */
export function hasNumberIds({ ids, listings, listIdPlace }: Session): boolean {
  const listed = (listings.made?.elements ?? []).map((element) => readElementId(element, listIdPlace));
  const known = [...Object.values(ids), ...listed].filter((id) => id !== undefined);
  return known.every((id) => /^(?:0|[1-9]\d{0,14})$/.test(id));
}

/**
 * Finds the domains of a page: the hosts of links that end in its slug, and host names that are a whole string under a name for
 * hosts. Nothing else in a response shows the domains of a page, and they cannot be tried.
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

/**
 * Every error of which it is known whether a field is to blame, by the status that our reference service has. The first of each is
 * the one that shows it best.
 */
function observeErrors({ probes, exchanges, about }: Session): Named[] {
  const answered = (status: number) => exchanges.find(({ answer }) => answer?.status === status);
  const shown: readonly (readonly [number, Exchange | undefined])[] = [
    [400, probes["invalid-create"]],
    [401, probes["anonymous-list"]],
    [404, probes.updateDeleted],
    [409, probes.twin],
    [429, answered(429)],
    [500, answered(500)],
  ];
  const named = shown.flatMap(([name, best]) => {
    const status = best?.answer?.status ?? 0;
    // A slug that is taken may be a 400 like any other.
    if (best === undefined || status < 400 || (name === 409 && status !== 409)) return [];
    const isRefusal = name === 400 || name === 409;
    return [...new Set([best, ...exchanges])].flatMap((one): Named[] => {
      const { wrong } = about.get(one) ?? {};
      // A list that is not found is one without pages.
      const isError = one.answer?.status === status && !(status === 404 && isList(one));
      if (!isError || (wrong === undefined && isRefusal)) return [];
      // Nobody knows how many fields a refusal blames. For other statuses the mock server blames this one.
      const isNamed = wrong !== undefined && (!isRefusal || namesField(one, wrong));
      return [[`errors/${name}`, observeError(one, isNamed ? `${isList(one) ? "" : "#/"}${wrong}` : undefined)]];
    });
  });
  const malformed = (["malformed-create", "malformed-update", "malformed-event"] as const).flatMap((name) => {
    const one = probes[name];
    const status = one?.answer?.status ?? 0;
    return one === undefined || status < 400 || status !== probes["malformed-create"]?.answer?.status ? [] : [one];
  });
  return [...named, ...malformed.map((one): Named => ["errors/malformed", observeError(one, "#")])];
}

/** Whether a response names a field, in any spelling. */
function namesField({ answer }: Exchange, field: string): boolean {
  return lettersOf(answer?.body ?? "").includes(lettersOf(field));
}

function observeError(exchange: Exchange, pointer: string | undefined): Observation {
  // Nobody knows these words: each response has its own.
  const detail = `No one knows why ${crypto.randomUUID()}`;
  const errors = pointer === undefined ? [] : [{ pointer, detail }];
  const reason = statusTitles[exchange.answer?.status ?? 0] ?? "";
  return { exchange, facts: { ...commonFacts(exchange), error: { reason, detail, errors } } };
}
