// Deletes the pages that a check created.
import { type Exchange, hasSucceeded } from "./client.ts";
import { readId } from "./id-places.ts";
import type { Element, Listing } from "./lists.ts";
import { pathOf, readCreatedId } from "./pages.ts";
import type { Session } from "./probes.ts";

/** Deletes the pages of the check. Returns the identifiers of pages that remain, or their slugs if the identifier is unknown. */
export async function cleanUp(session: Session): Promise<string[]> {
  const made = session.exchanges.filter(({ request: { method, path }, answer }) => {
    return method === "POST" && path === "/api/content" && (answer === undefined || answer.status < 300);
  });
  if (made.length === 0) return [];
  // The check may have been stopped before it found the identifiers.
  if (session.ids.full === undefined) await session.identify().catch(() => undefined);
  const idOf = (one: (typeof made)[number]) => readCreatedId(one, session.idPlace);
  const ids = [...Object.values(session.ids), ...made.map(idOf)].filter((id) => id !== undefined);
  // Without an identifier, the slug names the page.
  const unnamed = made.filter((one) => hasSucceeded(one) && idOf(one) === undefined);
  let left = unnamed.flatMap(({ request }) => findSlugs(session, request.body ?? ""));
  try {
    for (const id of ids) if (!isDeleted(session, id, session.settings.apiKey)) await remove(session, id);
    const listing = await removeListed(session);
    // A list that showed pages of the check, and no longer shows some of them, is certain that these are deleted.
    const isCertain = listing.isWhole && textOf(session.listings.made).includes(session.settings.prefix);
    left = [...nameOwn(session, listing), ...(isCertain ? [] : left)];
  } catch {
    // The service stopped responding, or asks for too long a wait. The report names the remaining pages.
  }
  return [...new Set([...left, ...ids.filter((id) => !isDeleted(session, id))])];
}

/** Whether a request with a key, or with any key, deleted a page. */
function isDeleted({ exchanges }: Session, id: string, key?: string): boolean {
  const isDelete = ({ request }: Exchange) => request.method === "DELETE" && request.path === pathOf(id);
  const hasKey = ({ request: { headers } }: Exchange) =>
    key === undefined || headers["authorization"] === `Bearer ${key}`;
  return exchanges.some((one) => isDelete(one) && hasKey(one) && hasSucceeded(one));
}

async function remove(session: Session, id: string): Promise<void> {
  // A service that accepts a wrong key may let only that key delete the page.
  for (const caller of ["account", "wrongKey", "anonymous"] as const)
    if (hasSucceeded(await session.send({ method: "DELETE", path: pathOf(id), caller }))) return;
}

/** Deletes the pages of the check that are still listed, because a success may report a failure. Returns the list after that. */
async function removeListed(session: Session): Promise<Listing> {
  const listing = await session.list();
  const ids = new Set(listOwn(session, listing).flatMap((element) => readId(element, session.listIdPlace) ?? []));
  for (const id of ids) await remove(session, id);
  return ids.size === 0 ? listing : session.list();
}

/** The names of the check's pages in a list: identifiers, or else slugs. */
function nameOwn(session: Session, listing: Listing): string[] {
  if (session.listPath === undefined) return findSlugs(session, textOf(listing));
  return listOwn(session, listing).flatMap(
    (element) => readId(element, session.listIdPlace) ?? findSlugs(session, JSON.stringify(element.value)),
  );
}

/** The pages of the check in a list, which show their slugs. */
function listOwn({ settings: { prefix } }: Session, { elements }: Listing): Element[] {
  return elements.filter(({ value }) => JSON.stringify(value).includes(prefix));
}

function textOf(listing: Listing | undefined): string {
  return listing?.exchanges.map(({ answer }) => answer?.body).join("\n") ?? "";
}

/** The slugs of pages of this check in a text. */
function findSlugs({ settings: { prefix } }: Session, text: string): string[] {
  const [, ...rests] = text.split(prefix);
  return rests.map((rest) => prefix + (/^[\w-]*/.exec(rest)?.[0] ?? ""));
}
