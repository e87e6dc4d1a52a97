// Deletes what a check made.
import { type Caller, type CheckClient, type Exchange, hasSucceeded } from "./client.ts";
import { pathOf, readCreatedId } from "./pages.ts";
import { findCandidates } from "./identify.ts";
import type { Prober } from "./probes.ts";

/** Deletes all that was made. Returns what could not be deleted, or is still listed after: identifiers, or slugs where none is known. */
export async function cleanUp(prober: Prober): Promise<string[]> {
  const { client, seen, options } = prober;
  const made = client.exchanges.filter(isCreate);
  if (made.length === 0) return [];
  const leftovers = new Set<string>();
  const ids = new Map(
    made.flatMap((exchange) => {
      const id = readCreatedId(exchange, seen.idPlace);
      return id === undefined ? [] : [[id, callerOf(exchange)] as const];
    }),
  );
  for (const id of [seen.ids.full, seen.ids.shortest, seen.ids.twin])
    if (id !== undefined && !ids.has(id)) ids.set(id, "account");
  try {
    for (const [id, caller] of ids) if (!(await remove(client, id, caller))) leftovers.add(id);
    if (seen.ids.full === undefined) await tryToRemove(prober);
    const { elements, isWhole } = await prober.list();
    const mark = options.prefix.slice(options.prefix.lastIndexOf("-") + 1);
    for (const element of elements) {
      // Its slug may be another one by now, or stand elsewhere; the mark is in all that was sent.
      const text = JSON.stringify(element.value);
      const id = prober.idOf(element);
      if (!text.includes(options.prefix) && !(mark.length >= 8 && text.includes(mark))) continue;
      const name = id ?? findSlug(text, options.prefix) ?? text.slice(0, 100);
      if (id === undefined || wasDeleted(client, id) || !(await remove(client, id, "account"))) leftovers.add(name);
    }
    const isHidden = elements.length === 0 && !isWhole;
    if (isHidden) for (const exchange of made) addUnknown(exchange, seen.idPlace);
  } catch {
    // The service stopped answering, or asks for too long a wait: the pages that are left are named in the report.
    for (const id of ids.keys()) if (!wasDeleted(client, id)) leftovers.add(id);
    if (seen.idPlace === undefined) for (const exchange of made) addUnknown(exchange, undefined);
  }
  return [...leftovers];

  function addUnknown(exchange: Exchange, place: Prober["seen"]["idPlace"]): void {
    const slug = findSlug(exchange.request.body ?? "", options.prefix);
    if (hasSucceeded(exchange) && readCreatedId(exchange, place) === undefined && slug !== undefined)
      leftovers.add(slug);
  }
}

function isCreate({ request, answer }: Exchange): boolean {
  const isPost = request.method === "POST" && request.path === "/api/content";
  return isPost && (answer === undefined || answer.status < 300);
}

function callerOf({ request }: Exchange): Caller {
  const key = request.headers["authorization"];
  return key === undefined ? "anonymous" : key.endsWith("-wrong-key") ? "wrongKey" : "account";
}

async function remove(client: CheckClient, id: string, caller: Caller): Promise<boolean> {
  if (wasDeleted(client, id)) return true;
  for (const by of new Set<Caller>(["account", caller]))
    if (hasSucceeded(await client.send({ method: "DELETE", path: pathOf(id), caller: by }))) return true;
  return false;
}

function wasDeleted({ exchanges }: CheckClient, id: string): boolean {
  return exchanges.some(
    (exchange) =>
      exchange.request.method === "DELETE" && exchange.request.path === pathOf(id) && hasSucceeded(exchange),
  );
}

/** Where nothing is known to address the pages, perhaps as updates do not work: a delete by each value that may. */
async function tryToRemove(prober: Prober): Promise<void> {
  const { client, seen } = prober;
  const listing = await prober.list();
  for (const { id, otherId } of findCandidates(prober, listing)) {
    // In an account with other pages a short number may be that of one of them.
    if (!seen.isEmpty && /^\d{1,9}$/.test(id)) continue;
    if (!hasSucceeded(await client.send({ method: "DELETE", path: pathOf(id) }))) continue;
    const { elements } = await prober.list();
    if (elements.length >= listing.elements.length) continue;
    if (otherId !== undefined) await client.send({ method: "DELETE", path: pathOf(otherId) });
    return;
  }
}

/** The slug of a page of this check, which a service may show under whatever name. */
function findSlug(text: string, prefix: string): string | undefined {
  const start = text.indexOf(prefix);
  if (start < 0) return undefined;
  const [rest = ""] = /^[\w-]*/.exec(text.slice(start + prefix.length)) ?? [];
  return prefix + rest;
}
