import type { Account, Caller } from "./accounts.ts";
import { CountedIds } from "./ids.ts";
import { type Plan, RateLimiter } from "./limiter.ts";

/** Wrong keys that have a window of their own; of more, those unused for longest are forgotten. */
const mostKeys = 1_000;

/** A caller whose key opens no account. */
export class Anonymous implements Caller {
  readonly limiter: RateLimiter;
  readonly requestIds: CountedIds;
  readonly #account: Account | undefined;

  constructor(plan: Plan, seed: string, account?: Account) {
    this.limiter = new RateLimiter(plan);
    this.requestIds = new CountedIds("req_", seed);
    this.#account = account;
  }

  get aheadMs(): number {
    return this.#account?.aheadMs ?? 0;
  }
}

/**
 * Callers whose keys open no account, each counted alone: by the account whose `fetch` they use, else by the key they send.
 * Only those without either share a window: nothing tells them apart.
 */
export class AnonymousCallers {
  readonly #plan: Plan;
  readonly #seed: string;
  readonly #byKey = new Map<string, Anonymous>();
  #byAccount = new WeakMap<Account, Anonymous>();

  /** @param seed - what the identifiers of their requests follow from. @throws {TypeError} when the plan is none. */
  constructor(plan: Plan, seed: string) {
    this.#plan = plan;
    this.#seed = seed;
    this.find();
  }

  /** The caller that sends a key, or none, perhaps by the `fetch` of an account. */
  find(key = "", account?: Account): Anonymous {
    return account === undefined ? this.#ofKey(key) : this.#ofAccount(account);
  }

  /** Gives the callers that use an account's `fetch` a fresh window. */
  resetAccount(account: Account): void {
    this.#byAccount.delete(account);
  }

  /** Gives all callers a fresh window. */
  reset(): void {
    this.#byKey.clear();
    this.#byAccount = new WeakMap();
  }

  #ofKey(key: string): Anonymous {
    const caller = this.#byKey.get(key) ?? new Anonymous(this.#plan, `${this.#seed}anonymous ${key}`);
    this.#byKey.delete(key);
    this.#byKey.set(key, caller);
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= mostKeys) break;
      this.#byKey.delete(oldest);
    }
    return caller;
  }

  #ofAccount(account: Account): Anonymous {
    let caller = this.#byAccount.get(account);
    if (caller === undefined) {
      caller = new Anonymous(this.#plan, `${this.#seed}anonymous of ${account.id}`, account);
      this.#byAccount.set(account, caller);
    }
    return caller;
  }
}
