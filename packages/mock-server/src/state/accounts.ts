import * as z from "zod";
import { ArgumentError, optional, parseArgument } from "../exchange/argument.ts";
import type { Reading } from "@landing-page-service/contract";
import type { AssignmentRule } from "../domains/network.ts";
import { nodeCrypto } from "../exchange/node-crypto.ts";
import type { StoredEvent } from "./event.ts";
import { IdempotencyStore, type RepeatableEndpoint } from "./idempotency.ts";
import { CountedIds, RecordIds } from "./ids.ts";
import { apiKeySchema, isSandboxKey, redactKey } from "./keys.ts";
import { type Plan, planSchema, RateLimiter } from "./limiter.ts";
import { Ring } from "./ring.ts";
import { Sandboxes, type SandboxesParts } from "./sandboxes.ts";
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

/** Checks an account with keys of its own. */
export const accountOptionsSchema = z.strictObject({
  id: z.string().min(1),
  keys: z.array(apiKeySchema),
  plan: optional(planSchema),
}) satisfies z.ZodType<AccountOptions>;

/** Events kept per account; one more pushes out the oldest. */
const mostEvents = 10_000;

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
  /** Whether somebody outside may hold on to it. */
  isHandedOut = false;
  /** Requests that wait; each is cut short by a reset. */
  readonly underWay = new Set<AbortController>();
  /** When the sandbox was last asked for, in steps of all of them. */
  lastUse = 0;
  /** Where its test wants pages to go; of two rules for a page the later one. */
  placeRules: readonly AssignmentRule[] = [];
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
export interface AccountsParts extends SandboxesParts<Account> {
  /** Plan of an account that names none. */
  readonly plan: Plan;
  /** What the identifiers of all accounts follow from. */
  readonly seed: string;
  readonly pageIdType: Reading<"page-id-type">;
}

/** All accounts, found by key. */
export class Accounts {
  readonly #parts: AccountsParts;
  readonly #byDigest = new Map<string, Account>();
  readonly #seeded = new Map<string, Account>();
  readonly #sandboxes: Sandboxes<Account>;
  readonly #salt = nodeCrypto().randomUUID();
  /** Counts resets and restores, of whatever account. */
  generation = 0;
  /** The generation in which all accounts began, those not opened yet too. */
  #firstGeneration = 0;

  /** @throws {TypeError} when an id or a key comes twice, or a key is not 1-512 characters of visible ASCII. */
  constructor(accounts: readonly AccountOptions[], parts: AccountsParts) {
    this.#parts = parts;
    this.#sandboxes = new Sandboxes(parts, (key) => this.#make(key, parts.plan, this.#firstGeneration));
    for (const { id, keys, plan = parts.plan } of accounts) {
      if (this.#seeded.has(id) || isSandboxKey(id))
        throw new ArgumentError(`accounts: the id ${JSON.stringify(id)} is taken`);
      const account = this.#make(id, plan, 0, keys[0]);
      this.#seeded.set(id, account);
      for (const key of keys) this.#addKey(key, account);
    }
  }

  /** The account that a key opens. Gap: see docs/spec-gaps.md#key-format */
  find(key: string): Account | undefined {
    // The digest is salted: how long the lookup takes says nothing about the characters of a key.
    const account = this.#byDigest.size > 0 ? this.#byDigest.get(this.#digest(key)) : undefined;
    return account ?? (isSandboxKey(key) ? this.#sandboxes.open(key) : undefined);
  }

  /** The same for what a test names: a key, or an id. @throws {TypeError} when it opens no account. */
  open(key: string): Account {
    parseArgument("key", z.string(), key);
    const account = this.find(key) ?? this.#seeded.get(key);
    if (account !== undefined) {
      account.isHandedOut = true;
      return account;
    }
    if (this.hasEnded(key))
      throw new ArgumentError("The key opens no account any more: the test that had it has ended");
    throw new ArgumentError(
      "The key opens no account: it neither begins with test_ nor is it among the accounts' keys",
    );
  }

  /** Whether an account with this id exists or would be opened. */
  has(id: string): boolean {
    return this.#seeded.has(id) || isSandboxKey(id);
  }

  /** The account with an id; a sandbox's id is its key. */
  byId(id: string): Account | undefined {
    return this.#seeded.get(id) ?? (isSandboxKey(id) ? this.#sandboxes.open(id) : undefined);
  }

  /** Notes that all accounts begin anew, also those that are opened later; the sandboxes among the named are never evicted. */
  beginGeneration(named: Iterable<string>): void {
    this.#firstGeneration = this.generation += 1;
    this.#sandboxes.keep(Array.from(named).filter((id) => !this.#seeded.has(id)));
  }

  /** Opens the empty account of a test. @returns it, and what ends it: then its key opens none. */
  openForTest(key: string): { readonly account: Account; readonly end: () => void } {
    this.#sandboxes.allow(key);
    return { account: this.open(key), end: () => this.#sandboxes.end(key) };
  }

  /** Whether a key opened the account of a test that has ended. */
  hasEnded(key: string): boolean {
    return this.#sandboxes.hasEnded(key);
  }

  /** Whether a key has a sandbox now. */
  isOpen(key: string): boolean {
    return this.#sandboxes.has(key);
  }

  /** Notes which sandboxes there are. @returns what forgets those opened since, and gives them. */
  hold(): () => Account[] {
    return this.#sandboxes.hold();
  }

  /** All accounts that exist now. */
  all(): Account[] {
    return [...this.#seeded.values(), ...this.#sandboxes.all()];
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
    const digest = this.#digest(key);
    if (this.#byDigest.has(digest))
      throw new ArgumentError(`accounts: a key of ${JSON.stringify(account.id)} is given twice`);
    this.#byDigest.set(digest, account);
  }

  #digest(key: string): string {
    return nodeCrypto().hash("sha256", this.#salt + key, "base64");
  }
}
