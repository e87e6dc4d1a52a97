// A list of pages that changes between requests, as a service may show it.
import type { Page, PageList } from "@landing-page-service/contract";
import * as fc from "fast-check";
import type { ListPages } from "../src/many/paginate.ts";

/** A change to the list. `at` is its place, as a share of the list's length at that time. */
export type Change = { kind: "insert" | "delete"; at: number; count: number };

/** How a service returns the list. */
export interface ListOptions {
  order: "oldest first" | "newest first";
  /** Most pages in a response, whatever the `limit`. */
  cap: number;
  hasTotal: boolean;
  /** Whether each response is in reverse order, as in an object whose keys are numbers. */
  isReversed: boolean;
}

export class MovingList {
  readonly initial: ReadonlySet<string>;
  readonly queries: Parameters<ListPages>[0][] = [];
  #pages: Page[];
  #deleted = new Set<string>();
  #created = 0;
  readonly #options: ListOptions;
  readonly #changes: Iterator<Change[]>;

  constructor(count: number, listOptions: Partial<ListOptions> = {}, changes: Iterable<Change[]> = []) {
    this.#options = { order: "oldest first", cap: Infinity, hasTotal: false, isReversed: false, ...listOptions };
    this.#pages = Array.from({ length: count }, () => this.#create());
    if (this.#options.order === "newest first") this.#pages.reverse();
    this.initial = new Set(this.ids);
    this.#changes = changes[Symbol.iterator]();
  }

  get ids(): string[] {
    return this.#pages.map(({ id }) => id);
  }

  /** Pages that were in the list from the start and still are. */
  get lasting(): string[] {
    return [...this.initial].filter((id) => !this.#deleted.has(id));
  }

  delete(id: string): void {
    this.#pages = this.#pages.filter((page) => page.id !== id);
    this.#deleted.add(id);
  }

  add(): void {
    if (this.#options.order === "newest first") this.#pages.unshift(this.#create());
    else this.#pages.push(this.#create());
  }

  change({ kind, at, count }: Change): void {
    const index = Math.floor(at * (this.#pages.length + 1));
    if (kind === "insert") this.#pages.splice(index, 0, ...Array.from({ length: count }, () => this.#create()));
    else for (const page of this.#pages.slice(index, index + count)) this.delete(page.id);
  }

  readonly fetch: ListPages = async (query): Promise<PageList> => {
    this.queries.push(query);
    for (const change of this.#changes.next().value ?? []) this.change(change as Change); // why: an iterator's return value is any
    const data = this.#pages.slice(query.offset, query.offset + Math.min(query.limit, this.#options.cap));
    return {
      data: this.#options.isReversed ? data.toReversed() : data,
      ...(this.#options.hasTotal ? { total: this.#pages.length } : {}),
      limit: query.limit,
      offset: query.offset,
    };
  };

  #create(): Page {
    this.#created += 1;
    return makePage(`pg_${this.#created}`);
  }
}

export function makePage(id: string): Page {
  const cta = { type: "button", label: "Go", url: "https://shop.example" };
  return { id, title: id, content: "Words", slug: id, meta_description: null, cta, domains: [] };
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("insert", "delete"),
  at: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  count: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.integer({ min: 1, max: 30 })),
});

/** Changes to the list before each of the first requests. */
export const changes: fc.Arbitrary<Change[][]> = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 30 });

const shown = {
  order: fc.constantFrom("oldest first", "newest first"),
  cap: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2, max: 10 })),
  hasTotal: fc.boolean(),
};

export const listOptions: fc.Arbitrary<ListOptions> = fc.record({ ...shown, isReversed: fc.constant(false) });

/** The same, but responses may be in reverse order. */
export const reversedListOptions: fc.Arbitrary<ListOptions> = fc.record({ ...shown, isReversed: fc.boolean() });
