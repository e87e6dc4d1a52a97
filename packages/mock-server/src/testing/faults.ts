import { ArgumentError, parseArgument } from "../exchange/argument.ts";
import { type FaultRule, faultRuleSchema } from "./fault-rule.ts";
import { keepCopy } from "./keep.ts";
import { compileMatch, type MatchableRequest, type Matches } from "./match.ts";

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

/** A fault that strikes a request. */
export type Strike = Readonly<Omit<FaultRule, "body">> & {
  readonly id: string;
  readonly when: "before" | "after";
  /** Body of the answer, as it is sent. */
  readonly content?: { readonly type: string; readonly text: string };
};

/** What decides which faults strike a request. */
export interface StrikableRequest {
  /** Whether the rate limit lets it through: where no work is done, nothing can strike after it. */
  readonly isAllowed: boolean;
  /** What it is matched by. */
  readonly view: MatchableRequest;
}

interface Entry {
  readonly fault: Fault;
  readonly strike: Strike;
  readonly matches: Matches;
  /** Its place among the faults of the service and of all accounts. */
  readonly order: number;
  spared: number;
  fired: number;
}

/** What a plan of faults is made with. */
export interface FaultPlanParts {
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  readonly newId: () => string;
  /** One more at each call, of whatever plan. */
  readonly nextOrder: () => number;
}

/** Faults that can be planned at one time: each is held against every request. */
const mostFaults = 10_000;
/** Used-up faults that can still be looked up. */
const mostUsedUp = 1_000;

/** The faults planned for one account, or for the whole service. */
export class FaultPlan {
  readonly #parts: FaultPlanParts;
  readonly #usedUp = new Map<string, Fault>();
  #entries: readonly Entry[] = [];

  constructor(parts: FaultPlanParts) {
    this.#parts = parts;
  }

  /** Whether no fault can strike. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Faults that can still strike, with their places among all. */
  list(): readonly { readonly fault: Fault; readonly order: number }[] {
    return this.#entries;
  }

  get(id: string): Fault | undefined {
    return this.#entries.find(({ fault }) => fault.id === id)?.fault ?? this.#usedUp.get(id);
  }

  clear(): void {
    this.#entries = [];
    this.#usedUp.clear();
  }

  /** Notes the faults there are, and how often each has struck. @returns what puts that back, and gives those added since. */
  keep(): () => Fault[] {
    const kept = this.#entries.map((entry) => ({ entry, spared: entry.spared, fired: entry.fired }));
    const usedUp = [...this.#usedUp];
    return () => {
      const known = new Set(kept.map(({ entry }) => entry));
      const added = this.#entries.filter((entry) => !known.has(entry));
      this.#entries = kept.map(({ entry, spared, fired }) => Object.assign(entry, { spared, fired }));
      this.#usedUp.clear();
      for (const [id, fault] of usedUp) this.#usedUp.set(id, fault);
      return added.map(({ fault }) => fault);
    };
  }

  /** @throws {TypeError} when the rule contradicts itself or would do nothing, or too many are planned. */
  add(given: FaultRule): Fault {
    const rule: FaultRule = keepCopy(parseArgument("faults.add", faultRuleSchema, given));
    if (this.#entries.length >= mostFaults)
      throw new ArgumentError(
        `faults.add: ${mostFaults} faults are planned already; take back those that are done with`,
      );
    const fault: Fault = Object.freeze({
      id: this.#parts.newId(),
      rule,
      get fired() {
        return entry.fired;
      },
      remove: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
        this.#usedUp.delete(fault.id);
      },
    });
    const { endpoint, method, path, pageId, query, request = {}, body, ...plan } = rule;
    const entry: Entry = {
      fault,
      strike: {
        ...plan,
        ...(body !== undefined && { content: writeContent(body) }),
        id: fault.id,
        when: rule.when ?? (rule.wire === "truncate" ? "after" : "before"),
      },
      matches: compileMatch({
        ...(endpoint !== undefined && { endpoint }),
        ...(method !== undefined && { method }),
        ...(path !== undefined && { path }),
        ...(pageId !== undefined && { pageId }),
        ...(query !== undefined && { query }),
        ...request,
      }),
      order: this.#parts.nextOrder(),
      spared: 0,
      fired: 0,
    };
    this.#entries = [...this.#entries, entry];
    return fault;
  }

  /** The fault of several plans that strikes a request, counted as fired: the one added first. `undefined` when it is spared. */
  static strike(plans: readonly FaultPlan[], request: StrikableRequest): Strike | undefined {
    const entries = plans.flatMap((plan) => plan.#entries.map((entry) => ({ plan, entry })));
    if (plans.length > 1) entries.sort((one, other) => one.entry.order - other.entry.order);
    return entries.find(({ plan, entry }) => plan.#strikes(entry, request))?.entry.strike;
  }

  #strikes(entry: Entry, { isAllowed, view }: StrikableRequest): boolean {
    const { strike, fault } = entry;
    if ((strike.when === "after" && !isAllowed) || !entry.matches(view)) return false;
    if (entry.spared < (strike.skip ?? 0)) {
      entry.spared += 1;
      return false;
    }
    if (strike.probability !== undefined && this.#parts.random() >= strike.probability) return false;
    entry.fired += 1;
    if (entry.fired === strike.times) this.#useUp(fault);
    return true;
  }

  #useUp(fault: Fault): void {
    fault.remove();
    this.#usedUp.set(fault.id, fault);
    const [oldest] = this.#usedUp.keys();
    if (this.#usedUp.size > mostUsedUp && oldest !== undefined) this.#usedUp.delete(oldest);
  }
}

/** A text as it is, anything else as JSON. */
function writeContent(body: unknown): NonNullable<Strike["content"]> {
  return typeof body === "string"
    ? { type: "text/plain; charset=utf-8", text: body }
    : { type: "application/json", text: JSON.stringify(body) };
}
