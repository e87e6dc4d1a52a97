// Finds the page in an answer nobody has described, and its identifier: by structure first, by names second. Pure.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundPage } from "./answer.ts";
import { readText, readTime } from "./fields.ts";
import { type Holder, holderOf, innerHolders, member, pointerOf } from "./holder.ts";
import { holdersIn, severalIn, unwrap } from "./walk.ts";
import {
  type FoundId,
  isEntered,
  isNeutral,
  isRelative,
  readId,
  readLinkedId,
  readLocatedId,
  readNamedId,
  readOwnId,
  readPathId,
} from "./identifier.ts";
import { fieldKeys, isIn, keyOf, pendingStates, splitWords, versionWords, wordsOf } from "./names.ts";
import { ancestorsOf, belongsTo, countFields, documented, partsOf, present, rootOf } from "./presentation.ts";

/** Finds the page in the answer to a create or an update. Never fails: what is not there is absent. */
export function findPage(answer: Answer, asked: Asked = {}): FoundPage {
  const { value, path } = unwrap(answer.body, []);
  const several = Array.isArray(value) ? severalIn(value, path) : [];
  if (!isObject(value) && several.length === 0) return fromScalar(answer, asked, value);
  const top = holderOf(isObject(value) ? value : {}, path);
  const all = holdersIn(isObject(value) ? top : several, (name) => !isRelative(name) || isEntered(name), true);
  const record = chooseRecord(all, asked, answer.status);
  const holders = all.filter((holder) => record !== undefined || (isOnOwnWay(holder) && !isAmongSeveral(holder)));
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
  const holders = holdersIn(top, isEntered, true).filter((holder) => belongsTo(holder, [top]));
  const record = holders.reduce((best, holder) => (countFields(holder) > countFields(best) ? holder : best), top);
  const found = recordId(record, undefined, asked) ?? thinId(holders, undefined, asked);
  const id =
    found ??
    (key === undefined || readId(key) === undefined ? undefined : { id: key, place: pointerOf(path), holder: top });
  return present(partsOf(top, record, holders), top, id, asked, []);
}

/** The object with most documented fields; of what was sent, the one that repeats it. Names decide between such objects only. */
function chooseRecord(holders: readonly Holder[], asked: Asked, status: number): Holder | undefined {
  let best: { holder: Holder; score: number } | undefined;
  for (const holder of holders) {
    const count = countFields(holder);
    const echoes = count === 0 ? 0 : countEchoes(holder, asked);
    if (count === 0 || (echoes === 0 && isAmongSeveral(holder))) continue;
    const isOwn = isOnOwnWay(holder);
    // A task may be named after the page, and a request repeat it: what repeats more of it and has an identifier is the page. At 202 it is the work.
    if (!isOwn && (status === 202 || echoes < leastEchoes(asked) || !isIdentified(holder))) continue;
    const score = count + 10 * echoes + (isOwn && echoes > 0 ? 100 : 0);
    if (score > (best?.score ?? 0)) best = { holder, score };
  }
  if (best === undefined || asked.sent === undefined || best.score >= 10) return best?.holder;
  // It repeats nothing of what was sent. Unless it says which page it is, it is the talk of an envelope.
  const own = readOwnId(best.holder) ?? readNamedId(best.holder);
  return own !== undefined && (asked.id === undefined || own.id === asked.id) ? best.holder : undefined;
}

/** How many of the fields that were sent an object repeats that can only be the page. */
function leastEchoes({ sent }: Asked): number {
  return Math.min(2, documented.filter((field) => typeof sent?.[field] === "string").length);
}

/** Whether an object that is called another thing has an identifier, or what it is a part of. */
function isIdentified(holder: Holder): boolean {
  const { above } = holder;
  if ((readOwnId(holder, true) ?? readNamedId(holder, true)) !== undefined) return true;
  return above !== undefined && !isOnOwnWay(above) && isIdentified(above);
}

/** Whether no name on the way to an object is that of another thing. */
function isOnOwnWay(holder: Holder): boolean {
  return holder.path.every(isEntered);
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

function fromScalar(answer: Answer, asked: Asked, value: unknown): FoundPage {
  const top = holderOf({});
  const located = readLocatedId(answer.status, answer.headers, asked.apiHost, top);
  const id = answer.status !== 202 && isScalarId(value, answer.status, asked.sent) ? readId(value) : undefined;
  const found = id === undefined ? located : { id, place: "#", holder: top };
  return present([top], top, asked.id === undefined ? found : undefined, asked, []);
}

/** The identifier of a record: its own, one beside it on the way to it, one that speaks of the page, a link to itself. */
function recordId(record: Holder, answer: Answer | undefined, asked: Asked): FoundId | undefined {
  const isPage =
    countFields(record) > 1 && (asked.sent === undefined || countEchoes(record, asked) >= leastEchoes(asked));
  const way = [record, ...ancestorsOf(record).filter((holder) => isAround(record, holder))].filter(
    (holder) => !isOfVersion(holder) && (answer === undefined || !isPending(holder, answer)),
  );
  const inner = innerHolders(record);
  for (const find of [readOwnId, readNamedId]) {
    for (const holder of [...way, ...inner]) {
      const found = find(holder, isPage && holder === record);
      if (found !== undefined) return { ...found, holder: inner.includes(holder) ? (holder.above ?? holder) : holder };
    }
  }
  for (const holder of way) {
    const found = readLinkedId(holder, asked.apiHost);
    if (found !== undefined) return found;
  }
  return readWeakId(record) ?? readKeyId(record) ?? way.map(readPathId).find((found) => found !== undefined);
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
    ([key, name]) =>
      (isNeutral(name) || /^(?:key|name|ref)$/.test(key)) &&
      !Object.hasOwn(fieldKeys, key) &&
      isScalarId(holder.value[name], 201, sent),
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
  return (readTime(value) === undefined || /^\d{17,}$/.test(value)) && !Object.values(sent ?? {}).includes(value);
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
