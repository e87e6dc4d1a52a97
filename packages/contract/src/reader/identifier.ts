// The identifier of a page. A wrong one is worse than none: it would change or delete another page.
import { endpoints } from "../endpoints.ts";
import { type Holder, holderOf, innerHolders, member, pointerOf } from "./holder.ts";
import { isObject } from "../json.ts";
import {
  foreignWords,
  idKeys,
  idWords,
  innerIdKeys,
  isIn,
  judge,
  keyOf,
  linkHolders,
  neutralWords,
  pageWords,
  relativeWords,
  selfKeys,
  versionWords,
  wordsOf,
} from "./names.ts";
import type { HeaderLookup } from "../rate-limit.ts";

/** An identifier, and the place where it stands. */
export interface FoundId {
  readonly id: string;
  /** A JSON pointer into the answer, or the name of a header. */
  readonly place: string;
  /** The object it belongs to. */
  readonly holder: Holder;
}

/** Whether a name is that of a page related to this one. */
export const isRelative: (name: string) => boolean = judge((name) =>
  wordsOf(name).some((word) => isIn(relativeWords, word)),
);

/** Whether a name is that of another thing than the page: its author, the request, a page related to it. */
export const isForeign: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const isOther = !isIn(pageWords, words.at(-1) ?? "") && words.some((word) => isIn(foreignWords, word));
  return isOther || isRelative(name);
});

/** Whether fields of the page may be inside a member: they may be those of its present version. */
export function isEntered(name: string): boolean {
  return !isForeign(name) || versionWords.has(wordsOf(name).at(-1) ?? "");
}

/** Whether every word of a name is one for a page, or for what may be around it. */
export const isNeutral: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const isOfPage = words.every((word) => [pageWords, neutralWords, idWords].some((table) => isIn(table, word)));
  return /^\d+$/.test(name) || (words.length > 0 && isOfPage);
});

/** Finds the identifier that an object says is its own, or one level down in its metadata. What is known to be the page may call its kind as it likes. */
export function readOwnId(holder: Holder, isPage = false): FoundId | undefined {
  if (!isPage && saysOther(holder)) return undefined;
  for (const place of [holder, ...innerHolders(holder)]) {
    const usual: { name: string; id: string; isCounter: boolean }[] = [];
    for (const key of idKeys) {
      const name = place.members.get(key);
      const id = name === undefined ? undefined : readId(place.value[name]);
      if (name !== undefined && id !== undefined)
        usual.push({ name, id, isCounter: typeof place.value[name] === "number" });
    }
    // A counter beside a documented name, or one that says whose it is, is the database's business.
    const [first] = usual;
    const named = usual.find(
      ({ name, isCounter }) => !isCounter && /^(?:document|page|landingpage|content)id$/.test(keyOf(name)),
    );
    const found = first?.isCounter ? (named ?? first) : first;
    // Of a handle such as `pages/7` only the key is this page's, where the record says which part that is.
    const key = found === undefined ? undefined : place.members.get("key");
    const tail = key === undefined ? undefined : readId(place.value[key]);
    const name = tail !== undefined && found?.id.endsWith(`/${tail}`) ? key : found?.name;
    const id = name === key ? (tail ?? found?.id) : found?.id;
    if (id !== undefined && name !== undefined) return { id, place: pointerOf([...place.path, name]), holder };
  }
  return undefined;
}

/** Whether an object has an identifier, and a name that is no host. */
export function isNamedThing(holder: Holder): boolean {
  const name = member(holder, ["name", "title", "label"])?.value;
  return typeof name === "string" && !/^[^\s/]+\.[a-z]{2,}$/i.test(name) && readOwnId(holder) !== undefined;
}

/** Finds the one member whose name ends in `id` and speaks of the page, such as `insertedId` or `landing_page_id`. */
export function readNamedId(holder: Holder, isPage = false): FoundId | undefined {
  if (!isPage && saysOther(holder)) return undefined;
  const named = [...holder.members.values()].filter(isPageIdName).flatMap((name): FoundId[] => {
    const value = holder.value[name];
    // `insertedIds` is an array, or a map from indices.
    const only = isObject(value) && Object.keys(value).join() === "0" ? value["0"] : value;
    const id = readId(Array.isArray(only) && only.length === 1 ? only[0] : only);
    return id === undefined ? [] : [{ id, place: pointerOf([...holder.path, name]), holder }];
  });
  return new Set(named.map(({ id }) => id)).size === 1 ? named[0] : undefined;
}

const isPageIdName: (name: string) => boolean = judge((name) => {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  return (
    /^(?:id|uid|uuid|guid|ulid|oid|rowid|key|identifier)s?$/.test(last) &&
    words.length > (last.startsWith("key") ? 1 : 0) &&
    words.slice(0, -1).every((word) => isIn(idWords, word))
  );
});

/** Reads an identifier as text; `undefined` when it cannot be one. A number beyond 2^53 has come as text already. */
export function readId(value: unknown, level = 0): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (typeof value === "string") return isUsable(value) && !isLink(value) ? value : undefined;
  if (!isObject(value) || level > 3) return undefined;
  const inner = member(holderOf(value), innerIdKeys);
  return inner === undefined ? undefined : readId(inner.value, level + 1);
}

/** Prefixes of identifiers that say themselves of what they are. */
const foreignPrefix =
  /^(?:txn|trx|tx|transaction|req|request|task|job|op|operation|trace|span|corr|correlation|evt|event|acct|account|usr|user|author|sess|session|org|team|batch|msg|wf|workflow)[_:-]/i;

function isUsable(id: string): boolean {
  return (
    id.length <= 1024 &&
    !["", ".", ".."].includes(id) &&
    id.trim() !== "" &&
    id.isWellFormed() &&
    !/\p{Cc}/u.test(id) &&
    !foreignPrefix.test(id)
  );
}

function isLink(text: string): boolean {
  return /^(?:https?:\/\/|\/)/i.test(text);
}

/** Where a record has no other identifier: a path under the name of one, `/accounts/7/pages/9`, or the name of a resource, `accounts/7/pages/9`. */
export function readPathId(holder: Holder): FoundId | undefined {
  for (const key of [...idKeys, "name"]) {
    const name = holder.members.get(key) ?? "@";
    const id = holder.value[name];
    const isPath = typeof id === "string" && (key === "name" ? /^[^\s/]+(?:\/[^\s/]+){3,}$/.test(id) : isLink(id));
    if (isPath && isUsable(id) && !name.startsWith("@"))
      return { id, place: pointerOf([...holder.path, name]), holder };
  }
  return undefined;
}

/** Whether an object says of itself, by its kind or its name, that it is another thing than a page. */
function saysOther(holder: Holder): boolean {
  const kind = member(holder, ["object", "type", "kind", "typename", "resourcetype", "entity"])?.value;
  const words = typeof kind === "string" && kind.length < 60 ? wordsOf(kind) : [];
  const head = words.at(-1) ?? "";
  return (
    "jsonrpc" in holder.value ||
    (words.length <= 3 && isIn(foreignWords, head) && !/^(?:link|site|website|message|column|product)s?$/.test(head))
  );
}

/** Finds the identifier in a link to the page itself, below the path that was called. */
export function readLinkedId(holder: Holder, apiHost: string | undefined): FoundId | undefined {
  const inner = linkHolders.flatMap((key) => {
    const name = holder.members.get(key);
    const value = name === undefined ? undefined : holder.value[name];
    if (name === undefined) return [];
    if (Array.isArray(value)) {
      const self = value.slice(0, 50).find((each: unknown) => isObject(each) && each["rel"] === "self");
      return isObject(self) ? [holderOf(self, [...holder.path, name, "self"], holder)] : [];
    }
    return isObject(value) ? [holderOf(value, [...holder.path, name], holder)] : [];
  });
  for (const place of [holder, ...inner]) {
    for (const key of selfKeys) {
      const name = place.members.get(key);
      const value = name === undefined ? undefined : place.value[name];
      const href = isObject(value) ? member(holderOf(value), ["href", "url", "uri"])?.value : value;
      const id = typeof href === "string" ? readLink(href, apiHost) : undefined;
      if (name !== undefined && id !== undefined) return { id, place: pointerOf([...place.path, name]), holder };
    }
  }
  return undefined;
}

/** Finds the identifier in the `Location` of an answer that says that the page is there: at 202 it is the place to ask about the work. */
export function readLocatedId(
  status: number,
  headers: HeaderLookup,
  apiHost: string | undefined,
  holder: Holder,
): FoundId | undefined {
  if (status !== 200 && status !== 201 && status !== 204) return undefined;
  for (const place of ["Location", "Content-Location"]) {
    const text = headers.get(place);
    const id = text === null ? undefined : readLink(text, apiHost);
    if (id !== undefined) return { id, place, holder };
  }
  return undefined;
}

const collection = endpoints.createPage.path;
const lastName = collection.slice(collection.lastIndexOf("/") + 1);

/** The last segment of a link below the path that was called, in the forms in use: `…/content/1`, `content(1)`, `content?id=eq.1`. */
function readLink(link: string, apiHost: string | undefined): string | undefined {
  const text = link.trim();
  if (text.length > 4096) return undefined;
  const [, host, rest = ""] = /^(?:(?:https?:)?\/\/([^/?#]*))?([^#]*)/i.exec(text) ?? [];
  const [path = "", query = ""] = rest.split("?");
  // Another host, such as one behind a gateway, is the service's own when the whole path is.
  if (host !== undefined && host !== apiHost && !path.includes(`${collection}/`) && !path.includes(`${collection}(`))
    return undefined;
  const [, segment, key] = new RegExp(`(?:^|/)${lastName}(?:/([^/?#]+)/?|\\(([^()]+)\\))$`).exec(path) ?? [];
  const asked = path.endsWith(`/${lastName}`) ? /(?:^|&)_?id=(?:eq\.)?([^&]+)/.exec(query)?.[1] : undefined;
  const found = segment ?? key?.replace(/^(?:id=)?'?(.*?)'?$/i, "$1") ?? asked;
  if (found === undefined) return undefined;
  try {
    return readId(decodeURIComponent(found));
  } catch {
    return undefined;
  }
}
