// Finds the page in an answer nobody has described, and presents it: by structure first, by names second. Pure.
import type { JsonObject } from "../json.ts";
import type { Answer, Asked, FoundPage } from "./answer.ts";
import { hasTrouble } from "./counts.ts";
import { findThings, type Things } from "./domains.ts";
import { ancestorsOf, fact, type Holder, holderOf, isHolder, member, pointerOf, wayTo } from "./facts.ts";
import { countFields, readCta, readField } from "./fields.ts";
import * as ids from "./identifier.ts";
import { fields, keyOf, keys, readName, texts, wordsOf } from "./names.ts";
import { table } from "./words.ts";
import { partsOf, present } from "./presentation.ts";
import { type Feature, never, rank } from "./score.ts";
import { walk } from "./walk.ts";

/** Finds the page in the answer to a create or an update. Never fails: what is not there is absent. */
export function findPage(answer: Answer, asked: Asked = {}): FoundPage {
  const places = walk(answer.body);
  const holders = places.filter(isHolder).filter(({ path }) => !path.some((name) => readName(name).says("relative")));
  const top = holders.find((holder) => !holder.isOneOfSeveral) ?? holderOf({});
  const record = chooseRecord(holders, asked, answer.status);
  const found = findId(record, holders, asked, answer) ?? (record ? undefined : scalarId(answer, asked, top));
  const id = asked.id === undefined ? (found ?? ids.readLocatedId(answer, asked, top)) : undefined;
  const way = record ? [record, ...ancestorsOf(record)] : [found?.holder ?? top];
  const isSplit = record !== undefined && holders.some((holder) => isHalf(holder, record));
  const root = Math.max(
    way.findIndex((holder) => holder === found?.holder),
    isSplit ? 1 : 0,
  );
  const outer = way.slice(0, root + 1);
  const beside = holders.filter((holder) => isServing(holder) && holder.above && !outer.includes(holder.above));
  return present(outer, record ? holders : [], id, asked, findThings(places), beside);
}

/** Presents one element of a list, which is a page whatever is around its fields. `key` is its name where the list is a map. */
export function findListedPage(
  element: JsonObject,
  path: readonly string[],
  asked: Asked = {},
  key?: string,
  things?: Things,
): FoundPage {
  const holders = walk(element, path).filter(isHolder);
  const [top = holderOf(element, path)] = holders;
  const own = partsOf([top], holders);
  const record = own.length === 1 ? top : (chooseRecord(own) ?? top);
  const found = findId(record, own, asked) ?? findId(undefined, own, asked);
  const keyed = ids.readId(key);
  const id = found ?? (keyed === undefined ? undefined : { id: keyed, place: pointerOf(path), holder: top, doubt: 0 });
  return present([record, ...ancestorsOf(record)], own, id, asked, things);
}

/** The object that is most surely the page: that has most documented fields, and of what was sent repeats most. */
function chooseRecord(holders: readonly Holder[], asked: Asked = {}, status = 200): Holder | undefined {
  const least = leastEchoes(asked);
  const candidates = holders.map((holder) => ({ holder, echoes: countEchoes(holder, asked) }));
  const features: readonly Feature<(typeof candidates)[number]>[] = [
    // A single repeated text may be a coincidence.
    [never, ({ holder, echoes }) => echoes < 2 && countFields(holder) === 0],
    // One of several is the page only where it says so. A service may change one text that was sent; of another page all differ.
    [never, ({ holder, echoes }) => echoes === 0 && (holder.isOneOfSeveral || contradicts(holder, asked))],
    // A task may be named after the page, and a request repeat it: what repeats more of it and has an identifier is the page. At 202 it is the work.
    [never, ({ holder, echoes }) => !isOwn(holder) && (status === 202 || echoes < least || !isIdentified(holder))],
    // Under a name that says nothing of a page, a title without a word of the one that was sent is that of another thing.
    [never, ({ holder, echoes }) => echoes === 0 && !isNeutral(holder) && hasOtherTitle(holder, asked)],
    // What repeats nothing that was sent is the talk of an envelope, unless it says which page it is.
    [never, ({ holder, echoes }) => asked.sent !== undefined && echoes === 0 && !isSelfNamed(holder, asked)],
    [1, ({ holder }) => countFields(holder)],
    [10, ({ echoes }) => echoes],
  ];
  return rank(candidates, features)[0]?.holder;
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
  const around = [holder, ...ancestorsOf(holder).filter((each) => isSplit(holder, each))];
  const isNamed = id !== undefined && countFields(holder) > 0 && around.some((each) => ids.saidIdOf(each)?.id === id);
  const ctaUrl = readCta(sent["cta"])?.url;
  const isCta = ctaUrl !== undefined && readCta(readField(holder, "cta")?.value)?.url === ctaUrl;
  return repeated.length + (isNamed ? 2 : 0) + (isCta ? 1 : 0);
}

/** How many of the fields that were sent an object repeats that can only be the page. */
function leastEchoes({ sent }: Asked): number {
  return Math.min(2, texts.filter((field) => typeof sent?.[field] === "string").length);
}

/** Whether an object shows two fields that were sent, which it does not repeat. */
function contradicts(holder: Holder, { sent }: Asked): boolean {
  return texts.filter((field) => typeof sent?.[field] === "string" && readField(holder, field)).length >= 2;
}

/** Whether an object has a title, and no word of it is in the one that was sent. */
function hasOtherTitle(holder: Holder, { sent }: Asked): boolean {
  const [own, asked] = [readField(holder, "title")?.value, sent?.["title"]];
  if (typeof own !== "string" || typeof asked !== "string") return false;
  const words = wordsOf(asked);
  return !wordsOf(own).some((word) => words.includes(word));
}

/** Whether an object says which page it is, and that it is the one that was asked for. */
function isSelfNamed(holder: Holder, { id }: Asked): boolean {
  const own = ids.saysOther(holder) ? undefined : ids.saidIdOf(holder)?.id;
  return own !== undefined && own === (id ?? own);
}

/** Whether an object that is called another thing has an identifier, or what it is a part of. */
function isIdentified(holder: Holder): boolean {
  const others = ancestorsOf(holder).filter((each) => !isOwn(each));
  return [holder, ...others].some((each) => ids.saidIdOf(each) !== undefined);
}

/** Whether no name on the way to an object is that of another thing. */
const isOwn = fact((holder) => wayTo(holder).every((name) => readName(name).isEntered));
/** Whether every name on the way to an object is one for a page, or for nothing. */
const isNeutral = fact((holder) => wayTo(holder).every((name) => readName(name).isNeutral));
/** Whether the same is so but for the only name at the top, which may be that of the service. */
const isWrapped = fact((holder) => {
  const [name = "", ...inner] = wayTo(holder);
  const { isEntered, says } = readName(name);
  const isOfService = keyOf(name) === "api" || (isEntered && !says("embedded"));
  const isOnly = ancestorsOf(holder).at(-1)?.members.size === 1;
  return isOnly && isOfService && inner.length > 0 && inner.every((each) => readName(each).isNeutral);
});
/** Whether an object may hold the address of the page beside it. */
function isServing(holder: Holder): boolean {
  const isCalled = readName(holder.path.at(-1) ?? "").saysOnly("serving");
  return isCalled && !holder.isOneOfSeveral && isOwn(holder) && !ids.hasName(holder);
}
/** Whether an object is a state of the page, which has an identifier of its own. */
const isOfVersion = fact((holder) => wayTo(holder).some((name) => readName(name).says("version")));

/** Whether an object has a record inside as what its fields are split off to. */
function isSplit(record: Holder, holder: Holder): boolean {
  return readName(record.path[holder.path.length] ?? "").says("split");
}

/**
 * The identifier of a record: its own, or one of what is around it or beside it. In an answer that shows no field of a page only
 * where every name on the way is one for a page, or for nothing.
 */
function findId(record: Holder | undefined, holders: readonly Holder[], asked: Asked, answer?: Answer) {
  const isTold = (holder: Holder) =>
    !holder.isOneOfSeveral &&
    (isNeutral(holder) || isWrapped(holder)) &&
    !(answer && (hasTrouble(holder) || contradicts(holder, asked)));
  const way = record
    ? [record, ...ancestorsOf(record).filter((each) => isNeutral(each) || isSplit(record, each))].filter(
        (each) => !isOfVersion(each),
      )
    : holders.filter(isTold);
  const usable = way.filter((holder) => !isPending(holder, answer));
  // Without a record what is further in is nearer to the page: an envelope may have an identifier of its own.
  if (!record) usable.sort((one, other) => depthOf(other) - depthOf(one));
  // What splits its content off, and shows that it is the page, is named by its own identifier, and not by that of its content.
  const whole = record && usable.findLast((holder) => isSplit(record, holder) && shows(record, holder, asked));
  const isPage = (holder: Holder) =>
    holder === record && countFields(holder) > 1 && countEchoes(holder, asked) >= leastEchoes(asked);
  const distance = (holder: Holder) => (holder === whole ? -1 : usable.indexOf(holder));
  const readers = Object.entries(ids.idReaders);
  const located = answer && record && ids.readLocatedId(answer, asked, record)?.id;
  for (const [kind, read] of readers) {
    if (record === undefined && (kind === "weak" || kind === "key")) continue;
    const isSaid = kind === "own" || kind === "named";
    const told = usable.filter((holder) => !(isSaid && ids.saysOther(holder) && !isPage(holder)));
    const all = told.flatMap((holder) => read(holder, asked));
    const found =
      ids.surest(
        all.filter(({ id }) => id === located),
        distance,
      ) ?? ids.surest(all, distance);
    // The metadata of an envelope is about the answer, where the record has what stands for an identifier.
    const isOfAnswer =
      record && found && found.holder !== record && found.place.split("/").length > found.holder.path.length + 2;
    if (found !== undefined && !(isOfAnswer && kind === "own" && ids.idReaders.weak(record, asked).length > 0))
      return found;
  }
  // Else that of the other half of the record; of a page that was made, and is called by words we do not know, the only one there is.
  const firstOf = (holder: Holder) => readers.map(([, read]) => ids.surest(read(holder, asked))).find((id) => id) ?? [];
  const others = record
    ? holders.filter((holder) => isHalf(holder, record)).flatMap(firstOf)
    : holders.flatMap((holder) => (answer?.status === 201 ? (ids.ownIdOf(holder) ?? []) : []));
  const [only] = others;
  return only && others.length === 1 && (record || isThing(only.holder)) ? only : undefined;
}

/** How far in an object is; metadata are as far as what they are of. */
function depthOf({ path }: Holder): number {
  return path.length - (keys.inner.includes(keyOf(path.at(-1) ?? "")) ? 1 : 0);
}

/** Whether an object is a thing without a name of its own, and is called no other than a page. */
function isThing(holder: Holder): boolean {
  const isPart = wayTo(holder).some((name) => readName(name).says("embedded"));
  const isOther = isPart || ids.hasName(holder) || ids.saysOther(holder) || hasTrouble(holder);
  return !holder.isOneOfSeveral && isOwn(holder) && !isOther;
}

/** Whether an object is the other half of a record: what is called a page, or shows a field, and none that the record has. */
function isHalf(holder: Holder, record: Holder): boolean {
  if (holder === record || record.above === undefined || holder.above !== record.above) return false;
  const shown = fields.filter((field) => member(holder, keys[field]) !== undefined);
  const isCalledPage = readName(holder.path.at(-1) ?? "").saysOnly("page");
  const repeats = shown.some((field) => member(record, keys[field]) !== undefined);
  return (isCalledPage || shown.length > 0) && !repeats && isOwn(holder) && !ids.saysOther(holder);
}

/** Whether an object shows that it is the page itself: by no more than fields inside, or by a field beside them, which repeats what was sent. */
function shows(record: Holder, holder: Holder, asked: Asked): boolean {
  if (/^(?:attributes|fields|properties|props)$/i.test(record.path[holder.path.length] ?? "")) return true;
  return asked.sent === undefined ? countFields(holder) > 1 : countEchoes(holder, asked) > 0;
}

/** The identifier that is the whole answer. */
function scalarId({ body, status }: Answer, { sent }: Asked, holder: Holder): ids.FoundId | undefined {
  const value: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const id = status !== 202 && ids.isScalarId(value, status, sent) ? ids.readId(value) : undefined;
  return id === undefined ? undefined : { id, place: "#", holder, doubt: 0 };
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
