import { endpoints, type Page } from "@landing-page-service/contract";
import * as z from "zod/mini";
import { abortedBefore } from "../call/outcome.ts";
import { checkInput, type NewPage } from "../input.ts";
import { type CallOptions, func, type Names, wholeFrom } from "../options.ts";
import { asError, AuthenticationError, LandingPagesError } from "../report/errors.ts";
import { notify } from "../report/events.ts";

/** The result for one input: the page that was created, or the error. */
export type CreateManyResult = CreatedPage | UncreatedPage;

/** An input that became a page. */
export interface CreatedPage {
  /** The input, the same object. */
  readonly input: NewPage;
  /** Position of the input, from 0. */
  readonly index: number;
  /** Page as the service stored it. */
  readonly page: Page;
  /** Always absent, because there is a page. */
  readonly error?: undefined;
}

/** An input that did not become a page, or perhaps did: see the error's `mayHaveBeenApplied`. */
export interface UncreatedPage {
  /** The input, the same object. */
  readonly input: NewPage;
  /** Position of the input, from 0. */
  readonly index: number;
  /** The error that `create` rejected with. It is an `AbortedError` when the signal ended the call. */
  readonly error: Error;
  /** Always absent, because there is an error. */
  readonly page?: undefined;
}

/** Progress of `createMany`. */
export interface CreateManyProgress {
  /** Inputs with a result, failed ones included. */
  readonly done: number;
  /** Inputs that failed. */
  readonly failed: number;
  /** Calls in flight. */
  readonly inFlight: number;
  /** The newest result. */
  readonly result: CreateManyResult;
}

/** How to create many pages. Options of a call apply to each page. */
export interface CreateManyOptions extends CallOptions {
  /** Most calls in flight, 1 or more. Also limits how many inputs are read before you take their results. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /** Called with each result as soon as it is known, before it is yielded. A promise that it returns is not awaited, and what it throws is ignored. */
  readonly onProgress?: ((progress: CreateManyProgress) => unknown) | undefined;
  /** Takes no more inputs and aborts the calls in flight. Their results are still yielded, then an `AbortedError` is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createMany`, without those of a call. */
export const createManyShape = {
  concurrency: z.optional(wholeFrom(1)),
  onProgress: z.optional(func),
} satisfies Names<Omit<CreateManyOptions, keyof CallOptions>>;

/** Creates one page. */
export type CreateOne = (input: NewPage) => Promise<Page>;
type Inputs = Iterable<NewPage> | AsyncIterable<NewPage>;

const argumentsSchema = z.object({
  ...createManyShape,
  inputs: z.custom(
    (value) => typeof value === "object" && (Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value)),
    "expected an array or another iterable",
  ),
});

/**
 * Creates a page from each input, several at a time, and yields the results as they become known; `index` is the position of the input.
 * A failure does not stop it, but once the service has refused the API key, all later inputs fail without being sent.
 * It starts when you ask for the first result, and takes inputs no faster than you take results.
 *
 * After `break` it takes and sends nothing more. `break` waits for the calls in flight, because otherwise their results
 * would be lost; `onProgress` is called with them.
 *
 * @throws {InvalidInputError} at once, when an option is out of range. An error of the inputs is thrown after all results.
 */
export function createMany(
  create: CreateOne,
  inputs: Inputs,
  options: CreateManyOptions = {},
): AsyncGenerator<CreateManyResult, void, undefined> {
  checkInput(endpoints.createPage.summary, argumentsSchema, { ...options, inputs });
  return new Run(create, options).createAll(inputs);
}

/** One run of `createMany`. */
class Run {
  readonly #create: CreateOne;
  readonly #options: CreateManyOptions;
  /** Results not yielded yet. */
  readonly #results: CreateManyResult[] = [];
  readonly #counts = { done: 0, failed: 0, inFlight: 0 };
  #isEnded = false;
  #isInputAwaited = true;
  /** The error of inputs that are no longer sent. */
  #refusal: Error | undefined;
  /** The error to throw after all results. */
  #failure: { readonly error: unknown } | undefined;
  /** Resolves when something changes. */
  #change = Promise.withResolvers<void>();

  constructor(create: CreateOne, options: CreateManyOptions) {
    this.#create = create;
    this.#options = options;
  }

  async *createAll(inputs: Inputs): AsyncGenerator<CreateManyResult, void, undefined> {
    const { signal } = this.#options;
    if (signal?.aborted) throw abortedBefore(endpoints.createPage, signal);
    const abort = () => this.#end({ error: abortedBefore(endpoints.createPage, signal) });
    signal?.addEventListener("abort", abort);
    const sending = this.#sendAll(inputs);
    try {
      while (this.#results.length > 0 || !this.#isOver) {
        const result = this.#results.shift();
        this.#wake();
        if (result) yield result;
        else await this.#change.promise;
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#end();
      this.#refusal ??= new LandingPagesError("Create page was not sent: the loop had ended before the input arrived");
      while (!this.#isOver) await this.#change.promise;
      // The iterator of the inputs can be closed only after the input that it is waiting for, which may never arrive.
      if (!this.#isInputAwaited) await sending;
    }
  }

  get #isOver(): boolean {
    return this.#isEnded && this.#counts.inFlight === 0;
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Takes no more inputs. A failure after the last result changes nothing. */
  #end(failure?: { readonly error: unknown }): void {
    if (!this.#isOver) this.#failure ??= failure;
    this.#isEnded = true;
    this.#wake();
  }

  /** Sends each input once there is room, and closes the inputs at the end. */
  async #sendAll(inputs: Inputs): Promise<void> {
    const { concurrency = 4 } = this.#options;
    try {
      for await (const input of inputs) {
        this.#isInputAwaited = false;
        void this.#send(input);
        while (!this.#isEnded && this.#counts.inFlight + this.#results.length >= concurrency)
          await this.#change.promise;
        if (this.#isEnded) return;
        this.#isInputAwaited = true;
      }
      this.#end();
    } catch (error) {
      this.#end({ error });
    }
  }

  async #send(input: NewPage): Promise<void> {
    const counts = this.#counts;
    const index = counts.done + counts.inFlight;
    counts.inFlight += 1;
    let result: CreateManyResult;
    try {
      if (this.#refusal) throw this.#refusal;
      result = { input, index, page: await this.#create(input) };
    } catch (error) {
      // The service would refuse the key again.
      if (AuthenticationError.is(error)) this.#refusal ??= toUnsent(error);
      counts.failed += 1;
      result = { input, index, error: asError(error) };
    }
    counts.inFlight -= 1;
    counts.done += 1;
    this.#results.push(result);
    notify(this.#options.onProgress, { ...counts, result });
    this.#wake();
  }
}

/** Makes the error of inputs that are not sent, because the service would refuse the key again. */
function toUnsent(refused: AuthenticationError): AuthenticationError {
  const { method, path, status, problem, body, headers, requestId, rateLimit } = refused;
  const response = { status, problem, body, headers, requestId, rateLimit };
  const message = "Create page was not sent: the service has just refused this API key";
  const facts = { method, path, ...response, attempts: [], mayHaveBeenApplied: false };
  return new AuthenticationError(message, facts, { cause: refused });
}
