import { hash } from "node:crypto";
import * as z from "zod";
import type { HeaderLookup } from "@landing-page-service/contract";
import { ArgumentError, optional, parseArgument } from "../argument.ts";
import type { AssignmentRule } from "../domains/network.ts";
import { AccountState, IdSequence } from "./account-state.ts";
import { parsePlan, type Plan, planSchema, type RateState, type RateWindow, unlimited, windowOf } from "./plan.ts";

/** The key in an `Authorization: Bearer` header. Source: spec, "Authentication". */
export function readBearerKey(headers: HeaderLookup): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.get("Authorization") ?? "")?.[1];
}

/** Hides a key. The kind and the end of a sandbox's key remain visible. */
export function showKey(key: string): string {
  return isSandboxKey(key) ? redactKey(key) : "…";
}

/** Keeps the kind of a key and its last four characters. */
function redactKey(key: string): string {
  return `test_…${key.length >= 13 ? key.slice(-4) : ""}`;
}

const keyShape = /^[\x21-\x7e]{1,512}$/;

/** Checks an API key; its message does not quote it. Gap: see docs/spec-gaps.md#key-format */
export const apiKeySchema = z
  .string({ error: "must be an API key, 1 to 512 characters of visible ASCII" })
  .regex(keyShape)
  .meta({ description: "API key of an account." });

/** Checks a token of the control API, which callers send like a key. Its message does not quote it. */
export const tokenSchema = z
  .string({ error: "must be 1 to 512 characters of visible ASCII, without spaces" })
  .regex(keyShape);

/** Whether a key opens a sandbox: an account created by the first request with a `test_…` key. */
function isSandboxKey(key: string): boolean {
  return /^test_[\x21-\x7e]{0,507}$/.test(key);
}

/** An account that the options define, with its own keys. */
export interface AccountOptions {
  /** Identifier of the account, in exports and the journal. */
  id: string;
  /** API keys that open it, each 1-512 characters of visible ASCII. */
  keys: readonly string[];
  /**
   * Plan of the account.
   * @defaultValue the service's `plan`
   */
  plan?: Plan | undefined;
}

/** Checks an account that the options define. */
export const accountOptionsSchema = z.strictObject({
  id: z.string().min(1),
  keys: z.array(apiKeySchema),
  plan: optional(planSchema),
}) satisfies z.ZodType<AccountOptions>;

/** An account, or all anonymous clients together, with a rate window and a clock. */
export class Caller {
  /** Identifiers of its requests and faults. */
  readonly ids: IdSequence;
  /** How far its clock is ahead of the service's, in milliseconds. */
  aheadMs = 0;
  /** The plan from {@link setPlan}; `undefined` while the first one is in use. */
  ownPlan: Plan | undefined;
  readonly #accounts: Accounts;
  readonly #firstPlan: Plan;
  #window: RateWindow;
  #startMs = Number.NEGATIVE_INFINITY;
  #used = 0;

  /** @throws {TypeError} when the plan is not valid. */
  constructor(name: string, plan: Plan, accounts: Accounts) {
    this.ids = new IdSequence(`caller ${accounts.seed}${name}`);
    this.#accounts = accounts;
    this.#firstPlan = parsePlan(plan);
    this.#window = windowOf(this.#firstPlan);
  }

  /** The time on its clock, milliseconds since 1970 UTC. */
  now(): number {
    return this.#accounts.realNow() + this.#accounts.aheadMs + this.aheadMs;
  }

  /**
   * Counts a request in the rate window, and returns the window and whether the request is allowed. A window begins with the first
   * request after the end of the last window, or exactly at it. When the clock goes back, the window moves with it.
   */
  takeRequest(nowMs: number): RateState & { readonly isAllowed: boolean } {
    const { limit, remaining, resetAtMs } = this.rateLimit(nowMs);
    const isAllowed = remaining > 0;
    this.#startMs = resetAtMs - this.#window.windowMs;
    // An unlimited plan always has the same number left.
    this.#used = limit - remaining + (isAllowed && limit !== unlimited ? 1 : 0);
    return { isAllowed, limit, remaining: limit - this.#used, resetAtMs };
  }

  /** Reads the rate window. */
  rateLimit(nowMs: number = this.now()): RateState {
    const { limit, windowMs } = this.#window;
    const isOver = nowMs >= this.#startMs + windowMs;
    return {
      limit,
      remaining: isOver ? limit : limit - this.#used,
      resetAtMs: (isOver ? nowMs : Math.min(this.#startMs, nowMs)) + windowMs,
    };
  }

  /** Changes the plan, to the first one if left out. The next request opens a new window. */
  setPlan(ownPlan?: Plan): void {
    this.ownPlan = ownPlan;
    this.#window = windowOf(ownPlan ?? this.#firstPlan);
    this.#startMs = Number.NEGATIVE_INFINITY;
    this.#used = 0;
  }
}

/** One account: its state, its rate window and its clock. */
export class Account extends Caller {
  readonly id: string;
  /** A key that opens it. */
  readonly key: string;
  /** The id with the key hidden, because the id of a sandbox is its key. */
  readonly label: string;
  state: AccountState;
  /** Rules for its pages from a test. If two match, the later one counts. */
  assignmentRules: readonly AssignmentRule[] = [];
  /** Number of its last use among the uses of all sandboxes. */
  lastUse = 0;
  /** Whether records name it. Such an account is never evicted. */
  isKept = false;

  constructor(id: string, key: string, plan: Plan, accounts: Accounts) {
    super(id, plan, accounts);
    this.id = id;
    this.key = key;
    this.label = isSandboxKey(id) ? redactKey(id) : id;
    this.state = accounts.newState(id);
  }
}

/** Options of all accounts. */
export interface AccountsOptions {
  readonly accounts: readonly AccountOptions[];
  /** Plan of an account that names none. */
  readonly plan: Plan;
  /** Seed of all identifiers. */
  readonly seed: string;
  /** Most sandboxes, not counting sandboxes that records name. One more evicts the least recently used one. */
  readonly maxSandboxes: number;
  readonly onEvicted: (account: Account) => void;
  /** The time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  readonly now?: (() => number) | undefined;
}

/** All accounts by their keys, and the clock of the service, which their clocks follow. */
export class Accounts {
  readonly seed: string;
  /** The real time, before tests move the clock. */
  readonly realNow: () => number;
  /** How far the service's clock is ahead of the real one, in milliseconds. */
  aheadMs = 0;
  /** All anonymous clients: those whose key is missing or opens no account. */
  readonly anonymous: Caller;
  readonly #options: AccountsOptions;
  readonly #byDigest = new Map<string, Account>();
  readonly #configured = new Map<string, Account>();
  readonly #sandboxes = new Map<string, Account>();
  readonly #salt = crypto.randomUUID();
  #uses = 0;

  /** @throws {TypeError} when an id or a key comes twice. */
  constructor(options: AccountsOptions) {
    this.#options = options;
    this.seed = options.seed;
    // `Date.now` is looked up at each call, because a test may fake it later.
    this.realNow = options.now ?? (() => Date.now());
    this.anonymous = new Caller("anonymous", options.plan, this);
    for (const { id, keys, plan = options.plan } of options.accounts) {
      if (this.#configured.has(id) || isSandboxKey(id))
        throw new ArgumentError(`accounts: the id ${JSON.stringify(id)} is taken`);
      const account = new Account(id, keys[0] ?? id, plan, this);
      this.#configured.set(id, account);
      for (const digest of keys.map((key) => this.#digest(key))) {
        if (this.#byDigest.has(digest))
          throw new ArgumentError(`accounts: a key of ${JSON.stringify(id)} is given twice`);
        this.#byDigest.set(digest, account);
      }
    }
  }

  /** The time on the service's clock, milliseconds since 1970 UTC. */
  now(): number {
    return this.realNow() + this.aheadMs;
  }

  /** The account that a key opens. Gap: see docs/spec-gaps.md#key-format */
  find(key: string): Account | undefined {
    // A salted digest, so that the duration of a lookup reveals nothing about a key.
    const account = this.#byDigest.size > 0 ? this.#byDigest.get(this.#digest(key)) : undefined;
    return account ?? this.#openSandbox(key);
  }

  /** The account that a test names, by a key or an id. @throws {TypeError} when there is none. */
  open(key: string): Account {
    parseArgument("key", z.string(), key);
    const account = this.find(key) ?? this.#configured.get(key);
    if (account !== undefined) return account;
    throw new ArgumentError("The key opens no account. It does not begin with test_, and no account has it");
  }

  /** The account with an id. The id of a sandbox is its key. */
  byId(id: string): Account | undefined {
    return this.#configured.get(id) ?? this.#openSandbox(id);
  }

  /** All accounts that exist now, in the order they were opened. */
  all(): Account[] {
    return [...this.#configured.values(), ...this.#sandboxes.values()];
  }

  /** Makes an empty state for an account. Its identifiers begin again. */
  newState(id: string): AccountState {
    return new AccountState(this.seed + id);
  }

  #openSandbox(key: string): Account | undefined {
    const known = this.#sandboxes.get(key);
    if (known === undefined && !isSandboxKey(key)) return undefined;
    const account = known ?? new Account(key, key, this.#options.plan, this);
    account.lastUse = this.#uses += 1;
    this.#sandboxes.set(key, account);
    if (known === undefined && this.#sandboxes.size > this.#options.maxSandboxes) this.#evict();
    return account;
  }

  /** Makes room for the newest sandbox. */
  #evict(): void {
    const { maxSandboxes, onEvicted } = this.#options;
    const counted = [...this.#sandboxes.values()].filter(({ isKept }) => !isKept);
    counted.sort((one, other) => one.lastUse - other.lastUse);
    for (const oldest of counted.slice(0, Math.max(counted.length - maxSandboxes, 0))) {
      this.#sandboxes.delete(oldest.id);
      onEvicted(oldest);
    }
  }

  #digest(key: string): string {
    return hash("sha256", this.#salt + key, "base64");
  }
}
