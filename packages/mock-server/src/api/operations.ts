// What each endpoint does with a request of an account, from its content type on.
import { hash } from "node:crypto";
import {
  type AnalyticsEvent,
  type CreatePage,
  type EndpointName,
  freezeDeep,
  type ListQuery,
  maxListLimit,
  type PageRecord,
  type Switches,
  type UpdatePage,
} from "@landing-page-service/contract";
import {
  type Assignment,
  type AssignmentRule,
  type DomainNetwork,
  explain as writeExplanation,
} from "../domains/network.ts";
import { splitWords } from "../domains/words.ts";
import { isRefusal, type Outcome, type PlainRequest, type Refusal, type RequestBody } from "../http-types.ts";
import {
  type AccountState,
  isIdempotencyKey,
  type PageStore,
  type RepeatableEndpoint,
  type StoredPage,
} from "../state/account-state.ts";
import { checkSize, type InputReaders, wrongFields } from "./input.ts";

/** The account and the configuration that an operation works on. */
export interface OperationContext {
  readonly state: AccountState;
  readonly switches: Switches;
  readonly network: DomainNetwork;
  /** Finds a page by its identifier as the dialect writes it. */
  readonly findPage: (pages: PageStore, written: string) => StoredPage | undefined;
  /** Rules of the test that owns the account. */
  readonly assignmentRules: readonly AssignmentRule[];
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** A request that has reached its endpoint. */
export interface Operation extends OperationContext {
  readonly request: PlainRequest;
  readonly body: RequestBody;
  /** The `:id` segment, still percent-encoded; empty where the path has none. */
  readonly encodedId: string;
  readonly inputs: InputReaders;
}

/** One function for each endpoint. A refusal is a value: no operation throws at what a caller sends. */
export const operations: Readonly<Record<EndpointName, (operation: Operation) => Outcome>> = {
  listPages({ request, body, inputs, state, switches }) {
    const query = checkSize(body) ?? inputs.listQuery.query(request);
    return isRefusal(query) ? query : listPages(state.pages, query, switches);
  },
  createPage(operation) {
    const { request, body, inputs } = operation;
    const input = inputs.createPage.body(request, body);
    if (isRefusal(input)) return input;
    return runOnce(operation, "createPage", () => createPage(input, operation));
  },
  updatePage(operation) {
    const { request, body, inputs } = operation;
    const changes = inputs.updatePage.body(request, body);
    if (isRefusal(changes)) return changes;
    const id = readId(operation);
    return isRefusal(id) ? id : updatePage(id.value, changes, operation);
  },
  deletePage(operation) {
    const id = checkSize(operation.body) ?? readId(operation);
    return isRefusal(id) ? id : deletePage(operation.state.pages, id.value);
  },
  trackEvent(operation) {
    const { request, body, inputs } = operation;
    const input = inputs.event.body(request, body);
    return isRefusal(input) ? input : runOnce(operation, "trackEvent", () => recordEvent(input, operation));
  },
};

/** Stores a new page on the domains that fit it. Source: spec, "Create page". */
export function createPage(input: CreatePage, context: OperationContext, id?: string): Outcome {
  const { network, nowMs, assignmentRules, switches } = context;
  const { pages } = context.state;
  const taken = slugTaken(pages, input.slug, undefined, switches);
  if (taken !== undefined) return taken;
  // Noted now, because explaining the page later repeats the assignment.
  const limited = network.domains.filter(({ capacity }) => capacity !== undefined);
  const loads = new Map(limited.map(({ name }) => [name, pages.countOn(name)]));
  const assign = (): Assignment => network.assign(input, (name) => loads.get(name) ?? 0, assignmentRules);
  const timestamp = new Date(nowMs).toISOString();
  const { title, content, slug, meta_description = null, cta } = input;
  const record: PageRecord = freezeDeep({
    id: id ?? unusedId(context),
    title,
    content,
    slug,
    meta_description,
    cta: { type: cta.type, label: cta.label, url: cta.url },
    domains: assign().domains.map(({ name }) => ({ name, url: pages.findUrl(name, slug) })),
    created_at: timestamp,
    updated_at: timestamp,
  });
  pages.set({ record, explain: assign });
  // Gap: see docs/spec-gaps.md#create-status
  return { status: 201, page: record };
}

/** A snapshot may have brought pages whose ids the same clock and randomness give again. */
function unusedId({ state: { pages, ids }, nowMs }: OperationContext): string {
  let id = ids.nextPage(nowMs);
  while (pages.get(id) !== undefined) id = ids.nextPage(nowMs);
  return id;
}

/** Changes the fields that were sent and no others. Source: spec, "Update page". */
function updatePage(id: string, changes: UpdatePage, context: OperationContext): Outcome {
  const { pages } = context.state;
  const stored = pages.get(id);
  if (stored === undefined) return noSuchPage(id);
  const previous = stored.record;
  // Gap: see docs/spec-gaps.md#empty-update
  if (Object.keys(changes).length === 0) return { status: 200, page: previous, previous, changes };
  const taken = changes.slug === undefined ? undefined : slugTaken(pages, changes.slug, previous, context.switches);
  if (taken !== undefined) return taken;

  const changed = {
    ...previous,
    title: changes.title ?? previous.title,
    content: changes.content ?? previous.content,
    slug: changes.slug ?? previous.slug,
    meta_description: changes.meta_description ?? previous.meta_description,
    // Gap: see docs/spec-gaps.md#cta-update. Under `replace` the schema requires all fields.
    cta: {
      type: changes.cta?.type ?? previous.cta.type,
      label: changes.cta?.label ?? previous.cta.label,
      url: changes.cta?.url ?? previous.cta.url,
    },
    updated_at: new Date(context.nowMs).toISOString(),
  };
  const moved = leaveDomains(stored, changed, context);
  const names = moved?.names ?? previous.domains.map(({ name }) => name);
  const kept = changed.slug === previous.slug ? previous.domains : [];
  const domains = names.map(
    (name) =>
      kept.find((domain) => domain.name === name) ?? {
        name,
        url: pages.findUrl(name, changed.slug, previous.domains),
      },
  );
  const page: PageRecord = freezeDeep({ ...changed, domains });
  pages.set({ record: page, explain: moved?.explain ?? stored.explain });
  return { status: 200, page, previous, changes };
}

/** Removes a page for good. Source: spec, "Delete page". */
function deletePage(pages: PageStore, id: string): Outcome {
  const page = pages.get(id)?.record;
  if (page === undefined) return noSuchPage(id);
  pages.delete(id);
  // Gap: see docs/spec-gaps.md#delete-status
  return { status: 204, page };
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
  const found = Array.from(pages).filter(({ record }) => passes(record));
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
    const found = new Set([page.title, page.content].flatMap((text) => splitWords(text, { singles: true })));
    return words.every((word) => found.has(word));
  };
}

/**
 * Takes a changed page off the domains that may not serve it any more, and assigns it anew only when none is left: a better
 * match elsewhere is no reason to move. `undefined` when the page stays where it is.
 */
function leaveDomains(
  { record, explain }: StoredPage,
  changed: PageRecord,
  { network, assignmentRules, state: { pages } }: OperationContext,
): { names: string[]; explain: StoredPage["explain"] } | undefined {
  const names = record.domains.map(({ name }) => name);
  const left = network.refuse(names, changed);
  if (left.length === 0) return undefined;
  const kept = names.filter((name) => !left.some((gone) => gone.name === name));
  const before = explain();
  const decided =
    kept.length === 0
      ? network.assign(changed, (name) => pages.countOn(name), assignmentRules)
      : before && { ...before, domains: before.domains.filter(({ name }) => kept.includes(name)) };
  const assignment = decided && writeExplanation({ ...decided, left: [...(before?.left ?? []), ...left] });
  const assigned = kept.length > 0 ? kept : (assignment?.domains ?? []).map(({ name }) => name);
  return { names: assigned, explain: () => assignment };
}

// Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
function slugTaken(
  pages: PageStore,
  slug: string,
  own: Readonly<PageRecord> | undefined,
  switches: Switches,
): Refusal | undefined {
  if (switches["slug-unique"] === "shared" || !hasSlug(pages, slug, own)) return undefined;
  const detail = "expected a slug that no other page of the account has";
  const refused = switches["slug-unique"] === "refused-400" ? 400 : 409;
  return { refused, detail: `#/slug: ${detail}`, errors: [{ pointer: "#/slug", detail }] };
}

function hasSlug(pages: PageStore, slug: string, own: Readonly<PageRecord> | undefined): boolean {
  for (const { record } of pages) if (record !== own && record.slug === slug) return true;
  return false;
}

function noSuchPage(id: string): Refusal {
  return { refused: 404, detail: `The account has no page ${JSON.stringify(id.slice(0, 100))}.` };
}

/** Stores an event. Source: spec, "Submit analytics event". */
export function recordEvent(input: AnalyticsEvent, { state, switches, nowMs, findPage }: OperationContext): Outcome {
  // Gap: event for a page the account does not own, see docs/spec-gaps.md#event-page
  const page = findPage(state.pages, input.pageId)?.record;
  if (page === undefined && switches["event-page"] !== "accepted") {
    const detail = `the account has no page ${JSON.stringify(input.pageId.slice(0, 100))}`;
    const refused = switches["event-page"] === "refused-400" ? 400 : 404;
    return { refused, detail: `#/pageId: ${detail}`, errors: [{ pointer: "#/pageId", detail }] };
  }
  const { pageId, timestamp, type = "view", properties } = input;
  const id = state.ids.nextEvent(nowMs);
  state.addEvent({ id, pageId, timestamp, type, ...(properties && { properties }) });
  // Gap: see docs/spec-gaps.md#event-status
  return { status: 202, event: { id, pageId, timestamp }, page };
}

/** Runs a POST at most once for an `Idempotency-Key`. Refusals are not remembered. Gap: see docs/spec-gaps.md#idempotency */
function runOnce(
  { request, body, state, switches, nowMs }: Operation,
  endpoint: RepeatableEndpoint,
  run: () => Outcome,
): Outcome {
  const key = request.headers.get("Idempotency-Key");
  if (key === null || switches.idempotency === "ignored") return run();
  if (!isIdempotencyKey(key))
    return { refused: 400, detail: "Idempotency-Key: expected 1 to 255 characters of visible ASCII." };
  const fingerprint = hash("sha256", body.bytes, "base64");
  const idempotency = state.idempotency[endpoint];
  const known = idempotency.get(key, nowMs);
  if (known === undefined) {
    const outcome = run();
    if (!isRefusal(outcome)) idempotency.remember(key, fingerprint, outcome, nowMs);
    return outcome;
  }
  if (known.fingerprint === fingerprint) return known.result;
  return { refused: 400, detail: "Idempotency-Key: expected the body that came with this key first, got another." };
}

/** The identifier in the path as the page has it, or as it came where there is no such page. */
function readId({ encodedId, findPage, state }: Operation): { value: string } | Refusal {
  try {
    const written = decodeURIComponent(encodedId);
    return { value: findPage(state.pages, written)?.record.id ?? written };
  } catch {
    return wrongFields([{ pointer: "id", detail: "expected percent-encoded UTF-8" }]);
  }
}
