// Makes the pages of a visit: the first one, and others only once it is known what addresses it.
import { defaultListLimit } from "@landing-page-service/contract";
import { type Addressing, asTold, CheckError } from "./client.ts";
import { createdId, type Exchange, hasSucceeded, lastSegment, readListIn } from "./exchange.ts";
import type { View } from "./listing.ts";
import type { Visitor } from "./visit.ts";

/** Makes two to four pages, or one where nothing addresses it: it could not be deleted, and one is enough. */
export async function createPages(visitor: Visitor): Promise<void> {
  const { visit, options } = visitor;
  const { prefix, thorough } = options;
  const { full, shortest } = visit.sent;
  let key = prefix;
  await visitor.step("create", "POST /api/content", full, keyed(key));
  if (visit.steps.list?.answer?.status === 404 && !hasSucceeded(visit.steps.create)) throw nothingToCheck(404);
  if (hasSucceeded(visit.steps.create)) {
    if (!(await findAddress(visitor, isUpdated))) {
      // Updates may be what does not work: a delete tells too, and takes the page away.
      if (!(await findAddress(visitor, isDeleted))) return;
      key = `${prefix}-again`;
      const again = await visitor.step("create", "POST /api/content", full, keyed(key));
      visit.fullId = visitor.client.toldId(again) ?? findListed(again, await visitor.view([]), full.slug);
    }
    await visitor.step("repeat", "POST /api/content", full, keyed(key));
    visit.twinId = visitor.client.toldId(await visitor.step("twin", "POST /api/content", full));
  }
  visit.shortestId = visitor.client.toldId(await visitor.step("shortest", "POST /api/content", shortest));
  if (!thorough || visit.fullId === undefined) return;
  for (let count = 3; count <= defaultListLimit + 1; count += 1)
    await visitor.client.send("POST /api/content", { ...shortest, slug: `${prefix}-${count}` });
  await visitor.step("listDefault", "GET /api/content");
}

/** There is nothing to check where a list with the key is answered so. */
export function nothingToCheck(status: number): CheckError {
  return new CheckError(
    `The service answered ${status} to a list with the key, so there is nothing to check: ${isAbout(status)}`,
  );
}

function isAbout(status: number): string {
  if (status === 401 || status === 403) return "is the key right?";
  return status === 404 ? "is the base URL right? It is the scheme and host alone." : "is the service well?";
}

function keyed(key: string): { headers: Record<string, string> } {
  return { headers: { "idempotency-key": key } };
}

/** Whether the page of the visit is what a path leads to. */
type Proof = (visitor: Visitor, path: string) => Promise<boolean>;

/** By an update that changes nothing; without an answer, nothing speaks against it. */
async function isUpdated({ client, visit }: Visitor, path: string): Promise<boolean> {
  const exchange = await client.send(`PUT ${path}`, visit.sent.full);
  return hasSucceeded(exchange) || exchange.answer === undefined;
}

/** By a delete, after which it is gone: what the path names may be made again. */
async function isDeleted(visitor: Visitor, path: string): Promise<boolean> {
  if (!hasSucceeded(await visitor.client.send(`DELETE ${path}`))) return false;
  const isGone = findBySlug(await visitor.view([]), visitor.visit.sent.full.slug).length === 0;
  return isGone && visitor.client.deleted.delete(path);
}

/**
 * Finds out what addresses the page that was made: what the answer to the create tells, what the listing does, or the
 * last segment of these. Kept for all pages of the visit.
 */
async function findAddress(visitor: Visitor, prove: Proof): Promise<boolean> {
  const { client, visit } = visitor;
  const told = createdId(visit.steps.create);
  for await (const { id, addressing } of listAddresses(visitor, told)) {
    client.setAddressing(addressing, told);
    visit.fullId = id;
    if (await prove(visitor, client.pathOf(id))) return true;
  }
  client.setAddressing(asTold, told);
  visit.fullId = undefined;
  return false;
}

/** The ways in which the first page may be addressed, the likeliest first. None leads to a page of somebody else. */
async function* listAddresses(
  visitor: Visitor,
  told: string | undefined,
): AsyncGenerator<{ id: string; addressing: Addressing }> {
  const { steps, sent } = visitor.visit;
  if (told !== undefined) yield { id: told, addressing: asTold };
  const view = await visitor.view([]);
  const listed = findListed(steps.create, view, sent.full.slug);
  const ids = [...new Set([told, listed])].filter((id) => id !== undefined);
  const isTold = (id: string) => told === undefined || id === told;
  for (const id of ids) if (id !== told) yield { id, addressing: { ...asTold, isTold: isTold(id) } };
  // Where not all pages are seen, the segment may be the identifier of another one.
  if (!view.isWhole && readListIn(steps.list)?.pages.length !== 0) return;
  const others = new Set(
    view.pages.flatMap(({ page: { id = "" } }) => (ids.includes(id) ? [] : [id, lastSegment(id)])),
  );
  for (const id of ids)
    if (lastSegment(id) !== id && !others.has(lastSegment(id)))
      yield { id, addressing: { isTold: isTold(id), spell: lastSegment } };
}

/**
 * Where the listing calls the pages otherwise than a create told, and that leads to them too, they are called so: a link
 * such as `/pages/7.json` names page 7.
 */
export async function renameAsListed(visitor: Visitor, view: View): Promise<void> {
  const { client, visit } = visitor;
  const alike = findBySlug(view, visit.sent.full.slug);
  const listed = namedIn(visit.steps.create, alike);
  if (visit.fullId === undefined || listed === undefined || alike.includes(visit.fullId)) return;
  if (!(await isUpdated(visitor, client.pathOf(listed)))) return;
  client.made.clear();
  visit.fullId = listed;
  visit.twinId = namedIn(visit.steps.twin, alike);
  visit.shortestId = findBySlug(view, visit.sent.shortest.slug)[0];
  for (const id of [listed, visit.twinId, visit.shortestId]) if (id !== undefined) client.made.set(id, "account");
}

/** The page that a create made, as the listing has it. */
function findListed(create: Exchange | undefined, view: View, slug: string): string | undefined {
  const alike = findBySlug(view, slug);
  return namedIn(create, alike) ?? alike[0];
}

/** Identifiers of the pages that are listed with a slug. */
export function findBySlug({ pages }: View, slug: string): string[] {
  return pages.flatMap(({ page }) => (page.slug === slug && page.id !== undefined ? [page.id] : []));
}

/** The identifier that an answer mentions, in a place that alone does not tell what it is. */
export function namedIn(exchange: Exchange | undefined, ids: readonly string[]): string | undefined {
  const { headers, body = "" } = exchange?.answer ?? {};
  const text = `${headers?.["location"] ?? ""} ${body}`;
  const words = new Set([/[^\w.~%-]+/, /[^\w-]+/].flatMap((apart) => text.split(apart)));
  return ids.find((id) => words.has(encodeURIComponent(id)));
}
