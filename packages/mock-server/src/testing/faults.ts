import { ArgumentError, parseArgument } from "../exchange/argument.ts";
import { type FaultRule, faultRuleSchema } from "./fault-rule.ts";
import { compileMatch, keepCopy, type MatchableRequest, type Matches, type RequestMatch } from "./match.ts";
import type { Account } from "../state/accounts.ts";

/** A planned fault, to watch and to take back. */
export interface Fault {
  /** Identifier of the fault: `flt_` and more. */
  readonly id: string;
  /** The rule as it was given. */
  readonly rule: Readonly<FaultRule>;
  /** How many requests it has struck so far; it goes on telling when the fault is used up. */
  readonly fired: number;
  /** Takes it back; requests it has already struck are not changed. */
  remove(): void;
}

/** The planned faults of a service, or of one account. */
export interface Faults {
  /**
   * Plans a fault. Of several that match a request, the one added first strikes.
   *
   * @throws {TypeError} when the rule contradicts itself or would do nothing, or 10 000 are planned already.
   */
  add(rule: FaultRule): Fault;
  /** Takes back all faults. */
  clear(): void;
  /** Faults that can still strike, in the order they were added. */
  list(): Fault[];
  /** A fault by its identifier, also once it is used up (the last 1 000 of them), until it is taken back. */
  get(id: string): Fault | undefined;
}

/** A fault that fires for a request. */
export type FiredFault = Readonly<Omit<FaultRule, "body">> & {
  readonly id: string;
  readonly when: "before" | "after";
  /** Body of the response, as it is sent. */
  readonly content?: { readonly type: string; readonly text: string };
};

interface Entry {
  readonly fault: Fault;
  /** The account it is planned for; `undefined` for all. */
  readonly owner: Account | undefined;
  readonly fired: FiredFault;
  readonly matches: Matches;
  skipped: number;
  count: number;
}

/** Faults that can be planned at one time: each is compared with every request. */
const mostFaults = 10_000;
/** Used-up faults that can still be looked up. */
const mostUsedUp = 1_000;

/** The planned faults of a service, those of its accounts included, in the order they were added. */
export class FaultPlan {
  readonly #random: () => number;
  #entries: readonly Entry[] = [];
  #usedUp: readonly Entry[] = [];

  /** @param random - gives numbers from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Faults that can still fire: of one account, or all. */
  list(owner?: Account): Fault[] {
    return this.#entries.filter((entry) => owner === undefined || entry.owner === owner).map(({ fault }) => fault);
  }

  get(id: string, owner?: Account): Fault | undefined {
    return [...this.#entries, ...this.#usedUp].find(
      (entry) => entry.fault.id === id && (owner === undefined || entry.owner === owner),
    )?.fault;
  }

  /** Takes back the faults of one account, or all. */
  clear(owner?: Account): void {
    const isOther = (entry: Entry): boolean => owner !== undefined && entry.owner !== owner;
    this.#entries = this.#entries.filter(isOther);
    this.#usedUp = this.#usedUp.filter(isOther);
  }

  /** @throws {TypeError} when the rule contradicts itself or would do nothing, or too many are planned. */
  add(given: FaultRule, id: string, owner: Account | undefined): Fault {
    const rule: FaultRule = keepCopy(parseArgument("faults.add", faultRuleSchema, given));
    if (this.#entries.length >= mostFaults)
      throw new ArgumentError(
        `faults.add: ${mostFaults} faults are planned already; take back those that are done with`,
      );
    const { endpoint, method, path, pageId, query, request = {}, body, ...rest } = rule;
    const match = { endpoint, method, path, pageId, query, ...request };
    const entry: Entry = {
      fault: Object.freeze({
        id,
        rule,
        get fired() {
          return entry.count;
        },
        remove: () => this.#remove(entry),
      }),
      owner,
      fired: {
        ...rest,
        ...(body !== undefined && { content: writeContent(body) }),
        id,
        when: rule.when ?? (rule.wire === "truncate" ? "after" : "before"),
      },
      // why: a field that is `undefined` matches anything, as one that is left out
      matches: compileMatch(match as RequestMatch),
      skipped: 0,
      count: 0,
    };
    this.#entries = [...this.#entries, entry];
    return entry.fault;
  }

  /**
   * The fault that fires for a request of an account, counted: the one added first.
   *
   * @param isAllowed - whether the rate limit lets the request through. Nothing fires after work that is not done.
   */
  fire(owner: Account, request: MatchableRequest, isAllowed: boolean): FiredFault | undefined {
    const entry = this.#entries.find((some) => {
      const isMeant = some.owner === undefined || some.owner === owner;
      return isMeant && (some.fired.when === "before" || isAllowed) && some.matches(request) && this.#isDue(some);
    });
    if (entry === undefined) return undefined;
    entry.count += 1;
    if (entry.count === entry.fired.times) {
      this.#remove(entry);
      this.#usedUp = [...this.#usedUp, entry].slice(-mostUsedUp);
    }
    return entry.fired;
  }

  #isDue(entry: Entry): boolean {
    const { skip = 0, probability } = entry.fired;
    if (entry.skipped < skip) {
      entry.skipped += 1;
      return false;
    }
    return probability === undefined || this.#random() < probability;
  }

  #remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#usedUp = this.#usedUp.filter((other) => other !== entry);
  }
}

/** A text as it is, anything else as JSON. */
function writeContent(body: unknown): NonNullable<FiredFault["content"]> {
  return typeof body === "string"
    ? { type: "text/plain; charset=utf-8", text: body }
    : { type: "application/json", text: JSON.stringify(body) };
}
