/** A list that holds the last `capacity` items: one more pushes out the oldest, which is counted. */
export class Ring<Item> implements Iterable<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  #oldest = 0;
  #dropped = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Items pushed out so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Items held. */
  get size(): number {
    return this.#items.length;
  }

  push(item: Item): void {
    if (this.#items.length < this.#capacity) {
      this.#items.push(item);
      return;
    }
    this.#items[this.#oldest] = item;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
    this.#dropped += 1;
  }

  /** Takes out the items that the test tells, without counting them as dropped. */
  remove(isGone: (item: Item) => boolean): void {
    this.#items = Array.from(this).filter((item) => !isGone(item));
    this.#oldest = 0;
  }

  /** Oldest first. */
  *[Symbol.iterator](): Generator<Item> {
    const items = this.#items;
    const oldest = this.#oldest;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[(oldest + index) % items.length];
      if (item !== undefined) yield item;
    }
  }
}
