import type { RateLimit } from "@landing-page-service/contract";
import type { Call, ValueResult } from "./call/call.ts";
import { readRequestId } from "./call/outcome.ts";
import { type CallOptions, refuseAll } from "./options.ts";
import { parseBody } from "./read/body.ts";
import { type Attempt, LandingPagesError } from "./report/errors.ts";

/** The value of a call together with how it came. */
export interface CallResult<Value> {
  /** The value, as awaiting the call itself gives it. */
  readonly data: Value;
  /** The parsed body as it came, whatever its shape; a text when it is no JSON, `undefined` when it is empty. */
  readonly body: unknown;
  /** The last response: its status and headers. Its body has been read. */
  readonly response: Response;
  /** Every attempt, in order; the last one succeeded. */
  readonly attempts: readonly Attempt[];
  /** Whether an earlier attempt may have been carried out too: then a `create` may have made two pages. Always false for reads. */
  readonly mayHaveBeenApplied: boolean;
  /** The rate limit as of the last response; absent when the response does not tell. */
  readonly rateLimit?: RateLimit | undefined;
  /** The service's name for the request, for a support question; absent when it gives none. */
  readonly requestId?: string | undefined;
}

/** A promise of the value of a call, which can also give the response. The call is already under way. */
export interface ResultPromise<Value> extends Promise<Value> {
  /** Gives the value together with the response, every attempt, and the rate limit. Sends nothing more. */
  withResponse(): Promise<CallResult<Value>>;
}

/** Starts a call; what `prepare` throws rejects it before anything is sent. */
export type Send = <Value>(
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
) => ResultPromise<Value>;

/** Makes the promise that a method returns of a call under way. */
export function toResultPromise<Value>(run: Promise<ValueResult<Value>>): ResultPromise<Value> {
  const value = follow(run, ({ data }) => data);
  let whole: Promise<CallResult<Value>> | undefined;
  const withResponse = async (...given: unknown[]) => {
    // Whoever asks for the response handles the failure there.
    value.catch(() => undefined);
    refuseAll("withResponse", given);
    // The body is parsed again, because the value may share objects with the first parse.
    return (whole ??= follow(run, ({ text, ...result }) => {
      return { ...result, body: parseBody(text), requestId: readRequestId(result.response.headers) };
    }));
  };
  return Object.assign(value, { withResponse });
}

/**
 * Waits for a call. V8 knows which functions await this promise, so the stack of an error of ours is taken here, where it
 * names the caller's lines instead of our frames.
 */
async function follow<Value, Result>(run: Promise<Value>, pick: (result: Value) => Result): Promise<Result> {
  try {
    return pick(await run);
  } catch (error) {
    if (LandingPagesError.is(error)) Error.captureStackTrace?.(error, follow);
    throw error;
  }
}
