import { endpoints, type Page } from "@landing-page-service/contract";
import { asError, InvalidInputError, LandingPagesError } from "./errors.ts";
import { findCallbackProblems, findRangeProblems, type NewPage } from "./input.ts";
import type { Names } from "./known-options.ts";
import { nameKind } from "./messages.ts";
import { notify } from "./notify.ts";
import { type CallOptions, callOptions } from "./options.ts";
import { abortedBefore } from "./outcome-error.ts";

/** What became of one input: the page that was created, or the error. */
export type CreateManyResult = CreatedPage | UncreatedPage;

/** An input that became a page. */
export interface CreatedPage {
  /** What was given, the same object. */
  readonly input: NewPage;
  /** Which input it was, from 0. */
  readonly index: number;
  /** Page as the service stored it. */
  readonly page: Page;
  /** Never there beside a page. */
  readonly error?: undefined;
}

/** An input that did not become a page, or of which nobody knows: see the error's `mayHaveBeenApplied`. */
export interface UncreatedPage {
  /** What was given, the same object. */
  readonly input: NewPage;
  /** Which input it was, from 0. */
  readonly index: number;
  /** Why: what `create` rejected with. An `AbortedError` where the signal ended it. */
  readonly error: Error;
  /** Never there beside an error. */
  readonly page?: undefined;
}

/** How far `createMany` has come. */
export interface CreateManyProgress {
  /** Inputs whose outcome is known, failed ones included. */
  readonly done: number;
  /** Inputs that failed. */
  readonly failed: number;
  /** Calls under way. */
  readonly inFlight: number;
  /** Outcome that has just become known. */
  readonly result: CreateManyResult;
}

/** How to create many pages. Further options hold for each call that creates one. */
export interface CreateManyOptions extends CallOptions {
  /** Calls under way at a time, and inputs taken ahead of the results you took; 1 or more. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /** Told every outcome as soon as it is known, before it is given. What it returns is not waited for, what it throws is ignored. */
  readonly onProgress?: ((progress: CreateManyProgress) => unknown) | undefined;
  /** Takes no more inputs and aborts the calls under way; their outcomes are still given, then an `AbortedError` is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Names of the options of `createMany`. */
export const createManyOptions: Names<CreateManyOptions> = { ...callOptions, concurrency: true, onProgress: true };

/** Creates one page. */
export type CreateOne = (input: NewPage, options: { signal?: AbortSignal }) => Promise<Page>;

/**
 * Creates a page from each input, several at a time, and gives the outcomes as they become known; `index` tells which is which.
 * A failure does not stop it. Begins when the first outcome is asked for, and takes inputs no faster than outcomes are taken.
 *
 * After `break` no more is taken or sent. Calls under way are not cut off, as then nobody would know what became of them:
 * `break` waits for them, and `onProgress` is told.
 *
 * @throws {InvalidInputError} at once, when an option is out of range. What the inputs throw is thrown after the outcomes of all calls under way.
 */
export function createMany(
  create: CreateOne,
  inputs: Inputs,
  options: CreateManyOptions = {},
): AsyncGenerator<CreateManyResult, void, undefined> {
  const errors = [...findRangeProblems(options, { concurrency: 1 }), ...findCallbackProblems(options, "onProgress")];
  if (!isIterable(inputs))
    errors.push({
      pointer: "inputs",
      detail: `expected an array or another iterable, got ${nameKind(inputs)}${inputs instanceof Promise ? ": await it" : ""}`,
    });
  if (errors.length > 0) throw new InvalidInputError(endpoints.createPage.summary, errors);
  return giveResults(create, inputs, options);
}

async function* giveResults(
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

type Inputs = Iterable<NewPage> | AsyncIterable<NewPage>;

/** Inputs on their way to becoming results: taken, under way, and finished but not given. */
class Run {
  /** Outcomes not given yet. */
  readonly results: CreateManyResult[] = [];
  /** What to throw when all outcomes are given. */
  failure: { error: unknown } | undefined;

  readonly #create: CreateOne;
  readonly #options: CreateManyOptions;
  readonly #iterator: Iterator<NewPage> | AsyncIterator<NewPage>;
  #isTaking = false;
  /** Why no more inputs are taken. */
  #end: "exhausted" | "aborted" | "closed" | undefined;
  #taken = 0;
  #inFlight = 0;
  #done = 0;
  #failed = 0;
  #wake = () => {};

  constructor(create: CreateOne, inputs: Inputs, options: CreateManyOptions) {
    this.#create = create;
    this.#options = options;
    this.#iterator = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
    if (options.signal?.aborted) this.#abort();
    else options.signal?.addEventListener("abort", this.#abort);
  }

  get isOver(): boolean {
    return this.#end !== undefined && this.#inFlight === 0 && this.results.length === 0;
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
    const wasExhausted = this.#end === "exhausted";
    this.#end ??= "closed";
    try {
      if (!wasExhausted) await this.#closeInputs();
    } finally {
      while (this.#inFlight > 0) await this.nextChange();
    }
  }

  #hasRoom(): boolean {
    return this.#end === undefined && this.#inFlight + this.results.length < (this.#options.concurrency ?? 4);
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      while (this.#hasRoom()) {
        const next = await this.#iterator.next();
        if (next.done) this.#end ??= "exhausted";
        else void this.#send(next.value);
      }
    } catch (error) {
      this.#end ??= "exhausted";
      this.failure ??= { error };
    }
    this.#isTaking = false;
    this.#wake();
  }

  async #send(input: NewPage): Promise<void> {
    const index = this.#taken;
    this.#taken += 1;
    this.#inFlight += 1;
    const result = await this.#call(input, index);
    this.#inFlight -= 1;
    this.#done += 1;
    if (result.page === undefined) this.#failed += 1;
    this.results.push(result);
    notify(this.#options.onProgress, { done: this.#done, failed: this.#failed, inFlight: this.#inFlight, result });
    this.#wake();
  }

  async #call(input: NewPage, index: number): Promise<CreateManyResult> {
    const { signal } = this.#options;
    try {
      if (this.#end === "aborted") throw abortedBefore(endpoints.createPage, signal);
      if (this.#end === "closed")
        throw new LandingPagesError("Create page was not sent: the loop had ended before the input came");
      return { input, index, page: await this.#create(input, signal ? { signal } : {}) };
    } catch (error) {
      return { input, index, error: asError(error) };
    }
  }

  readonly #abort = (): void => {
    if (this.#end === "exhausted" && this.#inFlight === 0) return;
    this.#end ??= "aborted";
    this.failure ??= { error: abortedBefore(endpoints.createPage, this.#options.signal) };
    this.#wake();
  };

  /** An input that is being waited for may never come: then nobody waits for the end of the inputs either. */
  async #closeInputs(): Promise<void> {
    const closing = (async () => this.#iterator.return?.())();
    if (this.#isTaking) closing.catch(() => undefined);
    else await closing;
  }
}

function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
