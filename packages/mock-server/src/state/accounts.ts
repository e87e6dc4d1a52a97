import { hash, randomUUID } from "node:crypto";
import type { Reading } from "@landing-page-service/contract";
import type { PlaceRule } from "../domains/network.ts";
import type { StoredEvent } from "./event.ts";
import { IdempotencyStore, type RepeatableEndpoint } from "./idempotency.ts";
import { CountedIds, RecordIds } from "./ids.ts";
import { isKey, isSandboxKey, redactKey } from "./keys.ts";
import { type Plan, RateLimiter } from "./limiter.ts";
import { Ring } from "./ring.ts";
import { PageStore } from "./store.ts";

/** An account with keys of its own, beside the open `test_…` ones. */
export interface AccountOptions {
  /** Identifier of the account, in exports and the journal. */
  id: string;
  /** API keys that open it, each 1-512 characters of visible ASCII. */
  keys: readonly string[];
  /**
   * Plan of the account.
   * @defaultValue the service's `plan`
   */
  plan?: Plan;
}

/** Events kept per account; one more pushes out the oldest. */
const mostEvents = 10_000;

/**
 * Sandboxes without pages and events that are kept; of more, those unused for longest go, and with them their rate window,
 * idempotency keys and journal, unless somebody holds on to them. A sandbox that holds anything is kept however many there are.
 */
const mostEmptySandboxes = 1_000;

/** What one account holds: replaced as a whole by a reset or a restore. */
export class AccountState {
  readonly pages = new PageStore();
  readonly events = new Ring<StoredEvent>(mostEvents);
  readonly idempotency: Readonly<Record<RepeatableEndpoint, IdempotencyStore>> = {
    createPage: new IdempotencyStore(),
    trackEvent: new IdempotencyStore(),
  };
  readonly ids: RecordIds;

  constructor(ids: RecordIds) {
    this.ids = ids;
  }

  /** Whether there is neither a page nor an event. */
  get isEmpty(): boolean {
    return this.pages.all.size === 0 && this.events.size === 0;
  }
}

/** What is counted of whoever sends requests. */
export interface Caller {
  readonly limiter: RateLimiter;
  readonly requestIds: CountedIds;
  /** How far its clock is ahead of the service's, in milliseconds. */
  readonly aheadMs: number;
}

/** One account: its state, its rate window, its clock and its requests under way. */
export class Account implements Caller {
  readonly id: string;
  /** The id as it may be shown: a sandbox's is its key. */
  readonly label: string;
  readonly limiter: RateLimiter;
  readonly requestIds: CountedIds;
  readonly faultIds: CountedIds;
  /** A key that opens it: of its own, or its id. */
  readonly key: string;
  aheadMs = 0;
  state: AccountState;
  /** Requests that wait; each is cut short by a reset. */
  readonly underWay = new Set<AbortController>();
  /** When the account was last asked for, in steps of the registry. */
  lastUse = 0;
  /** Where its test wants pages to go; of two rules for a page the later one. */
  placeRules: readonly PlaceRule[] = [];
  /** The generation in which its state was put in place. */
  #generation: number;

  constructor(id: string, { plan, seed, state, generation, key = id }: AccountParts) {
    this.id = id;
    this.key = key;
    this.requestIds = new CountedIds("req_", seed + id);
    this.faultIds = new CountedIds("flt_", seed + id);
    this.state = state;
    this.#generation = generation;
    this.label = isSandboxKey(id) ? redactKey(id) : id;
    this.limiter = new RateLimiter(plan);
  }

  /** Puts another state in place, in a generation of its own. No request begun before writes into it. */
  replaceState(state: AccountState, generation: number): void {
    this.state = state;
    this.#generation = generation;
    for (const request of this.underWay) request.abort();
    this.underWay.clear();
  }

  /** Its state, unless another one was put in place since a generation. */
  stateSince(generation: number): AccountState | undefined {
    return this.#generation <= generation ? this.state : undefined;
  }
}

interface AccountParts {
  readonly key?: string | undefined;
  readonly plan: Plan;
  /** What its identifiers follow from, beside its own. */
  readonly seed: string;
  readonly state: AccountState;
  readonly generation: number;
}

/** What accounts are made with. */
export interface AccountsParts {
  /** Plan of an account that names none. */
  readonly plan: Plan;
  /** What the identifiers of all accounts follow from. */
  readonly seed: string;
  readonly pageIdType: Reading<"page-id-type">;
  /** Whether a test has arranged something in an account that it holds nothing else of, such as a fault. */
  readonly isArranged: (account: Account) => boolean;
}

/** All accounts, found by key. */
export class Accounts {
  readonly #parts: AccountsParts;
  readonly #byDigest = new Map<string, Account>();
  readonly #seeded = new Map<string, Account>();
  readonly #sandboxes = new Map<string, Account>();
  /** Sandboxes dropped from the others that somebody may still hold: the same key opens the same account again. */
  readonly #dropped = new Map<string, WeakRef<Account>>();
  readonly #forgotten = new FinalizationRegistry<string>((id) => {
    if (this.#dropped.get(id)?.deref() === undefined) this.#dropped.delete(id);
  });
  readonly #salt = randomUUID();
  /** Counts resets and restores, of whatever account. */
  generation = 0;
  /** The generation in which all accounts began, those not opened yet too. */
  #firstGeneration = 0;
  #uses = 0;
  #openedSinceSweep = 0;

  /** @throws {TypeError} when an id or a key comes twice, or a key is not 1-512 characters of visible ASCII. */
  constructor(accounts: readonly AccountOptions[], parts: AccountsParts) {
    this.#parts = parts;
    for (const { id, keys, plan = parts.plan } of accounts) {
      if (this.#seeded.has(id) || isSandboxKey(id))
        throw new TypeError(`accounts: the id ${JSON.stringify(id)} is taken`);
      const account = this.#make(id, plan, 0, keys[0]);
      this.#seeded.set(id, account);
      for (const key of keys) this.#addKey(key, account);
    }
  }

  /** The account that a key opens. Gap: see docs/spec-gaps.md#key-format */
  find(key: string): Account | undefined {
    // The digest is salted: how long the lookup takes says nothing about the characters of a key.
    const account = this.#byDigest.size > 0 ? this.#byDigest.get(this.#digest(key)) : undefined;
    const found = account ?? (isSandboxKey(key) ? this.#sandbox(key) : undefined);
    if (found !== undefined) found.lastUse = this.#uses += 1;
    return found;
  }

  /** The same for what a test names: a key, or an id. @throws {TypeError} when it opens no account. */
  open(key: string): Account {
    const account = this.find(key) ?? this.#seeded.get(key);
    if (account !== undefined) return account;
    throw new TypeError("The key opens no account: it neither begins with test_ nor is it among the accounts' keys");
  }

  /** Whether an account with this id exists or would be opened. */
  has(id: string): boolean {
    return this.#seeded.has(id) || isSandboxKey(id);
  }

  /** The account with an id; a sandbox's id is its key. */
  byId(id: string): Account | undefined {
    return this.#seeded.get(id) ?? (isSandboxKey(id) ? this.#sandbox(id) : undefined);
  }

  /** Notes that all accounts begin anew, also those that are opened later. */
  beginGeneration(): void {
    this.#firstGeneration = this.generation += 1;
  }

  /** All accounts that exist now. */
  all(): Account[] {
    const held = Array.from(this.#dropped.values(), (account) => account.deref()).filter(
      (found) => found !== undefined,
    );
    return [...this.#seeded.values(), ...this.#sandboxes.values(), ...held];
  }

  /** A state without anything for an account; its identifiers begin anew. */
  newState(id: string): AccountState {
    const { seed, pageIdType } = this.#parts;
    return new AccountState(new RecordIds(seed + id, pageIdType));
  }

  #make(id: string, plan: Plan, generation: number, key?: string): Account {
    return new Account(id, { plan, seed: this.#parts.seed, state: this.newState(id), generation, key });
  }

  #addKey(key: string, account: Account): void {
    if (!isKey(key))
      throw new TypeError(`accounts: a key of ${JSON.stringify(account.id)} is not 1-512 characters of visible ASCII`);
    const digest = this.#digest(key);
    if (this.#byDigest.has(digest))
      throw new TypeError(`accounts: a key of ${JSON.stringify(account.id)} is given twice`);
    this.#byDigest.set(digest, account);
  }

  #digest(key: string): string {
    return hash("sha256", this.#salt + key, "base64");
  }

  #sandbox(key: string): Account {
    const known = this.#sandboxes.get(key);
    if (known !== undefined) return known;
    const account = this.#dropped.get(key)?.deref() ?? this.#make(key, this.#parts.plan, this.#firstGeneration);
    this.#dropped.delete(key);
    this.#sandboxes.set(key, account);
    account.lastUse = this.#uses += 1;
    this.#openedSinceSweep += 1;
    if (this.#openedSinceSweep >= mostEmptySandboxes) this.#sweep();
    return account;
  }

  /** Drops the empty sandboxes that were not used for longest. */
  #sweep(): void {
    this.#openedSinceSweep = 0;
    const empty = Array.from(this.#sandboxes.values()).filter(
      (account) => account.state.isEmpty && account.underWay.size === 0 && !this.#parts.isArranged(account),
    );
    empty.sort((one, other) => other.lastUse - one.lastUse);
    for (const account of empty.slice(mostEmptySandboxes)) {
      this.#sandboxes.delete(account.id);
      this.#dropped.set(account.id, new WeakRef(account));
      this.#forgotten.register(account, account.id);
    }
  }
}
