// Sends the requests of a visit, phase by phase.
import { formatTimestamp } from "@landing-page-service/contract";
import { CheckError, type CheckClient } from "./client.ts";
import { createPages, findBySlug, namedIn, nothingToCheck, renameAsListed } from "./creating.ts";
import { hasSucceeded, readListIn } from "./exchange.ts";
import { findById, type View } from "./listing.ts";
import { type Step, type Visit, Visitor, type VisitOptions } from "./visit.ts";

/**
 * Pays a visit: about 60 requests, which make two to four pages and two or three events.
 *
 * @throws {CheckError} when the account cannot be listed, or holds pages and `yes` is not given.
 */
export async function visitService(client: CheckClient, options: VisitOptions): Promise<Visit> {
  const visitor = new Visitor(client, options);
  for (const [phase, run] of phases) {
    options.onPhase(phase);
    await run(visitor);
  }
  return visitor.visit;
}

const phases: readonly (readonly [string, (visitor: Visitor) => Promise<void>])[] = [
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

async function look(visitor: Visitor): Promise<void> {
  const first = await visitor.step("list", "GET /api/content");
  if (first.answer === undefined) throw new CheckError(`The service does not answer: ${first.failure}`);
  // A 404 may be how the service says that nothing is stored: a create tells.
  if (!hasSucceeded(first) && first.answer.status !== 404) throw nothingToCheck(first.answer.status);
  const pages = readListIn(first)?.pages ?? [];
  if (first.answer.abridgedFrom !== undefined && readListIn(first) === undefined)
    throw new CheckError("The answer to a list is too long to be read: try an account with fewer pages.");
  if (pages.length > 0 && !visitor.options.yes)
    throw new CheckError(
      "The account already holds pages. A check makes pages and deletes only those, but an account without pages is safer; pass `yes` (`--yes`) to check this one all the same.",
    );
}

async function list(visitor: Visitor): Promise<void> {
  const { visit } = visitor;
  visit.views.made = await visitor.view();
  await renameAsListed(visitor, visit.views.made);
  const alike = findBySlug(visit.views.made, visit.sent.full.slug);
  const others = alike.filter((id) => id !== visit.fullId);
  if (visit.fullId !== undefined) visit.twinId ??= namedIn(visit.steps.twin, others) ?? others.at(-1);
  visit.shortestId ??= findBySlug(visit.views.made, visit.sent.shortest.slug)[0];
  await visitor.step("listOne", "GET /api/content?limit=1");
  await visitor.step("listNext", "GET /api/content?limit=1&offset=1");
  await visitor.step("listPast", "GET /api/content?limit=20&offset=1000");
  await visitor.step("listHuge", "GET /api/content?limit=100000");
  await visitor.step("listFiltered", `GET /api/content?slug=${visit.sent.full.slug}`);
}

async function update(visitor: Visitor): Promise<void> {
  const { client, visit } = visitor;
  if (visit.fullId === undefined) return;
  const line = `PUT ${client.pathOf(visit.fullId)}`;
  const { title, rest } = visit.sent;
  await visitor.step("updateTitle", line, { title });
  visit.views.titled = await visitor.view();
  await visitor.step("updateRest", line, rest);
  visit.views.rewritten = await visitor.view();
  visit.movedId = await putBack(visitor, visit.views.rewritten, rest.slug);
  if (visit.shortestId !== undefined)
    await visitor.step("updateOther", `PUT ${client.pathOf(visit.shortestId)}`, { title });
  await visitor.step("updateCta", line, { cta: { label: "Partial" } });
  if (hasSucceeded(visit.steps.updateCta)) visit.views.partial = await visitor.view();
  await visitor.step("updateNothing", line, {});
  await visitor.step("updateUnknownField", line, { title, landing_page_check: true });
  await visitor.step("updateCtaType", line, { cta: { ...rest.cta, type: "link" } });
  await visitor.step("updateSlugFormat", line, { slug: "Not A Slug" });
  if (visit.movedId !== undefined && hasSucceeded(visit.steps.updateSlugFormat))
    await putBack(visitor, await visitor.view(), "Not A Slug");
  await visitor.step("updateTooLong", line, { title: "x".repeat(301) });
  await visitor.step("updateDescription", line, { meta_description: 5 });
  await visitor.step("updatePlainText", line, JSON.stringify({ title }), { headers: { "content-type": "text/plain" } });
}

/** An identifier may follow from the slug: the old slug brings back the old one. Returns the one it had meanwhile. */
async function putBack({ client, visit }: Visitor, view: View, slug: string): Promise<string | undefined> {
  const { fullId, sent } = visit;
  const movedId = findBySlug(view, slug).find((id) => id !== fullId);
  if (movedId === undefined || findById(view.pages, fullId) !== undefined) return undefined;
  await client.send(`PUT ${client.pathOf(movedId)}`, { slug: sent.full.slug });
  return movedId;
}

async function sendInvalid(visitor: Visitor): Promise<void> {
  const { client, visit, options } = visitor;
  const { full } = visit.sent;
  const event = eventOf(visitor, visit.fullId ?? options.prefix);
  await visitor.step("malformed-create", "POST /api/content", `{"slug":"${options.prefix}-malformed",`);
  await visitor.step("invalid-create", "POST /api/content", { ...full, slug: `${options.prefix}-invalid`, title: 5 });
  for (const field of ["title", "content", "slug", "cta"] as const)
    await visitor.step(`without-${field}`, "POST /api/content", {
      ...full,
      slug: `${options.prefix}-no-${field}`,
      [field]: undefined,
    });
  await visitor.step("invalid-list", "GET /api/content?limit=abc");
  await visitor.step("malformed-event", "POST /api/analytics/view", '{"pageId":');
  await visitor.step("invalid-event", "POST /api/analytics/view", { ...event, timestamp: "yesterday" });
  await visitor.step("unknownPath", "GET /api/landing-page-check");
  await visitor.step("wrongMethod", "PATCH /api/content", {});
  if (visit.fullId === undefined) return;
  const line = `PUT ${client.pathOf(visit.fullId)}`;
  await visitor.step("malformed-update", line, '{"title":');
  await visitor.step("invalid-update", line, { title: 5 });
}

async function sendEvents(visitor: Visitor): Promise<void> {
  await sendEvent(visitor, "event", visitor.visit.fullId);
  await sendEvent(visitor, "eventOther", visitor.visit.shortestId);
}

async function sendEvent(visitor: Visitor, step: Step, id: string | undefined): Promise<void> {
  if (id !== undefined) await visitor.step(step, "POST /api/analytics/view", eventOf(visitor, id));
}

function eventOf({ client, options }: Visitor, id: string): { pageId: string; timestamp: string } {
  return { pageId: client.addressing.spell(id), timestamp: formatTimestamp(new Date(options.now())) };
}

async function lookWithOtherKey(visitor: Visitor): Promise<void> {
  const { client, visit, options } = visitor;
  if (!options.hasOtherKey || visit.fullId === undefined) return;
  const path = client.pathOf(visit.fullId);
  await visitor.step("otherList", "GET /api/content", undefined, { caller: "other" });
  await visitor.step("otherUpdate", `PUT ${path}`, { title: visit.sent.title }, { caller: "other" });
}

async function remove(visitor: Visitor): Promise<void> {
  const { client, visit } = visitor;
  if (visit.shortestId === undefined) return;
  const path = client.pathOf(visit.shortestId);
  await visitor.step("delete", `DELETE ${path}`);
  await visitor.step("updateDeleted", `PUT ${path}`, { title: visit.sent.title });
  await visitor.step("deleteDeleted", `DELETE ${path}`);
  visit.views.deleted = await visitor.view();
  if (hasSucceeded(visit.steps.delete)) await sendEvent(visitor, "eventUnknown", visit.shortestId);
}

/** Last, because a service that lets anyone in loses the page here. */
async function sendWithoutKey(visitor: Visitor): Promise<void> {
  const { client, visit, options } = visitor;
  const path = client.pathOf(visit.fullId ?? options.prefix);
  const event = eventOf(visitor, visit.fullId ?? options.prefix);
  for (const caller of ["wrongKey", "anonymous"] as const) {
    await visitor.step(`${caller}-list`, "GET /api/content", undefined, { caller });
    const page = { ...visit.sent.full, slug: `${options.prefix}-${caller.toLowerCase()}` };
    await visitor.step(`${caller}-create`, "POST /api/content", page, { caller });
    await visitor.step(`${caller}-event`, "POST /api/analytics/view", event, { caller });
    // The page is gone once anyone was allowed to delete it; a 404 would then tell nothing about keys.
    if (hasSucceeded(visit.steps["wrongKey-delete"])) continue;
    await visitor.step(`${caller}-update`, `PUT ${path}`, { title: visit.sent.title }, { caller });
    await visitor.step(`${caller}-delete`, `DELETE ${path}`, undefined, { caller });
  }
}
