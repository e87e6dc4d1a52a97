// Deletes what a check made.
import { type Caller, type Exchange, hasSucceeded } from "./client.ts";
import { findCandidates, pathOf, readCreatedId, readElementId } from "./pages.ts";
import type { Session } from "./probes.ts";

/** Deletes the pages of the check. Returns those that could not be deleted or are still listed: identifiers, or slugs if the identifier is unknown. */
export async function cleanUp(session: Session): Promise<string[]> {
  const { client, ids, idPlace, options } = session;
  const made = client.exchanges.filter(({ request: { method, path }, answer }) => {
    return method === "POST" && path === "/api/content" && (answer === undefined || answer.status < 300);
  });
  if (made.length === 0) return [];
  const leftovers = new Set<string>();
  const known = new Map<string, Caller>(
    Object.values(ids).flatMap((id) => (id === undefined ? [] : [[id, "account"]])),
  );
  for (const exchange of made) {
    const id = readCreatedId(exchange, idPlace);
    if (id !== undefined) known.set(id, callerOf(exchange));
  }
  const isDeleted = (id: string) =>
    client.exchanges.some(
      (one) => one.request.method === "DELETE" && one.request.path === pathOf(id) && hasSucceeded(one),
    );
  const remove = async (id: string, caller: Caller = "account"): Promise<void> => {
    for (const by of new Set<Caller>(["account", caller]))
      if (!isDeleted(id)) await client.send({ method: "DELETE", path: pathOf(id), caller: by });
    if (!isDeleted(id)) leftovers.add(id);
  };
  // Without an identifier, the slug says which page it is.
  const addUnknown = (): void => {
    for (const exchange of made)
      if (hasSucceeded(exchange) && readCreatedId(exchange, idPlace) === undefined)
        leftovers.add(findSlug(exchange.request.body ?? "", options.prefix) ?? "a page");
  };
  try {
    for (const [id, caller] of known) await remove(id, caller);
    if (ids.full === undefined) await tryToRemove(session);
    const { elements, isWhole } = await session.list();
    const mark = options.prefix.slice(options.prefix.lastIndexOf("-") + 1);
    for (const element of elements) {
      // The slug may have changed, or have another name. All fields that were sent contain the mark.
      const text = JSON.stringify(element.value);
      if (!text.includes(options.prefix) && !(mark.length >= 8 && text.includes(mark))) continue;
      const id = readElementId(element, session.listIdPlace);
      if (id === undefined || isDeleted(id)) leftovers.add(id ?? findSlug(text, options.prefix) ?? text.slice(0, 100));
      else await remove(id);
    }
    if (elements.length === 0 && !isWhole) addUnknown();
  } catch {
    // The service stopped answering, or asks for too long a wait: the pages that are left are named in the report.
    for (const id of known.keys()) if (!isDeleted(id)) leftovers.add(id);
    if (idPlace === undefined) addUnknown();
  }
  return [...leftovers];
}

function callerOf({ request }: Exchange): Caller {
  const key = request.headers["authorization"];
  return key === undefined ? "anonymous" : key.endsWith("-wrong-key") ? "wrongKey" : "account";
}

/** Where nothing is known to address the pages, perhaps as updates do not work: a delete by each value that may. */
async function tryToRemove(session: Session): Promise<void> {
  const { client, isEmpty } = session;
  const listing = await session.list();
  for (const { id, otherId } of findCandidates(session, listing)) {
    // In an account with other pages a short number may be that of one of them.
    if (!isEmpty && /^\d{1,9}$/.test(id)) continue;
    if (!hasSucceeded(await client.send({ method: "DELETE", path: pathOf(id) }))) continue;
    if ((await session.list()).elements.length >= listing.elements.length) continue;
    if (otherId !== undefined) await client.send({ method: "DELETE", path: pathOf(otherId) });
    return;
  }
}

/** The slug of a page of this check, which a service may show under whatever name. */
function findSlug(text: string, prefix: string): string | undefined {
  const [, rest] = text.split(prefix);
  return rest === undefined ? undefined : prefix + (/^[\w-]*/.exec(rest)?.[0] ?? "");
}
