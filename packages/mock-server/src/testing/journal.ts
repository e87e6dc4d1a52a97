import type * as z from "zod";
import { Ring } from "../state/ring.ts";
import { optional, parseArgument } from "../exchange/argument.ts";
import { apiKeySchema } from "../state/keys.ts";
import { checkMatch, compileMatch, type Matches, type RequestMatch, requestMatchSchema } from "./match.ts";
import type { RecordedRequest } from "./recorded.ts";

/** Requests kept of an account; one more pushes out the oldest. */
export const mostRequests = 1_000;

/** Requests kept of those that nobody handled. */
const mostUnhandled = 20;

/** Which requests of a whole service are meant. */
export interface RequestFilter extends RequestMatch {
  /** API key of the account that they came from. @defaultValue every account, and callers without one */
  key?: string;
}

/** Checks a filter. */
export const requestFilterSchema = requestMatchSchema.extend({
  key: optional(apiKeySchema),
}) satisfies z.ZodType<RequestFilter>;

/** The last requests of one account, or of the callers without one. */
export class Journal {
  /** The first requests that nobody handled, also when later ones have pushed them out. */
  unhandled: readonly RecordedRequest[] = [];
  #requests = new Ring<{ readonly order: number; readonly request: RecordedRequest }>(mostRequests);

  /** Writes down a request; `order` is its place among those of all journals. */
  record(request: RecordedRequest, order: number, isHandled: boolean): void {
    this.#requests.push({ order, request });
    if (!isHandled && this.unhandled.length < mostUnhandled) this.unhandled = [...this.unhandled, request];
  }

  /** Requests pushed out by later ones. */
  get forgotten(): number {
    return this.#requests.dropped;
  }

  /** Forgets all requests. */
  clear(): void {
    this.#requests = new Ring(mostRequests);
    this.unhandled = [];
  }

  /** Requests of several journals that match, oldest first. */
  static find(journals: readonly Journal[], matches: Matches): RecordedRequest[] {
    const found = journals.flatMap((journal) =>
      Array.from(journal.#requests).filter(({ request }) => request.fits(matches)),
    );
    if (journals.length > 1) found.sort((one, other) => one.order - other.order);
    return found.map(({ request }) => request);
  }
}

/** Lists requests of some journals, oldest first: with `times`, the first so many. @throws {TypeError} when the match is none. */
export function listRequests(journals: readonly Journal[], match: RequestMatch): RecordedRequest[] {
  checkMatch("requests", match);
  return Journal.find(journals, compileMatch(match)).slice(0, match.times);
}

/** Takes a filter apart: whose requests, and which. @throws {TypeError} when the filter is none. */
export function splitFilter(where: string, filter: RequestFilter): { key: string | undefined; match: RequestMatch } {
  const { key, ...match } = parseArgument(where, requestFilterSchema, filter);
  return { key, match };
}
