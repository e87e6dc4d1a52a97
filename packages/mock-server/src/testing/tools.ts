import { ArgumentError } from "../exchange/argument.ts";
import type { Account, Accounts, Caller } from "../state/accounts.ts";
import { CountedIds } from "../state/ids.ts";
import type { FaultRule } from "./fault-rule.ts";
import { type Clock, createClock } from "./clock.ts";
import { type Fault, FaultPlan, type Faults } from "./faults.ts";
import { Journal } from "./journal.ts";
import type { MatchableRequest } from "./match.ts";
import type { RecordedRequest } from "./recorded.ts";
import { Waits } from "./waits.ts";

/** What a test author holds of one account, or of the whole service. */
export interface Tools {
  readonly journal: Journal;
  readonly faults: FaultPlan;
}

/** Hears of a request, of whichever account, `undefined` where it came from none. */
export type RequestListener = (request: RecordedRequest, live: MatchableRequest, owner: Account | undefined) => void;

/** What a toolbox is made with. */
export interface ToolboxParts {
  /** The present moment that all clocks follow, milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** What the identifiers of faults planned for the whole service follow from. */
  readonly seed: string;
}

/** Journals, faults, waits and clocks: those of each account, and those of the service. */
export class Toolbox {
  readonly waits = new Waits();
  /** Told of every request that was written down; `live` has its whole body. */
  readonly listeners = new Set<RequestListener>();
  /** Service-wide faults, and the journal of callers without an account. */
  readonly shared: Tools;
  readonly #parts: ToolboxParts;
  readonly #byAccount = new WeakMap<Account, Tools>();
  readonly #draw: () => () => number;
  readonly #sharedIds: CountedIds;
  #sharedDraw: () => number;
  /** How far the service's clock is ahead of the moment that was given, in milliseconds. */
  aheadMs = 0;
  #faults = 0;
  #requests = 0;

  constructor(parts: ToolboxParts) {
    this.#parts = parts;
    this.#draw = repeatDraws(parts.random);
    this.#sharedDraw = this.#draw();
    const ids = (this.#sharedIds = new CountedIds("flt_", parts.seed));
    const random = (): number => this.#sharedDraw();
    this.shared = { journal: new Journal(), faults: this.#newPlan(random, () => ids.next(this.now())) };
  }

  /** The tools of an account. */
  of(account: Account): Tools {
    const known = this.#byAccount.get(account);
    if (known !== undefined) return known;
    const newId = (): string => account.faultIds.next(this.now(account));
    const tools: Tools = { journal: new Journal(), faults: this.#newPlan(this.#draw(), newId) };
    this.#byAccount.set(account, tools);
    return tools;
  }

  /** Place of the next request among those of all journals. */
  nextRequest(): number {
    return (this.#requests += 1);
  }

  /** The present moment, on a caller's clock or on the service's. */
  now(caller?: Caller): number {
    return this.#parts.now() + this.aheadMs + (caller?.aheadMs ?? 0);
  }

  /** The present moment as it was given, which nobody moves. */
  realNow(): number {
    return this.#parts.now();
  }

  /** The clock of one account. */
  clockOf(account: Account): Clock {
    return createClock(
      () => this.now(account),
      (ms) => {
        account.aheadMs += ms;
      },
    );
  }

  /** The clock of all accounts: what sets it, sets all. */
  clock(accounts: Accounts): Clock {
    const now = (): number => this.now();
    const move = (ms: number): void => {
      this.aheadMs += ms;
    };
    const clock = createClock(now, move);
    return {
      ...clock,
      set(at) {
        clock.set(at);
        for (const account of accounts.all()) account.aheadMs = 0;
      },
    };
  }

  /**
   * Notes clock, faults, listeners and waits of the service, and the faults of some accounts. @returns what makes them so
   * again, forgets the requests of these and of callers without an account, and gives the faults added since.
   */
  keep(accounts: readonly Account[]): () => Fault[] {
    const [{ aheadMs }, listeners] = [this, new Set(this.listeners)];
    const tools = [this.shared, ...accounts.map((account) => this.of(account))];
    const takeBack = tools.map(({ faults }) => faults.keep());
    const ids = [this.#sharedIds, ...accounts.flatMap(({ requestIds, faultIds }) => [requestIds, faultIds])];
    const putBackIds = ids.map((counted) => counted.keep());
    const endWaits = this.waits.keep();
    return () => {
      this.aheadMs = aheadMs;
      this.#sharedDraw = this.#draw();
      for (const hear of this.listeners) if (!listeners.has(hear)) this.listeners.delete(hear);
      for (const { journal } of tools) journal.clear();
      for (const putBack of putBackIds) putBack();
      endWaits("The test ended");
      return takeBack.flatMap((take) => take());
    };
  }

  /** Takes back the faults of an account, and forgets its requests. */
  reset(account: Account): void {
    const { journal, faults } = this.of(account);
    journal.clear();
    faults.clear();
    this.waits.end(account, "The account was reset");
  }

  /** The same for the whole service. */
  resetAll(accounts: Accounts): void {
    for (const account of accounts.all()) this.reset(account);
    this.shared.journal.clear();
    this.shared.faults.clear();
    this.waits.end(undefined, "The service was reset");
  }

  /** The faults of an account, as a test author sees them; those of one account take no other one's key. */
  faultsOf(account: Account, key: string): Faults {
    const { faults } = this.of(account);
    return {
      add(rule) {
        if (![undefined, key].includes(keyOf(rule)))
          throw new ArgumentError("faults.add: an account's faults take no other account's key");
        return faults.add(rule);
      },
      clear: () => faults.clear(),
      list: () => faults.list().map(({ fault }) => fault),
      get: (id) => faults.get(id),
    };
  }

  /** All faults: those of the service, and those of each account. */
  allFaults(accounts: Accounts): Faults {
    const plans = (): FaultPlan[] => [this.shared.faults, ...accounts.all().map((account) => this.of(account).faults)];
    return {
      add: (rule) => {
        const key = keyOf(rule);
        return (key === undefined ? this.shared.faults : this.of(accounts.open(key)).faults).add(rule);
      },
      clear: () => {
        for (const plan of plans()) plan.clear();
      },
      list() {
        const entries = plans().flatMap((plan) => plan.list());
        return entries.toSorted((one, other) => one.order - other.order).map(({ fault }) => fault);
      },
      get(id) {
        for (const plan of plans()) {
          const fault = plan.get(id);
          if (fault !== undefined) return fault;
        }
        return undefined;
      },
    };
  }

  #newPlan(random: () => number, newId: () => string): FaultPlan {
    return new FaultPlan({ random, newId, nextOrder: () => (this.#faults += 1) });
  }
}

/** The account that a rule names; what is no rule names none. */
function keyOf(rule: FaultRule): string | undefined {
  return (Object(rule) as FaultRule).key; // why: it has not been looked at yet
}

/** Draws kept; whoever needs more begins again with the first. */
const mostDraws = 65_536;

/** Gives everyone who asks the same draws, in the order of asking: what others draw changes nothing. */
function repeatDraws(random: () => number): () => () => number {
  const drawn: number[] = [];
  return () => {
    let count = 0;
    return () => {
      const index = count % mostDraws;
      count += 1;
      return (drawn[index] ??= random());
    };
  };
}
