// What is known of every list of a visit, and of the pages in it.
import { defaultListLimit, isObject } from "@landing-page-service/contract";
import type { Facts } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, plainJson, readListIn, valueAt } from "./exchange.ts";
import type { KnownPages, Sample } from "./explain-text.ts";
import { commonFacts, type Known, pageFacts, type Sight, type Told } from "./samples.ts";
import { isEmptyNotFound, type Visit, wasEmpty } from "./visit.ts";

/** Tells apart the answers to lists; `due` are those that should have pages, whether any is found in them or not. */
export function seeLists(visit: Visit): Record<"listPages" | "emptyList" | "emptyAccount" | "due", Sight[]> {
  const { steps, views } = visit;
  const made = views.made?.exchanges ?? [];
  const later = views.deleted?.exchanges ?? [];
  const counted = [...made, steps.listOne, steps.listNext];
  const all = [steps.list, ...counted, steps.listDefault, ...later];
  const [isEmpty, isNotFound] = [wasEmpty(visit), isEmptyNotFound(visit)];
  const see = (exchange: Exchange | undefined) => (exchange === undefined ? [] : [seeList(visit, exchange)]);
  // Wherever a list begins among the pages that were made, it has one.
  const next = visit.shortestId === undefined ? undefined : steps.listNext;
  const begins = new Set([made[0], steps.listOne, next, later[0]]);
  const isMade = hasSucceeded(steps.create);
  const due = all.filter((one) => countOf(one) > 0 || (isMade && hasSucceeded(one) && begins.has(one)));
  const { listPast } = steps;
  const isPast = countOf(listPast) === 0 && (hasSucceeded(listPast) || listPast?.answer?.status === 404);
  return {
    listPages: all.filter((one) => countOf(one) > 0).flatMap(see),
    // The list that begins after the last page, and that of the account while it had no pages.
    emptyList: isPast ? see(listPast) : [],
    emptyAccount: isEmpty && (hasSucceeded(steps.list) || isNotFound) ? see(steps.list) : [],
    due: [...new Set(due)].flatMap(see),
  };
}

function countOf(exchange: Exchange | undefined): number {
  return readListIn(exchange)?.pages.length ?? 0;
}

function seeList({ steps, views: { made } }: Visit, exchange: Exchange): Sight {
  const { pages = [], total } = readListIn(exchange) ?? {};
  // A first stride that is not full is the whole listing too.
  const isShort = made?.exchanges.length === 1 && made.pages.length < defaultListLimit;
  const wholeCount = made?.isWhole === true || isShort ? made.pages.length : undefined;
  const counted = [...(made?.exchanges ?? []), steps.listOne, steps.listNext, steps.listPast];
  const query = new URLSearchParams(exchange.request.path.split("?")[1]);
  const list = {
    total: total?.count ?? (counted.includes(exchange) ? wholeCount : undefined) ?? pages.length,
    limit: Number(query.get("limit") ?? defaultListLimit),
    offset: Number(query.get("offset") ?? 0),
    count: pages.length,
  };
  return { exchange, facts: { ...commonFacts(exchange), list } };
}

/** A page of a list, and its name where the list is a map. */
export interface ListedSample extends Sample {
  readonly key: string | undefined;
}

/** Every page that lists show, as it came, with what is known of it; and what is known of all pages of each list. */
export function seeListed(told: Told, lists: readonly Sight[]): [ListedSample[], KnownPages] {
  const { visit } = told;
  const later = new Set(visit.views.deleted?.exchanges);
  // In columns, no part of the answer is a page.
  const isColumns = lists.some(({ exchange }) => {
    const elements = elementsOf(exchange);
    const columns: readonly unknown[] = isObject(elements) ? Object.values(elements) : [];
    const isShort = columns.length < (readListIn(exchange)?.pages.length ?? 0);
    return isObject(elements) && (isShort || (columns.length > 0 && columns.every(Array.isArray)));
  });
  const seen = lists.map(({ exchange, facts }) => {
    const list = readListIn(exchange);
    const elements = elementsOf(exchange);
    const entries: [string, unknown][] = Object.entries(elements ?? {});
    const pages = (list?.pages ?? []).map((found, index) => {
      const { id } = found.page;
      const own = isObject(elements) ? entries.find(([name]) => name === id) : undefined;
      const [key, value] = isColumns ? [] : (own ?? entries[index] ?? []);
      const known = findSent(visit, id, value ?? found.record, later.has(exchange));
      const about = { ...facts, page: pageFacts(told, found, known ?? {}, id, exchange) };
      return {
        isKnown: known !== undefined,
        sample: { key: isObject(elements) ? key : undefined, value, facts: about },
      };
    });
    return { facts, pages };
  });
  // A page of which nobody knows what was sent explains nothing.
  const all = seen.flatMap(({ pages }) => pages);
  const isAnyKnown = all.some(({ isKnown }) => isKnown);
  const known = seen.map(({ facts, pages }): [Facts, (Facts | undefined)[]] => [
    facts,
    pages.map(({ isKnown, sample }) => (isKnown ? sample.facts : undefined)),
  ]);
  const shown = all.filter(({ isKnown, sample }) => sample.value !== undefined && (isKnown || !isAnyKnown));
  return [shown.map(({ sample }) => sample), new Map(known)];
}

/** What holds the pages of a list. */
function elementsOf(exchange: Exchange): unknown {
  return valueAt(plainJson(exchange), readListIn(exchange)?.place ?? "");
}

/** What was sent of a listed page: by its identifier, else by the slug that stands in it under whatever name. */
export function findSent(
  { sent, fullId, movedId, twinId, shortestId }: Visit,
  id: string | undefined,
  value: unknown,
  isLater: boolean,
): Known | undefined {
  if (id !== undefined) {
    if (id === shortestId) return sent.shortest;
    if (id === twinId) return sent.full;
    if (id === fullId || id === movedId) return isLater ? undefined : sent.full;
  }
  const text = JSON.stringify(value ?? null);
  const at = text.indexOf(sent.full.slug);
  if (at < 0) return undefined;
  const [end = ""] = /^-\w+/.exec(text.slice(at + sent.full.slug.length)) ?? [];
  if (end === "") return sent.full;
  if (end !== "-short" && !/^-\d+$/.test(end)) return undefined;
  // A service may put a number behind a slug that is taken.
  return { ...(text.includes(sent.full.title) ? sent.full : sent.shortest), slug: sent.full.slug + end };
}
