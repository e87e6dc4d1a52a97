import { endpoints, type Page } from "@landing-page-service/contract";
import { AuthenticationError, asError, InvalidInputError, LandingPagesError } from "../report/errors.ts";
import { findCallbackProblems, findRangeProblems, type NewPage } from "../input.ts";
import { type Names, type CallOptions, callOptions } from "../options.ts";
import { nameKind } from "../report/messages.ts";
import { notify } from "../report/events.ts";
import { abortedBefore } from "../call/outcome.ts";

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
  /** Never present beside a page. */
  readonly error?: undefined;
}

/** An input that did not become a page, or perhaps did: see the error's `mayHaveBeenApplied`. */
export interface UncreatedPage {
  /** The input, the same object. */
  readonly input: NewPage;
  /** Position of the input, from 0. */
  readonly index: number;
  /** What `create` rejected with. An `AbortedError` when the signal ended the call. */
  readonly error: Error;
  /** Never present beside an error. */
  readonly page?: undefined;
}

/** Progress of `createMany`. */
export interface CreateManyProgress {
  /** Inputs with a result, failed ones included. */
  readonly done: number;
  /** Inputs that failed. */
  readonly failed: number;
  /** Calls under way. */
  readonly inFlight: number;
  /** The newest result. */
  readonly result: CreateManyResult;
}

/** How to create many pages. Options of a call hold for each page. */
export interface CreateManyOptions extends CallOptions {
  /** Calls under way at a time, and inputs taken ahead of the results that you took; 1 or more. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /** Called with each result as soon as it is known, before it is yielded. A promise that it returns is not awaited, and what it throws is ignored. */
  readonly onProgress?: ((progress: CreateManyProgress) => unknown) | undefined;
  /** Takes no more inputs and aborts the calls under way. Their results are still yielded, then an `AbortedError` is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Names of the options of `createMany`. */
export const createManyOptions: Names<CreateManyOptions> = { ...callOptions, concurrency: true, onProgress: true };

/** Creates one page. */
export type CreateOne = (input: NewPage, options: { signal?: AbortSignal }) => Promise<Page>;

type Inputs = Iterable<NewPage> | AsyncIterable<NewPage>;

/**
 * Creates a page from each input, several at a time, and yields the results as they become known; `index` tells which is which.
 * A failure does not stop it, but once the service has refused the API key, the inputs that follow fail unsent.
 * It starts when the first result is wanted, and takes inputs no faster than results are taken.
 *
 * After `break` it takes and sends nothing more. `break` waits for the calls under way, because otherwise nobody would know
 * what became of them; `onProgress` is called with their results.
 *
 * @throws {InvalidInputError} at once, when an option is out of range. An error of the inputs is thrown after all results.
 */
export function createMany(
  create: CreateOne,
  inputs: Inputs,
  options: CreateManyOptions = {},
): AsyncGenerator<CreateManyResult, void, undefined> {
  const errors = [...findRangeProblems(options, { concurrency: 1 }), ...findCallbackProblems(options, "onProgress")];
  if (!isIterable(inputs))
    errors.push({ pointer: "inputs", detail: `expected an array or another iterable, got ${nameKind(inputs)}` });
  if (errors.length > 0) throw new InvalidInputError(endpoints.createPage.summary, errors);
  return yieldResults(create, inputs, options);
}

async function* yieldResults(
  create: CreateOne,
  inputs: Inputs,
  options: CreateManyOptions,
): AsyncGenerator<CreateManyResult, void, undefined> {
  const run = new Run(create, inputs, options);
  try {
    for (;;) {
      const result = run.results.shift();
      run.fill();
      if (result) yield result;
      else if (run.isOver) break;
      else await run.nextChange();
    }
    if (run.failure) throw run.failure.error;
  } finally {
    await run.close();
  }
}

/** Inputs on their way to results. */
class Run {
  /** Results not yielded yet. */
  readonly results: CreateManyResult[] = [];
  /** What to throw after all results. */
  failure: { error: unknown } | undefined;

  readonly #create: CreateOne;
  readonly #options: CreateManyOptions;
  readonly #iterator: Iterator<NewPage> | AsyncIterator<NewPage>;
  #isTaking = false;
  /** Whether no more inputs are taken, and whether that is because there are none. */
  #isEnded = false;
  #isExhausted = false;
  /** What inputs fail with instead of being sent. */
  #refusal: Error | undefined;
  #counts = { taken: 0, inFlight: 0, failed: 0 };
  #wake = () => {};

  constructor(create: CreateOne, inputs: Inputs, options: CreateManyOptions) {
    this.#create = create;
    this.#options = options;
    this.#iterator = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
    if (options.signal?.aborted) this.#abort();
    else options.signal?.addEventListener("abort", this.#abort);
  }

  get isOver(): boolean {
    return this.#isEnded && this.#counts.inFlight === 0 && this.results.length === 0;
  }

  nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Takes inputs while there is room; returns at once. */
  fill(): void {
    if (!this.#isTaking && this.#hasRoom()) void this.#take();
  }

  /** Takes no more inputs, and waits for the calls under way. */
  async close(): Promise<void> {
    this.#options.signal?.removeEventListener("abort", this.#abort);
    this.#isEnded = true;
    this.#refusal ??= new LandingPagesError("Create page was not sent: the loop had ended before the input came");
    try {
      if (!this.#isExhausted) await this.#closeInputs();
    } finally {
      while (this.#counts.inFlight > 0) await this.nextChange();
    }
  }

  #hasRoom(): boolean {
    return !this.#isEnded && this.#counts.inFlight + this.results.length < (this.#options.concurrency ?? 4);
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      while (this.#hasRoom()) {
        const next = await this.#iterator.next();
        if (next.done) this.#isEnded = this.#isExhausted = true;
        else void this.#send(next.value);
      }
    } catch (error) {
      this.#isEnded = this.#isExhausted = true;
      this.failure ??= { error };
    }
    this.#isTaking = false;
    this.#wake();
  }

  async #send(input: NewPage): Promise<void> {
    const counts = this.#counts;
    const index = counts.taken;
    counts.taken += 1;
    counts.inFlight += 1;
    const result = await this.#call(input, index);
    counts.inFlight -= 1;
    if (result.page === undefined) counts.failed += 1;
    this.results.push(result);
    const { taken, inFlight, failed } = counts;
    notify(this.#options.onProgress, { done: taken - inFlight, failed, inFlight, result });
    this.#wake();
  }

  async #call(input: NewPage, index: number): Promise<CreateManyResult> {
    const { signal } = this.#options;
    try {
      if (this.#refusal) throw this.#refusal;
      return { input, index, page: await this.#create(input, signal ? { signal } : {}) };
    } catch (error) {
      if (AuthenticationError.is(error)) this.#refusal ??= toUnsent(error);
      return { input, index, error: asError(error) };
    }
  }

  readonly #abort = (): void => {
    if (this.#isEnded && this.#counts.inFlight === 0) return;
    this.#isEnded = true;
    this.#refusal = abortedBefore(endpoints.createPage, this.#options.signal);
    this.failure ??= { error: this.#refusal };
    this.#wake();
  };

  async #closeInputs(): Promise<void> {
    const closing = (async () => this.#iterator.return?.())();
    // An async generator closes only after the input that it is waiting for, which may never come.
    if (this.#isTaking) closing.catch(() => undefined);
    else await closing;
  }
}

/** Makes the error for inputs that are not sent, because the key would be refused again. */
function toUnsent(refused: AuthenticationError): AuthenticationError {
  const { method, path, status, problem, body, headers, requestId, rateLimit } = refused;
  const response = { status, problem, body, headers, requestId, rateLimit };
  const message = "Create page was not sent: the service has just refused this API key";
  const facts = { method, path, ...response, attempts: [], mayHaveBeenApplied: false };
  return new AuthenticationError(message, facts, { cause: refused });
}

function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
