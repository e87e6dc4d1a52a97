import type * as z from "zod";
import { optional, parseArgument } from "../exchange/argument.ts";
import { apiKeySchema } from "../state/keys.ts";
import { checkMatch, compileMatch, type Matches, type RequestMatch, requestMatchSchema } from "./match.ts";
import { RecordedRequest } from "./recorded.ts";

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

/** Bytes kept of all bodies of one account. */
const mostBytes = 4 * 1024 * 1024;

/** Counts requests, so that those of several journals can be put in order. */
let sequence = 0;

/** The last requests of one account, or of callers without one. */
export class Journal {
  /** The first requests that no endpoint or no account matched, also when later ones pushed them out. */
  unhandled: readonly RecordedRequest[] = [];
  /** Requests that later ones pushed out. */
  forgotten = 0;
  #entries: { readonly order: number; readonly request: RecordedRequest }[] = [];
  #bytes = 0;

  record(request: RecordedRequest, isHandled: boolean): void {
    this.#entries.push({ order: (sequence += 1), request });
    this.#bytes += RecordedRequest.sizeOf(request);
    if (!isHandled && this.unhandled.length < mostUnhandled) this.unhandled = [...this.unhandled, request];
    if (this.#entries.length > mostRequests) {
      const [oldest] = this.#entries.splice(0, 1);
      if (oldest !== undefined) this.#bytes -= RecordedRequest.sizeOf(oldest.request);
      this.forgotten += 1;
    }
    for (const { request: oldest } of this.#entries) {
      if (this.#bytes <= mostBytes) break;
      this.#bytes -= RecordedRequest.sizeOf(oldest);
      RecordedRequest.leaveOutBodies(oldest);
    }
  }

  /** Forgets all requests. */
  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
    this.forgotten = 0;
    this.unhandled = [];
  }

  /** Requests of several journals that match, oldest first. */
  static find(journals: readonly Journal[], matches: Matches): RecordedRequest[] {
    const found = journals.flatMap((journal) =>
      journal.#entries.filter(({ request }) => matches(RecordedRequest.rawOf(request))),
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
