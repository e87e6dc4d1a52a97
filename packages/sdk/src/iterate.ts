import {
  defaultListLimit,
  endpoints,
  findFieldProblems,
  isObject,
  type ListFilters,
  type ListQuery,
  type PageList,
  type PartialPage,
} from "@landing-page-service/contract";
import { BadRequestError, NotFoundError } from "./api-errors.ts";
import { InvalidInputError, IterationError } from "./errors.ts";
import { findRangeProblems } from "./input.ts";
import { type Names, refuseAll, refuseUnknown } from "./known-options.ts";
import type { CallName } from "./log.ts";
import { notify } from "./notify.ts";
import { type CallOptions, callOptions } from "./options.ts";
import { abortedBefore } from "./outcome-error.ts";
import { type Place, readResumeToken, rememberedIds, writeResumeToken } from "./resume-token.ts";
import { type DriftEvent, type Identified, Walk } from "./walk.ts";

/** How to walk the pages. Options of a call hold for every request. Filters (`slug`, `domain`, `q` and any other the service knows) stand beside the options. */
export interface IterateOptions extends ListFilters, CallOptions {
  /**
   * Pages asked for in one request, 1 or more; 1 is sent as 2, as each request repeats the last page of the one before.
   * Larger is faster, up to what the service allows. Gap: see docs/spec-gaps.md#list-max
   *
   * @defaultValue 20, the only number that the spec names
   */
  batchSize?: number | undefined;
  /** Largest number of pages to give, 1 or more. @defaultValue all */
  limit?: number | undefined;
  /** How many pages to skip at the beginning, 0 or more. @defaultValue 0 */
  offset?: number | undefined;
  /** Largest number of list requests, 1 or more, retries not counted; a walk that needs more ends with an `IterationError`. @defaultValue 10_000 */
  maxRequests?: number | undefined;
  /** A `resumeToken` of an earlier walk with the same filters: begin after the page that was given last. Not together with `offset`. */
  resumeFrom?: string | undefined;
  /** Ends the walk, the request under way included, with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Names of the options of an iteration; others are filters. */
export const iterateOptions: Names<
  Pick<IterateOptions, keyof CallOptions | "batchSize" | "limit" | "offset" | "maxRequests" | "resumeFrom">
> = { ...callOptions, batchSize: true, limit: true, offset: true, maxRequests: true, resumeFrom: true };

/**
 * A walk over pages, to be used with `for await`. Sends a request only when a page of it is wanted, and none after `break`.
 * Each `for await` over it is a walk of its own, from the beginning.
 */
export interface PageIterator<Item = PartialPage> extends AsyncIterable<Item> {
  /** Gives the pages as they arrive: what one request brought that is new, at least one page. */
  byBatch(): AsyncIterable<Item[]>;
  /** Walks, and gives the pages in one array: `limit` at most, a whole number of 1 or more. */
  toArray(options: { limit: number }): Promise<Item[]>;
  /**
   * Text to store, with which a later `iterate({ resumeFrom })` continues after the page given last, in whichever walk
   * over this object; `undefined` before the first page. Contains ids and filters, no secrets; 1 KB or so.
   */
  readonly resumeToken: string | undefined;
}

/** Gets one stretch of the list. */
export type FetchPage<Item = PartialPage> = (
  query: ListQuery & { limit: number; offset: number },
  options: { signal?: AbortSignal; onBegin: (name: CallName) => void },
) => Promise<PageList<Item>>;

/** Who hears that the list moved. */
interface Listeners {
  readonly onDrift?: (event: DriftEvent & Partial<CallName>) => void;
}

/**
 * Walks a list, request by request, so that every page that exists for the whole walk is given exactly once, in either
 * order of the list, while others come and go. A page that comes or goes meanwhile is given once or not at all.
 * The ids of all pages given are kept until the walk ends, about 100 bytes each.
 *
 * @throws {InvalidInputError} at once, when an option is out of range or `resumeFrom` is no token.
 */
export function iteratePages<Item extends Identified>(
  fetchPage: FetchPage<Item>,
  options: IterateOptions = {},
  listeners: Listeners = {},
): PageIterator<Item> {
  const plan = readPlan(options);
  let latest: { stretch: Stretch<Item>; given: number } | undefined;

  async function* walkPages(): AsyncGenerator<Item, void, undefined> {
    for await (const stretch of walkStretches(fetchPage, plan, plan.limit, listeners)) {
      const here = (latest = { stretch, given: 0 });
      for (const page of stretch.pages) {
        if (plan.signal?.aborted) throw abortedBefore(endpoints.listPages, plan.signal);
        here.given += 1;
        latest = here;
        yield page;
      }
    }
  }

  async function* walkBatches(most: number): AsyncGenerator<Item[], void, undefined> {
    for await (const stretch of walkStretches(fetchPage, plan, most, listeners)) {
      latest = { stretch, given: stretch.pages.length };
      yield stretch.pages;
    }
  }

  return {
    [Symbol.asyncIterator]: walkPages,
    byBatch(...given: unknown[]) {
      refuseAll("byBatch", given);
      return walkBatches(plan.limit);
    },
    async toArray(wanted) {
      refuseUnknown({ limit: true }, wanted);
      refuse(findRangeProblems({ limit: wanted?.limit ?? Number.NaN }, { limit: 1 }));
      const pages: Item[] = [];
      for await (const batch of walkBatches(Math.min(plan.limit, wanted.limit)))
        for (const page of batch) pages.push(page);
      return pages;
    },
    get resumeToken() {
      if (latest === undefined) return options.resumeFrom;
      const { stretch, given } = latest;
      return writeResumeToken({ ...placeIn(stretch, given), filters: plan.filters });
    },
  };
}

/** The options of a walk, checked. */
interface Plan {
  readonly batchSize: number;
  readonly limit: number;
  readonly offset: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal | undefined;
  readonly filters: Readonly<Record<string, unknown>>;
  /** Where an earlier walk stood, when this one continues it. */
  readonly resumed: Place | undefined;
}

function readPlan(options: IterateOptions): Plan {
  const { batchSize, limit = Infinity, offset = 0, maxRequests = 10_000, resumeFrom, signal, ...rest } = options;
  refuse(findRangeProblems(options, { batchSize: 1, limit: 1, offset: 0, maxRequests: 1 }));
  refuse(findFieldProblems(endpoints.listPages.input.schema(), rest));
  if (resumeFrom !== undefined && options.offset !== undefined) {
    refuse([{ pointer: "resumeFrom", detail: "expected without offset: the token says where to begin" }]);
  }
  const filters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const resumed = resumeFrom === undefined ? undefined : readResumeToken(resumeFrom, filters);
  return { batchSize: batchSize ?? defaultListLimit, limit, offset, maxRequests, signal, filters, resumed };
}

/** One walk. */
async function* walkStretches<Item extends Identified>(
  fetchPage: FetchPage<Item>,
  plan: Plan,
  most: number,
  { onDrift }: Listeners,
): AsyncGenerator<Stretch<Item>, void, undefined> {
  const { signal, filters, resumed, maxRequests } = plan;
  const size = Math.max(2, Math.min(plan.batchSize, most));
  let call: CallName | undefined;
  const walk = new Walk({
    size,
    offset: resumed?.offset ?? Math.max(0, plan.offset - 1),
    knownIds: resumed?.ids ?? [],
    isWhole: resumed === undefined && plan.offset === 0,
    onDrift: (event) => notify(onDrift, { ...event, ...call }),
  });
  let idsBefore = resumed?.ids ?? [];
  let left = most;
  for (let requests = 0; !walk.isDone && left > 0; requests += 1) {
    if (signal?.aborted) throw abortedBefore(endpoints.listPages, signal);
    if (requests === maxRequests)
      throw new IterationError(`it needs more than ${maxRequests} requests, its maxRequests`, "maxRequests");
    const from = walk.offset;
    const onBegin = (name: CallName) => (call = name);
    const query = { ...filters, limit: size, offset: from };
    const answer = await fetchPage(query, { onBegin, ...(signal && { signal }) }).catch((error: unknown) => {
      if (walk.isBehindAll && refusesOffset(error)) return { data: [], limit: size, offset: from };
      throw error;
    });
    const fresh = walk.take(answer);
    if (fresh.length === 0) continue;
    const pages = fresh.slice(0, left);
    left -= pages.length;
    yield { pages, offset: from + answer.data.length - fresh.length, idsBefore };
    idsBefore = [...idsBefore, ...pages.slice(-rememberedIds).map(({ id }) => id)].slice(-rememberedIds);
  }
}

/** Whether the service itself refuses where to look, as some do beyond the last page; the same question was answered elsewhere. */
function refusesOffset(error: unknown): boolean {
  return (BadRequestError.is(error) || NotFoundError.is(error)) && isObject(error.body);
}

/** What one request brought that is new. */
interface Stretch<Item> {
  readonly pages: Item[];
  /** Index of the first of them. */
  readonly offset: number;
  /** Ids of pages given before, as many as a token holds. */
  readonly idsBefore: readonly string[];
}

function placeIn({ pages, offset, idsBefore }: Stretch<Identified>, given: number): Omit<Place, "filters"> {
  const ids = pages.slice(Math.max(0, given - rememberedIds), given).map(({ id }) => id);
  return { offset: Math.max(0, offset + given - 1), ids: [...idsBefore, ...ids].slice(-rememberedIds) };
}

function refuse(errors: InvalidInputError["problem"]["errors"]): void {
  if (errors.length > 0) throw new InvalidInputError(endpoints.listPages.summary, errors);
}
