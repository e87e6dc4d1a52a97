// Finds the page in an answer nobody has described, and its identifier: by structure first, by names second. Pure.
import type { JsonObject } from "../json.ts";
import type { Answer, Asked, FoundPage } from "./answer.ts";
import { findThings } from "./domains.ts";
import { countFields, readField, readTime } from "./fields.ts";
import {
  type FoundId,
  idReaders,
  isOpaque,
  readId,
  readLocatedId,
  readNamedId,
  readOnlyId,
  readOwnId,
  readWeakId,
  saysOther,
} from "./identifier.ts";
import { fields, isDocumented, isEntered, isNeutral, keyOf, keys, says, saysOnly, table, texts } from "./names.ts";
import { partsOf, present } from "./presentation.ts";
import { ancestorsOf, belowTop, hasTrouble, type Holder, holderOf, isHolder, member, pointerOf } from "./tree.ts";
import { placesIn } from "./walk.ts";

/** Finds the page in the answer to a create or an update. Never fails: what is not there is absent. */
export function findPage(answer: Answer, asked: Asked = {}): FoundPage {
  const places = placesIn(answer.body);
  const holders = places.filter(isHolder).filter(({ path }) => !path.some((name) => says(name, "relative")));
  const top = holders.find((holder) => !holder.isOneOfSeveral) ?? holderOf({});
  const record = chooseRecord(holders, asked, answer.status);
  const found = findId(record, holders, asked, answer) ?? (record ? undefined : scalarId(answer, asked, top));
  const id = asked.id === undefined ? (found ?? readLocatedId(answer, asked.apiHost, top)) : undefined;
  const way = record ? [record, ...ancestorsOf(record)] : [found?.holder ?? top];
  const isSplit = record !== undefined && restOf(record, holders).length > 0;
  const root = Math.max(
    way.findIndex((holder) => holder === found?.holder),
    isSplit ? 1 : 0,
  );
  return present(way.slice(0, root + 1), record ? holders : [], id, asked, findThings(places));
}

/** Presents one element of a list, which is a page whatever is around its fields. `key` is its name where the list is a map. */
export function findListedPage(
  element: JsonObject,
  path: readonly string[],
  asked: Asked = {},
  key?: string,
  things?: ReadonlyMap<string, unknown>,
): FoundPage {
  const holders = placesIn(element, path).filter(isHolder);
  const [top = holderOf(element, path)] = holders;
  const own = partsOf([top], holders);
  const record = chooseRecord(own) ?? top;
  const found = findId(record, own, asked) ?? findId(undefined, own, asked);
  const keyed = readId(key);
  const id = found ?? (keyed === undefined ? undefined : { id: keyed, place: pointerOf(path), holder: top });
  return present([record, ...ancestorsOf(record)], own, id, asked, things);
}

/** The object with most documented fields; of what was sent, the one that repeats it. Names decide between such objects only. */
function chooseRecord(holders: readonly Holder[], asked: Asked = {}, status = 200): Holder | undefined {
  let best: { holder: Holder; score: number } | undefined;
  for (const holder of holders) {
    const count = countFields(holder);
    const echoes = countEchoes(holder, asked);
    const isUnsure = count === 0 || (echoes === 0 && (holder.isOneOfSeveral || contradicts(holder, asked)));
    if (isUnsure && echoes < 2) continue;
    const isOwn = isOnOwnWay(holder);
    // A task may be named after the page, and a request repeat it: what repeats more of it and has an identifier is the page. At 202 it is the work.
    if (!isOwn && (status === 202 || echoes < leastEchoes(asked) || !isIdentified(holder))) continue;
    const score = count + 10 * echoes + (isOwn && echoes > 0 ? 100 : 0);
    if (score > (best?.score ?? 0)) best = { holder, score };
  }
  if (best === undefined || asked.sent === undefined || best.score >= 10) return best?.holder;
  // It repeats nothing of what was sent. Unless it says which page it is, it is the talk of an envelope.
  const own = saysOther(best.holder) ? undefined : (readOwnId(best.holder) ?? readNamedId(best.holder));
  return own !== undefined && (asked.id === undefined || own.id === asked.id) ? best.holder : undefined;
}

/** How many of the texts that were sent an object repeats, under whatever names; two more when it has the identifier that was asked for. */
function countEchoes(holder: Holder, { sent, id }: Asked): number {
  if (sent === undefined) return 0;
  const shown = new Set([...holder.members.values()].map((name) => holder.value[name]));
  const repeated = texts.filter((field) => {
    const text = sent[field];
    if (typeof text !== "string" || text === "") return false;
    const own = readField(holder, field, { sent: text })?.value;
    return shown.has(text) || own === text || (field === "slug" && own === `/${text}`);
  });
  const around = ancestorsOf(holder).filter((each) => isSplit(holder, each));
  const isNamed =
    id !== undefined &&
    countFields(holder) > 0 &&
    [holder, ...around].some((each) => (readOwnId(each) ?? readNamedId(each))?.id === id);
  return repeated.length + (isNamed ? 2 : 0);
}

/** How many of the fields that were sent an object repeats that can only be the page. */
function leastEchoes({ sent }: Asked): number {
  return Math.min(2, texts.filter((field) => typeof sent?.[field] === "string").length);
}

/** Whether an object shows two fields that were sent, and other texts in them: a service may change one, of another page all differ. */
function contradicts(holder: Holder, { sent }: Asked): boolean {
  const shown = texts.filter((field) => typeof sent?.[field] === "string" && readField(holder, field) !== undefined);
  return shown.length >= 2;
}

/** Whether an object that is called another thing has an identifier, or what it is a part of. */
function isIdentified(holder: Holder): boolean {
  return [holder, ...ancestorsOf(holder)]
    .filter((each) => each === holder || !isOnOwnWay(each))
    .some((each) => (readOwnId(each) ?? readNamedId(each)) !== undefined);
}

/** Whether no name on the way to an object is that of another thing. */
function isOnOwnWay(holder: Holder): boolean {
  return belowTop(holder).every(isEntered);
}

/**
 * The identifier of a record: its own, one beside it on the way to it, one that speaks of the page, a link to itself. In an
 * answer that shows no field of a page only where every name on the way is one for a page, or for nothing.
 */
function findId(
  record: Holder | undefined,
  holders: readonly Holder[],
  asked: Asked,
  answer?: Answer,
): FoundId | undefined {
  const way = record
    ? [record, ...ancestorsOf(record).filter((holder) => isAround(record, holder))].filter((each) => !isOfVersion(each))
    : holders.filter(
        (holder) =>
          !holder.isOneOfSeveral &&
          belowTop(holder).every(isNeutral) &&
          !(answer !== undefined && (hasTrouble(holder) || contradicts(holder, asked))),
      );
  const usable = way.filter((holder) => !isPending(holder, answer));
  // What splits its content off, and shows that it is the page, is named by its own identifier, and not by that of its content.
  const whole = record && usable.findLast((holder) => isSplit(record, holder) && shows(record, holder, asked));
  if (whole) usable.unshift(whole);
  const isPage = (holder: Holder) =>
    holder === record && countFields(holder) > 1 && countEchoes(holder, asked) >= leastEchoes(asked);
  const readers = record ? idReaders : idReaders.slice(0, 4);
  for (const read of [...readers, (holder: Holder) => readOnlyMember(holder, asked.sent)])
    for (const holder of usable) {
      const isItsOwn = read === readOwnId || read === readNamedId;
      const found = isItsOwn && saysOther(holder) && !isPage(holder) ? undefined : read(holder, asked.apiHost);
      // The metadata of an envelope is about the answer, where the record has what stands for an identifier.
      const isInner =
        found !== undefined && holder !== record && found.place.split("/").length > holder.path.length + 2;
      if (isInner && read === readOwnId && record && readWeakId(record)) continue;
      if (found !== undefined) return found;
    }
  const rest = record ? restOf(record, holders) : [];
  const found = rest.flatMap((holder) => idReaders.map((read) => read(holder)).find((id) => id !== undefined) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

/** What else of a record that is split stands beside it: what is called a page, or shows a field, and none that the record has. */
function restOf(record: Holder, holders: readonly Holder[]): Holder[] {
  return holders.filter((holder) => {
    if (holder === record || record.above === undefined || holder.above !== record.above) return false;
    const shown = fields.filter((field) => member(holder, keys[field]) !== undefined);
    const isHalf = saysOnly(holder.path.at(-1) ?? "", "page") || shown.length > 0;
    const repeats = shown.some((field) => member(record, keys[field]) !== undefined);
    return isHalf && !repeats && isOnOwnWay(holder) && !saysOther(holder);
  });
}

/** Whether an object on the way to a record may hold its identifier: an envelope, a page, or what splits its fields off. */
function isAround(record: Holder, holder: Holder): boolean {
  return belowTop(holder).every(isNeutral) || isSplit(record, holder);
}

/** Whether an object has a record inside as what its fields are split off to. */
function isSplit(record: Holder, holder: Holder): boolean {
  return says(record.path[holder.path.length] ?? "", "split");
}

/** Whether an object shows that it is the page itself: by no more than fields inside, or by a field beside them, which repeats what was sent. */
function shows(record: Holder, holder: Holder, asked: Asked): boolean {
  if (/^(?:attributes|fields|properties|props)$/i.test(record.path[holder.path.length] ?? "")) return true;
  return asked.sent === undefined ? countFields(holder) > 1 : countEchoes(holder, asked) > 0;
}

/** Whether an object is a state of the page, which has an identifier of its own. */
function isOfVersion(holder: Holder): boolean {
  return belowTop(holder).some((name) => says(name, "version"));
}

/** An answer of a single member, or one that names nothing but the key it has made: `{ "page": 7 }`, `{ "name": "-Nx1" }`. */
function readOnlyMember(holder: Holder, sent: JsonObject | undefined): FoundId | undefined {
  return readOnlyId(holder, (name, value) => {
    const key = keyOf(name);
    const isAlone = key === "key" || (/^(?:name|ref)$/.test(key) && holder.members.size === 1);
    // Of a page that shows more of itself, a number under a name that says nothing may be any.
    const isName = keys.thing.includes(key) || (countFields(holder) === 0 && (isNeutral(name) || isAlone));
    return isName && !isDocumented(name) && isScalarId(value, 201, sent);
  });
}

/** The identifier that is the whole answer. */
function scalarId({ body, status }: Answer, { sent }: Asked, holder: Holder): FoundId | undefined {
  const value: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const id = status !== 202 && isScalarId(value, status, sent) ? readId(value) : undefined;
  return id === undefined ? undefined : { id, place: "#", holder };
}

/** Whether a bare value can only be an identifier: opaque, and nothing that was sent. A lone 1 at 200 may be a count. */
function isScalarId(value: unknown, status: number, sent: JsonObject | undefined): boolean {
  if (typeof value === "number") return status === 201 || value > 1;
  if (typeof value !== "string" || !/^[\p{L}\p{N}_-]{1,128}={0,2}$/u.test(value) || !isOpaque(value)) return false;
  return (readTime(value) === undefined || /^\d{17,}$/.test(value)) && !Object.values(sent ?? {}).includes(value);
}

/** Words of a page that is only being made: what carries them at 202 is the work, not the page. */
const pendingStates = table(
  "queued enqueued pending processing accepted running scheduled inprogress progress started waiting submitted received",
);

/** At 202 a thing that says how far it has come is the work, not the page. */
function isPending(holder: Holder, answer: Answer | undefined): boolean {
  if (answer?.status !== 202 || countFields(holder) > 0) return false;
  const state = member(holder, ["status", "state", "phase"])?.value;
  if (typeof state === "string") return pendingStates.has(keyOf(state));
  return ["done", "progress", "percent", "percentcomplete", "queue", "position", "eta"].some((key) =>
    holder.members.has(key),
  );
}
