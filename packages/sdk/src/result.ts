import type { RateLimit } from "@landing-page-service/contract";
import { readWhole } from "./read/body.ts";
import type { Attempt } from "./report/errors.ts";
import { LandingPagesError } from "./report/errors.ts";
import { refuseAll } from "./options.ts";
import { readRequestId } from "./call/outcome.ts";

/** The value of a call together with how it came. */
export interface CallResult<Value> {
  /** The value, as awaiting the call itself gives it. */
  readonly data: Value;
  /** The parsed body as it came, whatever its shape; a text when it is no JSON, `undefined` when it is empty. */
  readonly body: unknown;
  /** The last answer: its status and headers. Its body has been read. */
  readonly response: Response;
  /** Every try, in order; the last one succeeded. */
  readonly attempts: readonly Attempt[];
  /** Whether an earlier try may have been carried out too: then a `create` may have made two pages. Always false for reads. */
  readonly mayHaveBeenApplied: boolean;
  /** The rate limit as of the last answer; absent when the answer does not tell. */
  readonly rateLimit?: RateLimit | undefined;
  /** The service's name for the request, for a support question; absent when it gives none. */
  readonly requestId?: string | undefined;
}

/** A result as the call leaves it: most callers look at the value only. */
export interface UnparsedResult<Value> extends Omit<CallResult<Value>, "body" | "requestId"> {
  /** The body as it came. */
  readonly text: string;
}

/** A promise of the value of a call, which can also give the response. The call is already under way. */
export interface ResultPromise<Value> extends Promise<Value> {
  /** Gives the value together with the response, every attempt, and the rate limit. Sends nothing more. */
  withResponse(): Promise<CallResult<Value>>;
}

/** Makes the promise that a method returns of a call under way. */
export function toResultPromise<Value>(run: Promise<UnparsedResult<Value>>): ResultPromise<Value> {
  const value = follow(run, ({ data }) => data);
  let whole: Promise<CallResult<Value>> | undefined;
  const withResponse = async (...given: unknown[]) => {
    // Whoever asks for the response handles the failure there.
    value.catch(() => undefined);
    refuseAll("withResponse", given);
    return (whole ??= follow(run, toCallResult));
  };
  return Object.assign(value, { withResponse });
}

function toCallResult<Value>({ text, ...result }: UnparsedResult<Value>): CallResult<Value> {
  // Parsed again, because the value may share objects with the first parse.
  return { ...result, body: readWhole(text), requestId: readRequestId(result.response.headers) };
}

/**
 * Waits for a call. V8 knows which functions await this promise, so the stack of an error of ours is taken here, where it
 * names the caller's lines instead of our frames.
 */
async function follow<Value, Result>(
  run: Promise<UnparsedResult<Value>>,
  pick: (result: UnparsedResult<Value>) => Result,
): Promise<Result> {
  try {
    return pick(await run);
  } catch (error) {
    if (LandingPagesError.is(error)) Error.captureStackTrace?.(error, follow);
    throw error;
  }
}
