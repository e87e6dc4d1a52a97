/** Which calls go first: somebody waits for a `single` one, for `background` ones nobody does. */
export type Lane = "single" | "background";

/** What decides about a place in the line. */
export interface Place {
  readonly lane: Lane;
  /** Whether it was let through before and comes back refused: then it goes before those of its lane that were not. */
  readonly isBack: boolean;
}

// However many single calls come, the background gets a turn after so many of them.
const mostInARow = 8;

/** Who waits for what there is not enough of: the single lane first, and in each lane who came first. */
export class WaitingLine<Waiter extends Place> {
  // A Set keeps the order and forgets its first entry without moving the others.
  readonly #back = { single: new Set<Waiter>(), background: new Set<Waiter>() };
  readonly #fresh = { single: new Set<Waiter>(), background: new Set<Waiter>() };
  #singlesInARow = 0;

  get size(): number {
    return this.#sizeOf("single") + this.#sizeOf("background");
  }

  /** Who is next; `undefined` when nobody waits. */
  get first(): Waiter | undefined {
    if (this.size === 0) return undefined;
    const isBackgroundDue = this.#singlesInARow >= mostInARow && this.#sizeOf("background") > 0;
    for (const lane of isBackgroundDue ? (["background"] as const) : (["single", "background"] as const)) {
      for (const waiter of this.#back[lane]) return waiter;
      for (const waiter of this.#fresh[lane]) return waiter;
    }
    return undefined;
  }

  /** Everybody, in no order that matters. */
  get all(): Waiter[] {
    return [...this.#back.single, ...this.#fresh.single, ...this.#back.background, ...this.#fresh.background];
  }

  add(waiter: Waiter): void {
    this.#setOf(waiter).add(waiter);
  }

  delete(waiter: Waiter): void {
    this.#setOf(waiter).delete(waiter);
  }

  /** Notes that a call of this lane was let through. */
  count(lane: Lane): void {
    this.#singlesInARow = lane === "single" && this.#sizeOf("background") > 0 ? this.#singlesInARow + 1 : 0;
  }

  #setOf({ lane, isBack }: Place): Set<Waiter> {
    return (isBack ? this.#back : this.#fresh)[lane];
  }

  #sizeOf(lane: Lane): number {
    return this.#back[lane].size + this.#fresh[lane].size;
  }
}
