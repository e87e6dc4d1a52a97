// Finds the identifiers of pages by trial.
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { type IdPlace, listPlaces, readId } from "./id-places.ts";
import { listLeaves, mentions } from "./json.ts";
import { type Element, findContainers, listAt, type Listing } from "./lists.ts";
import type { PageName, Session } from "./probes.ts";
import type { SentPage } from "./sent-pages.ts";

/** A possible identifier of the first page, and the value at the same place for the second page. */
interface Candidate {
  readonly id: string;
  readonly otherId: string | undefined;
  /** The place in the response to a create; `undefined` if only the list shows the value. */
  readonly idPlace: IdPlace | undefined;
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

/** Most candidates to try. */
const maxCandidates = 40;

/** Possible identifiers of the first page: values in which the two pages differ and that no list showed before. */
function findCandidates({ probes, sent, mark, foreign }: Session, { exchanges }: Listing): Candidate[] {
  const shown = [
    { one: createdBy(probes.create), other: createdBy(probes.described ?? probes.shortest), isCreated: true },
    ...findListed(exchanges.map(jsonOf), sent.full, sent.shortest),
  ];
  const fields = [sent.full, sent.shortest].flatMap(({ slug: _, ...page }) => listLeaves(page));
  const excluded = new Set([...foreign, ...fields.map(({ text }) => text)]);
  const candidates = shown.flatMap(({ one, other, isCreated }) =>
    listPlaces(one).flatMap((place): Candidate[] => {
      const [id, otherId] = [readId(one, place), readId(other, place)];
      const isOwn = other === undefined || (otherId !== undefined && otherId !== id);
      if (id === undefined || !isOwn || excluded.has(id)) return [];
      return [{ id, otherId, idPlace: isCreated ? place : undefined }];
    }),
  );
  const ids = new Set(candidates.map(({ id }) => id));
  const listed = new Set(candidates.flatMap(({ id, idPlace }) => (idPlace === undefined ? [id] : [])));
  const rank = ({ id, otherId = "" }: Candidate) =>
    // A value that the check sent, such as a slug, is the least likely.
    (id.includes(mark) ? 4 : 0) +
    // Where the second page has a value of the first one, it may be the page before, and that of the first one is not ours.
    (ids.has(otherId) ? 2 : 0) +
    // A value that is also in the list is the likeliest.
    (listed.has(id) ? 0 : 1);
  const sorted = candidates.toSorted((one, other) => rank(one) - rank(other));
  return [...Map.groupBy(sorted, ({ id }) => id).values()].flatMap(([first]) => first ?? []).slice(0, maxCandidates);
}

/** Finds the elements that show the two pages, in every array and object of a list. */
function findListed(responses: readonly unknown[], page: SentPage, otherPage: SentPage) {
  return findContainers(responses, [page.slug, page.title]).map((path) => {
    const elements = responses.flatMap((json) => listAt(json, path));
    return {
      one: elements.find((element) => isAbout(element, page) && !isAbout(element, otherPage)),
      other: elements.find((element) => isAbout(element, otherPage) && !isAbout(element, page)),
      isCreated: false,
    };
  });
}

/** Whether an element mentions the slug or the title of a page. */
function isAbout({ value }: Element, { slug, title }: SentPage): boolean {
  return mentions(value, slug) || mentions(value, title);
}

/**
 * Tests one candidate after the other until one identifies both pages. Skips candidates that it has tested before. Returns the list after
 * the update of the first page; `undefined` if there is no identifier.
 */
export async function findIds(session: Session, before: Listing): Promise<Listing | undefined> {
  for (const candidate of findCandidates(session, before)) {
    if (session.tried.includes(candidate.id)) continue;
    const after = await tryCandidate(session, candidate, before);
    if (after !== undefined) return after;
    session.tried.push(candidate.id);
  }
  return undefined;
}

/** Updates each page to find out whether a candidate identifies both. Returns the list after the first update if it does. */
async function tryCandidate(
  session: Session,
  { id, otherId, idPlace }: Candidate,
  before: Listing,
): Promise<Listing | undefined> {
  const { probes, sent, about, ids } = session;
  const { title, otherTitle } = sent;
  const put = (value: string, body: unknown) => session.send({ method: "PUT", path: pathOf(value), body });
  const updated = await put(id, { title });
  probes.updateTitle ??= updated;
  if (!hasSucceeded(updated)) return undefined;
  const after = await session.list();
  const old = count(before, sent.full.title);
  // If the list does not show titles, the update of a page that does not exist must look different.
  const isChanged =
    count(after, title) > 0
      ? old === 0 || count(after, sent.full.title) < old
      : shapeOf(updated) !== shapeOf(await put(`${sent.full.slug}-none`, { title }));
  if (!isChanged) return undefined;
  const other = otherId === undefined ? undefined : await put(otherId, { title: otherTitle });
  if (otherId !== undefined && !hasSucceeded(other)) return undefined;
  probes.updateTitle = updated;
  about.set(updated, { page: "full", fields: { title } });
  if (other !== undefined) about.set(other, { page: "shortest", fields: { title: otherTitle } });
  session.idPlace = idPlace;
  Object.assign(ids, { full: id, shortest: otherId });
  return after;
}

/** How many strings in a list mention a text. */
function count({ exchanges }: Listing, text: string): number {
  const leaves = exchanges.flatMap((exchange) => listLeaves(jsonOf(exchange)));
  return leaves.filter((leaf) => mentions(leaf.text, text)).length;
}

/** The status and the fields of a response. A success of another shape may be a failure that is reported in a 200. */
function shapeOf(exchange: Exchange): string {
  return JSON.stringify([exchange.answer?.status, ...listLeaves(jsonOf(exchange)).map(({ path }) => path)]);
}

/** Finds a page of the check in a list by its identifier. */
export function findElement(
  { ids, listIdPlace }: Session,
  listing: Listing | undefined,
  page: PageName,
): Element | undefined {
  const id = ids[page];
  return id === undefined ? undefined : listing?.elements.find((element) => readId(element, listIdPlace) === id);
}
