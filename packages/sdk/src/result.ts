import type { RateLimit } from "@landing-page-service/contract";
import { readWhole } from "./body.ts";
import type { Attempt } from "./call-errors.ts";

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

/** Adds the body, which is parsed when somebody asks: the value was made of its objects, and most calls never look. */
export function withBody<Value>(result: Omit<CallResult<Value>, "body">, text: string): CallResult<Value> {
  return Object.assign(new Unparsed(text), result);
}

/** One class for all results: a getter made for each of them would cost more than reading a list of 20 does. */
class Unparsed {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get body(): unknown {
    return readWhole(this.#text);
  }
}

/** A promise of the value of a call, which can also tell how the value came. The call is under way already. */
export class ResultPromise<Value> extends Promise<Value> {
  readonly #result: Promise<CallResult<Value>>;

  /** Makes `then` give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Takes the call under way. */
  constructor(result: Promise<CallResult<Value>>) {
    super((resolve, reject) => {
      result.then(({ data }) => resolve(data), reject);
    });
    this.#result = result;
  }

  /** Gives the value together with the answer's headers, every try, and the rate limit. Sends nothing more. */
  withResponse(): Promise<CallResult<Value>> {
    // Who asks for the result hears of a failure there; it must not also count as unhandled here.
    this.catch(() => undefined);
    return this.#result;
  }
}
