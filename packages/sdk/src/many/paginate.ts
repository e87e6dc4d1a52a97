import {
  defaultListLimit,
  endpoints,
  findFieldProblems,
  isObject,
  type ListFilters,
  type PageList,
  parseJson,
  type PartialPage,
} from "@landing-page-service/contract";
import * as z from "zod/mini";
import { BadRequestError, NotFoundError, InvalidInputError, IterationError } from "../report/errors.ts";
import { findMisplaced, findRangeProblems } from "../input.ts";
import { type CallOptions, callOptions, checkOptions, type Names, namesOnly, refuseAll } from "../options.ts";
import { type CallName, notify } from "../report/events.ts";
import { abortedBefore } from "../call/outcome.ts";
import { type DriftEvent, type Identified, PageCursor } from "./page-cursor.ts";

/** How to page through the list. Options of a call hold for each request. */
export interface IterateOptions extends CallOptions {
  /**
   * Pages per request, 1 or more. 1 is sent as 2, because each request repeats the last page of the one before.
   * A larger size is faster, up to what the service allows. Gap: see docs/spec-gaps.md#list-max
   *
   * @defaultValue 20, the only number that the spec names
   */
  batchSize?: number | undefined;
  /** Most pages to yield, 1 or more. @defaultValue all */
  limit?: number | undefined;
  /** How many pages to skip at the start, 0 or more. @defaultValue 0 */
  offset?: number | undefined;
  /** Which pages to yield; sent with each request. Gap: see docs/spec-gaps.md#list-filters @defaultValue all */
  filters?: ListFilters | object | undefined;
  /** Most list requests, 1 or more, retries not counted. An iteration that needs more ends with an `IterationError`. @defaultValue 10_000 */
  maxRequests?: number | undefined;
  /** A `resumeToken` of an earlier iteration with the same filters: starts after the page that was yielded last. Not together with `offset`. */
  resumeFrom?: string | undefined;
  /** Ends the iteration, and the request under way, with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Names of the options of an iteration. */
export const iterateOptions: Names<IterateOptions> = {
  ...callOptions,
  batchSize: true,
  limit: true,
  offset: true,
  filters: true,
  maxRequests: true,
  resumeFrom: true,
};

/**
 * Pages to use with `for await`. A request is sent only when a page of it is wanted, and none after `break`.
 * Each `for await` over it is an iteration of its own, from the start.
 */
export interface PageIterator<Item = PartialPage> extends AsyncIterable<Item> {
  /** Yields the new pages of each response in one array, one page at least. */
  byBatch(): AsyncIterable<Item[]>;
  /** Collects the pages in one array: at most `limit`, a whole number of 1 or more. */
  toArray(options: { limit: number }): Promise<Item[]>;
  /**
   * Text to store. A later `iterate({ resumeFrom })` continues after the page that was yielded last by any loop over this
   * object; `undefined` before the first page. Holds ids and filters, no secrets, in about 1 KB.
   */
  readonly resumeToken: string | undefined;
}

/** Requests one part of the list. */
export type FetchPage<Item = PartialPage> = (
  query: { limit: number; offset: number; filters: ListFilters },
  options: { signal?: AbortSignal; onBegin: (name: CallName) => void },
) => Promise<PageList<Item>>;

type OnDrift = (event: DriftEvent & Partial<CallName>) => void;

/**
 * Pages through a list, request by request. Every page that exists from start to end is yielded exactly once, in either
 * order of the list, even while others are created and deleted. A page that comes or goes meanwhile is yielded once or not at all.
 *
 * @throws {InvalidInputError} at once, when an option is out of range or `resumeFrom` is no token.
 */
export function paginate<Item extends Identified>(
  fetchPage: FetchPage<Item>,
  options: IterateOptions = {},
  onDrift?: OnDrift,
): PageIterator<Item> {
  const plan = readPlan(options);
  let latest: { batch: Batch<Item>; count: number } | undefined;

  async function* yieldPages(): AsyncGenerator<Item, void, undefined> {
    for await (const batch of fetchBatches(fetchPage, plan, plan.limit, onDrift)) {
      for (const [index, page] of batch.pages.entries()) {
        if (plan.signal?.aborted) throw abortedBefore(endpoints.listPages, plan.signal);
        latest = { batch, count: index + 1 };
        yield page;
      }
    }
  }

  async function* yieldBatches(limit: number): AsyncGenerator<Item[], void, undefined> {
    for await (const batch of fetchBatches(fetchPage, plan, limit, onDrift)) {
      latest = { batch, count: batch.pages.length };
      yield batch.pages;
    }
  }

  return {
    [Symbol.asyncIterator]: yieldPages,
    byBatch(...given: unknown[]) {
      refuseAll("byBatch", given);
      return yieldBatches(plan.limit);
    },
    async toArray(wanted) {
      checkOptions(namesOnly({ limit: true }), wanted);
      refuse(findRangeProblems({ limit: wanted?.limit ?? Number.NaN }, { limit: 1 }));
      const pages: Item[] = [];
      for await (const batch of yieldBatches(Math.min(plan.limit, wanted.limit))) pages.push(...batch);
      return pages;
    },
    get resumeToken() {
      if (latest === undefined) return options.resumeFrom;
      return writeResumeToken({ ...findPlace(latest.batch, latest.count), filters: plan.filters });
    },
  };
}

/** Options of an iteration, checked. */
interface Plan {
  readonly batchSize: number;
  readonly limit: number;
  readonly offset: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal | undefined;
  readonly filters: ListFilters;
  /** Where the iteration stood that this one resumes. */
  readonly resumed: Place | undefined;
}

function readPlan(options: IterateOptions): Plan {
  const { batchSize = defaultListLimit, limit = Infinity, offset = 0, maxRequests = 10_000 } = options;
  const { resumeFrom, signal, filters: given = {} } = options;
  refuse(findRangeProblems(options, { batchSize: 1, limit: 1, offset: 0, maxRequests: 1 }));
  refuse(findMisplaced(given));
  const wrongFilters = findFieldProblems(endpoints.listPages.input.schema, given);
  refuse(wrongFilters.map(({ pointer, detail }) => ({ pointer: pointer.replace("#", "#/filters"), detail })));
  if (resumeFrom !== undefined && options.offset !== undefined) {
    refuse([{ pointer: "resumeFrom", detail: "expected without offset: the token says where to start" }]);
  }
  const filters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const resumed = resumeFrom === undefined ? undefined : readResumeToken(resumeFrom, filters);
  return { batchSize, limit, offset, maxRequests, signal, filters, resumed };
}

/** The new pages of one response. */
interface Batch<Item> {
  readonly pages: Item[];
  /** Index of the first of them. */
  readonly offset: number;
  /** Ids of the pages yielded before, as many as a token holds. */
  readonly idsBefore: readonly string[];
}

async function* fetchBatches<Item extends Identified>(
  fetchPage: FetchPage<Item>,
  { signal, filters, resumed, maxRequests, ...plan }: Plan,
  limit: number,
  onDrift: OnDrift | undefined,
): AsyncGenerator<Batch<Item>, void, undefined> {
  const size = Math.max(2, Math.min(plan.batchSize, limit));
  let call: CallName | undefined;
  const cursor = new PageCursor({
    size,
    offset: resumed?.offset ?? Math.max(0, plan.offset - 1),
    knownIds: resumed?.ids ?? [],
    isWhole: resumed === undefined && plan.offset === 0,
    onDrift: (event) => notify(onDrift, { ...event, ...call }),
  });
  let idsBefore = resumed?.ids ?? [];
  let left = limit;
  for (let requests = 0; !cursor.isDone && left > 0; requests += 1) {
    if (signal?.aborted) throw abortedBefore(endpoints.listPages, signal);
    if (requests === maxRequests)
      throw new IterationError(`it needs more than ${maxRequests} requests, its maxRequests`, "maxRequests");
    const { offset } = cursor;
    const onBegin = (name: CallName) => (call = name);
    const query = { limit: size, offset, filters };
    const list = await fetchPage(query, { onBegin, ...(signal && { signal }) }).catch((error: unknown) => {
      if (cursor.isBehindLast && isRefusedOffset(error)) return { data: [], limit: size, offset };
      throw error;
    });
    const fresh = cursor.take(list);
    if (fresh.length === 0) continue;
    const batch = { pages: fresh.slice(0, left), offset: offset + list.data.length - fresh.length, idsBefore };
    left -= batch.pages.length;
    yield batch;
    idsBefore = findPlace(batch, batch.pages.length).ids;
  }
}

/** Whether the service refuses an offset behind the last page, as some do. It answered the same query with another offset. */
function isRefusedOffset(error: unknown): boolean {
  return (BadRequestError.is(error) || NotFoundError.is(error)) && isObject(error.body);
}

/** How many pages a token remembers. */
const rememberedIds = 16;

const placeSchema = z.object({
  /** Index at which the page yielded last was seen. */
  offset: z.int().check(z.minimum(0)),
  /** Ids of the pages yielded last, in order. The place is found again while one of them is listed. */
  ids: z.readonly(z.array(z.string()).check(z.minLength(1), z.maxLength(rememberedIds))),
  filters: z.record(z.string(), z.unknown()),
});

/** What a later iteration needs to know to continue. */
type Place = z.infer<typeof placeSchema>;

function findPlace({ pages, offset, idsBefore }: Batch<Identified>, count: number): Omit<Place, "filters"> {
  const ids = pages.slice(Math.max(0, count - rememberedIds), count).map(({ id }) => id);
  return { offset: Math.max(0, offset + count - 1), ids: [...idsBefore, ...ids].slice(-rememberedIds) };
}

const version = "1.";

/** Writes a place as one line of URL-safe text. */
function writeResumeToken(place: Place): string {
  const bytes = new TextEncoder().encode(JSON.stringify(place));
  return (
    version +
    btoa(String.fromCodePoint(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "")
  );
}

function readResumeToken(token: string, filters: ListFilters): Place {
  const { data: place } = placeSchema.safeParse(decode(token));
  if (place === undefined) throw invalidToken("expected a resumeToken of an earlier iteration, whole and unchanged");
  if (canonical(place.filters) !== canonical(filters)) {
    throw invalidToken(`expected the filters of the earlier iteration, ${JSON.stringify(place.filters)}`);
  }
  return place;
}

/** Decodes the JSON in a token; `undefined` when it is no token of this version. */
function decode(token: unknown): unknown {
  if (typeof token !== "string" || !token.startsWith(version)) return undefined;
  try {
    const bytes = atob(token.slice(version.length).replaceAll("-", "+").replaceAll("_", "/"));
    return parseJson(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

function canonical(filters: ListFilters): string {
  return JSON.stringify(Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function invalidToken(detail: string): InvalidInputError {
  return new InvalidInputError(endpoints.listPages.summary, [{ pointer: "resumeFrom", detail }]);
}

function refuse(errors: InvalidInputError["problem"]["errors"]): void {
  if (errors.length > 0) throw new InvalidInputError(endpoints.listPages.summary, errors);
}
