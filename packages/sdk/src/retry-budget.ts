/** A budget for each endpoint: when events fail, pages keep their retries. */
export class RetryBudgets {
  readonly #budgets = new Map<string, RetryBudget>();

  /** Gives the budget that all calls of an endpoint share. */
  of(endpoint: string): RetryBudget {
    const known = this.#budgets.get(endpoint);
    if (known !== undefined) return known;
    const budget = new RetryBudget();
    this.#budgets.set(endpoint, budget);
    return budget;
  }
}

/** Retry tokens that calls share, so that a dying service sees about its normal load and not three times it. */
export class RetryBudget {
  #tokens = 500;

  /** Tokens left, 0 to 500. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Takes tokens for another try. */
  spend(cost: number): void {
    this.#tokens -= cost;
  }

  /** Gives back, after a success, what its last retry cost, or 1 when it took none. */
  refund(cost: number): void {
    this.#tokens = Math.min(500, this.#tokens + cost);
  }
}
