import { setImmediate as nextTurn } from "node:timers/promises";
import type { CreatePage } from "@landing-page-service/contract";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createMany, type CreateManyProgress, type CreateManyResult, type CreateOne } from "../src/many/create-many.ts";
import { makePage } from "./moving-list.ts";
import { collect, fail } from "./setup.ts";

const refusal = new Error("refused");

test("every input is reported exactly once, in whatever order the calls end", () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      async (scheduler, fates, concurrency) => {
        const inputs = fates.map((_, index) => makeInput(index));
        const results: CreateManyResult[] = [];
        let inFlight = 0;
        const most = { ahead: 0, inFlight: 0 };
        async function* take() {
          for (const [index, input] of inputs.entries()) {
            most.ahead = Math.max(most.ahead, index + 1 - results.length);
            yield await scheduler.schedule(Promise.resolve(input));
          }
        }
        const create: CreateOne = async ({ slug }) => {
          inFlight += 1;
          most.inFlight = Math.max(most.inFlight, inFlight);
          await scheduler.schedule(Promise.resolve());
          inFlight -= 1;
          if (!fates[Number(slug)]) throw refusal;
          return makePage(slug);
        };
        let failed = 0;
        const onProgress = (progress: CreateManyProgress) => void ({ failed } = progress);

        const consume = async () => {
          for await (const result of createMany(create, take(), { concurrency, onProgress })) {
            results.push(result);
            await scheduler.schedule(Promise.resolve());
          }
        };
        await scheduler.waitFor(consume());

        results.sort((one, other) => one.index - other.index);
        expect(results).toEqual(
          inputs.map((input, index) =>
            fates[index] ? { input, index, page: makePage(input.slug) } : { input, index, error: refusal },
          ),
        );
        expect(failed).toBe(fates.filter((isFine) => !isFine).length);
        expect(most.inFlight).toBeLessThanOrEqual(concurrency);
        // An outcome that is being yielded counts as taken, although the loop has not recorded it yet.
        expect(most.ahead).toBeLessThanOrEqual(concurrency + 1);
      },
    ),
  ));

test("no input is taken before the first result is requested, and none while results are not consumed", async () => {
  const { inputs, state } = countInputs(100);

  const results = createMany(async ({ slug }) => makePage(slug), inputs, { concurrency: 3 });
  const takenAtFirst = state.taken;
  await results.next();
  await nextTurn();

  expect(takenAtFirst).toBe(0);
  expect(state.taken).toBe(4);
  await results.return();
  expect(state.isClosed).toBe(true);
});

test.each([0, 2])("if reading the inputs fails after %i of them, the loop ends after their results", async (count) => {
  const failure = new Error("the file ended early");
  function* inputs() {
    for (let index = 0; index < count; index += 1) yield makeInput(index);
    throw failure;
  }
  const slugs: unknown[] = [];
  const loop = async () => {
    for await (const { page } of createMany(later, inputs(), { concurrency: 5 })) slugs.push(page?.slug);
  };

  await expect(loop()).rejects.toBe(failure);
  expect(slugs).toEqual(["0", "1"].slice(0, count));
});

test("after break nothing more is sent, and the calls under way end and are reported", async () => {
  const { inputs, state } = countInputs(100);
  const progress: CreateManyProgress[] = [];
  const onProgress = (step: CreateManyProgress) => void progress.push(step);
  await stopAfterFirst(createMany(later, inputs, { concurrency: 3, onProgress }));

  expect(state.isClosed).toBe(true);
  expect(new Set(progress.map(({ result }) => result.index)).size).toBe(state.taken);
  expect(progress.at(-1)).toMatchObject({ done: state.taken, failed: 0, inFlight: 0 });
});

test("break does not wait for an input; an input that arrives later is not sent, and onProgress gets its error", async () => {
  const { promise, resolve } = Promise.withResolvers<CreatePage>();
  const create = vi.fn<CreateOne>(later);
  const messages: unknown[] = [];
  async function* inputs() {
    yield makeInput(0);
    yield await promise;
  }
  const onProgress = ({ result }: CreateManyProgress) => void messages.push(result.error);

  await stopAfterFirst(createMany(create, inputs(), { onProgress }));
  resolve(makeInput(1));
  await nextTurn();

  expect(create).toHaveBeenCalledTimes(1);
  expect(messages).toEqual([undefined, expect.objectContaining({ message: expect.stringContaining("was not sent") })]);
});

test("abort yields the results of the calls under way, then throws an AbortedError", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { inputs, state } = countInputs(100);
  const errors: unknown[] = [];
  const create = () => new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(refusal)));
  const loop = (async () => {
    for await (const { error } of createMany(create, inputs, { concurrency: 3, signal })) errors.push(error);
  })();
  await nextTurn();

  controller.abort(new Error("shutting down"));

  const cause = new Error("shutting down");
  await expect(loop).rejects.toMatchObject({ name: "AbortError", cause, mayHaveBeenApplied: false });
  expect(errors).toEqual([refusal, refusal, refusal]);
  expect(state).toEqual({ taken: 3, isClosed: true });
});

test("with a signal that has already aborted, no input is taken; an abort after the last result changes nothing", async () => {
  const controller = new AbortController();
  const { inputs, state } = countInputs(3);
  const reason = new Error("too late");

  const results = createMany(later, inputs, { signal: AbortSignal.abort(reason) });
  const done = createMany(later, [makeInput(0)], { signal: controller.signal });
  await done.next();
  await nextTurn();
  controller.abort();

  await expect(results.next()).rejects.toMatchObject({ name: "AbortError", cause: reason, mayHaveBeenApplied: false });
  expect(state.taken).toBe(0);
  await expect(done.next()).resolves.toEqual({ done: true, value: undefined });
});

test("an onProgress that throws or rejects does no harm", async () => {
  const outcomes = [fail, () => Promise.reject(new Error("broken"))];
  const onProgress = () => outcomes.shift()?.();

  const results = await collect(createMany(later, [makeInput(0), makeInput(1)], { onProgress }));

  expect(results).toHaveLength(2);
  expect(outcomes).toEqual([]);
});

async function stopAfterFirst(results: AsyncIterable<CreateManyResult>): Promise<CreateManyResult | undefined> {
  for await (const result of results) return result;
  return undefined;
}

const later: CreateOne = async ({ slug }) => {
  await nextTurn();
  return makePage(slug);
};

function makeInput(index: number): CreatePage {
  const { title, content, cta } = makePage(`${index}`);
  return { title, content, slug: `${index}`, cta };
}

function countInputs(count: number) {
  const state = { taken: 0, isClosed: false };
  function* take() {
    try {
      for (let index = 0; index < count; index += 1) {
        state.taken += 1;
        yield makeInput(index);
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { inputs: take(), state };
}
