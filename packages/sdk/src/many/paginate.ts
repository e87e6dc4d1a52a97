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
import { checkInput, filtersSchema } from "../input.ts";
import { type CallOptions, type Names, namesOnly, refuseAll, wholeFrom } from "../options.ts";
import { BadRequestError, checkOptions, InvalidInputError, IterationError, NotFoundError } from "../report/errors.ts";
import type { CallName, Report } from "../report/events.ts";
import { PageCursor, type Place } from "./page-cursor.ts";

/** How to page through the list. Options of a call apply to each request. */
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
  /** Ends the iteration, and the request in flight, with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of an iteration, without those of a call. */
export const iterateShape = {
  batchSize: z.optional(wholeFrom(1)),
  limit: z.optional(wholeFrom(1)),
  offset: z.optional(wholeFrom(0)),
  filters: z.optional(filtersSchema),
  maxRequests: z.optional(wholeFrom(1)),
  resumeFrom: z.optional(z.unknown()),
} satisfies Names<Omit<IterateOptions, keyof CallOptions>>;

/**
 * Pages to use with `for await`. A request is sent only when the loop needs a page of it, and none is sent after `break`.
 * Each `for await` over it is an iteration of its own, from the start.
 */
export interface PageIterator<Item = PartialPage> extends AsyncIterable<Item> {
  /** Yields the new pages of each response in one array, one page at least. */
  byBatch(): AsyncIterable<Item[]>;
  /** Collects the pages in one array: at most `limit`, a whole number of 1 or more. */
  toArray(options: { limit: number }): Promise<Item[]>;
  /**
   * A string to store. A later `iterate({ resumeFrom })` continues after the page that was yielded last by any loop over this
   * object; `undefined` before the first page. Holds ids and filters, no secrets, in about 1 KB.
   */
  readonly resumeToken: string | undefined;
}

/** Requests one part of the list. `onBegin` receives the name of the call, if anything listens to events. */
export type FetchPage = (
  query: { limit: number; offset: number; filters: object },
  onBegin: (call: CallName) => void,
) => Promise<PageList>;

/**
 * Pages through a list, request by request. Every page that exists from start to end is yielded exactly once, in either
 * order of the list, even while others are created and deleted. A page that is created or deleted meanwhile is yielded once or not
 * at all.
 *
 * @throws {InvalidInputError} at once, when an option is out of range or `resumeFrom` is not a token.
 */
export function paginate(fetchPage: FetchPage, options: IterateOptions = {}, report?: Report): PageIterator {
  const { summary } = endpoints.listPages;
  checkInput(summary, z.object(iterateShape), options);
  const { batchSize = defaultListLimit, limit = Infinity, offset: start = 0, filters = {}, signal } = options;
  const { maxRequests = 10_000 } = options;
  const resumed = readResumeToken(options);
  let latest = resumed;

  /** Yields at most `most` pages, in arrays of at most `length`, and notes the place of each. */
  async function* yieldArrays(most: number, length: number): AsyncGenerator<PartialPage[], void, undefined> {
    const size = Math.max(2, Math.min(batchSize, most));
    let call: CallName | undefined;
    const cursor = new PageCursor(size, start, resumed, (drift) => call && report?.({ ...drift, ...call }));
    let ids = resumed?.ids ?? [];
    let left = most;
    for (let requests = 0; !cursor.isDone && left > 0; requests += 1) {
      if (requests === maxRequests)
        throw new IterationError(`it needs more than ${maxRequests} requests (maxRequests)`, "maxRequests");
      const query = { limit: size, offset: cursor.offset, filters };
      const { data, total } = await fetchPage(query, (name) => (call = name)).catch((error: unknown) => {
        if (cursor.isBehindLast && isRefusedOffset(error)) return { data: [], total: undefined };
        throw error;
      });
      const fresh = cursor.take(data, total);
      const chosen = fresh.slice(0, left);
      left -= chosen.length;
      for (let count = 0; count < chosen.length; count += length) {
        if (signal?.aborted) throw abortedBefore(endpoints.listPages, signal);
        const pages = chosen.slice(count, count + length);
        ids = [...ids, ...pages.map(({ id }) => id)].slice(-rememberedIds);
        const offset = query.offset + data.length - fresh.length + count + pages.length - 1;
        latest = { offset: Math.max(0, offset), ids, filters };
        yield pages;
      }
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      for await (const pages of yieldArrays(limit, 1)) yield* pages;
    },
    byBatch(...given: unknown[]) {
      refuseAll("byBatch", given);
      return yieldArrays(limit, Infinity);
    },
    async toArray(wanted = { limit: Number.NaN }) {
      checkOptions(namesOnly({ limit: true }), wanted);
      checkInput(summary, z.object({ limit: wholeFrom(1) }), wanted);
      const all: PartialPage[] = [];
      for await (const pages of yieldArrays(Math.min(limit, wanted.limit), Infinity)) all.push(...pages);
      return all;
    },
    get resumeToken() {
      return latest && writeResumeToken(latest);
    },
  };
}

/** Whether the service refuses an offset behind the last page, as some do. It has returned a list for the same query with another offset. */
function isRefusedOffset(error: unknown): boolean {
  return (BadRequestError.is(error) || NotFoundError.is(error)) && isObject(error.body);
}

/** How many pages a token remembers. */
const rememberedIds = 16;

const tokenSchema = z.object({
  offset: z.int().check(z.minimum(0)),
  ids: z.array(z.string()).check(z.minLength(1), z.maxLength(rememberedIds)),
  filters: z.looseObject({}),
});

/** A place in the list, and the filters that it belongs to. */
type Token = Place & { readonly filters: object };

const version = "1.";

/** Writes a place as one line of URL-safe text. */
function writeResumeToken(token: Token): string {
  const bytes = new TextEncoder().encode(JSON.stringify(token));
  const base64 = btoa(String.fromCodePoint(...bytes)).replace(/=+$/, "");
  return version + base64.replaceAll("+", "-").replaceAll("/", "_");
}

function readResumeToken({ resumeFrom, offset, filters = {} }: IterateOptions): Token | undefined {
  if (resumeFrom === undefined) return undefined;
  if (offset !== undefined) throw invalidToken("expected without offset: the token says where to start");
  const { data: place } = tokenSchema.safeParse(decode(resumeFrom));
  if (place === undefined) throw invalidToken("expected a resumeToken of an earlier iteration, whole and unchanged");
  if (sortFields(place.filters) !== sortFields(filters))
    throw invalidToken(`expected the filters of the earlier iteration, ${JSON.stringify(place.filters)}`);
  return place;
}

function invalidToken(detail: string): InvalidInputError {
  return new InvalidInputError(endpoints.listPages.summary, [{ pointer: "resumeFrom", detail }]);
}

function sortFields(filters: object): string {
  return JSON.stringify(filters, Object.keys(filters).sort());
}

/** Returns the JSON in a token; `undefined` when it is not a token of this version. */
function decode(token: unknown): unknown {
  if (typeof token !== "string" || !token.startsWith(version)) return undefined;
  try {
    const bytes = atob(token.slice(version.length).replaceAll("-", "+").replaceAll("_", "/"));
    return parseJson(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}
