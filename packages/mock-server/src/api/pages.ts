import {
  type CreatePage,
  freezeDeep,
  type ListQuery,
  maxListLimit,
  type PageRecord,
  type Switches,
  type UpdatePage,
} from "@landing-page-service/contract";
import {
  type Assignment,
  type AssignmentRule,
  type DomainNetwork,
  explain as writeExplanation,
} from "../domains/network.ts";
import { splitWords } from "../domains/words.ts";
import type { Outcome, Refusal } from "../http-types.ts";
import type { PageStore, StoredPage } from "../state/account-state.ts";

/** What an operation on pages needs beside the pages. */
export interface PageContext {
  readonly network: DomainNetwork;
  readonly switches: Switches;
  /** Milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** Gives another identifier at each call. */
  readonly newId: () => string;
  /** Rules of the test that owns the account. */
  readonly assignmentRules: readonly AssignmentRule[];
}

/** Stores a new page on the domains that fit it. Source: spec, "Create page". */
export function createPage(pages: PageStore, input: CreatePage, context: PageContext): Outcome {
  const { network, nowMs, assignmentRules, switches } = context;
  const taken = slugTaken(pages, input.slug, undefined, switches);
  if (taken !== undefined) return taken;
  // Noted now, because the page's reasons are told by deciding once more.
  const limited = network.domains.filter(({ capacity }) => capacity !== undefined);
  const loads = new Map(limited.map(({ name }) => [name, pages.countOn(name)]));
  const assign = (): Assignment => network.assign(input, (name) => loads.get(name) ?? 0, assignmentRules);
  const timestamp = new Date(nowMs).toISOString();
  const { title, content, slug, meta_description = null, cta } = input;
  const record: PageRecord = freezeDeep({
    id: unusedId(pages, context.newId),
    title,
    content,
    slug,
    meta_description,
    cta: { type: cta.type, label: cta.label, url: cta.url },
    domains: assign().domains.map(({ name }) => ({ name, url: pages.findUrl(name, slug) })),
    created_at: timestamp,
    updated_at: timestamp,
  });
  pages.set({ record, explain: assign });
  // Gap: see docs/spec-gaps.md#create-status
  return { status: 201, page: record };
}

/** A snapshot may have brought pages whose ids the same clock and randomness give again. */
function unusedId(pages: PageStore, newId: () => string): string {
  let id = newId();
  while (pages.get(id) !== undefined) id = newId();
  return id;
}

/** Changes the fields that were sent and no others. Source: spec, "Update page". */
export function updatePage(pages: PageStore, id: string, changes: UpdatePage, context: PageContext): Outcome {
  const stored = pages.get(id);
  if (stored === undefined) return noSuchPage(id);
  const previous = stored.record;
  // Gap: see docs/spec-gaps.md#empty-update
  if (Object.keys(changes).length === 0) return { status: 200, page: previous, previous, changes };
  const taken = changes.slug === undefined ? undefined : slugTaken(pages, changes.slug, previous, context.switches);
  if (taken !== undefined) return taken;

  const changed = {
    ...previous,
    title: changes.title ?? previous.title,
    content: changes.content ?? previous.content,
    slug: changes.slug ?? previous.slug,
    meta_description: changes.meta_description ?? previous.meta_description,
    // Gap: see docs/spec-gaps.md#cta-update. Under `replace` the schema requires all fields.
    cta: {
      type: changes.cta?.type ?? previous.cta.type,
      label: changes.cta?.label ?? previous.cta.label,
      url: changes.cta?.url ?? previous.cta.url,
    },
    updated_at: new Date(context.nowMs).toISOString(),
  };
  const moved = leaveDomains(pages, stored, changed, context);
  const names = moved?.names ?? previous.domains.map(({ name }) => name);
  const kept = changed.slug === previous.slug ? previous.domains : [];
  const domains = names.map(
    (name) =>
      kept.find((domain) => domain.name === name) ?? {
        name,
        url: pages.findUrl(name, changed.slug, previous.domains),
      },
  );
  const page: PageRecord = freezeDeep({ ...changed, domains });
  pages.set({ record: page, explain: moved?.explain ?? stored.explain });
  return { status: 200, page, previous, changes };
}

/** Removes a page for good. Source: spec, "Delete page". */
export function deletePage(pages: PageStore, id: string): Outcome {
  const page = pages.get(id)?.record;
  if (page === undefined) return noSuchPage(id);
  pages.delete(id);
  // Gap: see docs/spec-gaps.md#delete-status
  return { status: 204, page };
}

/** Lists pages. Source: spec, "List pages". */
export function listPages(
  pages: PageStore,
  query: ListQuery & { limit: number; offset: number },
  switches: Switches,
): Outcome {
  const { offset } = query;
  // Gap: see docs/spec-gaps.md#list-max
  const limit = switches["list-max"] === "unbounded" ? query.limit : Math.min(query.limit, maxListLimit);
  const passes = compileFilter(query);
  const found = Array.from(pages).filter(({ record }) => passes(record));
  if (switches["list-order"] === "newest-first") found.reverse(); // Gap: see docs/spec-gaps.md#list-order
  const list = { total: found.length, limit, offset };
  const part = found.slice(offset, offset + limit).map(({ record }) => record);
  return { status: 200, pages: part, list };
}

/** The filters of a list. `q` finds whole words of title and content. Gap: see docs/spec-gaps.md#list-filters */
function compileFilter({ slug, domain, q }: ListQuery): (page: Readonly<PageRecord>) => boolean {
  const words = splitWords(q ?? "");
  return (page) => {
    if (slug !== undefined && page.slug !== slug) return false;
    if (domain !== undefined && !page.domains.some(({ name }) => name === domain)) return false;
    if (words.length === 0) return true;
    const found = new Set([page.title, page.content].flatMap((text) => splitWords(text, { singles: true })));
    return words.every((word) => found.has(word));
  };
}

/**
 * Takes a changed page off the domains that may not serve it any more, and assigns it anew only when none is left: a better
 * match elsewhere is no reason to move. `undefined` when the page stays where it is.
 */
function leaveDomains(
  pages: PageStore,
  { record, explain }: StoredPage,
  changed: PageRecord,
  { network, assignmentRules }: PageContext,
): { names: string[]; explain: StoredPage["explain"] } | undefined {
  const names = record.domains.map(({ name }) => name);
  const left = network.refuse(names, changed);
  if (left.length === 0) return undefined;
  const kept = names.filter((name) => !left.some((gone) => gone.name === name));
  const before = explain();
  const decided =
    kept.length === 0
      ? network.assign(changed, (name) => pages.countOn(name), assignmentRules)
      : before && { ...before, domains: before.domains.filter(({ name }) => kept.includes(name)) };
  const assignment = decided && writeExplanation({ ...decided, left: [...(before?.left ?? []), ...left] });
  const assigned = kept.length > 0 ? kept : (assignment?.domains ?? []).map(({ name }) => name);
  return { names: assigned, explain: () => assignment };
}

// Gap: two pages with one slug, see docs/spec-gaps.md#slug-unique
function slugTaken(
  pages: PageStore,
  slug: string,
  own: Readonly<PageRecord> | undefined,
  switches: Switches,
): Refusal | undefined {
  if (switches["slug-unique"] === "shared" || !hasSlug(pages, slug, own)) return undefined;
  const detail = "expected a slug that no other page of the account has";
  const refused = switches["slug-unique"] === "refused-400" ? 400 : 409;
  return { refused, detail: `#/slug: ${detail}`, errors: [{ pointer: "#/slug", detail }] };
}

function hasSlug(pages: PageStore, slug: string, own: Readonly<PageRecord> | undefined): boolean {
  for (const { record } of pages) if (record !== own && record.slug === slug) return true;
  return false;
}

function noSuchPage(id: string): Refusal {
  return { refused: 404, detail: `The account has no page ${JSON.stringify(id.slice(0, 100))}.` };
}
