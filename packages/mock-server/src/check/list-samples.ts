// What is known of every list of a visit, and of the pages in it.
import { defaultListLimit, isObject } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { plainJson, readListIn, valueAt } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import type { Sample } from "./explain-text.ts";
import { commonFacts, type Known, pageFacts, type Sight } from "./samples.ts";
import { isEmptyNotFound, type Visit } from "./visit.ts";

/** What is known of each page that a list shows, if anything, by what is known of the list. */
export type KnownPages = ReadonlyMap<Facts, readonly (Facts | undefined)[]>;

/** The answers to lists; `isEmpty` asks for those without a page. */
export function seeLists(visit: Visit, isEmpty: boolean): Sight[] {
  const { steps, views } = visit;
  if (isEmpty && steps.list !== undefined && isEmptyNotFound(visit)) {
    const list = { total: 0, limit: defaultListLimit, offset: 0, count: 0 };
    return [{ exchange: steps.list, facts: { ...commonFacts(steps.list), list } }];
  }
  const { made } = views;
  // A first stride that is not full is the whole listing too.
  const isShort = made?.exchanges.length === 1 && made.pages.length < defaultListLimit;
  const wholeCount = made?.isWhole === true || isShort ? made.pages.length : undefined;
  const seen: [Exchange | undefined, number | undefined][] = [
    [steps.list, 0],
    ...(made?.exchanges ?? []).map((exchange): [Exchange, number | undefined] => [exchange, wholeCount]),
    [steps.listOne, wholeCount],
    [steps.listNext, wholeCount],
    [steps.listDefault, undefined],
    ...(views.deleted?.exchanges ?? []).map((exchange): [Exchange, undefined] => [exchange, undefined]),
  ];
  return seen.flatMap(([exchange, total]) => {
    const list = readListIn(exchange);
    if (exchange === undefined || list === undefined || (list.pages.length === 0) !== isEmpty) return [];
    const query = new URLSearchParams(exchange.request.path.split("?")[1]);
    const counts = {
      total: list.total?.count ?? total ?? list.pages.length,
      limit: Number(query.get("limit") ?? defaultListLimit),
      offset: Number(query.get("offset") ?? 0),
      count: list.pages.length,
    };
    // Beyond the end there are no pages either, but a total.
    if (isEmpty && counts.offset > 0) return [];
    return [{ exchange, facts: { ...commonFacts(exchange), list: counts } }];
  });
}

/** A page of a list, and its name where the list is a map. */
export interface ListedSample extends Sample {
  readonly key: string | undefined;
}

/** Every page that lists show, as it came, with what is known of it; and what is known of all pages of each list. */
export function seeListed(visit: Visit, lists: readonly Sight[]): [ListedSample[], KnownPages] {
  const later = new Set(visit.views.deleted?.exchanges);
  const seen = lists.map(({ exchange, facts }) => {
    const list = readListIn(exchange);
    const elements = valueAt(plainJson(exchange), list?.place ?? "");
    const pages = (list?.pages ?? []).map((found, index) => {
      const { id } = found.page;
      const key = keyOf(elements, index, id);
      const value = valueOf(elements, key ?? index);
      const known = findSent(visit, { id, value, isLater: later.has(exchange) });
      return {
        known,
        sample: { key, value, facts: { ...facts, page: pageFacts(visit, found, known ?? {}, id, exchange) } },
      };
    });
    return { facts, pages };
  });
  // A page of which nobody knows what was sent explains nothing.
  const all = seen.flatMap(({ pages }) => pages);
  const certain = all.filter(({ known }) => known !== undefined);
  const listed = (certain.length > 0 ? certain : all).map(({ sample }) => sample);
  const known = seen.map(({ facts, pages }): [Facts, (Facts | undefined)[]] => [
    facts,
    pages.map((page) => page.known && page.sample.facts),
  ]);
  return [listed, new Map(known)];
}

/** What was sent of a listed page: by its identifier, else by the slug that stands in it under whatever name. */
function findSent(
  { sent, fullId, movedId, twinId, shortestId }: Visit,
  { id, value, isLater }: { id: string | undefined; value: unknown; isLater: boolean },
): Known | undefined {
  if (id !== undefined) {
    if (id === shortestId) return sent.shortest;
    if (id === twinId) return sent.full;
    if (id === fullId || id === movedId) return isLater ? undefined : sent.full;
  }
  const text = JSON.stringify(value);
  const at = text.indexOf(sent.full.slug);
  if (at < 0) return undefined;
  const [end = ""] = /^-\w+/.exec(text.slice(at + sent.full.slug.length)) ?? [];
  if (end === "") return sent.full;
  if (end !== "-short" && !/^-\d+$/.test(end)) return undefined;
  // A service may put a number behind a slug that is taken.
  return { ...(text.includes(sent.full.title) ? sent.full : sent.shortest), slug: sent.full.slug + end };
}

function keyOf(elements: unknown, index: number, id: string | undefined): string | undefined {
  if (!isObject(elements)) return undefined;
  return id !== undefined && Object.hasOwn(elements, id) ? id : Object.keys(elements)[index];
}

function valueOf(elements: unknown, key: string | number): unknown {
  return Object.entries(elements ?? {}).find(([name]) => name === String(key))?.[1];
}
