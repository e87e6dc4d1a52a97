// The identifier of a page. A wrong one is worse than none: it would change or delete another page.
import { endpoints } from "../endpoints.ts";
import { isObject } from "../json.ts";
import type { HeaderLookup } from "../rate-limit.ts";
import { isNeutral, isPageIdName, keyOf, keys, saysForeign, table } from "./names.ts";
import { type Holder, holderOf, innerHolders, meantNames, member, pointerOf } from "./tree.ts";

/** An identifier, and the place where it stands. */
export interface FoundId {
  readonly id: string;
  /** A JSON pointer into the answer, or the name of a header. */
  readonly place: string;
  /** The object it belongs to. */
  readonly holder: Holder;
}

/** Finds an identifier in an object. */
export type IdReader = (holder: Holder, apiHost?: string) => FoundId | undefined;

/** What a record says of its identifier, the surest first: its own name for it, a link to itself, a path, one that speaks of the page, what stands for one, its key in a map of one. */
export const idReaders: readonly IdReader[] = [readOwnId, readLinkedId, readPathId, readNamedId, readWeakId, readKeyId];

const idRanks: ReadonlyMap<string, number> = new Map(keys.id.map((key, rank) => [key, rank]));

/** How far behind a text under another name a number is: it is the database's business at times. */
const counterHandicap = 4.5;

/** Finds the identifier that an object says is its own, or one level down in its metadata. */
export function readOwnId(holder: Holder): FoundId | undefined {
  for (const place of [holder, ...innerHolders(holder, keys.inner)]) {
    let best: { name: string; id: string; rank: number } | undefined;
    for (const [key, name] of place.members) {
      const known = idRanks.get(key);
      const id = known === undefined ? undefined : readId(place.value[name]);
      if (known === undefined || id === undefined) continue;
      const rank = known + (typeof place.value[name] === "number" ? counterHandicap : 0);
      if (rank < (best?.rank ?? Infinity)) best = { name, id, rank };
    }
    if (best === undefined) continue;
    // Of a handle such as `pages/7` only the key is this page's, where the record says which part that is.
    const key = member(place, ["key"]);
    const isTail = key !== undefined && best.id.endsWith(`/${readId(key.value)}`);
    const [name, id] = isTail ? [key.name, String(key.value)] : [best.name, best.id];
    return { id, place: pointerOf([...place.path, name]), holder };
  }
  return undefined;
}

/** Finds the one member whose name ends in `id` and speaks of the page, such as `insertedId` or `landing_page_id`. */
export function readNamedId(holder: Holder): FoundId | undefined {
  return readOnlyId(holder, isPageIdName);
}

/** Finds what stands for an identifier. */
export function readWeakId(holder: Holder): FoundId | undefined {
  return readOnlyId(holder, (meant) => keys.weakId.includes(keyOf(meant)));
}

/** Finds the identifier under the names that are asked for, when there is only one. */
export function readOnlyId(holder: Holder, isAsked: (meant: string, value: unknown) => boolean): FoundId | undefined {
  const found = meantNames(holder).flatMap(([meant, name]): FoundId[] => {
    const id = isAsked(meant, holder.value[name]) ? readId(holder.value[name]) : undefined;
    return id === undefined ? [] : [{ id, place: pointerOf([...holder.path, name]), holder }];
  });
  return new Set(found.map(({ id }) => id)).size === 1 ? found[0] : undefined;
}

/** A map of one, `{ "pg_1": { … } }`: its key is the identifier, unless it can be the name of a member. */
function readKeyId(record: Holder): FoundId | undefined {
  const key = record.path.at(-1) ?? "";
  if (record.above?.members.size !== 1 || !isObject(record.above.value[key])) return undefined;
  const isName = !isOpaque(key) || /^v\d+$/i.test(key) || (/\D/.test(key) && isNeutral(key.replaceAll(/\d+/g, "")));
  const id = isName ? undefined : readId(key);
  return id === undefined ? undefined : { id, place: pointerOf(record.path), holder: record };
}

/** Where a record has no other identifier: a path under the name of one, `/accounts/7/pages/9`, or the name of a resource, `accounts/7/pages/9`. */
function readPathId(holder: Holder): FoundId | undefined {
  for (const key of [...keys.id, "name"]) {
    const name = holder.members.get(key) ?? "@";
    const id = holder.value[name];
    const isPath = typeof id === "string" && (key === "name" ? /^[^\s/]+(?:\/[^\s/]+){3,}$/.test(id) : isLink(id));
    if (isPath && isUsable(id) && !name.startsWith("@"))
      return { id, place: pointerOf([...holder.path, name]), holder };
  }
  return undefined;
}

/** Whether an object has a name that is no host. */
export function hasName(holder: Holder): boolean {
  const name = member(holder, ["name", "title", "label"])?.value;
  return typeof name === "string" && !/^[^\s/]+\.[a-z]{2,}$/i.test(name);
}

/** Whether an object has a name and an identifier: it is a thing of its own. */
export function isNamedThing(holder: Holder): boolean {
  return hasName(holder) && readOwnId(holder) !== undefined;
}

/** Whether an object says of itself, by its kind, that it is another thing than a page. */
export function saysOther(holder: Holder): boolean {
  const found = member(holder, keys.kind);
  // A kind in the naming of the fields is one of pages, as `page_type` is.
  const isOfFields = found !== undefined && holder.naming !== undefined && holder.naming(found.name) !== found.name;
  return "jsonrpc" in holder.value || (typeof found?.value === "string" && !isOfFields && saysForeign(found.value));
}

/** Whether a text is made by no person: with digits, or with capitals where no word has them. */
export function isOpaque(text: string): boolean {
  return /\d/.test(text) || (text.length >= 12 && /[A-Z]{2}/.test(text) && /[a-z]/.test(text));
}

/** Reads an identifier as text; `undefined` when it cannot be one. A number beyond 2^53 has come as text already. */
export function readId(value: unknown, level = 0): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (typeof value === "string") return isUsable(value) && !isLink(value) ? value : undefined;
  if (Array.isArray(value)) return value.length === 1 && level < 4 ? readId(value[0], level + 1) : undefined;
  return isObject(value) && level < 4 ? readId(member(holderOf(value), keys.innerId)?.value, level + 1) : undefined;
}

/** Whether a text can be sent as an identifier, and does not say itself that it is that of another thing, as `txn_1` does. */
function isUsable(id: string): boolean {
  const prefix = /^([a-z]+)[_:-]/i.exec(id)?.[1]?.toLowerCase() ?? "";
  const isSendable = !["", ".", ".."].includes(id.trim()) && id.isWellFormed() && !/\p{Cc}/u.test(id);
  return id.length <= 1024 && isSendable && !foreignPrefixes.has(prefix);
}

const foreignPrefixes = table(
  "txn trx tx transaction req request task job op operation trace span corr correlation evt event acct account usr user author " +
    "sess session org team batch msg wf workflow",
);

function isLink(text: string): boolean {
  return /^(?:https?:\/\/|\/)/i.test(text);
}

/** Finds the identifier in a link to the page itself, below the path that was called: in the record, or in what holds its links. */
function readLinkedId(holder: Holder, apiHost?: string): FoundId | undefined {
  const holding = [...holder.members].flatMap(([key, name]) => (keys.links.includes(key) ? [name, `_${name}`] : []));
  const inner = holding.flatMap((name) => {
    const value: unknown = holder.value[name];
    const at = Array.isArray(value) ? value.slice(0, 50).findIndex((each) => each?.rel === "self") : -1;
    const links: unknown = Array.isArray(value) ? value[at] : value;
    return isObject(links) ? [holderOf(links, [...holder.path, name, ...(at < 0 ? [] : [String(at)])], holder)] : [];
  });
  for (const place of [holder, ...inner]) {
    for (const key of keys.self) {
      const name = place.members.get(key) ?? "";
      const link = place.value[name];
      const href = isObject(link) ? member(holderOf(link), ["href", "url", "uri"])?.value : link;
      const id = typeof href === "string" ? readLink(href, apiHost) : undefined;
      if (id !== undefined) return { id, place: pointerOf([...place.path, name]), holder };
    }
  }
  return undefined;
}

/** Finds the identifier in the `Location` of an answer that says that the page is there: at 202 it is the place to ask about the work. */
export function readLocatedId(
  { status, headers }: { readonly status: number; readonly headers: HeaderLookup },
  apiHost: string | undefined,
  holder: Holder,
): FoundId | undefined {
  for (const place of status === 202 ? [] : ["Location", "Content-Location"]) {
    const id = readLink(headers.get(place) ?? "", apiHost);
    if (id !== undefined) return { id, place, holder };
  }
  return undefined;
}

const collection = endpoints.createPage.path;
const lastName = collection.slice(collection.lastIndexOf("/") + 1);
const inPath = new RegExp(
  `(?:^|/)${lastName}(?:/([^/?]+)/?|\\((?:id=)?'?([^()]+?)'?\\)|(?=\\?(?:.*&)?_?id=(?:eq\\.)?([^&]+)))(?:\\?.*)?$`,
  "i",
);

/** The last segment of a link below the path that was called, in the forms in use: `…/content/1`, `content(1)`, `content?id=eq.1`. */
function readLink(link: string, apiHost: string | undefined): string | undefined {
  const text = link.trim();
  if (text.length > 4096) return undefined;
  const [, host, path = ""] = /^(?:(?:https?:)?\/\/([^/?#]*))?([^#]*)/i.exec(text) ?? [];
  // Another host, such as one behind a gateway, is the service's own when the whole path is.
  if (host !== undefined && host !== apiHost && !path.includes(`${collection}/`) && !path.includes(`${collection}(`))
    return undefined;
  const [, ...found] = inPath.exec(path) ?? [];
  try {
    return readId(decodeURIComponent(found.find((each) => each !== undefined) ?? ""));
  } catch {
    return undefined;
  }
}
