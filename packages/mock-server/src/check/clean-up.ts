// Deletes the pages that a check created.
import { hasSucceeded } from "./client.ts";
import type { Element } from "./lists.ts";
import { findCandidates, pathOf, readCreatedId, readId } from "./pages.ts";
import type { PageName, Session } from "./probes.ts";

/** Deletes the pages of the check. Returns the identifiers of pages that remain, or their slugs if the identifier is unknown. */
export async function cleanUp(session: Session): Promise<string[]> {
  const { ids, idPlace, exchanges, settings } = session;
  const made = exchanges.filter(({ request: { method, path }, answer }) => {
    return method === "POST" && path === "/api/content" && (answer === undefined || answer.status < 300);
  });
  if (made.length === 0) return [];
  const leftovers = new Set<string>();
  const known = [...Object.values(ids), ...made.map((exchange) => readCreatedId(exchange, idPlace))];
  const isDeleted = (id: string): boolean =>
    exchanges.some((one) => one.request.method === "DELETE" && one.request.path === pathOf(id) && hasSucceeded(one));
  const remove = async (id: string): Promise<void> => {
    const page = Object.keys(ids).find((name) => ids[name as PageName] === id) as PageName | undefined; // why: its own keys
    const about = page && { page, fields: null };
    // A service that accepts a wrong key may let only that key delete the page.
    for (const caller of ["account", "wrongKey", "anonymous"] as const)
      if (hasSucceeded(await session.send({ method: "DELETE", path: pathOf(id), caller, ...(about && { about }) })))
        return;
  };
  // Without an identifier, the slug names the page.
  const addUnknown = (): void => {
    for (const exchange of made)
      if (hasSucceeded(exchange) && readCreatedId(exchange, idPlace) === undefined)
        leftovers.add(findSlug(exchange.request.body ?? "", settings.prefix) ?? "a page");
  };
  // The service may have changed or renamed the slug. Every field that the check sent contains the mark.
  const isOwn = ({ value }: Element): boolean => {
    const text = JSON.stringify(value);
    return text.includes(settings.prefix) || (session.mark.length >= 8 && text.includes(session.mark));
  };
  try {
    for (const id of known) if (id !== undefined && !isDeleted(id)) await remove(id);
    if (ids.full === undefined) await tryToRemove(session);
    let listing = await session.list();
    // A success may report a failure, so a page that is still listed is deleted again.
    const listed = listing.elements.filter(isOwn);
    for (const element of listed) {
      const id = readId(element, session.listIdPlace);
      if (id !== undefined) await remove(id);
    }
    if (listed.length > 0) listing = await session.list();
    for (const element of listing.elements.filter(isOwn)) {
      const text = JSON.stringify(element.value);
      leftovers.add(readId(element, session.listIdPlace) ?? findSlug(text, settings.prefix) ?? text.slice(0, 100));
    }
    if (listing.elements.length === 0 && !listing.isWhole) addUnknown();
  } catch {
    // The service stopped responding, or asks for too long a wait. The report names the remaining pages.
    if (ids.full === undefined) addUnknown();
  }
  for (const id of known) if (id !== undefined && !isDeleted(id)) leftovers.add(id);
  return [...leftovers];
}

/** Tries a DELETE with each candidate value, because no identifier is known. It does not try updates, because they may not work. */
async function tryToRemove(session: Session): Promise<void> {
  const listing = await session.list();
  for (const { id, otherId } of findCandidates(session, listing)) {
    // In an account with other pages, a short number may identify one of them.
    if (!session.isEmpty && /^\d{1,9}$/.test(id)) continue;
    if (!hasSucceeded(await session.send({ method: "DELETE", path: pathOf(id) }))) continue;
    if ((await session.list()).elements.length >= listing.elements.length) continue;
    if (otherId !== undefined) await session.send({ method: "DELETE", path: pathOf(otherId) });
    return;
  }
}

/** Finds the slug of a page of this check, in a field of any name. */
function findSlug(text: string, prefix: string): string | undefined {
  const [, rest] = text.split(prefix);
  return rest === undefined ? undefined : prefix + (/^[\w-]*/.exec(rest)?.[0] ?? "");
}
