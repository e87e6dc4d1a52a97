import { endpoints, type ListQuery, type Page, type PageList, type PartialPage } from "@landing-page-service/contract";
import { type Reading, readCreated, readDone, readPageList, readUpdated, saysNothingStored } from "./answers.ts";
import { bindMethods } from "./bind-methods.ts";
import { RefusedKey } from "./call-key.ts";
import { type Caller, callFrom, noteCaller } from "./caller.ts";
import type { CallExtras, Send } from "./connection.ts";
import {
  createMany,
  type CreateManyOptions,
  createManyOptions,
  type CreateManyResult,
  type CreateOne,
} from "./create-many.ts";
import { findPage } from "./find-page.ts";
import {
  type NewPage,
  type PageChanges,
  writeBody,
  writeChanges,
  writeNewPage,
  writePath,
  writeQuery,
} from "./input.ts";
import { type FetchPage, type IterateOptions, iterateOptions, iteratePages, type PageIterator } from "./iterate.ts";
import { refuseUnknown } from "./known-options.ts";
import type { CallName, Report } from "./log.ts";
import type { CallOptions, WriteOptions } from "./options.ts";
import type { Answer } from "./outcome.ts";
import type { ResultPromise } from "./result.ts";
import { chooseIdempotencyKey, mergeSettings } from "./settings.ts";
import type { DriftEvent as Drift } from "./walk.ts";

/** A page as `list`, `iterate` and `update` give it: whole where the client is strict, otherwise as far as the service shows it. */
export type ReadPage<Strict extends boolean> = { true: Page; false: PartialPage }[`${Strict}`];

/**
 * The landing pages of the account. A type argument of a call names fields that a service adds to its pages:
 * `list<{ status: string }>()`. Source: spec, "Endpoints".
 */
export class Pages<Strict extends boolean = boolean> {
  readonly #send: Send;
  readonly #report: Report | undefined;
  readonly #reading: Omit<Reading, "onMismatch">;

  /**
   * @hidden Made by the client.
   * @internal
   */
  constructor(send: Send, report: Report | undefined, reading: Omit<Reading, "onMismatch" | "lists">) {
    bindMethods(this);
    this.#send = send;
    this.#report = report;
    this.#reading = { ...reading, lists: {} };
  }

  /**
   * Lists one stretch of the account's pages, with one request. `iterate` walks through all of them. A service may list
   * summaries, so only `id` and `domains` are certain, unless the client is strict.
   *
   * @throws {ResponseValidationError} when there is no list in the answer; `body` is what came.
   * @throws {InvalidInputError} when `limit` or `offset` is not a whole number in range.
   * Source: spec, "List pages".
   */
  list<Fields extends object = object>(
    query: ListQuery = {},
    options: CallOptions = {},
  ): ResultPromise<PageList<ReadPage<Strict> & NoInfer<Fields>>> {
    return this.#list<Fields>(noteCaller(), query, options);
  }

  /**
   * Walks all pages of the account, in the service's order, asking for `batchSize` at a time. Every page that exists for
   * the whole walk is given exactly once, even while others come and go, also when the loop deletes what it was given.
   *
   * @throws {InvalidInputError} at once, when an option is out of range.
   * Source: spec, "List pages".
   */
  iterate<Fields extends object = object>(
    options: IterateOptions = {},
  ): PageIterator<ReadPage<Strict> & NoInfer<Fields>> {
    const onDrift = ({ callId, operation, ...drift }: Drift & Partial<CallName>) => {
      if (callId !== undefined && operation !== undefined) this.#report?.({ ...drift, callId, operation });
    };
    return callFrom(noteCaller(), (caller) => {
      refuseUnknown(iterateOptions, options, { isOpen: true });
      const { timeoutMs, totalTimeoutMs, retry, headers, ...walk } = options;
      const callOptions = { timeoutMs, totalTimeoutMs, retry, headers };
      mergeSettings(callOptions);
      const fetchPage: FetchPage<ReadPage<Strict> & NoInfer<Fields>> = (query, { onBegin, ...more }) =>
        this.#list<Fields>(caller, query, { ...callOptions, ...more }, { onBegin });
      return iteratePages(fetchPage, walk, { caller, onDrift });
    });
  }

  /**
   * Finds the page with a slug or an id, or with both; `undefined` when there is none. The service documents no way to ask for one page, so this
   * walks the list until the page comes: one request where the service honours the filter `slug`, otherwise, and always for an id, one
   * for every 20 pages of the account. Gap: see docs/spec-gaps.md#list-filters
   *
   * @throws {InvalidInputError} when neither a slug nor an id is given, or an empty one.
   * Source: spec, "List pages".
   */
  find(wanted: { slug: string } | { id: string }, options: CallOptions = {}): Promise<ReadPage<Strict> | undefined> {
    const caller = noteCaller();
    const fetchPage: FetchPage<ReadPage<Strict>> = (query, { onBegin, ...more }) =>
      this.#list(caller, query, { ...options, ...more }, { onBegin });
    return findPage(fetchPage, wanted, options, caller);
  }

  /**
   * Creates a page; the service places it on domains of its network. Always gives a whole page: what the answer leaves out
   * is as it was sent. Of a page that was read, the documented fields are sent.
   * The same `Idempotency-Key` goes with every attempt, another with every call.
   *
   * @throws {InvalidInputError} when a field is missing or has the wrong type; nothing is sent then.
   * @throws {BadRequestError} when the service refuses a field.
   * @throws {ResponseValidationError} when no identifier of the page can be told for certain; `body` is what came.
   * Source: spec, "Create page".
   */
  create<Fields extends object = object>(
    input: NewPage,
    options: WriteOptions = {},
  ): ResultPromise<Page & NoInfer<Fields>> {
    return this.#create<Fields>(noteCaller(), input, options);
  }

  /**
   * Creates a page from each input, several at a time, and gives what became of each as soon as it is known. Never stops at
   * a failure, reports every input exactly once, and takes inputs no faster than you take results.
   *
   * @throws {InvalidInputError} at once, when an option is out of range.
   * Source: spec, "Create page".
   */
  createMany(
    inputs: Iterable<NewPage> | AsyncIterable<NewPage>,
    options: CreateManyOptions = {},
  ): AsyncGenerator<CreateManyResult, void, undefined> {
    return callFrom(noteCaller(), (caller) => {
      refuseUnknown(createManyOptions, options);
      const { concurrency, onProgress, ...callOptions } = options;
      mergeSettings(callOptions);
      const background: CallExtras = { lane: "background", refusedKey: new RefusedKey() };
      const create: CreateOne = (input, more) => this.#create(caller, input, { ...callOptions, ...more }, background);
      return createMany(create, inputs, options, caller);
    });
  }

  /**
   * Changes the fields that are sent and leaves the others. What the answer leaves out of them is as it was sent. Send `cta` whole: the spec leaves open whether a partial one
   * is merged into the old one or replaces it. Of a page that was read, the documented fields are sent; a `null` description empties it.
   *
   * @throws {InvalidInputError} when the id cannot be one, or a field has the wrong type; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page.
   * Source: spec, "Update page".
   */
  update<Fields extends object = object>(
    id: string,
    changes: PageChanges,
    options: CallOptions = {},
  ): ResultPromise<ReadPage<Strict> & NoInfer<Fields>> {
    const prepare = () => {
      const path = writePath(endpoints.updatePage, id);
      const body = writeBody(endpoints.updatePage, writeChanges(changes));
      return {
        path,
        body,
        // Who updates knows the page and the changes: a success stays one, whatever becomes of its body.
        bodyUse: this.#reading.strict ? ("needed" as const) : ("wanted" as const),
        read: (answer: Answer, onMismatch: Reading["onMismatch"]) =>
          // why: as for a list
          readUpdated(answer, id, body, { ...this.#reading, onMismatch }) as ReadPage<Strict> & NoInfer<Fields>,
      };
    };
    return this.#send(noteCaller(), endpoints.updatePage, options, prepare);
  }

  /**
   * Deletes a page for good. When an attempt may have gone through unheard, finding nothing on the next one is success.
   *
   * @throws {InvalidInputError} when the id cannot be one; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page.
   * @throws {ResponseValidationError} when an HTML document came with the success: somebody on the way answered, not the service.
   * Source: spec, "Delete page".
   */
  delete(id: string, options: CallOptions = {}): ResultPromise<void> {
    const prepare = () => ({
      path: writePath(endpoints.deletePage, id),
      bodyUse: "aside" as const,
      read: readDone,
    });
    return this.#send(noteCaller(), endpoints.deletePage, options, prepare);
  }

  #list<Fields extends object = object>(
    caller: Caller,
    query: ListQuery,
    options: CallOptions,
    further: CallExtras = {},
  ): ResultPromise<PageList<ReadPage<Strict> & NoInfer<Fields>>> {
    return this.#send(caller, endpoints.listPages, options, () => {
      const path = writeQuery(endpoints.listPages, query);
      refuseUnknown({ limit: true, offset: true }, query, { isOpen: true });
      return {
        path,
        bodyUse: "needed",
        ...further,
        isSuccess: saysNothingStored,
        read: (answer, onMismatch) =>
          // why: the reader checks what `strict` promises; what a type argument says of further fields is the caller's word
          readPageList(answer, query, { ...this.#reading, onMismatch }) as PageList<ReadPage<Strict> & NoInfer<Fields>>,
      };
    });
  }

  #create<Fields extends object = object>(
    caller: Caller,
    input: NewPage,
    options: WriteOptions,
    further: CallExtras = {},
  ): ResultPromise<Page & NoInfer<Fields>> {
    return this.#send(caller, endpoints.createPage, options, () => {
      const body = writeBody(endpoints.createPage, writeNewPage(input));
      return {
        ...further,
        path: endpoints.createPage.path,
        body,
        idempotencyKey: chooseIdempotencyKey(options.idempotencyKey),
        bodyUse: "needed",
        read: (answer, onMismatch) =>
          // why: as for a list
          readCreated(answer, body, { ...this.#reading, onMismatch }) as Page & NoInfer<Fields>,
      };
    });
  }
}
