// Finds the page in an answer nobody has described, and its identifier: by structure first, by names second. Pure.
import type { JsonObject } from "../json.ts";
import type { Answer, Asked, FoundPage } from "./answer.ts";
import { countFields, documented, readField, readTime } from "./fields.ts";
import { ancestorsOf, hasTrouble, type Holder, holderOf, isHolder, member, pointerOf } from "./holder.ts";
import {
  type FoundId,
  idReaders,
  isOpaque,
  readId,
  readLocatedId,
  readNamedId,
  readOnlyId,
  readOwnId,
} from "./identifier.ts";
import { pendingStates, splitWords, thingKeys, versionWords } from "./names.ts";
import { isDocumented, isEntered, isIn, isNeutral, isRelative, keyOf, wordsOf } from "./words.ts";
import { partsOf, present } from "./presentation.ts";
import { placesIn } from "./walk.ts";

/** Finds the page in the answer to a create or an update. Never fails: what is not there is absent. */
export function findPage(answer: Answer, asked: Asked = {}): FoundPage {
  const holders = placesIn(answer.body)
    .filter(isHolder)
    .filter(({ path }) => path.every((name) => !isRelative(name) || isEntered(name)));
  const top = holders.find((holder) => !holder.isOneOfSeveral) ?? holderOf({});
  const record = chooseRecord(holders, asked, answer.status);
  const found = record
    ? recordId(record, answer, asked)
    : (thinId(holders, answer, asked) ?? scalarId(answer, asked, top));
  const id = asked.id === undefined ? (found ?? readLocatedId(answer, asked.apiHost, top)) : undefined;
  const way = record ? [record, ...ancestorsOf(record)] : [found?.holder ?? top];
  const root = way.findIndex((holder) => holder === found?.holder);
  return present(way.slice(0, Math.max(root, 0) + 1), record ? holders : [], id, asked);
}

/** Presents one element of a list, which is a page whatever is around its fields. `key` is its name where the list is a map. */
export function findListedPage(
  element: JsonObject,
  path: readonly string[],
  asked: Asked = {},
  key?: string,
): FoundPage {
  const holders = placesIn(element, path).filter(isHolder);
  const [top = holderOf(element, path)] = holders;
  const own = partsOf([top], holders);
  const record = chooseRecord(own) ?? top;
  const found = recordId(record, undefined, asked) ?? thinId(own, undefined, asked);
  const isKey = key !== undefined && readId(key) !== undefined;
  const id = found ?? (isKey ? { id: key, place: pointerOf(path), holder: top } : undefined);
  return present([record, ...ancestorsOf(record)], own, id, asked);
}

/** The object with most documented fields; of what was sent, the one that repeats it. Names decide between such objects only. */
function chooseRecord(holders: readonly Holder[], asked: Asked = {}, status = 200): Holder | undefined {
  let best: { holder: Holder; score: number } | undefined;
  for (const holder of holders) {
    const count = countFields(holder);
    const echoes = countEchoes(holder, asked);
    if (echoes < 2 && (count === 0 || (echoes === 0 && (holder.isOneOfSeveral || contradicts(holder, asked)))))
      continue;
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

/** Whether an object shows two fields that were sent, and other texts in them: a service may change one, of another page all differ. */
function contradicts(holder: Holder, { sent }: Asked): boolean {
  const others = documented.filter(
    (field) => typeof sent?.[field] === "string" && readField(holder, field) !== undefined,
  );
  return others.length >= 2;
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
  return belowTop(holder).every(isEntered);
}

/** How many of the texts that were sent an object repeats, under whatever names; two more when it has the identifier that was asked for. */
function countEchoes(holder: Holder, { sent, id }: Asked): number {
  if (sent === undefined) return 0;
  const texts = new Set([...holder.members.values()].map((name) => holder.value[name]));
  const repeated = documented.filter((field) => {
    const text = sent[field];
    if (typeof text !== "string" || text === "") return false;
    const shown = readField(holder, field, { sent: text })?.value;
    return texts.has(text) || shown === text || (field === "slug" && shown === `/${text}`);
  });
  const isNamed = id !== undefined && countFields(holder) > 0 && (readOwnId(holder) ?? readNamedId(holder))?.id === id;
  return repeated.length + (isNamed ? 2 : 0);
}

/** The identifier of a record: its own, one beside it on the way to it, one that speaks of the page, a link to itself. */
function recordId(record: Holder, answer: Answer | undefined, asked: Asked): FoundId | undefined {
  const way = [record, ...ancestorsOf(record)].filter(
    (holder) => (holder === record || isAround(record, holder)) && !isOfVersion(holder) && !isPending(holder, answer),
  );
  // What splits its content off, and shows that it is the page, is named by its own identifier, and not by that of its content.
  const whole = way.findLast((holder) => isSplit(record, holder) && shows(record, holder, asked));
  const outer = whole && readOwnId(whole);
  if (outer !== undefined && !outer.place.startsWith(`${pointerOf(record.path)}/`)) return outer;
  const isPage = countFields(record) > 1 && countEchoes(record, asked) >= leastEchoes(asked);
  const own = isPage && way[0] === record ? readOwnId(record, true) : undefined;
  return own ?? firstId(way, idReaders, asked) ?? readOnlyMember(record, asked.sent);
}

/** The identifier in an answer that shows no field of a page: only where every name on the way is one for a page, or for nothing. */
function thinId(holders: readonly Holder[], answer: Answer | undefined, asked: Asked): FoundId | undefined {
  const usable = holders.filter(
    (holder) =>
      !holder.isOneOfSeveral &&
      belowTop(holder).every(isNeutral) &&
      !isPending(holder, answer) &&
      !(answer !== undefined && (hasTrouble(holder) || contradicts(holder, asked))),
  );
  return firstId(usable, [...idReaders.slice(0, 4), (holder) => readOnlyMember(holder, asked.sent)], asked);
}

function firstId(holders: readonly Holder[], readers: typeof idReaders, { apiHost }: Asked): FoundId | undefined {
  for (const read of readers) {
    for (const holder of holders) {
      const found = read(holder, apiHost);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether an object on the way to a record may hold its identifier: an envelope, a page, or what splits its fields off. */
function isAround(record: Holder, holder: Holder): boolean {
  return belowTop(holder).every(isNeutral) || isSplit(record, holder);
}

/** Whether an object has a record inside as what its fields are split off to. */
function isSplit(record: Holder, holder: Holder): boolean {
  return wordsOf(record.path[holder.path.length] ?? "").some((word) => isIn(splitWords, word));
}

/** Whether an object shows that it is the page itself: by no more than fields inside, or by a field beside them, which repeats what was sent. */
function shows(record: Holder, holder: Holder, asked: Asked): boolean {
  if (/^(?:attributes|fields|properties|props)$/i.test(record.path[holder.path.length] ?? "")) return true;
  return asked.sent === undefined ? countFields(holder) > 1 : countEchoes(holder, asked) > 0;
}

/** Whether an object is a state of the page, which has an identifier of its own. */
function isOfVersion(holder: Holder): boolean {
  return belowTop(holder).some((name) => wordsOf(name).some((word) => isIn(versionWords, word)));
}

/** The way to an object from the top of the answer, or of the element of a list. */
function belowTop(holder: Holder): readonly string[] {
  return holder.path.slice((ancestorsOf(holder).at(-1) ?? holder).path.length);
}

/** An answer of a single member, or one that names nothing but the key it has made: `{ "page": 7 }`, `{ "name": "-Nx1" }`. */
function readOnlyMember(holder: Holder, sent: JsonObject | undefined): FoundId | undefined {
  return readOnlyId(holder, (name, value) => {
    const key = keyOf(name);
    const isAlone = key === "key" || (/^(?:name|ref)$/.test(key) && holder.members.size === 1);
    // Of a page that shows more of itself, a number under a name that says nothing may be any.
    const isName = thingKeys.has(key) || (countFields(holder) === 0 && (isNeutral(name) || isAlone));
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
  if (typeof value !== "string" || !/^[\p{L}\p{N}_-]{1,128}$/u.test(value) || !isOpaque(value)) return false;
  return (readTime(value) === undefined || /^\d{17,}$/.test(value)) && !Object.values(sent ?? {}).includes(value);
}

/** At 202 a thing that says how far it has come is the work, not the page. */
function isPending(holder: Holder, answer: Answer | undefined): boolean {
  if (answer?.status !== 202 || countFields(holder) > 0) return false;
  const state = member(holder, ["status", "state", "phase"])?.value;
  return typeof state === "string"
    ? pendingStates.has(keyOf(state))
    : ["done", "progress", "percent", "percentcomplete", "queue", "position", "eta"].some((key) =>
        holder.members.has(key),
      );
}
