// What a service holds, as far as a flow decides it: no ids, moments or domains.
import type { AccountHandle } from "../service/account-handle.ts";
import type { RecordedRequest } from "../testing/recorded.ts";

/** Pages by slug and events by page and content, each with the copies there are. */
export interface Holdings {
  /** For each slug, the fields of its pages as JSON. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
  /** For each event, how often it is there. */
  readonly events: ReadonlyMap<string, number>;
}

/** Something that is there otherwise than after the undisturbed run. */
export interface Difference {
  readonly kind: "twice" | "missing" | "changed";
  /** What it is, such as `page "tea"`. */
  readonly what: string;
}

/** Reads what an account holds. */
export function readHoldings(account: AccountHandle): Holdings {
  const pages = new Map<string, string[]>();
  const slugs = new Map(account.requests({ endpoint: "createPage" }).flatMap(readSlug));
  for (const { id, title, content, slug, meta_description, cta } of account.pages) {
    slugs.set(id, slug);
    const { type, label, url } = cta;
    const fields = JSON.stringify({
      title,
      content,
      meta_description: meta_description ?? "",
      cta: { type, label, url },
    });
    pages.set(slug, [...(pages.get(slug) ?? []), fields].sort());
  }
  const events = new Map<string, number>();
  for (const { pageId, type, properties = {} } of account.events) {
    const details = Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = details.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(details))}`;
    const event = `${type} of page ${JSON.stringify(slugs.get(pageId) ?? pageId)}${shown}`;
    events.set(event, (events.get(event) ?? 0) + 1);
  }
  return { pages, events };
}

/** The slug of a page that was created, also where it is deleted by now. */
function readSlug({ pageId, body }: RecordedRequest): [string, string][] {
  try {
    const { slug } = JSON.parse(body) as { slug?: unknown }; // why: whatever was sent; null throws, and is no page
    return pageId === undefined || typeof slug !== "string" ? [] : [[pageId, slug]];
  } catch {
    return [];
  }
}

/** Compares what is there with what is there after an undisturbed run. */
export function compareHoldings(expected: Holdings, actual: Holdings): Difference[] {
  const slugs = new Set([...expected.pages.keys(), ...actual.pages.keys()]);
  const events = new Set([...expected.events.keys(), ...actual.events.keys()]);
  return [
    ...[...slugs].sort().flatMap((slug) => comparePages(slug, expected.pages.get(slug), actual.pages.get(slug))),
    ...[...events].sort().flatMap((event) => {
      const counts = { expected: expected.events.get(event) ?? 0, actual: actual.events.get(event) ?? 0 };
      return compareCounts(event, counts);
    }),
  ];
}

function comparePages(slug: string, expected: readonly string[] = [], actual: readonly string[] = []): Difference[] {
  const what = `page ${JSON.stringify(slug)}`;
  if (expected.length !== actual.length)
    return compareCounts(what, { expected: expected.length, actual: actual.length });
  return expected.every((fields, index) => fields === actual[index])
    ? []
    : [{ kind: "changed", what: `${what} has other fields` }];
}

function compareCounts(what: string, { expected, actual }: { expected: number; actual: number }): Difference[] {
  if (actual === expected) return [];
  if (actual < expected) return [{ kind: "missing", what }];
  return expected === 0 ? [{ kind: "changed", what: `${what} should not be there` }] : [{ kind: "twice", what }];
}
