import {
  defaultListLimit,
  endpoints,
  isObject,
  type ListFilters,
  type PageList,
  parseJson,
  type PartialPage,
} from "@landing-page-service/contract";
import * as z from "zod/mini";
import { abortedBefore } from "../call/outcome.ts";
import { checkInput, filtersSchema, wholeNumber } from "../input.ts";
import { type CallOptions, checkOptions, type Names, namesOnly, refuseAll } from "../options.ts";
import { BadRequestError, InvalidInputError, IterationError, NotFoundError } from "../report/errors.ts";
import { type CallName, notify } from "../report/events.ts";
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

/** Options of an iteration beside those of a call. */
export const iterateShape = {
  batchSize: z.optional(wholeNumber(1)),
  limit: z.optional(wholeNumber(1)),
  offset: z.optional(wholeNumber(0)),
  filters: z.optional(filtersSchema),
  maxRequests: z.optional(wholeNumber(1)),
  resumeFrom: z.optional(z.unknown()),
} satisfies Names<Omit<IterateOptions, keyof CallOptions>>;

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
  query: { limit: number; offset: number; filters: object },
  options: { signal?: AbortSignal | undefined; onBegin: (name: CallName) => void },
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
  const { summary } = endpoints.listPages;
  checkInput(summary, z.object(iterateShape), options);
  const { limit = Infinity, filters = {}, signal } = options;
  const resumed = options.resumeFrom === undefined ? undefined : readResumeToken(options.resumeFrom, options);
  let latest = resumed;

  /** Yields the new pages of each response, so many at a time. */
  async function* yieldBatches(limit: number, most: number): AsyncGenerator<Item[], void, undefined> {
    let ids = resumed?.ids ?? [];
    for await (const batch of fetchBatches(fetchPage, { ...options, limit, resumed }, onDrift)) {
      for (let count = 0; count < batch.pages.length; count += most) {
        if (signal?.aborted) throw abortedBefore(endpoints.listPages, signal);
        const pages = batch.pages.slice(count, count + most);
        ids = [...ids, ...pages.map(({ id }) => id)].slice(-rememberedIds);
        const offset = Math.max(0, batch.offset + count + pages.length - 1);
        latest = { offset, ids, filters: { ...filters } };
        yield pages;
      }
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      for await (const pages of yieldBatches(limit, 1)) yield* pages;
    },
    byBatch(...given: unknown[]) {
      refuseAll("byBatch", given);
      return yieldBatches(limit, Infinity);
    },
    async toArray(wanted = { limit: Number.NaN }) {
      checkOptions(namesOnly({ limit: true }), wanted);
      checkInput(summary, z.object({ limit: wholeNumber(1) }), wanted);
      const all: Item[] = [];
      for await (const pages of yieldBatches(Math.min(limit, wanted.limit), Infinity)) all.push(...pages);
      return all;
    },
    get resumeToken() {
      return latest && writeResumeToken(latest);
    },
  };
}

/** What an iteration goes by, and where the one stood that it resumes. */
type Plan = IterateOptions & { readonly limit: number; readonly resumed: Place | undefined };

/** Yields the new pages of each response, and the index of the first of them. */
async function* fetchBatches<Item extends Identified>(
  fetchPage: FetchPage<Item>,
  { batchSize = defaultListLimit, limit, offset: start = 0, filters = {}, maxRequests = 10_000, signal, resumed }: Plan,
  onDrift: OnDrift | undefined,
): AsyncGenerator<{ pages: Item[]; offset: number }, void, undefined> {
  const size = Math.max(2, Math.min(batchSize, limit));
  let call: CallName | undefined;
  const onBegin = (name: CallName) => (call = name);
  const cursor = new PageCursor({
    size,
    offset: resumed?.offset ?? Math.max(0, start - 1),
    knownIds: resumed?.ids ?? [],
    isWhole: resumed === undefined && start === 0,
    onDrift: (event) => notify(onDrift, { ...event, ...call }),
  });
  let left = limit;
  for (let requests = 0; !cursor.isDone && left > 0; requests += 1) {
    if (signal?.aborted) throw abortedBefore(endpoints.listPages, signal);
    if (requests === maxRequests)
      throw new IterationError(`it needs more than ${maxRequests} requests, its maxRequests`, "maxRequests");
    const { offset } = cursor;
    const list = await fetchPage({ limit: size, offset, filters }, { onBegin, signal }).catch((error: unknown) => {
      if (cursor.isBehindLast && isRefusedOffset(error)) return { data: [] };
      throw error;
    });
    const fresh = cursor.take<Item>(list);
    if (fresh.length > 0) yield { pages: fresh.slice(0, left), offset: offset + list.data.length - fresh.length };
    left -= fresh.length;
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
  ids: z.array(z.string()).check(z.minLength(1), z.maxLength(rememberedIds)),
  filters: z.looseObject({}),
});

/** What a later iteration needs to know to continue. */
type Place = z.infer<typeof placeSchema>;

const version = "1.";

/** Writes a place as one line of URL-safe text. */
function writeResumeToken(place: Place): string {
  const bytes = new TextEncoder().encode(JSON.stringify(place));
  const base64 = btoa(String.fromCodePoint(...bytes));
  return version + base64.replace(/[+/=]/g, (letter) => ({ "+": "-", "/": "_" })[letter] ?? "");
}

function readResumeToken(token: unknown, { offset, filters = {} }: IterateOptions): Place {
  if (offset !== undefined) throw invalidToken("expected without offset: the token says where to start");
  const { data: place } = placeSchema.safeParse(parseJson(decode(token)));
  if (place === undefined) throw invalidToken("expected a resumeToken of an earlier iteration, whole and unchanged");
  if (canonical(place.filters) !== canonical(filters))
    throw invalidToken(`expected the filters of the earlier iteration, ${JSON.stringify(place.filters)}`);
  return place;
}

/** The JSON in a token; empty when it is no token of this version. */
function decode(token: unknown): string {
  if (typeof token !== "string" || !token.startsWith(version)) return "";
  try {
    const bytes = atob(token.slice(version.length).replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return "";
  }
}

function canonical(filters: object): string {
  return JSON.stringify(filters, Object.keys(filters).sort());
}

function invalidToken(detail: string): InvalidInputError {
  return new InvalidInputError(endpoints.listPages.summary, [{ pointer: "resumeFrom", detail }]);
}
