import type { CreatePage, ListQuery, PageRecord, Switches, UpdatePage } from "@landing-page-service/contract";
import { maxListLimit } from "@landing-page-service/contract";
import type { Outcome, Refusal, Success } from "../exchange/outcome.ts";
import { type Assignment, type DomainNetwork, type AssignmentRule, explain } from "../domains/network.ts";
import { findPages } from "./search.ts";
import { type PageStore, readAssignment, readRecord, urlPath } from "../state/store.ts";
import type { StoredPage } from "../state/stored-page.ts";
import { pageUrl } from "../state/urls.ts";

/** What an operation on pages needs beside the pages. */
export interface PageContext {
  readonly network: DomainNetwork;
  readonly switches: Switches;
  /** The moment of the operation, milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** An identifier, another one at each call. */
  readonly newId: () => string;
  /** Where the test that owns the account wants pages to go. */
  readonly placeRules: readonly AssignmentRule[];
}

/** Stores a new page on the domains that fit it. Source: spec, "Create page". */
export function createPage(pages: PageStore, input: CreatePage, context: PageContext): Outcome {
  const taken = slugTaken(pages, input.slug, undefined, context.switches);
  if (taken !== undefined) return taken;
  const page = placePage(pages, input, context);
  // Gap: see docs/spec-gaps.md#create-status
  return { status: 201, headers: { Location: `/api/content/${encodeURIComponent(page.id)}` }, ...bodyOf(page) };
}

/** Places a page and stores it, whatever other pages have its slug. */
function placePage(
  pages: PageStore,
  input: CreatePage,
  { network, nowMs, newId, placeRules }: PageContext,
): StoredPage {
  let loads: Record<string, number> | undefined;
  const countPages = (name: string): number => ((loads ??= {})[name] = pages.urls.count(name));
  // Where there are no domains, there is nothing to read the page for.
  const names =
    network.domains.length === 0 ? [] : network.assign(input, countPages, placeRules).domains.map(({ name }) => name);
  const moment = new Date(nowMs).toISOString();
  const record: PageRecord = {
    id: unusedId(pages, newId),
    title: input.title,
    content: input.content,
    slug: input.slug,
    meta_description: input.meta_description ?? null,
    cta: { type: input.cta.type, label: input.cta.label, url: input.cta.url },
    domains: claimUrls(pages, names, input.slug),
    created_at: moment,
    updated_at: moment,
  };
  return pages.insert(record, { network, rules: placeRules, loads });
}

/** What a snapshot brought in may have the ids that the same clock and randomness give again. */
function unusedId(pages: PageStore, newId: () => string): string {
  let id = newId();
  while (!pages.isFree(id)) id = newId();
  return id;
}

/** Changes the fields that were sent and no others. Source: spec, "Update page". */
export function updatePage(pages: PageStore, id: string, changes: UpdatePage, context: PageContext): Outcome {
  const page = pages.get(id);
  if (page === undefined) return noSuchPage(id);
  // Gap: see docs/spec-gaps.md#empty-update
  if (Object.keys(changes).length === 0) return { status: 200, before: page.text, ...bodyOf(page) };
  const taken = changes.slug === undefined ? undefined : slugTaken(pages, changes.slug, page, context.switches);
  if (taken !== undefined) return taken;

  const { text } = page;
  const before = readRecord(page);
  const after = {
    ...before,
    title: changes.title ?? before.title,
    content: changes.content ?? before.content,
    slug: changes.slug ?? before.slug,
    meta_description: changes.meta_description ?? before.meta_description,
    // Gap: see docs/spec-gaps.md#cta-update. Under `replace` the schema has made sure that all members were sent.
    cta: {
      type: changes.cta?.type ?? before.cta.type,
      label: changes.cta?.label ?? before.cta.label,
      url: changes.cta?.url ?? before.cta.url,
    },
    updated_at: new Date(context.nowMs).toISOString(),
  };
  const moved = leaveRefused(pages, page, after, context);
  if (moved !== undefined) page.assignment = moved.assignment && JSON.stringify(moved.assignment);
  pages.replace(page, { ...after, domains: moveUrls(pages, before, moved?.domains ?? before.domains, after.slug) });
  return { status: 200, before: text, ...bodyOf(page) };
}

/** Removes a page for good. Source: spec, "Delete page". */
export function deletePage(pages: PageStore, id: string): Outcome {
  const page = pages.get(id);
  if (page === undefined) return noSuchPage(id);
  pages.delete(page);
  // Gap: see docs/spec-gaps.md#delete-status
  return { status: 204, before: page.text };
}

/** Lists pages; the answer is put together from the texts that are kept. Source: spec, "List pages". */
export function listPages(
  pages: PageStore,
  query: ListQuery & { limit: number; offset: number },
  switches: Switches,
): Outcome {
  // Gap: see docs/spec-gaps.md#list-max
  const limit = switches["list-max"] === "unbounded" ? query.limit : Math.min(query.limit, maxListLimit);
  const { offset } = query;
  const found = findPages(pages, query);
  const isNewestFirst = switches["list-order"] === "newest-first"; // Gap: see docs/spec-gaps.md#list-order
  const part = isNewestFirst ? found.sliceFromEnd(offset, limit) : found.slice(offset, limit);
  const texts = part.map(({ text }) => text);
  const total = found.size;
  const write = (): string => `{"data":[${texts.join(",")}],"total":${total},"limit":${limit},"offset":${offset}}`;
  const body = write();
  // What stands around the texts is ASCII; counting 20 pages anew would cost as much as sending them.
  const beyondAscii = part.reduce((sum, { text, bytes }) => sum + bytes - text.length, 0);
  return { status: 200, body, bodyBytes: body.length + beyondAscii, rewrite: write };
}

function bodyOf({ text, bytes }: StoredPage): Pick<Success, "body" | "bodyBytes"> {
  return { body: text, bodyBytes: bytes };
}

/**
 * Takes a changed page off the domains that may not serve it any more; only when none is left it is placed anew. How well
 * its words fit is no reason to move. `undefined` when it stays where it is.
 */
function leaveRefused(
  pages: PageStore,
  page: StoredPage,
  after: PageRecord,
  { network, placeRules }: PageContext,
): { domains: readonly { name: string }[]; assignment: Assignment | undefined } | undefined {
  const left = network.refuse(
    after.domains.map(({ name }) => name),
    after,
  );
  if (left.length === 0) return undefined;
  const mayServe = ({ name }: { name: string }): boolean => !left.some((gone) => gone.name === name);
  const before = readAssignment(page);
  const kept = after.domains.filter(mayServe);
  const decided =
    kept.length === 0
      ? network.assign(after, (name) => pages.urls.count(name), placeRules)
      : before && { ...before, domains: before.domains.filter(mayServe) };
  const assignment = decided && explain({ ...decided, left: [...(before?.left ?? []), ...left] });
  return { domains: kept.length > 0 ? kept : (assignment?.domains ?? []), assignment };
}

// Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
function slugTaken(
  pages: PageStore,
  slug: string,
  self: StoredPage | undefined,
  switches: Switches,
): Refusal | undefined {
  if (switches["slug-unique"] === "shared") return undefined;
  const others = pages.withSlug(slug);
  if (others.size === 0 || (others.size === 1 && self?.slug === slug)) return undefined;
  const detail = "expected a slug that no other page of the account has";
  return {
    refused: switches["slug-unique"] === "refused-400" ? 400 : 409,
    detail: `#/slug: ${detail}`,
    errors: [{ pointer: "#/slug", detail }],
  };
}

function noSuchPage(id: string): Refusal {
  return { refused: 404, detail: `The account has no page ${JSON.stringify(id.slice(0, 100))}.` };
}

/** Gives up the URLs of domains that are left, and claims those of new ones; a changed slug claims all anew. */
function moveUrls(
  pages: PageStore,
  before: PageRecord,
  domains: readonly { name: string }[],
  slug: string,
): PageRecord["domains"] {
  const kept =
    slug === before.slug ? before.domains.filter(({ name }) => domains.some((other) => other.name === name)) : [];
  for (const domain of before.domains) {
    if (!kept.includes(domain)) pages.urls.release(domain.name, urlPath(domain.name, domain.url));
  }
  const newNames = domains.map(({ name }) => name).filter((name) => !kept.some((domain) => domain.name === name));
  const held = [...kept, ...claimUrls(pages, newNames, slug)];
  return domains.flatMap(({ name }) => held.find((domain) => domain.name === name) ?? []);
}

function claimUrls(pages: PageStore, names: readonly string[], slug: string): PageRecord["domains"] {
  const paths = pages.urls.claim(names, slug);
  return names.map((name, at) => ({ name, url: pageUrl(name, paths[at] ?? slug) }));
}
