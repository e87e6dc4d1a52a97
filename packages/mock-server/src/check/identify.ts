// Finds what addresses the pages of a check, by trying.
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { listTexts, mentions } from "./json.ts";
import { type Candidate, findIdPlace, type IdPlace, listCandidates, type Listing, pathOf } from "./pages.ts";
import type { Prober } from "./probes.ts";

/** Every value that may be the identifier of the first page, the likeliest first. */
export function findCandidates({ seen, options }: Prober, { elements }: Listing): Candidate[] {
  const { full, shortest } = seen.sent;
  const { probes } = seen;
  const [one, other] = [probes.create, hasSucceeded(probes.shortest) ? probes.shortest : probes.twin];
  const elementOf = ({ slug, title }: { slug: string; title: string }) =>
    elements.find(({ value }) => mentions(value, slug) || mentions(value, title))?.value;
  const sources: readonly (readonly [IdPlace["from"], unknown, unknown])[] = [
    ["create", bodyOf(one), bodyOf(other)],
    ["location", one?.answer?.headers["location"], other?.answer?.headers["location"]],
    ["list", elementOf(full), elementOf(shortest)],
  ];
  const mark = options.prefix.slice(options.prefix.lastIndexOf("-") + 1);
  const sent = [full, shortest].flatMap(({ slug: _, ...page }) => listTexts(page));
  const excluded = seen.isEmpty ? [] : listTexts(jsonOf(probes.list));
  const candidates = sources.flatMap(([from, ...values]) => listCandidates(from, ...values, { sent, excluded }));
  // What a list tells too is likelier than what only a create does; what was sent, such as a slug, is the least likely.
  const listed = new Set(candidates.flatMap(({ id, place }) => (place.from === "list" ? [id] : [])));
  const rank = ({ id }: Candidate) => (id.includes(mark) ? 2 : 0) + (listed.has(id) ? 0 : 1);
  const sorted = candidates.toSorted((some, others) => rank(some) - rank(others));
  return sorted.filter(({ id }, index) => sorted.findIndex((same) => same.id === id) === index).slice(0, 40);
}

function bodyOf(exchange: Exchange | undefined): unknown {
  return hasSucceeded(exchange) ? (jsonOf(exchange) ?? exchange.answer.body) : undefined;
}

/** Tries every value that may be an identifier as that of the first page, until one is, for both pages. */
export async function findIds(prober: Prober, listing: Listing): Promise<boolean> {
  for (const candidate of findCandidates(prober, listing)) {
    if (await isIdentifier(prober, candidate, listing)) return true;
    prober.seen.tried.push(candidate.id);
  }
  return false;
}

function count({ elements }: Listing, text: string): number {
  return elements.filter(({ value }) => mentions(value, text)).length;
}

/** Whether a value addresses the first page, and that at the same place the second: by an update of each. */
async function isIdentifier(prober: Prober, { place, id, otherId }: Candidate, before: Listing): Promise<boolean> {
  const { seen, client } = prober;
  const { full, shortest, title, otherTitle } = seen.sent;
  const put = (value: string, body: unknown) => client.send({ method: "PUT", path: pathOf(value), body });
  const updated = await put(id, { title });
  if (!hasSucceeded(updated)) {
    seen.probes.updateTitle ??= updated;
    return false;
  }
  const after = await prober.list();
  const isChanged = count(after, title) > 0;
  const isOther = isChanged && count(before, full.title) > 0 && count(after, full.title) >= count(before, full.title);
  if (isOther && count(after, shortest.title) < count(before, shortest.title)) await put(id, { title: shortest.title });
  // Where the change is not seen, the success of an update of no page at all would say that this one means nothing.
  if (isOther || (!isChanged && hasSucceeded(await put(`${seen.sent.full.slug}-none`, { title })))) return false;
  const others = otherId === undefined ? undefined : await put(otherId, { title: otherTitle });
  if (otherId !== undefined && !hasSucceeded(others)) return false;
  Object.assign(seen.probes, { updateTitle: updated, ...(others && { updateOther: others }) });
  seen.listings.titled = after;
  seen.idPlace = place;
  seen.ids.full = id;
  seen.ids[hasSucceeded(seen.probes.shortest) ? "shortest" : "twin"] = otherId;
  seen.listIdPlace = findIdPlace(before.elements, otherId === undefined ? [id] : [id, otherId]);
  return true;
}
