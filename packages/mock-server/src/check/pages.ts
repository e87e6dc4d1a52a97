// Finds the identifiers of pages by trial, and the pages of a list by their identifiers.
import { decodePercent } from "@landing-page-service/contract/internal";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { listLeaves, mentions, type Path, valueAt } from "./json.ts";
import type { Element, Listing } from "./lists.ts";
import type { Session } from "./probes.ts";
import type { SentPage } from "./sent-pages.ts";

/** The parts of a string that may be an identifier. */
const stringParts = {
  whole: (text: string): string => text,
  /** The last segment of a link: `7` in `/pages/7/?draft=1`. */
  segment: (text: string): string => {
    const written = /(?:^|\/)([^/?#]*)\/?(?:[?#].*)?$/.exec(text)?.[1] ?? "";
    return decodePercent(written) ?? written;
  },
  /** The part after the last separator: `7` in `urn:page:7` and `pages#7`. */
  last: (text: string): string => text.split(/[/:#|]/).at(-1) ?? "",
};
const partNames = Object.keys(stringParts) as (keyof typeof stringParts)[]; // why: its own keys

/** The place of a page's identifier in the response to a create, or in an element of a list. */
export interface IdPlace {
  readonly path: Path;
  readonly part: keyof typeof stringParts;
}

/** A possible identifier of the first page, and the value at the same place for the second page. */
interface Candidate {
  /** The path begins with `created` or `listed`. */
  readonly place: IdPlace;
  readonly id: string;
  readonly otherId: string | undefined;
}

/** The path of a page. */
export function pathOf(id: string): string {
  return `/api/content/${encodeURIComponent(id.toWellFormed())}`;
}

/** The parts of the response to a create that may show an identifier. */
export function createdBy(exchange: Exchange | undefined): unknown {
  if (!hasSucceeded(exchange)) return undefined;
  return { body: jsonOf(exchange) ?? exchange.answer.body, location: exchange.answer.headers["location"] };
}

/** The identifier in the response to a create. */
export function readCreatedId(exchange: Exchange | undefined, place: IdPlace | undefined): string | undefined {
  return readId(createdBy(exchange), place);
}

/** The identifier at a place. */
export function readId(shown: unknown, place: IdPlace | undefined): string | undefined {
  if (place === undefined) return undefined;
  const value = valueAt(shown, place.path);
  if ((typeof value !== "string" && typeof value !== "number") || String(value).length > 1000) return undefined;
  const id = stringParts[place.part](String(value));
  return id.length < 200 && id.isWellFormed() && !["", ".", ".."].includes(id) ? id : undefined;
}

/** The second page of the check: the one without a description, or a twin of the first one if the service refused that. */
function otherPage({ probes }: Session): "shortest" | "twin" {
  return hasSucceeded(probes.shortest) ? "shortest" : "twin";
}

/** Possible identifiers of the first page, the most likely first. These are the values in which two pages differ. */
export function findCandidates(session: Session, { elements }: Listing): Candidate[] {
  const { probes, mark, isEmpty, sent } = session;
  const show = (created: Exchange | undefined, { slug, title }: SentPage) => ({
    created: createdBy(created),
    listed: elements.find(({ value }) => mentions(value, slug) || mentions(value, title)),
  });
  const one = show(probes.create, sent.full);
  const other = show(probes[otherPage(session)], sent.shortest);
  const excluded = new Set([
    ...[sent.full, sent.shortest].flatMap(({ slug: _, ...page }) => listLeaves(page).map(({ text }) => text)),
    ...(isEmpty ? [] : listLeaves(jsonOf(probes.list)).map(({ text }) => text)),
  ]);
  const leaves = [one.created, one.listed].flatMap((shown, index) =>
    listLeaves(shown, [index === 0 ? "created" : "listed"]).slice(0, 1000),
  );
  const candidates = leaves.flatMap(({ path }) =>
    partNames.flatMap((part): Candidate[] => {
      const place = { path, part };
      const [id, otherId] = [readId(one, place), readId(other, place)];
      const isDifferent = valueAt(other, path.slice(0, 1)) === undefined || (otherId !== undefined && otherId !== id);
      return id !== undefined && isDifferent && !excluded.has(id) ? [{ place, id, otherId }] : [];
    }),
  );
  const listed = new Set(candidates.flatMap(({ id, place }) => (place.path[0] === "listed" ? [id] : [])));
  // A value that is also in the list is the most likely. A value that the check sent, such as a slug, is the least likely. Whole
  // values come before parts, except that the last segment of a link comes first.
  const rank = ({ id, place: { part } }: Candidate): number =>
    (id.includes(mark) ? 6 : 0) +
    (listed.has(id) ? 0 : 3) +
    (part === "segment" ? 1 : part === "whole" && !/^(?:\/|https?:)/.test(id) ? 0 : 2);
  const sorted = candidates.toSorted((some, others) => rank(some) - rank(others));
  return [...Map.groupBy(sorted, ({ id }) => id).values()].flatMap(([first]) => first ?? []).slice(0, 40);
}

/** Tries each candidate until one identifies both pages. */
export async function findIds(session: Session, listing: Listing): Promise<boolean> {
  for (const candidate of findCandidates(session, listing)) {
    if (await isIdentifier(session, candidate, listing)) return true;
    session.tried.push(candidate.id);
  }
  return false;
}

/** Whether a candidate identifies both pages. Updates each page to find out. */
async function isIdentifier(session: Session, { place, id, otherId }: Candidate, before: Listing): Promise<boolean> {
  const { probes, sent, about } = session;
  const { full, shortest, title, otherTitle } = sent;
  const put = (value: string, body: unknown) => session.send({ method: "PUT", path: pathOf(value), body });
  const updated = await put(id, { title });
  if (!hasSucceeded(updated)) {
    probes.updateTitle ??= updated;
    return false;
  }
  const after = await session.list();
  const isChanged = count(after, title) > 0;
  const isOther = isChanged && count(before, full.title) > 0 && count(after, full.title) >= count(before, full.title);
  if (isOther && count(after, shortest.title) < count(before, shortest.title)) await put(id, { title: shortest.title });
  // If the list does not show the change, the success counts only if an update of an unknown page fails.
  if (isOther || (!isChanged && hasSucceeded(await put(`${full.slug}-none`, { title })))) return false;
  const others = otherId === undefined ? undefined : await put(otherId, { title: otherTitle });
  if (otherId !== undefined && !hasSucceeded(others)) return false;
  const otherName = otherPage(session);
  Object.assign(probes, { updateTitle: updated, ...(others && { updateOther: others }) });
  about.set(updated, { page: "full", fields: { title } });
  if (others !== undefined) about.set(others, { page: otherName, fields: { title: otherTitle } });
  session.listings.titled = after;
  if (place.path[0] === "created") session.idPlace = { ...place, path: place.path.slice(1) };
  Object.assign(session.ids, { full: id, [otherName]: otherId });
  session.listIdPlace = findIdPlace(before.elements, [id, otherId]);
  return true;
}

function count({ elements }: Listing, text: string): number {
  return elements.filter(({ value }) => mentions(value, text)).length;
}

/** The place of identifiers in the elements of a list: the first one that has all known identifiers. */
export function findIdPlace(elements: readonly Element[], ids: readonly (string | undefined)[]): IdPlace | undefined {
  const known = ids.filter((id) => id !== undefined);
  if (known.length === 0) return undefined;
  const paths = elements.slice(0, 20).flatMap((element) => listLeaves(element).map(({ path }) => path));
  const places = partNames.flatMap((part) => paths.map((path): IdPlace => ({ path, part })));
  return places.find((place) => known.every((id) => elements.some((element) => readId(element, place) === id)));
}

/** Finds a page of the check in a list by its identifier, or else by its slug or title. */
export function findElement(
  { listIdPlace }: Session,
  listing: Listing | undefined,
  id: string | undefined,
  { slug = "", title = "" }: Partial<SentPage>,
): Element | undefined {
  return listing?.elements.find((element) =>
    listIdPlace === undefined
      ? mentions(element.value, slug) || mentions(element.value, title)
      : id !== undefined && readId(element, listIdPlace) === id,
  );
}
