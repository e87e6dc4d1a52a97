// Finds a page or a list of pages in an answer nobody has described: by structure first, by names second. Pure.
import { readDomains } from "./domain-reader.ts";
import { readCta, readFlatCta, readLanguage, readText, readTime } from "./fields.ts";
import {
  type FoundId,
  isEntered,
  isNeutral,
  readId,
  readLinkedId,
  readLocatedId,
  readNamedId,
  readOwnId,
} from "./identifier.ts";
import { type Holder, holderOf, holdersIn, innerHolders, member, pointerOf, unwrap, severalIn } from "./holder.ts";
import { isObject, type JsonObject } from "./json.ts";
import {
  fieldKeys,
  isIn,
  keyOf,
  momentKeys,
  pendingStates,
  splitWords,
  timeKeys,
  versionWords,
  wordsOf,
} from "./names.ts";
import type { PageFields } from "./page.ts";
import type { HeaderLookup } from "./rate-limit.ts";

/** An answer as it came. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: HeaderLookup;
  /** The parsed body, as `readBody` gives it; `undefined` when it holds no JSON. */
  readonly body: unknown;
}

/** What was asked, as far as it helps to understand the answer. */
export interface Asked {
  /** Host, and port where there is one, of the service itself: never a domain of a page. */
  readonly apiHost?: string | undefined;
  /** What was sent with a create or an update: the object that repeats it is the page. */
  readonly sent?: JsonObject | undefined;
  /** How many pages a list was to skip: an answer without a list may say that there are no more. */
  readonly offset?: number | undefined;
  /** Identifier that an update named. */
  readonly id?: string | undefined;
}

/** A page, and where in the answer each part of it was found. */
export interface FoundPage {
  /** The page as it is presented: documented fields are of their documented type or absent, all others as they came. `id` is absent when it cannot be told for certain. */
  readonly page: Partial<PageFields> & Pick<PageFields, "domains"> & { [field: string]: unknown };
  /** The record as it came, with all that belongs to it; `undefined` when the answer shows none. */
  readonly record: JsonObject | undefined;
  /** JSON pointer, or name of a header, by what was found there: `record`, `id`, `domains`, and each documented field. */
  readonly places: Readonly<Record<string, string>>;
}

const documented = ["title", "content", "slug", "meta_description"] as const;

/** Finds the page in the answer to a create or an update. Never fails: what is not there is absent. */
export function findPage(answer: Answer, asked: Asked = {}): FoundPage {
  const { value, path } = unwrap(answer.body, []);
  const several = Array.isArray(value) ? severalIn(value, path) : [];
  if (!isObject(value) && several.length === 0) return fromScalar(answer, asked, value);
  const top = holderOf(isObject(value) ? value : {}, path);
  const all = holdersIn(isObject(value) ? top : several, isEntered, true);
  const record = chooseRecord(all, asked);
  const holders = all.filter((holder) => record !== undefined || !isAmongSeveral(holder));
  const found = record === undefined ? thinId(holders, answer, asked) : recordId(record, answer, asked);
  const id =
    asked.id === undefined ? (found ?? readLocatedId(answer.status, answer.headers, asked.apiHost, top)) : undefined;
  const root = record === undefined ? (found?.holder ?? top) : rootOf(record, found);
  const parts = record === undefined ? [root] : partsOf(root, record, holders);
  return present(parts, root, id, asked, record !== undefined || found !== undefined ? ancestorsOf(root) : []);
}

/** Presents one element of a list, which is a page whatever is around its fields. `key` is its name where the list is a map. */
export function findListedPage(
  element: JsonObject,
  path: readonly string[],
  asked: Asked = {},
  key?: string,
): FoundPage {
  const top = holderOf(element, path);
  const holders = holdersIn(top, isEntered);
  const record = holders.reduce((best, holder) => (countFields(holder) > countFields(best) ? holder : best), top);
  const found = recordId(record, undefined, asked) ?? thinId(holders, undefined, asked);
  const id =
    found ??
    (key === undefined || readId(key) === undefined ? undefined : { id: key, place: pointerOf(path), holder: top });
  return present(partsOf(top, record, holders), top, id, asked, []);
}

/** How many documented fields an object has, in any spelling and of any usable type. */
export function countFields({ members, value }: Holder): number {
  let count = 0;
  for (const keys of Object.values(fieldKeys)) {
    const name = keys.map((key) => members.get(key)).find((found) => found !== undefined);
    if (name !== undefined && isField(value[name])) count += 1;
  }
  return count + (members.has("ctaurl") ? 1 : 0);
}

function isField(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 1 || readText(value) !== undefined;
}

/** The object with most documented fields; of what was sent, the one that repeats it. */
function chooseRecord(holders: readonly Holder[], asked: Asked): Holder | undefined {
  let best: { holder: Holder; score: number } | undefined;
  for (const holder of holders) {
    const count = countFields(holder);
    const echoes = count === 0 ? 0 : countEchoes(holder, asked);
    if (count === 0 || (echoes === 0 && isAmongSeveral(holder))) continue;
    const score = count + 10 * echoes;
    if (score > (best?.score ?? 0)) best = { holder, score };
  }
  if (best === undefined || asked.sent === undefined || best.score >= 10) return best?.holder;
  // It repeats nothing of what was sent. Unless it says which page it is, it is the talk of an envelope.
  const own = readOwnId(best.holder) ?? readNamedId(best.holder);
  return own !== undefined && (asked.id === undefined || own.id === asked.id) ? best.holder : undefined;
}

function isAmongSeveral(holder: Holder): boolean {
  return [holder, ...ancestorsOf(holder)].some(({ isOneOfSeveral }) => isOneOfSeveral);
}

function countEchoes(holder: Holder, { sent, id }: Asked): number {
  if (sent === undefined) return 0;
  const repeated = documented.filter((field) => {
    const text = sent[field];
    if (typeof text !== "string" || text === "") return false;
    return readText(member(holder, fieldKeys[field])?.value, { sent: text }) === text;
  });
  const isNamed = id !== undefined && (readOwnId(holder) ?? readNamedId(holder))?.id === id;
  return repeated.length + (isNamed ? 2 : 0);
}

/** The identifier of a record: its own, one beside it on the way to it, one that speaks of the page, a link to itself. */
function recordId(record: Holder, answer: Answer | undefined, { apiHost }: Asked): FoundId | undefined {
  const way = [record, ...ancestorsOf(record).filter((holder) => isAround(record, holder))].filter(
    (holder) => !isOfVersion(holder) && (answer === undefined || !isPending(holder, answer)),
  );
  const inner = innerHolders(record);
  for (const find of [readOwnId, readNamedId]) {
    for (const holder of [...way, ...inner]) {
      const found = find(holder);
      if (found !== undefined) return { ...found, holder: inner.includes(holder) ? (holder.above ?? holder) : holder };
    }
  }
  for (const holder of way) {
    const found = readLinkedId(holder, apiHost);
    if (found !== undefined) return found;
  }
  return readWeakId(record) ?? readKeyId(record);
}

/** Where a record has no other identifier: what it calls its key or reference. */
function readWeakId(record: Holder): FoundId | undefined {
  const weak = ["key", "ref", "reference", "handle"].flatMap((key) => member(record, [key]) ?? []);
  const [only] = weak;
  const id = only === undefined || weak.length > 1 ? undefined : readId(only.value);
  return only === undefined || id === undefined || /\s/.test(id)
    ? undefined
    : { id, place: pointerOf([...record.path, only.name]), holder: record };
}

/** A map of one, `{ "pg_1": { … } }`: its key is the identifier, unless it can be the name of a member. */
function readKeyId(record: Holder): FoundId | undefined {
  const key = record.path.at(-1) ?? "";
  const { above } = record;
  if (above === undefined || Object.keys(above.value).length > 1 || Array.isArray(above.value[key])) return undefined;
  const isName = !/\d/.test(key) || /^v\d+$/i.test(key) || isNeutral(key.replaceAll(/\d+/g, "")) || key === "0";
  const id = isName && !/^\d+$/.test(key) ? undefined : readId(key);
  return id === undefined ? undefined : { id, place: pointerOf(record.path), holder: record };
}

/** Whether an object on the way to a record may hold its identifier: an envelope, a page, or what splits its fields off. */
function isAround(record: Holder, holder: Holder): boolean {
  const next = record.path[holder.path.length] ?? "";
  return belowTop(holder).every(isNeutral) || wordsOf(next).some((word) => isIn(splitWords, word));
}

/** Whether an object is a state of the page, which has an identifier of its own. */
function isOfVersion(holder: Holder): boolean {
  return belowTop(holder).some((name) => wordsOf(name).some((word) => isIn(versionWords, word)));
}

/** The way to an object from the top of the answer, or of the element of a list. */
function belowTop(holder: Holder): readonly string[] {
  return holder.path.slice((ancestorsOf(holder).at(-1) ?? holder).path.length);
}

/** The identifier in an answer that shows no field of a page: only where every name on the way is one for a page, or for nothing. */
function thinId(holders: readonly Holder[], answer: Answer | undefined, { apiHost, sent }: Asked): FoundId | undefined {
  const usable = holders.filter(
    (holder) => belowTop(holder).every(isNeutral) && (answer === undefined || !isPending(holder, answer)),
  );
  for (const find of [
    readOwnId,
    readNamedId,
    (holder: Holder) => readLinkedId(holder, apiHost),
    (holder: Holder) => readOnlyMember(holder, sent),
  ]) {
    for (const holder of usable) {
      const found = find(holder);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** An answer of a single member, or one that names nothing but the key it has made: `{ "page": 7 }`, `{ "name": "-Nx1" }`. */
function readOnlyMember(holder: Holder, sent: JsonObject | undefined): FoundId | undefined {
  const scalars = [...holder.members].filter(
    ([key, name]) => (isNeutral(name) || /^(?:key|name|ref)$/.test(key)) && isScalarId(holder.value[name], 201, sent),
  );
  const [only] = scalars;
  if (only === undefined || scalars.length !== 1 || (/^(?:name|ref)$/.test(only[0]) && holder.members.size > 1))
    return undefined;
  const id = readId(holder.value[only[1]]);
  return id === undefined ? undefined : { id, place: pointerOf([...holder.path, only[1]]), holder };
}

/** Whether a bare value can only be an identifier: opaque, and nothing that was sent. A lone 1 at 200 may be a count. */
function isScalarId(value: unknown, status: number, sent: JsonObject | undefined): boolean {
  if (typeof value === "number") return status === 201 || value > 1;
  if (typeof value !== "string" || !/^[\w-]{1,128}$/.test(value) || !/\d/.test(value)) return false;
  return readTime(value) === undefined && !Object.values(sent ?? {}).includes(value);
}

/** At 202 a thing that says how far it has come is the work, not the page. */
function isPending(holder: Holder, { status }: Answer): boolean {
  if (status !== 202) return false;
  if (countFields(holder) > 0) return false;
  const state = member(holder, ["status", "state", "phase"])?.value;
  return typeof state === "string"
    ? pendingStates.has(keyOf(state))
    : ["done", "progress", "percent", "percentcomplete", "queue", "position", "eta"].some((key) =>
        holder.members.has(key),
      );
}

function fromScalar(answer: Answer, asked: Asked, value: unknown): FoundPage {
  const top = holderOf({});
  const located = readLocatedId(answer.status, answer.headers, asked.apiHost, top);
  const id = answer.status !== 202 && isScalarId(value, answer.status, asked.sent) ? readId(value) : undefined;
  const found = id === undefined ? located : { id, place: "#", holder: top };
  return present([top], top, asked.id === undefined ? found : undefined, asked, []);
}

function ancestorsOf(holder: Holder): Holder[] {
  return holder.above === undefined ? [] : [holder.above, ...ancestorsOf(holder.above)];
}

/** The outermost object that belongs to the page: the one that has its identifier, where it is on the way to the record. */
function rootOf(record: Holder, found: FoundId | undefined): Holder {
  return ancestorsOf(record).find((holder) => holder === found?.holder) ?? record;
}

/** All objects that make up the page: the record, what is around it up to the root, what is inside. */
function partsOf(root: Holder, record: Holder, holders: readonly Holder[]): Holder[] {
  const way = [record, ...ancestorsOf(record)];
  const outer = way.slice(0, way.indexOf(root) + 1);
  const inner = holders.filter((holder) => !outer.includes(holder) && isWithin(holder, root));
  return [
    ...outer,
    ...inner.filter((holder) => isWithin(holder, record)),
    ...inner.filter((holder) => !isWithin(holder, record)),
  ];
}

function isWithin(holder: Holder, root: Holder): boolean {
  return holder === root || ancestorsOf(holder).includes(root);
}

/** Presents a page from its parts, the record first: documented fields under their names and of their types, the rest as it came. */
function present(
  parts: readonly Holder[],
  root: Holder,
  id: FoundId | undefined,
  asked: Asked,
  around: readonly Holder[],
): FoundPage {
  const [record = root] = parts;
  const raw = mergeRaw(record, root);
  const places: Record<string, string> = { record: pointerOf(record.path) };
  const page: Record<string, unknown> = { ...raw };
  const language = readLanguage([...parts, ...around]);
  const put = (field: string, read: (value: unknown) => unknown, keys: readonly string[], where: readonly Holder[]) => {
    delete page[field];
    for (const holder of where) {
      const found = member(holder, keys);
      const value = found === undefined ? undefined : read(found.value);
      if (found === undefined || value === undefined) continue;
      page[field] = value;
      places[field] = pointerOf([...holder.path, found.name]);
      return;
    }
  };
  for (const field of documented)
    put(field, (value) => readText(value, { sent: asked.sent?.[field], language }), fieldKeys[field], parts);
  put("cta", (value) => readCta(value), fieldKeys.cta, parts);
  const flat = page["cta"] === undefined ? parts.map(readFlatCta).find((cta) => cta !== undefined) : undefined;
  if (flat !== undefined) page["cta"] = flat;
  if (page["meta_description"] === undefined && raw["meta_description"] === null) page["meta_description"] = null;
  const inner = [record, root].flatMap((holder) => innerHolders(holder).concat(innerHolders(holder, momentKeys)));
  for (const field of ["created_at", "updated_at"] as const)
    put(field, (value) => readTime(value), timeKeys[field], [...parts, ...inner]);
  const own = readDomains(parts, asked.apiHost);
  const { domains, path } = own.domains.length > 0 ? own : readDomains(around, asked.apiHost, false);
  if (path !== undefined) places["domains"] = pointerOf(path);
  if (id !== undefined) places["id"] = id.place;
  const { id: _id, ...fields } = page;
  return {
    page: { ...fields, domains, ...(id === undefined ? {} : { id: id.id }) },
    record: Object.keys(raw).length === 0 ? undefined : raw,
    places,
  };
}

/** All members of what belongs to the page in one object, the inner ones before the outer. */
function mergeRaw(record: Holder, root: Holder): JsonObject {
  const { above } = record;
  if (record === root || above === undefined) return record.value;
  const way = record.path[above.path.length];
  const outer = Object.entries(mergeRaw(above, root)).filter(([name]) => name !== way);
  return Object.fromEntries([...outer, ...Object.entries(record.value)]);
}
