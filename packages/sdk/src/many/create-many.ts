import { endpoints, type Page } from "@landing-page-service/contract";
import * as z from "zod/mini";
import type { CallExtras } from "../call/call.ts";
import { abortedBefore } from "../call/outcome.ts";
import { checkInput, type NewPage } from "../input.ts";
import { type CallOptions, callSchema, checkOptions, func, type Names, optionsOf, wholeFrom } from "../options.ts";
import { AuthenticationError, LandingPagesError } from "../report/errors.ts";
import { asError, notify } from "../report/report.ts";

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
export interface UncreatedPage extends Pick<CreatedPage, "input" | "index"> {
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

const shape = { concurrency: wholeFrom(1), onProgress: func };

/** Checks options of `createMany`. */
export const createManySchema = optionsOf({ ...callSchema.shape, ...shape } satisfies Names<CreateManyOptions>);

/** Creates one page. */
export type CreateOne = (input: NewPage, options?: CallOptions, extras?: CallExtras) => Promise<Page>;
/** Pages to create. */
export type Inputs = Iterable<NewPage> | AsyncIterable<NewPage>;
type Results = AsyncGenerator<CreateManyResult, void, undefined>;

const isIterable = (value: unknown) =>
  typeof value === "object" && [Symbol.asyncIterator, Symbol.iterator].some((name) => name in Object(value));
const inputsSchema = z.object({ inputs: z.custom(isIterable, "expected an array or another iterable") });

/**
 * Creates a page from each input, several at a time, and yields the results as they become known; `index` is the position of the input.
 * A failure does not stop it, but once the service has refused the API key, all later inputs fail without being sent.
 * It starts when you ask for the first result, and takes inputs no faster than you take results.
 *
 * After `break` it takes and sends nothing more. `break` waits for the calls in flight, because otherwise their results
 * would be lost; `onProgress` is called with them.
 *
 * @throws {ConfigurationError} at once, when a name is unknown or an option of a call is wrong.
 * @throws {InvalidInputError} at once, when another option is out of range. An error of the inputs is thrown after all results.
 */
export function createMany(create: CreateOne, inputs: Inputs, options: CreateManyOptions = {}): Results {
  const { summary } = endpoints.createPage;
  checkInput(summary, inputsSchema, { inputs });
  checkOptions(createManySchema, options, summary, shape);
  const { concurrency: _concurrency, onProgress: _onProgress, ...each } = options;
  /** The error of inputs that are no longer sent. */
  let refusal: AuthenticationError | undefined;
  const run: Run = async (input, index, isLate) => {
    try {
      if (refusal) throw refusal;
      // After an abort, `create` itself rejects with an `AbortedError`.
      if (isLate && !each.signal?.aborted)
        throw new LandingPagesError("Create page was not sent: the loop had ended before the input arrived");
      return { input, index, page: await create(input, each, { priority: "background" }) };
    } catch (error) {
      // The service would refuse the key again.
      if (AuthenticationError.is(error)) refusal ??= toUnsent(error);
      return { input, index, error: asError(error) };
    }
  };
  return runSeveral(inputs, run, options);
}

/** Makes the result for an input. `isLate` is whether the input arrived after the loop over the results had ended. */
type Run = (input: NewPage, index: number, isLate: boolean) => Promise<CreateManyResult>;

/** Runs a function on each input, several at a time, and yields the results as they become known. */
async function* runSeveral(inputs: Inputs, run: Run, options: CreateManyOptions): Results {
  const { concurrency = 4, onProgress, signal } = options;
  if (signal?.aborted) throw abortedBefore(endpoints.createPage, signal);
  const counts = { done: 0, failed: 0, inFlight: 0 };
  const results: CreateManyResult[] = []; // not yielded yet
  const failures: { readonly error: unknown }[] = []; // the first one is thrown after all results
  const state = { isEnded: false, isInputAwaited: true };
  let change = Promise.withResolvers<void>();
  const wake = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const runOne = async (input: NewPage) => {
    const index = counts.done + counts.inFlight;
    counts.inFlight += 1;
    const result = await run(input, index, state.isEnded);
    counts.inFlight -= 1;
    counts.done += 1;
    if (result.error) counts.failed += 1;
    results.push(result);
    notify(onProgress, { ...counts, result });
    wake();
  };
  /** Takes each input once there is room, and closes the inputs at the end. */
  const runAll = async () => {
    for await (const input of inputs) {
      state.isInputAwaited = false;
      void runOne(input);
      while (!state.isEnded && counts.inFlight + results.length >= concurrency) await change.promise;
      if (state.isEnded) return;
      state.isInputAwaited = true;
    }
  };
  const isOver = () => state.isEnded && counts.inFlight === 0;
  const end = (...reasons: { readonly error: unknown }[]) => {
    if (!isOver()) failures.push(...reasons); // a failure after the last result changes nothing
    state.isEnded = true;
    wake();
  };
  const abort = () => end({ error: abortedBefore(endpoints.createPage, signal) });
  signal?.addEventListener("abort", abort);
  const running = runAll()
    .then(() => end())
    .catch((error: unknown) => end({ error }));
  try {
    while (results.length > 0 || !isOver()) {
      const result = results.shift();
      wake();
      if (result) yield result;
      else await change.promise;
    }
    if (failures[0]) throw failures[0].error;
  } finally {
    signal?.removeEventListener("abort", abort);
    end();
    while (!isOver()) await change.promise;
    // The iterator of the inputs can be closed only after the input that it is waiting for, which may never arrive.
    if (!state.isInputAwaited) await running;
  }
}

/** Makes the error of inputs that are not sent. It has no attempts and no idempotency key, because those of `refused` are about another page. */
function toUnsent(refused: AuthenticationError): AuthenticationError {
  const { method, path, status, problem, headers } = refused;
  const facts = { method, path, status, problem, headers, attempts: [], mayHaveBeenApplied: false };
  const message = "Create page was not sent: the service has just refused this API key";
  return new AuthenticationError(message, facts, { cause: refused });
}
