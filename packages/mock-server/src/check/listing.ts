import { defaultListLimit, type FoundPage } from "@landing-page-service/contract";
import type { CheckClient } from "./client.ts";
import { type Exchange, readListIn } from "./exchange.ts";

/** The part of the listing in which the pages of the check are. */
export interface View {
  /** Pages in the order of the service. */
  readonly pages: readonly FoundPage[];
  /** The requests that showed them. */
  readonly exchanges: readonly Exchange[];
  /** Whether the whole listing was read. */
  readonly isWhole: boolean;
}

const mostStrides = 10;

/**
 * Reads a listing in strides of 20, which the spec documents, until all wanted pages are seen or it ends. New pages are
 * at one of its ends, so a long one is looked at there when it tells its length, and given up after ten strides when not.
 */
export async function walk(client: CheckClient, wanted: readonly (string | undefined)[] = []): Promise<View> {
  const exchanges: Exchange[] = [];
  const pages = new Map<string, FoundPage>();
  const ids = wanted.filter((id) => id !== undefined);
  const view = (isWhole: boolean): View => ({ pages: [...pages.values()], exchanges, isWhole });
  for (let offset = 0; exchanges.length < mostStrides;) {
    const exchange = await client.send(`GET /api/content?limit=${defaultListLimit}&offset=${offset}`);
    exchanges.push(exchange);
    const seen = readListIn(exchange);
    // After pages, a 404 says that there are no more.
    if (seen === undefined) return view(pages.size > 0 && exchange.answer?.status === 404);
    const before = pages.size;
    for (const page of seen.pages) pages.set(page.page.id ?? `nameless ${pages.size}`, page);
    const total = seen.total?.count ?? Number.POSITIVE_INFINITY;
    if (pages.size >= total || (seen.pages.length === 0 && total === Number.POSITIVE_INFINITY)) return view(true);
    // The same pages again: the listing has ended early, or the service does not heed the offset.
    const isStuck = pages.size === before;
    if (isStuck || (ids.length > 0 && ids.every((id) => pages.has(id)))) return view(false);
    offset += seen.pages.length;
    if (exchanges.length === 1 && Number.isFinite(total)) offset = Math.max(offset, total - defaultListLimit);
  }
  return view(false);
}

/** The page with an identifier among those listed. */
export function findById(pages: readonly FoundPage[], id: string | undefined): FoundPage | undefined {
  return id === undefined ? undefined : pages.find(({ page }) => page.id === id);
}
