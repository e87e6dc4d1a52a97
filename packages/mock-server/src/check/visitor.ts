// Sends the requests of a visit, phase by phase.
import { defaultListLimit, formatTimestamp } from "@landing-page-service/contract";
import { createdId, readListIn } from "./answers.ts";
import { type Call, CheckError, type CheckClient } from "./client.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import { findById, type View, walk } from "./listing.ts";
import { startVisit, type Step, type Visit, type VisitOptions } from "./visit.ts";

/**
 * Pays a visit: about 50 requests, which make two to four pages and one or two events.
 *
 * @throws {CheckError} when the account cannot be listed, or holds pages and `yes` is not given.
 */
export async function visitService(client: CheckClient, options: VisitOptions): Promise<Visit> {
  const visit = startVisit(options);
  const visitor = new Visitor(client, visit, options);
  for (const [phase, run] of phases) {
    options.onPhase(phase);
    await run(visitor, visit, options);
  }
  return visit;
}

type Phase = (visitor: Visitor, visit: Visit, options: VisitOptions) => Promise<void>;

const phases: readonly (readonly [string, Phase])[] = [
  ["looking", look],
  ["creating pages", createPages],
  ["listing", list],
  ["updating", update],
  ["sending invalid requests", sendInvalid],
  ["looking with another key", lookWithOtherKey],
  ["deleting", remove],
  ["sending events", sendEvents],
  ["sending without a right key", sendWithoutKey],
];

class Visitor {
  readonly #client: CheckClient;
  readonly #visit: Visit;
  readonly #signal: AbortSignal | undefined;

  constructor(client: CheckClient, visit: Visit, { signal }: VisitOptions) {
    this.#client = client;
    this.#visit = visit;
    this.#signal = signal;
  }

  /** Sends one request, written as method and path. */
  send(line: string, body?: unknown, extra: Pick<Call, "caller" | "headers"> = {}): Promise<Exchange> {
    const [method, path] = line.split(" ") as [Call["method"], string]; // why: every line is written in this file
    return this.#client.send({ method, path, body, ...extra }, this.#signal);
  }

  /** Sends one request and keeps what came of it under a name. */
  async step(name: Step, ...request: Parameters<Visitor["send"]>): Promise<Exchange> {
    const exchange = await this.send(...request);
    this.#visit.steps[name] = exchange;
    return exchange;
  }

  /** Reads the listing until both pages of the visit are seen, or it ends. */
  async view(): Promise<View> {
    return walk((query) => this.send(`GET /api/content${query}`), [this.#visit.fullId, this.#visit.shortestId]);
  }
}

async function look(visitor: Visitor, _visit: Visit, { yes }: VisitOptions): Promise<void> {
  const first = await visitor.step("list", "GET /api/content");
  if (first.answer === undefined) throw new CheckError(`The service does not answer: ${first.failure}`);
  // A 404 may be how the service says that nothing is stored: a create tells.
  if (!hasSucceeded(first) && first.answer.status !== 404) throw nothingToCheck(first.answer.status);
  const pages = readListIn(first)?.pages ?? [];
  if (pages.length > 0 && !yes)
    throw new CheckError(
      "The account already holds pages. A check makes pages and deletes only those, but an account without pages is safer; pass `yes` (`--yes`) to check this one all the same.",
    );
}

function nothingToCheck(status: number): CheckError {
  return new CheckError(
    `The service answered ${status} to a list with the key, so there is nothing to check: ${isAbout(status)}`,
  );
}

function isAbout(status: number): string {
  if (status === 401 || status === 403) return "is the key right?";
  return status === 404 ? "is the base URL right? It is the scheme and host alone." : "is the service well?";
}

async function createPages(visitor: Visitor, visit: Visit, { prefix, thorough }: VisitOptions): Promise<void> {
  const { full } = visit.sent;
  const idempotent = { headers: { "idempotency-key": prefix } };
  visit.fullId = createdId(await visitor.step("create", "POST /api/content", full, idempotent));
  if (visit.steps.list?.answer?.status === 404 && !hasSucceeded(visit.steps.create)) throw nothingToCheck(404);
  if (hasSucceeded(visit.steps.create)) {
    visit.fullId ??= await findCreated(visitor, visit);
    // A page that cannot be named cannot be deleted: one is enough.
    if (visit.fullId === undefined) return;
    await visitor.step("repeat", "POST /api/content", full, idempotent);
    visit.twinId = createdId(await visitor.step("twin", "POST /api/content", full));
  }
  const { shortest } = visit.sent;
  visit.shortestId = createdId(await visitor.step("shortest", "POST /api/content", shortest));
  if (!thorough) return;
  for (let count = 3; count <= defaultListLimit + 1; count += 1)
    await visitor.send("POST /api/content", { ...shortest, slug: `${prefix}-${count}` });
  await visitor.step("listDefault", "GET /api/content");
}

/** A create may not say which page it made; the listing does, when what it shows addresses the page: an update that changes nothing tells. */
async function findCreated(visitor: Visitor, { steps, sent }: Visit): Promise<string | undefined> {
  const alike = findBySlug(await visitor.view(), sent.full.slug);
  const id = namedIn(steps.create, alike) ?? alike[0];
  if (id === undefined) return undefined;
  const { answer } = await visitor.send(`PUT /api/content/${encodeURIComponent(id)}`, sent.full);
  return answer?.status === 404 ? undefined : id;
}

async function list(visitor: Visitor, visit: Visit): Promise<void> {
  visit.views.made = await visitor.view();
  const alike = findBySlug(visit.views.made, visit.sent.full.slug);
  const others = alike.filter((id) => id !== visit.fullId);
  if (visit.fullId !== undefined) visit.twinId ??= namedIn(visit.steps.twin, others) ?? others.at(-1);
  visit.shortestId ??= findBySlug(visit.views.made, visit.sent.shortest.slug)[0];
  await visitor.step("listOne", "GET /api/content?limit=1");
  await visitor.step("listNext", "GET /api/content?limit=1&offset=1");
  await visitor.step("listHuge", "GET /api/content?limit=100000");
  await visitor.step("listFiltered", `GET /api/content?slug=${visit.sent.full.slug}`);
}

function findBySlug({ pages }: View, slug: string): string[] {
  return pages.flatMap(({ page }) => (page.slug === slug && page.id !== undefined ? [page.id] : []));
}

/** The identifier that an answer mentions, in a place that alone does not tell what it is. */
function namedIn(exchange: Exchange | undefined, ids: readonly string[]): string | undefined {
  const { headers, body = "" } = exchange?.answer ?? {};
  const words = new Set(`${headers?.["location"] ?? ""} ${body}`.split(/[^\w.~%-]+/));
  return ids.find((id) => words.has(encodeURIComponent(id)));
}

async function update(visitor: Visitor, visit: Visit): Promise<void> {
  if (visit.fullId === undefined) return;
  const line = `PUT /api/content/${encodeURIComponent(visit.fullId)}`;
  const { title, rest } = visit.sent;
  await visitor.step("updateTitle", line, { title });
  visit.views.titled = await visitor.view();
  await visitor.step("updateRest", line, rest);
  visit.views.rewritten = await visitor.view();
  visit.movedId = await putBack(visitor, visit, visit.views.rewritten, rest.slug);
  if (visit.shortestId !== undefined)
    await visitor.step("updateOther", `PUT /api/content/${encodeURIComponent(visit.shortestId)}`, { title });
  await visitor.step("updateCta", line, { cta: { label: "Partial" } });
  if (hasSucceeded(visit.steps.updateCta)) visit.views.partial = await visitor.view();
  await visitor.step("updateNothing", line, {});
  await visitor.step("updateUnknownField", line, { title, landing_page_check: true });
  await visitor.step("updateCtaType", line, { cta: { ...rest.cta, type: "link" } });
  await visitor.step("updateSlugFormat", line, { slug: "Not A Slug" });
  if (visit.movedId !== undefined && hasSucceeded(visit.steps.updateSlugFormat))
    await putBack(visitor, visit, await visitor.view(), "Not A Slug");
  await visitor.step("updateTooLong", line, { title: "x".repeat(301) });
  await visitor.step("updateDescription", line, { meta_description: 5 });
  await visitor.step("updatePlainText", line, JSON.stringify({ title }), { headers: { "content-type": "text/plain" } });
}

/** An identifier may follow from the slug: the old slug brings back the old one. Returns the one it had meanwhile. */
async function putBack(visitor: Visitor, visit: Visit, view: View, slug: string): Promise<string | undefined> {
  const { fullId, sent } = visit;
  const movedId = findBySlug(view, slug).find((id) => id !== fullId);
  if (movedId === undefined || findById(view.pages, fullId) !== undefined) return undefined;
  await visitor.send(`PUT /api/content/${encodeURIComponent(movedId)}`, { slug: sent.full.slug });
  return movedId;
}

async function sendInvalid(visitor: Visitor, visit: Visit, { prefix, now }: VisitOptions): Promise<void> {
  const { full } = visit.sent;
  const event = { pageId: visit.fullId ?? prefix, timestamp: formatTimestamp(new Date(now())) };
  await visitor.step("malformed-create", "POST /api/content", `{"slug":"${prefix}-malformed",`);
  await visitor.step("invalid-create", "POST /api/content", { ...full, slug: `${prefix}-invalid`, title: 5 });
  for (const field of ["title", "content", "slug", "cta"] as const)
    await visitor.step(`without-${field}`, "POST /api/content", {
      ...full,
      slug: `${prefix}-no-${field}`,
      [field]: undefined,
    });
  await visitor.step("invalid-list", "GET /api/content?limit=abc");
  await visitor.step("malformed-event", "POST /api/analytics/view", '{"pageId":');
  await visitor.step("invalid-event", "POST /api/analytics/view", { ...event, timestamp: "yesterday" });
  await visitor.step("unknownPath", "GET /api/landing-page-check");
  await visitor.step("wrongMethod", "PATCH /api/content", {});
  if (visit.fullId === undefined) return;
  const line = `PUT /api/content/${encodeURIComponent(visit.fullId)}`;
  await visitor.step("malformed-update", line, '{"title":');
  await visitor.step("invalid-update", line, { title: 5 });
}

async function sendEvents(visitor: Visitor, visit: Visit, { now }: VisitOptions): Promise<void> {
  if (visit.fullId === undefined) return;
  const timestamp = formatTimestamp(new Date(now()));
  await visitor.step("event", "POST /api/analytics/view", { pageId: visit.fullId, timestamp });
  if (visit.shortestId !== undefined && hasSucceeded(visit.steps.delete))
    await visitor.step("eventUnknown", "POST /api/analytics/view", { pageId: visit.shortestId, timestamp });
}

async function lookWithOtherKey(visitor: Visitor, visit: Visit, { hasOtherKey }: VisitOptions): Promise<void> {
  if (!hasOtherKey || visit.fullId === undefined) return;
  const path = `/api/content/${encodeURIComponent(visit.fullId)}`;
  await visitor.step("otherList", "GET /api/content", undefined, { caller: "other" });
  await visitor.step("otherUpdate", `PUT ${path}`, { title: visit.sent.title }, { caller: "other" });
}

async function remove(visitor: Visitor, visit: Visit): Promise<void> {
  if (visit.shortestId === undefined) return;
  const path = `/api/content/${encodeURIComponent(visit.shortestId)}`;
  await visitor.step("delete", `DELETE ${path}`);
  await visitor.step("updateDeleted", `PUT ${path}`, { title: visit.sent.title });
  await visitor.step("deleteDeleted", `DELETE ${path}`);
  visit.views.deleted = await visitor.view();
}

/** Last, because a service that lets anyone in loses the page here. */
async function sendWithoutKey(visitor: Visitor, visit: Visit, { prefix, now }: VisitOptions): Promise<void> {
  const pageId = visit.fullId ?? prefix;
  const path = `/api/content/${encodeURIComponent(pageId)}`;
  const timestamp = formatTimestamp(new Date(now()));
  for (const caller of ["wrongKey", "anonymous"] as const) {
    await visitor.step(`${caller}-list`, "GET /api/content", undefined, { caller });
    const page = { ...visit.sent.full, slug: `${prefix}-${caller.toLowerCase()}` };
    await visitor.step(`${caller}-create`, "POST /api/content", page, { caller });
    await visitor.step(`${caller}-event`, "POST /api/analytics/view", { pageId, timestamp }, { caller });
    // The page is gone once anyone was allowed to delete it; a 404 would then tell nothing about keys.
    if (hasSucceeded(visit.steps["wrongKey-delete"])) continue;
    await visitor.step(`${caller}-update`, `PUT ${path}`, { title: visit.sent.title }, { caller });
    await visitor.step(`${caller}-delete`, `DELETE ${path}`, undefined, { caller });
  }
}
