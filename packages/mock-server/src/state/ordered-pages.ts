import type { StoredPage } from "./stored-page.ts";

/** Pages per block. Small enough that moving a block's tail is cheap, large enough that a million pages are a thousand blocks. */
const blockSize = 1024;

/**
 * Pages in the order of their sequence numbers, cut into blocks. Any rank is found by adding up block lengths (a thousand
 * additions for a million pages); adding and deleting move at most one block.
 */
export class OrderedPages {
  readonly #blocks: StoredPage[][] = [];
  #size = 0;

  /** Number of pages. */
  get size(): number {
    return this.#size;
  }

  add(page: StoredPage): void {
    this.#size += 1;
    const last = this.#blocks.at(-1);
    if (last === undefined || (isAfter(page, last) && last.length >= blockSize)) {
      this.#blocks.push([page]);
    } else if (isAfter(page, last)) {
      last.push(page);
    } else {
      this.#insert(page);
    }
  }

  delete(page: StoredPage): void {
    const blockIndex = this.#blockOf(page.sequence);
    const block = this.#blocks[blockIndex];
    const index = block === undefined ? -1 : firstAtOrAfter(block, page.sequence);
    if (block?.[index] !== page) return;
    this.#size -= 1;
    block.splice(index, 1);
    if (block.length === 0) this.#blocks.splice(blockIndex, 1);
    this.#joinWithNext(blockIndex);
    this.#joinWithNext(blockIndex - 1);
  }

  /** Up to `limit` pages after the first `offset`. */
  slice(offset: number, limit: number): StoredPage[] {
    const found: StoredPage[] = [];
    let skip = offset;
    for (const block of this.#blocks) {
      if (skip >= block.length) {
        skip -= block.length;
        continue;
      }
      for (let index = skip; index < block.length && found.length < limit; index += 1) {
        const page = block[index];
        if (page !== undefined) found.push(page);
      }
      if (found.length >= limit) break;
      skip = 0;
    }
    return found;
  }

  /** Up to `limit` pages before the last `offset`, last one first. */
  sliceFromEnd(offset: number, limit: number): StoredPage[] {
    const end = Math.max(this.#size - offset, 0);
    const start = Math.max(end - limit, 0);
    return this.slice(start, end - start).toReversed();
  }

  /** In order. Pages must not come or go meanwhile. */
  *[Symbol.iterator](): Generator<StoredPage> {
    for (const block of this.#blocks) yield* block;
  }

  #insert(page: StoredPage): void {
    const blockIndex = Math.max(this.#blockOf(page.sequence), 0);
    const block = this.#blocks[blockIndex] ?? [];
    block.splice(firstAtOrAfter(block, page.sequence), 0, page);
    if (block.length > 2 * blockSize) this.#blocks.splice(blockIndex + 1, 0, block.splice(blockSize));
  }

  /** Index of the last block that begins at or before a sequence number; -1 when there is none. */
  #blockOf(sequence: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle]?.[0]?.sequence ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Keeps the number of blocks in proportion to the pages that are left. */
  #joinWithNext(blockIndex: number): void {
    const block = this.#blocks[blockIndex];
    const next = this.#blocks[blockIndex + 1];
    if (block === undefined || next === undefined || block.length + next.length > blockSize / 2) return;
    block.push(...next);
    this.#blocks.splice(blockIndex + 1, 1);
  }
}

function isAfter(page: StoredPage, block: readonly StoredPage[]): boolean {
  return page.sequence > (block.at(-1)?.sequence ?? -1);
}

/** Index of the first page of a block whose sequence number is at least the given one. */
function firstAtOrAfter(block: readonly StoredPage[], sequence: number): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((block[middle]?.sequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
