import { endpoints, type Page, type PageList, type PartialPage } from "@landing-page-service/contract";
import * as z from "zod/mini";
import type { CallExtras, ResultPromise, Send } from "./call/call.ts";
import { type NewPage, type PageChanges, type PageListQuery, writePage, writePath, writeQuery } from "./input.ts";
import { createMany, type CreateManyOptions, type CreateManyResult, type Inputs } from "./many/create-many.ts";
import { type IterateOptions, type ListPages, type PageIterator, paginate } from "./many/paginate.ts";
import { type CallOptions, callSchema, checkOptions, optionsOf, type WriteOptions } from "./options.ts";
import { readCreated, readDone, readPageList, readUpdated } from "./read/responses.ts";
import { BadRequestError, InvalidInputError, IterationError } from "./report/errors.ts";
import type { Report } from "./report/report.ts";

/** A page as `list`, `iterate` and `update` return it: whole if the client is strict, otherwise with the fields that the service shows. */
export type ReadPage<Strict extends boolean> = { true: Page; false: PartialPage }[`${Strict}`];

/**
 * The landing pages of the account. A type argument of a call names fields that a service adds to its pages:
 * `list<{ status: string }>()`. A dialect passed as `read` names them once for all calls. Source: spec, "Endpoints".
 */
export interface Pages<Strict extends boolean = boolean, Added extends object = object> {
  /**
   * Lists up to `limit` of the account's pages, with one request. `iterate` goes through all of them. A service may list
   * summaries, so only `id` and `domains` are certain, unless the client is strict.
   *
   * @throws {ResponseValidationError} when a success has no list that is certain, or reports a failure; `body` is its body.
   * @throws {InvalidInputError} when `limit` or `offset` is not a whole number in range.
   * Source: spec, "List pages".
   */
  list<Fields extends object = Added>(
    query?: PageListQuery,
    options?: CallOptions,
  ): ResultPromise<PageList<ReadPage<Strict> & NoInfer<Fields>>>;

  /**
   * Pages through all pages of the account, in the service's order, `batchSize` at a time. If the service keeps the
   * order of its list, every page that exists from start to end is yielded exactly once, even while others are created and deleted, for
   * example by the loop itself.
   *
   * @throws {InvalidInputError} at once, when an option is out of range.
   * Source: spec, "List pages".
   */
  iterate<Fields extends object = Added>(options?: IterateOptions): PageIterator<ReadPage<Strict> & NoInfer<Fields>>;

  /**
   * Finds the page with a slug or an id, or with both; `undefined` if there is none. The service documents no way to get
   * one page, so this pages through the list until it finds the page. That takes one request if the service honours the filter
   * `slug`. Otherwise, and always for an id, it takes one request for every 20 pages of the account. Gap: see docs/spec-gaps.md#list-filters
   *
   * @throws {InvalidInputError} when neither a slug nor an id is given, or an empty one.
   * @throws {IterationError} when no page has the slug, but the list has pages without their slugs.
   * Source: spec, "List pages".
   */
  find(wanted: { slug: string } | { id: string }, options?: CallOptions): Promise<ReadPage<Strict> | undefined>;

  /**
   * Creates a page; the service assigns it to domains of its network. Always resolves to a whole page: fields that the response
   * leaves out are taken from the input. If the input is a page that was read, only its documented fields are sent.
   * All attempts of a call have the same `Idempotency-Key`, and each call has its own.
   *
   * @throws {InvalidInputError} when a field is missing or has the wrong type; nothing is sent then.
   * @throws {BadRequestError} when the service refuses a field.
   * @throws {ResponseValidationError} when a success has no identifier that is certain, or reports a failure; `body` is its body.
   * Source: spec, "Create page".
   */
  create<Fields extends object = Added>(input: NewPage, options?: WriteOptions): ResultPromise<Page & NoInfer<Fields>>;

  /**
   * Creates a page from each input, several at a time, and yields each result as soon as it is known. Never stops at
   * a failure, reports every input exactly once, and takes inputs no faster than you take results.
   *
   * @throws {InvalidInputError} at once, when an option is out of range.
   * Source: spec, "Create page".
   */
  createMany(
    inputs: Iterable<NewPage> | AsyncIterable<NewPage>,
    options?: CreateManyOptions,
  ): AsyncGenerator<CreateManyResult, void, undefined>;

  /**
   * Changes the fields that are sent and keeps the others. Fields that the response leaves out are taken from the changes. Send
   * `cta` whole, because the spec leaves open whether a partial one is merged into the old one or replaces it. If the changes are a
   * page that was read, only its documented fields are sent. A `null` description removes the old one.
   *
   * @throws {InvalidInputError} when the id is not valid, or a field has the wrong type; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page.
   * @throws {ResponseValidationError} when a success reports a failure; `body` is its body.
   * Source: spec, "Update page".
   */
  update<Fields extends object = Added>(
    id: string,
    changes: PageChanges,
    options?: CallOptions,
  ): ResultPromise<ReadPage<Strict> & NoInfer<Fields>>;

  /**
   * Deletes a page permanently. If an earlier attempt may have been carried out, a 404 on the next one is a success.
   *
   * @throws {InvalidInputError} when the id is not valid; nothing is sent then.
   * @throws {NotFoundError} when the account has no such page.
   * @throws {ResponseValidationError} when a success reports a failure or is an HTML document; `body` is its body.
   * Source: spec, "Delete page".
   */
  delete(id: string, options?: CallOptions): ResultPromise<void>;
}

/** Makes the methods of `client.pages`. Their types are those of a client that is not strict. */
export function createPages(send: Send, report: Report) {
  const list = (query: PageListQuery = {}, options: CallOptions = {}, extras: CallExtras = {}) =>
    send<PageList>(endpoints.listPages, options, () => {
      const path = writeQuery(query);
      const range = { limit: query.limit, offset: query.offset };
      return { ...extras, path, needsBody: true, read: (response, how) => readPageList(response, range, how) };
    });

  const create = (input: NewPage, options: WriteOptions = {}, extras: CallExtras = {}) =>
    send<Page>(endpoints.createPage, options, () => {
      const body = writePage(endpoints.createPage, input);
      return { ...extras, body, needsBody: true, read: (response, how) => readCreated(response, body, how) };
    });

  const update = (id: string, changes: PageChanges, options: CallOptions = {}) =>
    send<PartialPage>(endpoints.updatePage, options, () => {
      const path = writePath(endpoints.updatePage, id);
      const body = writePage(endpoints.updatePage, changes);
      return { path, body, needsBody: true, read: (response, how) => readUpdated(response, id, body, how) };
    });

  return {
    list,
    iterate: (options?: IterateOptions) => paginate(list, options, report),
    find: (wanted: Wanted, options: CallOptions = {}) => findPage(list, wanted, options),
    create,
    createMany: (inputs: Inputs, options?: CreateManyOptions) => createMany(create, inputs, options),
    update,
    delete: (id: string, options: CallOptions = {}) =>
      send<void>(endpoints.deletePage, options, () => {
        const path = writePath(endpoints.deletePage, id);
        return { path, needsBody: false, read: (response, how) => readDone(response, "deletePage", how) };
      }),
  };
}

type Wanted = { readonly slug?: string; readonly id?: string };
const wantedSchema = optionsOf({ slug: z.unknown(), id: z.unknown() });

/** Pages through the list to the page with a slug or an id; `undefined` when there is none. */
async function findPage(list: ListPages, wanted: Wanted, options: CallOptions): Promise<PartialPage | undefined> {
  checkOptions(callSchema, options);
  const { slug, id } = Object(wanted) as Wanted; // why: plain JavaScript may pass anything
  if (typeof wanted === "object") checkOptions(wantedSchema, wanted);
  const given = [slug, id].filter((each) => each !== undefined);
  if (given.length === 0 || !given.every((each) => typeof each === "string" && each !== ""))
    throw new InvalidInputError("Find page", [{ pointer: "#", detail: "expected { slug } or { id }" }]);
  const search = async (filters: { slug?: string }) => {
    let isHidden = false;
    for await (const page of paginate(list, { ...options, filters })) {
      if ((slug ?? page.slug) === page.slug && (id ?? page.id) === page.id) return page;
      isHidden ||= slug !== undefined && page.slug === undefined;
    }
    if (isHidden)
      throw new IterationError("the list has pages without their slugs; find the page by its `id`", "noSlug");
    return undefined;
  };
  if (slug === undefined) return search({});
  return search({ slug }).catch((error: unknown) => {
    // A service that knows no filters may refuse them.
    if (BadRequestError.is(error)) return search({});
    throw error;
  });
}
