import type { EndpointName } from "@landing-page-service/contract";
import { endpointName, matchRoute } from "../api/operations.ts";
import type { PlainAnswer, PlainRequest } from "../http-types.ts";

/** A request of a run and its response. */
export interface Exchange {
  /** Endpoint that the request reached; `undefined` when it reached none. */
  readonly endpoint: EndpointName | undefined;
  /** Method, path and query, and body: the same for a request that is repeated. */
  readonly sent: string;
  readonly idempotencyKey: string | null;
  /** Its place among all requests and responses of the run. */
  readonly order: number;
  readonly startedAtMs: number;
  /** `undefined` until there is a response, and where no status comes through. */
  response?: {
    readonly order: number;
    readonly status: number;
    /** When the wait that `Retry-After` asks for is over; `undefined` if there is none. */
    readonly retryAtMs: number | undefined;
    /** When the caller has read it, at the latest. */
    readonly readAtMs: number;
  };
}

type Handle = (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>;

/**
 * Records the requests that a service handles.
 *
 * @param options - `readWithinMs`: how long a response takes, 0 by default; `maxRequests`: how many requests get a response, by default all.
 */
export function logExchanges(handle: Handle, { readWithinMs = 0, maxRequests = Infinity } = {}) {
  const exchanges: Exchange[] = [];
  let order = 0;
  let pending = 0;
  return {
    exchanges: exchanges as readonly Exchange[],
    /** Requests that have begun, and responses that were sent. */
    countActivity: () => order,
    isResponsePending: () => pending > 0,
    /** The service's `handle`, recorded. */
    handle: async (request: PlainRequest): Promise<PlainAnswer> => {
      if (exchanges.length >= maxRequests) return new Promise(() => {});
      order += 1;
      const exchange: Exchange = { ...describeRequest(request), order, startedAtMs: Date.now() };
      exchanges.push(exchange);
      pending += 1;
      const response = await handle(request);
      pending -= 1;
      order += 1;
      if (response.wire === undefined || response.wire === "truncate")
        exchange.response = { ...describeResponse(response), order, readAtMs: Date.now() + readWithinMs };
      return response;
    },
  };
}

function describeRequest({ method, path, query, headers, body }: PlainRequest) {
  return {
    endpoint: endpointName(matchRoute(method, path)),
    sent: `${method} ${path}?${query} ${new TextDecoder().decode(body)}`,
    idempotencyKey: headers.get("Idempotency-Key"),
  };
}

function describeResponse({ status, headers }: PlainAnswer) {
  const seconds = headers["Retry-After"];
  return { status, retryAtMs: seconds === undefined ? undefined : Date.now() + Number(seconds) * 1000 };
}
