// Where the identifier of a page stands, once it is known which object is the page, or that none is shown.
import type { JsonObject } from "../json.ts";
import type { Answer, Asked } from "./answer.ts";
import { readTime } from "./fields.ts";
import { type Holder, innerHolders, member, pointerOf } from "./holder.ts";
import { type FoundId, isNeutral, readId, readLinkedId, readNamedId, readOwnId } from "./identifier.ts";
import { isIn, keyOf, pendingStates, splitWords, versionWords, wordsOf } from "./names.ts";
import { ancestorsOf, countFields } from "./presentation.ts";

/** The identifier of a record: its own, one beside it on the way to it, one that speaks of the page, a link to itself. */
export function recordId(record: Holder, answer: Answer | undefined, { apiHost }: Asked): FoundId | undefined {
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
export function thinId(
  holders: readonly Holder[],
  answer: Answer | undefined,
  { apiHost, sent }: Asked,
): FoundId | undefined {
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
export function isScalarId(value: unknown, status: number, sent: JsonObject | undefined): boolean {
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
