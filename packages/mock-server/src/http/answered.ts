import type { IncomingMessage } from "node:http";
import type { PlainAnswer, WireFault } from "../exchange/plain.ts";
import { readBearerKey, showKey } from "../state/keys.ts";

/** A request that was answered, or whose caller did not wait for the answer. */
export interface AnsweredRequest {
  /** The answer's `X-Request-Id`, as the journal has it; `undefined` when there was no answer. */
  readonly id: string | undefined;
  /** HTTP method; `undefined` when what came was no HTTP request. */
  readonly method: string | undefined;
  /** Path and query as they came; `undefined` when what came was no HTTP request. */
  readonly path: string | undefined;
  /** The API key it came with, all but its kind and end hidden; `undefined` when there was none. */
  readonly key: string | undefined;
  /** HTTP status; `undefined` when the caller had gone away before. */
  readonly status: number | undefined;
  /** How a planned fault broke the answer on its way. */
  readonly wire: WireFault | undefined;
  /** Milliseconds of real time from the request's headers to its answer. */
  readonly durationMs: number;
}

/** Describes what became of a request. */
export function describeAnswered(
  request: IncomingMessage | undefined,
  answer: PlainAnswer | undefined,
  durationMs: number,
): AnsweredRequest {
  const key = readBearerKey({ get: () => request?.headers.authorization ?? null });
  return {
    id: answer?.headers["X-Request-Id"],
    method: request?.method,
    path: request?.url,
    key: key === undefined ? undefined : showKey(key),
    status: answer?.status,
    wire: answer?.wire,
    durationMs,
  };
}
