import type { RateLimit } from "@landing-page-service/contract";
import { readWhole } from "./body.ts";
import type { Attempt } from "./call-errors.ts";
import { callFrom, noteCaller } from "./caller.ts";
import { refuseAll } from "./known-options.ts";
import { readRequestId } from "./outcome.ts";

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

/** A promise of the value of a call, which can also tell how the value came. The call is under way already. */
export class ResultPromise<Value> extends Promise<Value> {
  readonly #result: Promise<UnparsedResult<Value>>;
  #whole: Promise<CallResult<Value>> | undefined;

  static {
    // Makes `then` give plain promises, and `await` take it as one, without another promise around it.
    void Object.defineProperty(this.prototype, "constructor", { value: Promise });
  }

  /**
   * Takes the call under way.
   *
   * @hidden Nobody but the client has one.
   */
  constructor(result: Promise<UnparsedResult<Value>>) {
    super((resolve, reject) => {
      result.then(({ data }) => resolve(data), reject);
    });
    this.#result = result;
  }

  /** Gives the value together with the answer's headers, every try, and the rate limit. Sends nothing more. */
  withResponse(): Promise<CallResult<Value>>;
  async withResponse(...given: unknown[]): Promise<CallResult<Value>> {
    // Who asks for the result hears of a failure there; it must not also count as unhandled here.
    this.catch(() => undefined);
    callFrom(noteCaller(), () => refuseAll("withResponse", given));
    return (this.#whole ??= this.#result.then(({ text, ...result }) => ({
      ...result,
      // Parsed apart from the value, which was made of its own objects.
      body: readWhole(text),
      requestId: readRequestId(result.response.headers),
    })));
  }
}
