// Sends the requests of a visit, phase by phase.
import { formatTimestamp } from "@landing-page-service/contract";
import { readListIn } from "./answers.ts";
import { CheckError, type CheckClient } from "./client.ts";
import { createPages, findBySlug, namedIn, nothingToCheck } from "./creating.ts";
import { hasSucceeded } from "./exchange.ts";
import { findById, type View } from "./listing.ts";
import { startVisit, type Step, type Visit, type VisitOptions } from "./visit.ts";
import { Visitor } from "./visitor.ts";

/**
 * Pays a visit: about 60 requests, which make two to four pages and two or three events.
 *
 * @throws {CheckError} when the account cannot be listed, or holds pages and `yes` is not given.
 */
export async function visitService(client: CheckClient, options: VisitOptions): Promise<Visit> {
  const visit = startVisit(options);
  const visitor = new Visitor(client, visit);
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
  ["sending events", sendEvents],
  ["updating", update],
  ["sending invalid requests", sendInvalid],
  ["looking with another key", lookWithOtherKey],
  ["deleting", remove],
  ["sending without a right key", sendWithoutKey],
];

async function look(visitor: Visitor, _visit: Visit, { yes }: VisitOptions): Promise<void> {
  const first = await visitor.step("list", "GET /api/content");
  if (first.answer === undefined) throw new CheckError(`The service does not answer: ${first.failure}`);
  // A 404 may be how the service says that nothing is stored: a create tells.
  if (!hasSucceeded(first) && first.answer.status !== 404) throw nothingToCheck(first.answer.status);
  const pages = readListIn(first)?.pages ?? [];
  if (first.answer.abridgedFrom !== undefined && readListIn(first) === undefined)
    throw new CheckError("The answer to a list is too long to be read: try an account with fewer pages.");
  if (pages.length > 0 && !yes)
    throw new CheckError(
      "The account already holds pages. A check makes pages and deletes only those, but an account without pages is safer; pass `yes` (`--yes`) to check this one all the same.",
    );
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

async function update(visitor: Visitor, visit: Visit): Promise<void> {
  if (visit.fullId === undefined) return;
  const line = `PUT ${visitor.client.pathOf(visit.fullId)}`;
  const { title, rest } = visit.sent;
  await visitor.step("updateTitle", line, { title });
  visit.views.titled = await visitor.view();
  await visitor.step("updateRest", line, rest);
  visit.views.rewritten = await visitor.view();
  visit.movedId = await putBack(visitor, visit, visit.views.rewritten, rest.slug);
  if (visit.shortestId !== undefined)
    await visitor.step("updateOther", `PUT ${visitor.client.pathOf(visit.shortestId)}`, { title });
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
  await visitor.client.send(`PUT ${visitor.client.pathOf(movedId)}`, { slug: sent.full.slug });
  return movedId;
}

async function sendInvalid(visitor: Visitor, visit: Visit, { prefix, now }: VisitOptions): Promise<void> {
  const { full } = visit.sent;
  const event = {
    pageId: visitor.client.addressing.spell(visit.fullId ?? prefix),
    timestamp: formatTimestamp(new Date(now())),
  };
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
  const line = `PUT ${visitor.client.pathOf(visit.fullId)}`;
  await visitor.step("malformed-update", line, '{"title":');
  await visitor.step("invalid-update", line, { title: 5 });
}

async function sendEvents(visitor: Visitor, visit: Visit, { now }: VisitOptions): Promise<void> {
  const ids = { event: visit.fullId, eventOther: visit.shortestId };
  for (const step of ["event", "eventOther"] as const) await sendEvent(visitor, step, ids[step], now);
}

async function sendEvent(visitor: Visitor, step: Step, id: string | undefined, now: () => number): Promise<void> {
  if (id === undefined) return;
  const event = { pageId: visitor.client.addressing.spell(id), timestamp: formatTimestamp(new Date(now())) };
  await visitor.step(step, "POST /api/analytics/view", event);
}

async function lookWithOtherKey(visitor: Visitor, visit: Visit, { hasOtherKey }: VisitOptions): Promise<void> {
  if (!hasOtherKey || visit.fullId === undefined) return;
  const path = visitor.client.pathOf(visit.fullId);
  await visitor.step("otherList", "GET /api/content", undefined, { caller: "other" });
  await visitor.step("otherUpdate", `PUT ${path}`, { title: visit.sent.title }, { caller: "other" });
}

async function remove(visitor: Visitor, visit: Visit, { now }: VisitOptions): Promise<void> {
  if (visit.shortestId === undefined) return;
  const path = visitor.client.pathOf(visit.shortestId);
  await visitor.step("delete", `DELETE ${path}`);
  await visitor.step("updateDeleted", `PUT ${path}`, { title: visit.sent.title });
  await visitor.step("deleteDeleted", `DELETE ${path}`);
  visit.views.deleted = await visitor.view();
  if (hasSucceeded(visit.steps.delete)) await sendEvent(visitor, "eventUnknown", visit.shortestId, now);
}

/** Last, because a service that lets anyone in loses the page here. */
async function sendWithoutKey(visitor: Visitor, visit: Visit, { prefix, now }: VisitOptions): Promise<void> {
  const path = visitor.client.pathOf(visit.fullId ?? prefix);
  const pageId = visitor.client.addressing.spell(visit.fullId ?? prefix);
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
