// Deletes the pages that a check created.
import { hasSucceeded } from "./client.ts";
import type { Element, Listing } from "./lists.ts";
import { readId } from "./id-places.ts";
import { pathOf, readCreatedId } from "./pages.ts";
import type { PageName, Session } from "./probes.ts";

/** Deletes the pages of the check. Returns the identifiers of pages that remain, or their slugs if the identifier is unknown. */
export async function cleanUp(session: Session): Promise<string[]> {
  const made = session.exchanges.filter(({ request: { method, path }, answer }) => {
    return method === "POST" && path === "/api/content" && (answer === undefined || answer.status < 300);
  });
  if (made.length === 0) return [];
  // The check may have been stopped before it found the identifiers.
  if (session.ids.full === undefined) await session.identify().catch(() => undefined);
  const created = made.map((exchange) => readCreatedId(exchange, session.idPlace));
  const ids = new Set([...Object.values(session.ids), ...created].filter((id) => id !== undefined));
  // Without an identifier, the slug names the page.
  const slugs = made.flatMap((exchange, index) =>
    created[index] === undefined && hasSucceeded(exchange) ? findSlugs(session, exchange.request.body ?? "") : [],
  );
  let leftovers = slugs;
  try {
    for (const id of ids) if (!isDeleted(session, id)) await remove(session, id);
    leftovers = await removeListed(session, slugs);
  } catch {
    // The service stopped responding, or asks for too long a wait. The report names the remaining pages.
  }
  const kept = [...ids].filter((id) => !isDeleted(session, id));
  return [...new Set([...leftovers, ...kept])];
}

function isDeleted({ exchanges }: Session, id: string): boolean {
  return exchanges.some(
    (one) => one.request.method === "DELETE" && one.request.path === pathOf(id) && hasSucceeded(one),
  );
}

async function remove(session: Session, id: string): Promise<void> {
  const names = Object.keys(session.ids) as PageName[]; // why: its own keys
  const page = names.find((name) => session.ids[name] === id);
  // A service that accepts a wrong key may let only that key delete the page.
  for (const caller of ["account", "wrongKey", "anonymous"] as const) {
    const about = page && { page, fields: null };
    if (hasSucceeded(await session.send({ method: "DELETE", path: pathOf(id), caller, ...(about && { about }) })))
      return;
  }
}

/**
 * Deletes the pages of the check that are still listed, because a success may report a failure. Returns the names of the pages that remain.
 * `unknown` are the slugs of the pages whose identifiers are unknown.
 */
async function removeListed(session: Session, unknown: readonly string[]): Promise<string[]> {
  const { listPath, listIdPlace, listings } = session;
  let listing = await session.list();
  const listed = listOwn(session, listing);
  for (const element of listed) {
    const id = readId(element, listIdPlace);
    if (id !== undefined) await remove(session, id);
  }
  if (listed.length > 0) listing = await session.list();
  const named = listOwn(session, listing).map((element) => {
    const text = JSON.stringify(element.value);
    return readId(element, listIdPlace) ?? findSlugs(session, text)[0] ?? text.slice(0, 100);
  });
  const left = listPath === undefined ? findSlugs(session, textOf(listing)) : named;
  // A list that shows pages, and no longer shows these, is certain that they are deleted.
  const isCertain = listing.isWhole && isOwn(session, textOf(listings.made));
  return isCertain ? left : [...left, ...unknown];
}

function textOf(listing: Listing | undefined): string {
  return listing?.exchanges.map(({ answer }) => answer?.body).join("\n") ?? "";
}

function listOwn(session: Session, { elements }: Listing): Element[] {
  return elements.filter(({ value }) => isOwn(session, JSON.stringify(value)));
}

/** Whether a text is about a page of the check. The service may have changed the slug, but every field that the check sent has the mark. */
function isOwn({ settings, mark }: Session, text: string): boolean {
  return text.includes(settings.prefix) || (mark.length >= 8 && text.includes(mark));
}

/** The slugs of pages of this check in a text. */
function findSlugs({ settings: { prefix } }: Session, text: string): string[] {
  const [, ...rests] = text.split(prefix);
  return rests.map((rest) => prefix + (/^[\w-]*/.exec(rest)?.[0] ?? ""));
}
