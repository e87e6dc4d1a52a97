import type { EndpointName } from "@landing-page-service/contract";
import { endpointName, matchRoute } from "../api/routes.ts";
import type { PlainAnswer, PlainRequest } from "../exchange/plain.ts";

/** A request of a run and what became of it, in the order of things. */
export interface Exchange {
  /** Endpoint that it reached; `undefined` when it reached none. */
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string;
  readonly idempotencyKey: string | null;
  /** Its place among all beginnings and answers of the run. */
  readonly begunAs: number;
  readonly begunAtMs: number;
  /** How it was answered; `undefined` while it is not, or where no status came through. */
  answered?: {
    readonly order: number;
    readonly status: number;
    readonly resetAtMs: number | undefined;
    /** From when on its caller knows of the answer, at the latest. */
    readonly readAtMs: number;
  };
}

/** What keeps note of a run's requests. */
export interface ExchangeLog {
  readonly exchanges: Exchange[];
  /** The service's `handle`, with a note taken of each request. */
  readonly handle: (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>;
}

/** What a log is made with. */
interface LogParts {
  readonly handle: ExchangeLog["handle"];
  readonly now: () => number;
  /** Called when a request begins or is answered. */
  readonly onActivity: () => void;
  /** How long an answer is on its way to its caller, milliseconds. @defaultValue 0 */
  readonly readWithinMs?: number;
  /** Requests that are answered; the others never are. @defaultValue all */
  readonly most?: number;
}

/** Takes note of every request that is handled. */
export function logExchanges({ handle, now, onActivity, readWithinMs = 0, most = Infinity }: LogParts): ExchangeLog {
  const exchanges: Exchange[] = [];
  let order = 0;
  const finish = (exchange: Exchange, { status, headers, wire }: PlainAnswer): void => {
    onActivity();
    order += 1;
    if (wire !== undefined && wire !== "truncate") return;
    const waitSeconds = headers["Retry-After"];
    const resetAtMs = waitSeconds === undefined ? undefined : now() + Number(waitSeconds) * 1000;
    exchange.answered = { order, status, resetAtMs, readAtMs: now() + readWithinMs };
  };
  return {
    exchanges,
    handle(request) {
      // A loop of requests that never waits would leave nobody else a turn.
      if (exchanges.length >= most) return new Promise(() => {});
      onActivity();
      order += 1;
      const exchange = readExchange(request, { begunAs: order, begunAtMs: now() });
      exchanges.push(exchange);
      const answer = handle(request);
      if (!(answer instanceof Promise)) {
        finish(exchange, answer);
        return answer;
      }
      return answer.then((late) => {
        finish(exchange, late);
        return late;
      });
    },
  };
}

function readExchange(
  { method, path, query, headers, body }: PlainRequest,
  begun: Pick<Exchange, "begunAs" | "begunAtMs">,
): Exchange {
  return {
    endpoint: endpointName(matchRoute(method, path)),
    method,
    target: query === "" ? path : `${path}?${query}`,
    body: new TextDecoder().decode(body),
    idempotencyKey: headers.get("Idempotency-Key"),
    ...begun,
  };
}
