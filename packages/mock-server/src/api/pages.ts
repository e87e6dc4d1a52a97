import type { CreatePage, ListQuery, PageRecord, Switches, UpdatePage } from "@landing-page-service/contract";
import { maxListLimit } from "@landing-page-service/contract";
import type { Outcome, Refusal, Success } from "../exchange/outcome.ts";
import type { DomainNetwork } from "../domains/network.ts";
import { findPages } from "./search.ts";
import { type PageStore, readRecord, urlPath } from "../state/store.ts";
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
function placePage(pages: PageStore, input: CreatePage, { network, nowMs, newId }: PageContext): StoredPage {
  const assignment = network.assign(input, (name) => pages.urls.count(name));
  const moment = new Date(nowMs).toISOString();
  const record: PageRecord = {
    id: unusedId(pages, newId),
    title: input.title,
    content: input.content,
    slug: input.slug,
    meta_description: input.meta_description ?? null,
    cta: { type: input.cta.type, label: input.cta.label, url: input.cta.url },
    domains: assignment.domains.map(({ name }) => ({ name, url: pageUrl(name, pages.urls.claim(name, input.slug)) })),
    created_at: moment,
    updated_at: moment,
  };
  return pages.insert(record, JSON.stringify(assignment));
}

/** What a snapshot brought in may have the ids that the same clock and randomness give again. */
function unusedId(pages: PageStore, newId: () => string): string {
  let id = newId();
  while (pages.get(id) !== undefined) id = newId();
  return id;
}

/** Changes the fields that were sent and no others. Source: spec, "Update page". */
export function updatePage(
  pages: PageStore,
  id: string,
  changes: UpdatePage,
  { switches, nowMs }: PageContext,
): Outcome {
  const page = pages.get(id);
  if (page === undefined) return noSuchPage(id);
  // Gap: see docs/spec-gaps.md#empty-update
  if (Object.keys(changes).length === 0) return { status: 200, ...bodyOf(page) };
  const taken = changes.slug === undefined ? undefined : slugTaken(pages, changes.slug, page, switches);
  if (taken !== undefined) return taken;

  const before = readRecord(page);
  const slug = changes.slug ?? before.slug;
  pages.replace(page, {
    ...before,
    title: changes.title ?? before.title,
    content: changes.content ?? before.content,
    slug,
    meta_description: changes.meta_description ?? before.meta_description,
    // Gap: see docs/spec-gaps.md#cta-update. Under `replace` the schema has made sure that all members were sent.
    cta: {
      type: changes.cta?.type ?? before.cta.type,
      label: changes.cta?.label ?? before.cta.label,
      url: changes.cta?.url ?? before.cta.url,
    },
    domains: slug === before.slug ? before.domains : moveUrls(pages, before, slug),
    updated_at: new Date(nowMs).toISOString(),
  });
  return { status: 200, ...bodyOf(page) };
}

/** Removes a page for good. Source: spec, "Delete page". */
export function deletePage(pages: PageStore, id: string): Outcome {
  const page = pages.get(id);
  if (page === undefined) return noSuchPage(id);
  pages.delete(page);
  // Gap: see docs/spec-gaps.md#delete-status
  return { status: 204, deleted: page.text };
}

/** Lists pages; the answer is put together from the texts that are kept. Source: spec, "List pages". */
export function listPages(
  pages: PageStore,
  query: ListQuery & { limit: number; offset: number },
  switches: Switches,
): Outcome {
  const limit = Math.min(query.limit, maxListLimit); // Gap: see docs/spec-gaps.md#list-max
  const { offset } = query;
  const found = findPages(pages, query);
  const isNewestFirst = switches["list-order"] === "newest-first"; // Gap: see docs/spec-gaps.md#list-order
  const part = isNewestFirst ? found.sliceFromEnd(offset, limit) : found.slice(offset, limit);
  const texts = part.map(({ text }) => text).join(",");
  const body = `{"data":[${texts}],"total":${found.size},"limit":${limit},"offset":${offset}}`;
  // What stands around the texts is ASCII; counting 20 pages anew would cost as much as sending them.
  const beyondAscii = part.reduce((sum, { text, bytes }) => sum + bytes - text.length, 0);
  return { status: 200, body, bodyBytes: body.length + beyondAscii };
}

function bodyOf({ text, bytes }: StoredPage): Pick<Success, "body" | "bodyBytes"> {
  return { body: text, bodyBytes: bytes };
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

/** The domains stay; their URLs follow the slug. */
function moveUrls(pages: PageStore, before: PageRecord, slug: string): PageRecord["domains"] {
  return before.domains.map(({ name, url }) => {
    pages.urls.release(name, urlPath(name, url));
    return { name, url: pageUrl(name, pages.urls.claim(name, slug)) };
  });
}
