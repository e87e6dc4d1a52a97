import type { Call, CallResult, UnparsedResult } from "./call/call.ts";
import { readRequestId } from "./call/outcome.ts";
import { type CallOptions, refuseAll } from "./options.ts";
import { parseBody } from "./read/body.ts";
import { LandingPagesError } from "./report/errors.ts";

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
export function toResultPromise<Value>(run: Promise<UnparsedResult<Value>>): ResultPromise<Value> {
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
