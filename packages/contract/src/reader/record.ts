// Finds the page in an answer nobody has described: by structure first, by names second. Pure.
import { isObject, type JsonObject } from "../json.ts";
import type { Answer, Asked, FoundPage } from "./answer.ts";
import { readText } from "./fields.ts";
import { type Holder, holderOf, holdersIn, member, pointerOf, severalIn, unwrap } from "./holder.ts";
import { isEntered, readId, readLocatedId, readNamedId, readOwnId } from "./identifier.ts";
import { fieldKeys } from "./names.ts";
import { ancestorsOf, countFields, documented, partsOf, present, rootOf } from "./presentation.ts";
import { isScalarId, recordId, thinId } from "./record-id.ts";

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

function fromScalar(answer: Answer, asked: Asked, value: unknown): FoundPage {
  const top = holderOf({});
  const located = readLocatedId(answer.status, answer.headers, asked.apiHost, top);
  const id = answer.status !== 202 && isScalarId(value, answer.status, asked.sent) ? readId(value) : undefined;
  const found = id === undefined ? located : { id, place: "#", holder: top };
  return present([top], top, asked.id === undefined ? found : undefined, asked, []);
}
