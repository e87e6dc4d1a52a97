import * as z from "zod";
import type { HeaderLookup, Reading } from "@landing-page-service/contract";
import { hash } from "node:crypto";
import { ArgumentError, optional, parseArgument } from "../argument.ts";
import type { AssignmentRule } from "../domains/network.ts";
import { AccountState, CountedIds, RecordIds } from "./account-state.ts";
import { type Plan, planSchema, RateLimiter } from "./limiter.ts";

/** The key in an `Authorization: Bearer` header. Source: spec, "Authentication". */
export function readBearerKey(headers: HeaderLookup): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.get("Authorization") ?? "")?.[1];
}

/** A key as it may be shown: of those that open a sandbox the kind and the end, of others nothing. */
export function showKey(key: string): string {
  return isSandboxKey(key) ? redactKey(key) : "…";
}

/** What kind of key it is, and no more than its end. */
export function redactKey(key: string): string {
  return `test_…${key.length >= 13 ? key.slice(-4) : ""}`;
}

/** Checks an API key; its message does not quote it. Gap: see docs/spec-gaps.md#key-format */
export const apiKeySchema = z
  .string({ error: "must be an API key, 1 to 512 characters of visible ASCII" })
  .regex(/^[\x21-\x7e]{1,512}$/)
  .meta({ description: "API key of an account." });

/** Whether a key opens an account of its own. */
function isSandboxKey(key: string): boolean {
  return /^test_[\x21-\x7e]{0,507}$/.test(key);
}

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

/** Who sends requests: an account, or callers with a key that opens none. */
export interface Caller {
  readonly limiter: RateLimiter;
  readonly requestIds: CountedIds;
  /** How far its clock is ahead of the service's, in milliseconds. */
  readonly aheadMs: number;
}

/** One account: its state, its rate window and its clock. */
export class Account implements Caller {
  readonly id: string;
  /** A key that opens it: of its own, or its id. */
  readonly key: string;
  /** The id as it may be shown: a sandbox's is its key. */
  readonly label: string;
  readonly limiter: RateLimiter;
  readonly requestIds: CountedIds;
  readonly faultIds: CountedIds;
  aheadMs = 0;
  state: AccountState;
  /** Requests that wait. A reset ends each wait. */
  readonly inFlight = new Set<AbortController>();
  /** Rules of the test for its pages. Of two that match, the later one counts. */
  assignmentRules: readonly AssignmentRule[] = [];
  /** Counts up each time that any sandbox is asked for. */
  lastUse = 0;

  constructor(id: string, key: string, { plan, seed }: AccountsOptions, state: AccountState) {
    this.id = id;
    this.key = key;
    this.label = isSandboxKey(id) ? redactKey(id) : id;
    this.limiter = new RateLimiter(plan);
    this.requestIds = new CountedIds("req_", seed + id);
    this.faultIds = new CountedIds("flt_", seed + id);
    this.state = state;
  }

  /** Puts another state in place. Requests that began before write nothing into it. */
  replaceState(state: AccountState): void {
    this.state = state;
    for (const request of this.inFlight) request.abort();
    this.inFlight.clear();
  }
}

/** What accounts are made with. */
export interface AccountsOptions {
  /** Plan of an account that names none. */
  readonly plan: Plan;
  /** What the identifiers of all accounts follow from. */
  readonly seed: string;
  readonly pageIdType: Reading<"page-id-type">;
  /** Sandboxes at a time, beside those that are kept. One more evicts the one that was not used for longest. */
  readonly maxSandboxes: number;
  /** Whether a sandbox is neither counted nor evicted. */
  readonly isKept: (account: Account) => boolean;
  /** Whether a sandbox must not be evicted now. */
  readonly isInUse: (account: Account) => boolean;
  readonly onEvicted: (account: Account) => void;
}

/** Keys without an account that have a rate window of their own. */
const mostAnonymous = 1_000;

/** All accounts, found by key. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #byDigest = new Map<string, Account>();
  readonly #configured = new Map<string, Account>();
  readonly #sandboxes = new Map<string, Account>();
  readonly #anonymous = new Map<string, Caller>();
  readonly #salt = crypto.randomUUID();
  #uses = 0;

  /** @throws {TypeError} when an id or a key comes twice. */
  constructor(accounts: readonly AccountOptions[], options: AccountsOptions) {
    this.#options = options;
    for (const { id, keys, plan = options.plan } of accounts) {
      if (this.#configured.has(id) || isSandboxKey(id))
        throw new ArgumentError(`accounts: the id ${JSON.stringify(id)} is taken`);
      const account = new Account(id, keys[0] ?? id, { ...options, plan }, this.newState(id));
      this.#configured.set(id, account);
      for (const key of keys) this.#addKey(key, account);
    }
  }

  /** The account that a key opens. Gap: see docs/spec-gaps.md#key-format */
  find(key: string): Account | undefined {
    // The digest is salted, so the time of a lookup says nothing about the characters of a key.
    const account = this.#byDigest.size > 0 ? this.#byDigest.get(this.#digest(key)) : undefined;
    return account ?? (isSandboxKey(key) ? this.#openSandbox(key) : undefined);
  }

  /** The account that a test names, by a key or an id. @throws {TypeError} when there is none. */
  open(key: string): Account {
    parseArgument("key", z.string(), key);
    const account = this.find(key) ?? this.#configured.get(key);
    if (account !== undefined) return account;
    throw new ArgumentError(
      "The key opens no account: it neither begins with test_ nor is it among the accounts' keys",
    );
  }

  /** Callers whose key opens no account, each key counted alone. Callers without a key share a window. */
  anonymous(key = ""): Caller {
    const known = this.#anonymous.get(key);
    if (known !== undefined) return known;
    const { plan, seed } = this.#options;
    const caller: Caller = {
      limiter: new RateLimiter(plan),
      requestIds: new CountedIds("req_", `${seed}anonymous ${key}`),
      aheadMs: 0,
    };
    this.#anonymous.set(key, caller);
    const [oldest] = this.#anonymous.keys();
    if (this.#anonymous.size > mostAnonymous && oldest !== undefined) this.#anonymous.delete(oldest);
    return caller;
  }

  /** Gives callers without an account fresh windows. */
  resetAnonymous(): void {
    this.#anonymous.clear();
  }

  /** The account with an id, which for a sandbox is its key. */
  byId(id: string): Account | undefined {
    return this.#configured.get(id) ?? (isSandboxKey(id) ? this.#openSandbox(id) : undefined);
  }

  /** All accounts that exist now, in the order they were opened. */
  all(): Account[] {
    return [...this.#configured.values(), ...this.#sandboxes.values()];
  }

  /** An empty state for an account; its identifiers begin anew. */
  newState(id: string): AccountState {
    const { seed, pageIdType } = this.#options;
    return new AccountState(new RecordIds(seed + id, pageIdType));
  }

  #openSandbox(key: string): Account {
    const account = this.#sandboxes.get(key) ?? new Account(key, key, this.#options, this.newState(key));
    account.lastUse = this.#uses += 1;
    if (!this.#sandboxes.has(key)) {
      this.#sandboxes.set(key, account);
      this.#makeRoomFor(account);
    }
    return account;
  }

  #makeRoomFor(newest: Account): void {
    const { maxSandboxes, isKept, isInUse, onEvicted } = this.#options;
    if (this.#sandboxes.size <= maxSandboxes) return;
    const counted = Array.from(this.#sandboxes.values()).filter((account) => !isKept(account));
    const idle = counted.filter((account) => account !== newest && !isInUse(account));
    idle.sort((one, other) => one.lastUse - other.lastUse);
    for (const oldest of idle.slice(0, Math.max(counted.length - maxSandboxes, 0))) {
      this.#sandboxes.delete(oldest.id);
      onEvicted(oldest);
    }
  }

  #addKey(key: string, account: Account): void {
    const digest = this.#digest(key);
    if (this.#byDigest.has(digest))
      throw new ArgumentError(`accounts: a key of ${JSON.stringify(account.id)} is given twice`);
    this.#byDigest.set(digest, account);
  }

  #digest(key: string): string {
    return hash("sha256", this.#salt + key, "base64");
  }
}
