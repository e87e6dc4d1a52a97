import type { Call, CallResult, UnparsedResult } from "./call/call.ts";
import { readRequestId } from "./call/outcome.ts";
import { type CallOptions, refuseAll } from "./options.ts";
import { parseBody } from "./read/body.ts";
import { LandingPagesError } from "./report/errors.ts";

/** A promise of the value of a call. The call has already started. */
export interface ResultPromise<Value> extends Promise<Value> {
  /** Resolves to the value with its response, every attempt, and the rate limit. Sends no other request. */
  withResponse(): Promise<CallResult<Value>>;
}

/** Starts a call. If `prepare` throws, the call rejects and sends nothing. */
export type Send = <Value>(
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
) => ResultPromise<Value>;

/** Makes the promise that a method returns, from a call that has started. */
export function toResultPromise<Value>(run: Promise<UnparsedResult<Value>>): ResultPromise<Value> {
  const value = follow(run, ({ data }) => data);
  let whole: Promise<CallResult<Value>> | undefined;
  const withResponse = async (...given: unknown[]) => {
    // The caller handles a failure on the promise of the response, so this one must not be reported as unhandled.
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
 * Waits for a call. V8 knows which functions await this promise. So an error gets its stack here, and the stack names the caller's lines
 * and not ours.
 */
async function follow<Value, Result>(run: Promise<Value>, pick: (result: Value) => Result): Promise<Result> {
  try {
    return pick(await run);
  } catch (error) {
    if (LandingPagesError.is(error)) Error.captureStackTrace?.(error, follow);
    throw error;
  }
}
