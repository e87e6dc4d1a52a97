// The identifier of a page. A wrong one is worse than none: it would change or delete another page.
import { endpoints } from "../endpoints.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked } from "./answer.ts";
import { fact, type Holder, holderOf, innerHolders, member, membersOf, pointerOf } from "./facts.ts";
import { countFields, readTime } from "./fields.ts";
import { isDocumented, keyOf, keys, readName, saysForeign } from "./names.ts";
import { table } from "./words.ts";

/** An identifier, and the place where it stands. */
export interface FoundId {
  readonly id: string;
  /** A JSON pointer into the answer, or the name of a header. */
  readonly place: string;
  /** The object it belongs to. */
  readonly holder: Holder;
  /** How far from the surest of its kind it is; the next object out is 100 away. */
  readonly doubt: number;
}

/** Finds what may be the identifier of what an object is about, in one way. */
export type IdReader = (holder: Holder, asked: Asked) => readonly FoundId[];

/** The surest of these; none where two are as sure. */
export function surest(candidates: readonly FoundId[], distance: (holder: Holder) => number = () => 0) {
  let best: { found: FoundId; doubt: number; isOnly: boolean } | undefined;
  for (const found of candidates) {
    const doubt = distance(found.holder) * 100 + found.doubt;
    if (best === undefined || doubt < best.doubt) best = { found, doubt, isOnly: true };
    else if (doubt === best.doubt && found.id !== best.found.id) best.isOnly = false;
  }
  return best?.isOnly === true ? best.found : undefined;
}

const idRanks: ReadonlyMap<string, number> = new Map(keys.id.map((key, at) => [key, at]));

/** How far behind a text under another name a number is: it is the database's business at times. */
const counterHandicap = 4.5;
/** How far behind what an object says itself is what its metadata say. */
const innerHandicap = 50;

/** Its own name for it, or one level down in its metadata. */
function ownIds(holder: Holder): readonly FoundId[] {
  const found: FoundId[] = [];
  for (const place of [holder, ...innerHolders(holder, keys.inner)]) {
    const key = readId(member(place, ["key"])?.value);
    for (const [name, written] of place.members) {
      const known = idRanks.get(name);
      const value = place.value[written];
      const id = known === undefined ? undefined : readId(value);
      if (known === undefined || id === undefined) continue;
      const doubt = known + (typeof value === "number" ? counterHandicap : 0) + (place === holder ? 0 : innerHandicap);
      // Of a handle such as `pages/7` only the key is this page's, where the record says which part that is.
      const isHandle = key !== undefined && id.endsWith(`/${key}`);
      const own = isHandle ? (place.members.get("key") ?? written) : written;
      found.push({ id: isHandle ? key : id, place: pointerOf([...place.path, own]), holder, doubt });
    }
  }
  return found;
}

/** The members whose names are asked for. */
function idsUnder(isAsked: (meant: string, value: unknown, asked: Asked, holder: Holder) => boolean): IdReader {
  return (holder, asked) =>
    membersOf(holder).flatMap(([meant, name]) => {
      const id = isAsked(meant, holder.value[name], asked, holder) ? readId(holder.value[name]) : undefined;
      return id === undefined ? [] : [{ id, place: pointerOf([...holder.path, name]), holder, doubt: 0 }];
    });
}

const namedIds = idsUnder((meant) => readName(meant).isPageId);

/** A path under the name of an identifier, `/accounts/7/pages/9`, or the name of a resource, `accounts/7/pages/9`. */
const pathIds: IdReader = (holder) =>
  [...keys.id, "name"].flatMap((key, doubt) => {
    const name = holder.members.get(key) ?? "@";
    const id = holder.value[name];
    const isPath = typeof id === "string" && (key === "name" ? /^[^\s/]+(?:\/[^\s/]+){3,}$/.test(id) : isLink(id));
    return isPath && isUsable(id) && !name.startsWith("@")
      ? [{ id, place: pointerOf([...holder.path, name]), holder, doubt }]
      : [];
  });

/** A single member, or one that names nothing but the key it has made: `{ "page": 7 }`, `{ "name": "-Nx1" }`. */
const aloneIds = idsUnder((name, value, { sent }, holder) => {
  const key = keyOf(name);
  const isAlone = key === "key" || (/^(?:name|ref)$/.test(key) && holder.members.size === 1);
  // Of a page that shows more of itself, a number under a name that says nothing may be any.
  if (/^(?:ok|success|changes|set|hits?)$/.test(key)) return false;
  const isName = keys.thing.includes(key) || (countFields(holder) === 0 && (readName(name).isNeutral || isAlone));
  return isName && !isDocumented(name) && isScalarId(value, 201, sent);
});

/** What an object may say of its identifier, the surest first; what is less sure is looked for only where there is nothing surer. */
export const idReaders: Readonly<Record<"own" | "link" | "path" | "named" | "weak" | "key" | "alone", IdReader>> = {
  own: (holder, asked) => {
    const found = ownIds(holder);
    // Of several identifiers the one that a link to the page itself names is the one that addresses it.
    const linked = found.length > 1 ? surest(linkedIds(holder, asked))?.id : undefined;
    return found.some(({ id }) => id === linked) ? found.filter(({ id }) => id === linked) : found;
  },
  link: linkedIds,
  path: pathIds,
  named: namedIds,
  weak: idsUnder((meant, value, _asked, holder) => {
    const key = keyOf(meant);
    // Beside fields a code is that of the record, where it is none of a status.
    const code = key === "code" && countFields(holder) > 0 ? readId(value) : undefined;
    return keys.weakId.includes(key) || (code !== undefined && /^(?!e|http|status|success)(?=.*\d).{4,}/i.test(code));
  }),
  key: keyIds,
  alone: aloneIds,
};

/** The identifier that an object says is its own, or one level down in its metadata. */
export const ownIdOf = fact((holder) => surest(ownIds(holder)));

/** The identifier that an object says is its own, or that speaks of the page. */
export const saidIdOf = fact((holder) => ownIdOf(holder) ?? surest(namedIds(holder, {})));

/** A map of one, `{ "pg_1": { … } }`: its key is the identifier, unless it can be the name of a member. */
function keyIds(record: Holder): readonly FoundId[] {
  const key = record.path.at(-1) ?? "";
  if (record.above?.members.size !== 1 || !isObject(record.above.value[key])) return [];
  const isName =
    !isOpaque(key) || /^v\d+$/i.test(key) || (/\D/.test(key) && readName(key.replaceAll(/\d+/g, "")).isNeutral);
  const id = isName ? undefined : readId(key);
  return id === undefined ? [] : [{ id, place: pointerOf(record.path), holder: record, doubt: 0 }];
}

/** Whether an object has a name that is no host. */
export const hasName = fact((holder) => {
  const name = member(holder, ["name", "title", "label"])?.value;
  return typeof name === "string" && !/^[^\s/]+\.[a-z]{2,}$/i.test(name);
});

/** Whether an object has a name and an identifier: it is a thing of its own. */
export function isNamedThing(holder: Holder): boolean {
  return hasName(holder) && ownIdOf(holder) !== undefined;
}

/** Whether an object says of itself, by its kind, that it is another thing than a page. */
export const saysOther = fact((holder) => {
  const found = member(holder, keys.kind);
  // A kind in the naming of the fields is one of pages, as `page_type` is.
  const isOfFields = found !== undefined && holder.naming !== undefined && holder.naming(found.name) !== found.name;
  return holder.members.has("jsonrpc") || (typeof found?.value === "string" && !isOfFields && saysForeign(found.value));
});

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

/** Whether a bare value can only be an identifier: opaque, and nothing that was sent. A lone 1 at 200 may be a count. */
export function isScalarId(value: unknown, status: number, sent: JsonObject | undefined): boolean {
  if (typeof value === "number") return status === 201 || value > 1;
  if (typeof value !== "string" || !/^[\p{L}\p{N}_-]{1,128}={0,2}$/u.test(value) || !isOpaque(value)) return false;
  return (readTime(value) === undefined || /^\d{17,}$/.test(value)) && !Object.values(sent ?? {}).includes(value);
}

/** Finds the identifier in a link to the page itself, below the path that was called: in the record, or in what holds its links. */
function linkedIds(holder: Holder, { apiHost }: Asked): readonly FoundId[] {
  const holding = [...holder.members].flatMap(([key, name]) => (keys.links.includes(key) ? [name, `_${name}`] : []));
  const inner = holding.flatMap((name) => {
    const value: unknown = holder.value[name];
    const at = Array.isArray(value) ? value.slice(0, 50).findIndex((each) => [each?.rel].flat().includes("self")) : -1;
    const links: unknown = Array.isArray(value) ? value[at] : value;
    return isObject(links) ? [holderOf(links, [...holder.path, name, ...(at < 0 ? [] : [String(at)])], holder)] : [];
  });
  return [holder, ...inner].flatMap((place, level) =>
    keys.self.flatMap((key, rank) => {
      const name = place.members.get(key) ?? "";
      const link = place.value[name];
      const href = isObject(link) ? member(holderOf(link), ["href", "url", "uri"])?.value : link;
      const id = typeof href === "string" ? readLink(href, apiHost) : undefined;
      return id === undefined
        ? []
        : [{ id, place: pointerOf([...place.path, name]), holder, doubt: level * 20 + rank }];
    }),
  );
}

/** The identifier in the `Location` of an answer that says that the page is there: at 202 it is the place to ask about the work. */
export function readLocatedId({ status, headers }: Answer, asked: Asked, holder: Holder): FoundId | undefined {
  for (const place of status === 202 ? [] : ["Location", "Content-Location"]) {
    const link = headers.get(place);
    if (link === null) continue;
    const name = link.replace(/^\.\//, "");
    const id = readLink(link, asked.apiHost) ?? (isScalarId(name, status, asked.sent) ? readId(name) : undefined);
    if (id !== undefined) return { id, place, holder, doubt: 0 };
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
