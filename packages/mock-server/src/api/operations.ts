// The five endpoints: their routes and operations.
import { hash } from "node:crypto";
import {
  type AnalyticsEvent,
  type CreatePage,
  type Endpoint,
  type EndpointName,
  endpoints,
  type ListQuery,
  maxListLimit,
  type PageRecord,
  type ReferenceSchemas,
  type Switches,
  type UpdatePage,
} from "@landing-page-service/contract";
import { decodePercent } from "@landing-page-service/contract/internal";
import { type AssignmentRule, type DomainNetwork, explain as writeExplanation } from "../domains/network.ts";
import { splitWords } from "../domains/words.ts";
import type { Outcome, PlainRequest, Refusal } from "../http-types.ts";
import {
  type AccountState,
  isIdempotencyKey,
  type PageStore,
  type RepeatableEndpoint,
  type StoredPage,
} from "../state/account-state.ts";
import { checkSize, readBody, readParameters, wrongFields } from "./input.ts";

/** The target of a method and path. */
export type Route =
  /** `id` is the decoded `:id` segment: `undefined` if it is not percent-encoded UTF-8, empty if the path has none. */
  | { readonly kind: "endpoint"; readonly endpoint: EndpointName; readonly id: string | undefined }
  | { readonly kind: "document"; readonly document: "home" | "openapi"; readonly endpoint?: undefined }
  | { readonly kind: "options" | "wrong-method"; readonly allow: string; readonly endpoint?: undefined }
  | { readonly kind: "unknown-path"; readonly endpoint?: undefined };

const rows = Object.values<Endpoint>(endpoints);
const namesByRoute = new Map(rows.map(({ name, method, path }) => [`${method} ${path}`, name]));

/** Paths of the endpoints, as the spec writes them. */
export const endpointPaths: readonly string[] = Array.from(new Set(rows.map(({ path }) => path)));

/** Finds the endpoint of a request. HEAD is routed as GET. Gap: see docs/spec-gaps.md#method-routing */
export function matchRoute(method: string, path: string): Route {
  const wanted = method === "HEAD" ? "GET" : method;
  // These documents need no key.
  if (wanted === "GET" && path === "/") return { kind: "document", document: "home" };
  if (wanted === "GET" && path === "/openapi.json") return { kind: "document", document: "openapi" };
  const [, id] = /^\/api\/content\/([^/]+)$/.exec(path) ?? [];
  const place = id === undefined ? path : "/api/content/:id";
  const endpoint = namesByRoute.get(`${wanted} ${place}`);
  if (endpoint !== undefined) return { kind: "endpoint", endpoint, id: id === undefined ? "" : decodePercent(id) };
  const methods = rows.filter((row) => row.path === place).map((row) => row.method);
  if (methods.length === 0) return { kind: "unknown-path" };
  const allow = methods.flatMap((known) => (known === "GET" ? ["GET", "HEAD"] : [known]));
  return { kind: method === "OPTIONS" ? "options" : "wrong-method", allow: [...allow, "OPTIONS"].join(", ") };
}

/** The account and the configuration that an operation works on. */
export interface OperationContext {
  readonly state: AccountState;
  readonly switches: Switches;
  readonly network: DomainNetwork;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: (pages: PageStore, written: string) => StoredPage | undefined;
  /** Rules from the test, for the pages of the account. */
  readonly assignmentRules: readonly AssignmentRule[];
  /** Whether the dialect has a place for a second domain of a page. */
  readonly needsAlias: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** A request that has reached its endpoint. */
export interface Operation extends OperationContext {
  readonly request: PlainRequest;
  /** The identifier of the page, as in its {@link Route}. */
  readonly id: string | undefined;
  /** Schemas of bodies and queries. */
  readonly inputs: ReferenceSchemas;
}

/** One function for each endpoint. A refusal is a value, so no operation throws because of a request. */
export const operations: Readonly<Record<EndpointName, (operation: Operation) => Outcome>> = {
  listPages({ request, inputs, state, switches }) {
    const ignoresUnknown = switches["unknown-fields"] === "ignored";
    const query = checkSize(request) ?? readParameters(inputs.listQuery, request.query, ignoresUnknown);
    return "refused" in query ? query : listPages(state.pages, query.value, switches);
  },
  createPage(operation) {
    const input = readBody(operation.inputs.createPage, operation.request);
    return "refused" in input ? input : runOnce(operation, "createPage", () => createPage(input.value, operation));
  },
  updatePage(operation) {
    const changes = readBody(operation.inputs.updatePage, operation.request);
    if ("refused" in changes) return changes;
    const stored = findStored(operation);
    return "refused" in stored ? stored : updatePage(stored, changes.value, operation);
  },
  deletePage(operation) {
    const stored = checkSize(operation.request) ?? findStored(operation);
    if ("refused" in stored) return stored;
    operation.state.pages.delete(stored.record.id);
    // Gap: see docs/spec-gaps.md#delete-status
    return { status: 204, page: stored.record };
  },
  trackEvent(operation) {
    const input = readBody(operation.inputs.event, operation.request);
    return "refused" in input ? input : runOnce(operation, "trackEvent", () => recordEvent(input.value, operation));
  },
};

/** The page that the path names. */
function findStored({ id, findPage, state }: Operation): StoredPage | Refusal {
  if (id === undefined) return wrongFields([{ pointer: "id", detail: "expected percent-encoded UTF-8" }]);
  return (
    findPage(state.pages, id) ?? {
      refused: 404,
      detail: `The account has no page ${JSON.stringify(id.slice(0, 100))}.`,
    }
  );
}

/** Stores a new page on the domains that fit it. Source: spec, "Create page". */
export function createPage(input: CreatePage, context: OperationContext, givenId?: string): Outcome {
  const { network, nowMs, assignmentRules, needsAlias, switches, state } = context;
  const { pages } = state;
  const taken = slugTaken(pages, input.slug, undefined, switches);
  if (taken !== undefined) return taken;
  // Copies the counts, because an explanation repeats the assignment later and needs them unchanged.
  const loads = new Map<string, number>();
  for (const { name, capacity } of network.domains) if (capacity !== undefined) loads.set(name, pages.countOn(name));
  const load = (name: string): number => loads.get(name) ?? 0;
  const created_at = new Date(nowMs).toISOString();
  const id = givenId ?? unusedId(context);
  const names = network.choose(input, load, assignmentRules, needsAlias);
  const domains = names.map((name) => ({ name, url: pages.findUrl(name, input.slug) }));
  const { meta_description = null, cta, ...texts } = input;
  const record: PageRecord = { id, ...texts, meta_description, cta, domains, created_at, updated_at: created_at };
  pages.set(id, { record, explain: () => network.assign(input, load, assignmentRules, needsAlias) });
  // Gap: see docs/spec-gaps.md#create-status
  return { status: 201, page: record };
}

/**
 * Returns the next id that no page has. The next id may be taken, because the same clock and randomness may have made it for a page of a
 * restored snapshot. Gap: see docs/spec-gaps.md#page-id-type
 */
function unusedId({ state, switches, nowMs }: OperationContext): string {
  for (;;) {
    if (switches["page-id-type"] === "integer") state.lastNumber += 1;
    const id = switches["page-id-type"] === "integer" ? String(state.lastNumber) : state.ids.next("pg_", nowMs);
    if (!state.pages.has(id)) return id;
  }
}

/** Changes the fields that were sent and no others. Source: spec, "Update page". */
function updatePage(stored: StoredPage, changes: UpdatePage, context: OperationContext): Outcome {
  const { pages } = context.state;
  const previous = stored.record;
  // Gap: see docs/spec-gaps.md#empty-update
  if (Object.keys(changes).length === 0) return { status: 200, page: previous, previous, changes };
  const taken = changes.slug === undefined ? undefined : slugTaken(pages, changes.slug, previous, context.switches);
  if (taken !== undefined) return taken;
  const sent = changes as Partial<PageRecord>; // why: a field that was not sent is missing, never undefined
  // Gap: see docs/spec-gaps.md#cta-update. Under `replace` the schema requires all fields.
  const cta = { ...previous.cta, ...sent.cta };
  const changed: PageRecord = { ...previous, ...sent, cta, updated_at: new Date(context.nowMs).toISOString() };
  const { names, explain } = reassign(stored, changed, context);
  const kept = changed.slug === previous.slug ? previous.domains : [];
  const domains = names.map((name) => {
    const known = kept.find((domain) => domain.name === name);
    return known ?? { name, url: pages.findUrl(name, changed.slug, previous.domains) };
  });
  const page: PageRecord = { ...changed, domains };
  pages.set(page.id, { record: page, explain });
  return { status: 200, page, previous, changes };
}

/**
 * Removes a changed page from the domains that may no longer serve it. Assigns it again only if it is on no domain then, so a page
 * stays where it is even if another domain now matches better.
 */
function reassign(
  { record, explain }: StoredPage,
  changed: PageRecord,
  { network, assignmentRules, needsAlias, state: { pages } }: OperationContext,
): { names: string[]; explain: StoredPage["explain"] } {
  const names = record.domains.map(({ name }) => name);
  const left = network.refuse(names, changed);
  if (left.length === 0 && names.length > 0) return { names, explain };
  const kept = names.filter((name) => !left.some((gone) => gone.name === name));
  const before = explain();
  const decided =
    kept.length === 0
      ? network.assign(changed, (name) => pages.countOn(name), assignmentRules, needsAlias)
      : before && { ...before, domains: before.domains.filter(({ name }) => kept.includes(name)) };
  const assignment = decided && writeExplanation({ ...decided, left: [...(before?.left ?? []), ...left] });
  const assigned = kept.length > 0 ? kept : (assignment?.domains ?? []).map(({ name }) => name);
  return { names: assigned, explain: () => assignment };
}

/** Lists pages. Source: spec, "List pages". */
function listPages(
  pages: PageStore,
  query: ListQuery & { limit: number; offset: number },
  switches: Switches,
): Outcome {
  const { offset } = query;
  // Gap: see docs/spec-gaps.md#list-max
  const limit = switches["list-max"] === "unbounded" ? query.limit : Math.min(query.limit, maxListLimit);
  const passes = compileFilter(query);
  const found = Array.from(pages.values()).filter(({ record }) => passes(record));
  if (switches["list-order"] === "newest-first") found.reverse(); // Gap: see docs/spec-gaps.md#list-order
  const list = { total: found.length, limit, offset };
  const part = found.slice(offset, offset + limit).map(({ record }) => record);
  return { status: 200, pages: part, list };
}

/** The filters of a list. `q` finds whole words of title and content. Gap: see docs/spec-gaps.md#list-filters */
function compileFilter({ slug, domain, q }: ListQuery): (page: Readonly<PageRecord>) => boolean {
  const words = splitWords(q ?? "");
  return (page) => {
    if (slug !== undefined && page.slug !== slug) return false;
    if (domain !== undefined && !page.domains.some(({ name }) => name === domain)) return false;
    if (words.length === 0) return true;
    const found = new Set([page.title, page.content].flatMap((text) => splitWords(text)));
    return words.every((word) => found.has(word));
  };
}

// Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
function slugTaken(
  pages: PageStore,
  slug: string,
  own: Readonly<PageRecord> | undefined,
  switches: Switches,
): Refusal | undefined {
  if (switches["slug-unique"] === "shared") return undefined;
  const isTaken = Array.from(pages.values()).some(({ record }) => record !== own && record.slug === slug);
  if (!isTaken) return undefined;
  const detail = "expected a slug that no other page of the account has";
  const refused = switches["slug-unique"] === "refused-400" ? 400 : 409;
  return { ...wrongFields([{ pointer: "#/slug", detail }]), refused };
}

/** Stores an event. Source: spec, "Submit analytics event". */
export function recordEvent(input: AnalyticsEvent, { state, switches, nowMs, findPage }: OperationContext): Outcome {
  // Gap: event for a page the account does not own, see docs/spec-gaps.md#event-page
  const page = findPage(state.pages, input.pageId)?.record;
  if (page === undefined && switches["event-page"] !== "accepted") {
    const detail = `the account has no page ${JSON.stringify(input.pageId.slice(0, 100))}`;
    const refused = switches["event-page"] === "refused-400" ? 400 : 404;
    return { ...wrongFields([{ pointer: "#/pageId", detail }]), refused };
  }
  const { pageId, timestamp, type = "view", properties } = input;
  const id = state.ids.next("ev_", nowMs);
  state.addEvent({ id, pageId, timestamp, type, ...(properties && { properties }) });
  // Gap: see docs/spec-gaps.md#event-status
  return { status: 202, event: { id, pageId, timestamp }, page };
}

/** Runs a POST at most once for an `Idempotency-Key`. Refusals are not remembered. Gap: see docs/spec-gaps.md#idempotency */
function runOnce(operation: Operation, endpoint: RepeatableEndpoint, run: () => Outcome): Outcome {
  const { request, state, switches, nowMs, findPage } = operation;
  const key = request.headers.get("Idempotency-Key");
  if (key === null || switches.idempotency === "ignored") return run();
  if (!isIdempotencyKey(key))
    return { refused: 400, detail: "Idempotency-Key: expected 1 to 255 characters of visible ASCII." };
  const fingerprint = hash("sha256", request.body ?? new Uint8Array(), "base64");
  const known = state.recall(endpoint, key, nowMs);
  if (known === undefined) {
    const outcome = run();
    if ("refused" in outcome) return outcome;
    const done = outcome.event === undefined ? { page: outcome.page } : { event: outcome.event };
    state.remember({ endpoint, key, fingerprint, expiresAtMs: nowMs + keyLifetimeMs, ...done });
    return outcome;
  }
  if (known.fingerprint !== fingerprint)
    return { refused: 400, detail: "Idempotency-Key: expected the body that came with this key first, got another." };
  const { page, event } = known;
  return event === undefined
    ? { status: 201, page }
    : { status: 202, event, page: findPage(state.pages, event.pageId)?.record };
}

// Gap: see docs/spec-gaps.md#idempotency
const keyLifetimeMs = 24 * 60 * 60 * 1000;
