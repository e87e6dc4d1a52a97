// What a service has stored, as far as a flow decides it: without ids, timestamps and domains.
import type { AccountHandle } from "../service/account-handle.ts";
import type { RecordedRequest } from "../testing/journal.ts";

/** What is stored, by its description such as `page "tea"`: the content of each copy, sorted. */
export type Stored = ReadonlyMap<string, readonly string[]>;

/** A difference from what is stored after the undisturbed run. */
export interface Difference {
  readonly kind: "twice" | "missing" | "changed";
  /** What it is, such as `page "tea"`. */
  readonly what: string;
}

/** Reads what an account has stored. */
export function readStored(account: AccountHandle): Stored {
  const slugs = new Map(account.requests({ endpoint: "createPage" }).flatMap(readSlug));
  const pages = account.pages.map(({ id, title, content, slug, meta_description, cta }) => {
    slugs.set(id, slug);
    const { type, label, url } = cta;
    return { what: `page ${JSON.stringify(slug)}`, fields: [title, content, meta_description ?? "", type, label, url] };
  });
  const events = account.events.map(({ pageId, type, properties = {} }) => {
    const details = Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = details.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(details))}`;
    return { what: `${type} of page ${JSON.stringify(slugs.get(pageId) ?? pageId)}${shown}`, fields: [] };
  });
  const copies = Map.groupBy([...pages, ...events], ({ what }) => what);
  return new Map([...copies].map(([what, same]) => [what, same.map(({ fields }) => JSON.stringify(fields)).sort()]));
}

/** The slug of a page that was created, even if it is deleted by now. */
function readSlug({ pageId, body }: RecordedRequest): [string, string][] {
  try {
    const { slug } = JSON.parse(body) as { slug?: unknown }; // why: whatever was sent; null throws, and is no page
    return pageId === undefined || typeof slug !== "string" ? [] : [[pageId, slug]];
  } catch {
    return [];
  }
}

/** Compares what is stored with what is stored after an undisturbed run. */
export function compareStored(expected: Stored, actual: Stored): Difference[] {
  const whats = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  return whats.flatMap((what): Difference[] => {
    const [before, after] = [expected.get(what) ?? [], actual.get(what) ?? []];
    if (after.length < before.length) return [{ kind: "missing", what }];
    if (after.length > before.length)
      return before.length === 0
        ? [{ kind: "changed", what: `${what} should not be there` }]
        : [{ kind: "twice", what }];
    const isSame = before.every((fields, index) => fields === after[index]);
    return isSame ? [] : [{ kind: "changed", what: `${what} has other fields` }];
  });
}
