import { defaultListLimit, endpoints, isObject, type PageList, type PartialPage } from "@landing-page-service/contract";
import * as z from "zod/mini";
import type { CallExtras } from "../call/call.ts";
import { abortedBefore } from "../call/outcome.ts";
import { type PageListQuery, queryShape } from "../input.ts";
import { type CallOptions, callSchema, checkOptions, type Names, optionsOf, tryTo, wholeFrom } from "../options.ts";
import { BadRequestError, InvalidInputError, IterationError, NotFoundError } from "../report/errors.ts";
import type { CallName } from "../report/events.ts";
import type { Report } from "../report/report.ts";
import { PageCursor, type Place } from "./page-cursor.ts";

/** How to page through the list. Options of a call apply to each request. */
export interface IterateOptions extends CallOptions, Pick<PageListQuery, "offset" | "filters"> {
  /**
   * Pages per request, 1 or more. 1 is sent as 2, because each request repeats the last page of the one before.
   * A larger size is faster, up to what the service allows. Gap: see docs/spec-gaps.md#list-max
   *
   * @defaultValue 20, the only number that the spec names
   */
  batchSize?: number | undefined;
  /** Most pages to yield, 1 or more. @defaultValue all */
  limit?: number | undefined;
  /** Most list requests, 1 or more, retries not counted. An iteration that needs more ends with an `IterationError`. @defaultValue 10_000 */
  maxRequests?: number | undefined;
  /** A `resumeToken` of an earlier iteration with the same filters: starts after the page that was yielded last. Not together with `offset`. */
  resumeFrom?: string | undefined;
  /** Ends the iteration, and the request in flight, with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

const shape = {
  ...queryShape,
  batchSize: wholeFrom(1),
  maxRequests: wholeFrom(1),
  resumeFrom: z.unknown(),
};

/** Checks options of an iteration. */
export const iterateSchema = optionsOf({ ...callSchema.shape, ...shape } satisfies Names<IterateOptions>);
const toArraySchema = z.strictObject({ limit: wholeFrom(1) });

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

type ListPart = { readonly limit: number; readonly offset: number; readonly filters: object };
/** Requests one part of the list. */
export type ListPages = (part: ListPart, options?: CallOptions, extras?: CallExtras) => Promise<PageList>;

/**
 * Pages through a list, request by request. Every page that exists from start to end is yielded exactly once, in either
 * order of the list, even while others are created and deleted. A page that is created or deleted meanwhile is yielded once or not
 * at all.
 *
 * @throws {ConfigurationError} at once, when a name is unknown or an option of a call is wrong.
 * @throws {InvalidInputError} at once, when another option is out of range or `resumeFrom` is not a token.
 */
export function paginate(list: ListPages, options: IterateOptions = {}, report?: Report): PageIterator {
  const { summary } = endpoints.listPages;
  checkOptions(iterateSchema, options, summary, shape);
  const { filters = {}, offset, resumeFrom, ...others } = options;
  const { batchSize = defaultListLimit, limit = Infinity, maxRequests = 10_000, ...each } = others;
  const resumed = resumeFrom === undefined ? undefined : readResumeToken(resumeFrom, offset, filters);
  const start = resumed ?? (offset ? { offset: offset - 1, ids: [], filters } : undefined);
  let latest = resumed;

  /** Yields at most `most` pages, in arrays of at most `length`, and notes the place of each. */
  async function* yieldArrays(most: number, length: number): AsyncGenerator<PartialPage[], void, undefined> {
    const size = Math.max(2, Math.min(batchSize, most));
    let call: CallName | undefined;
    const cursor = new PageCursor(size, start, (drift) => call && report?.({ ...drift, ...call }));
    let place: Token | undefined = start;
    let left = most;
    for (let requests = 0; !cursor.isDone && left > 0; requests += 1) {
      if (requests === maxRequests)
        throw new IterationError(`it needs more than ${maxRequests} requests (maxRequests)`, "maxRequests");
      const query = { limit: size, offset: cursor.offset, filters };
      const onBegin = (name: CallName) => void (call = name);
      const { data, total } = await list(query, each, { onBegin }).catch((error: unknown) => {
        if (cursor.isBehindLast && isRefusedOffset(error)) return { data: [], total: undefined };
        throw error;
      });
      const fresh = cursor.take(data, total).slice(0, left);
      left -= fresh.length;
      for (let count = 0; count < fresh.length; count += length) {
        if (each.signal?.aborted) throw abortedBefore(endpoints.listPages, each.signal);
        const pages = fresh.slice(count, count + length);
        const ids = [...(place?.ids ?? []), ...pages.map(({ id }) => id)].slice(-rememberedIds);
        latest = place = { offset: query.offset + data.findIndex(({ id }) => id === ids.at(-1)), ids, filters };
        yield pages;
      }
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      for await (const pages of yieldArrays(limit, 1)) yield* pages;
    },
    byBatch: () => yieldArrays(limit, Infinity),
    async toArray(wanted: { limit?: number } = {}) {
      checkOptions(toArraySchema, wanted, summary, shape);
      const all: PartialPage[] = [];
      for await (const pages of yieldArrays(Math.min(limit, wanted.limit ?? Infinity), Infinity)) all.push(...pages);
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

/** Writes a place as one line of URL-safe text. */
function writeResumeToken(token: Token): string {
  return encodeURIComponent(JSON.stringify(token));
}

function readResumeToken(token: unknown, offset: number | undefined, filters: object): Token {
  if (offset !== undefined) throw wrongToken("cannot be combined with `offset`, because the token says where to start");
  const { data: place } = tokenSchema.safeParse(tryTo(() => JSON.parse(decodeURIComponent(String(token)))));
  if (place === undefined) throw wrongToken("expected a resumeToken of an earlier iteration, whole and unchanged");
  if (sortFields(place.filters) !== sortFields(filters))
    throw wrongToken(`expected the filters of the earlier iteration, ${JSON.stringify(place.filters)}`);
  return place;
}

function wrongToken(detail: string): InvalidInputError {
  return new InvalidInputError(endpoints.listPages.summary, [{ pointer: "resumeFrom", detail }]);
}

function sortFields(filters: object): string {
  return JSON.stringify(filters, Object.keys(filters).sort());
}
