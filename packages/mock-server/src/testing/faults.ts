import { type EndpointName, endpoints, nearest } from "@landing-page-service/contract";
import { isHeader } from "../exchange/headers.ts";
import type { WireFault } from "../exchange/plain.ts";
import { isWhole } from "./match.ts";

/** A planned failure: which requests it befalls, and what happens to them. */
export interface FaultRule {
  /** Endpoint it befalls. @defaultValue every endpoint, and paths that are none */
  endpoint?: EndpointName;
  /** API key of the account it befalls. @defaultValue every account */
  key?: string;
  /** How many requests it befalls before it is used up, 1 or more. @defaultValue no end */
  times?: number;
  /** How many matching requests are spared first, 0 or more. @defaultValue 0 */
  skip?: number;
  /** Share of the matching requests it befalls, above 0 and at most 1; drawn from the service's `random`. @defaultValue 1 */
  probability?: number;
  /** Status of the answer, 200-599. Without one the request takes its course. */
  status?: number;
  /** Headers of the answer, in place of those the service would send; none that frame the body, as `Content-Length`. Needs `status`. */
  headers?: Readonly<Record<string, string>>;
  /** Body of the answer: a text as it is, anything else as JSON. Needs `status`. @defaultValue a problem body from status 400, else none */
  body?: unknown;
  /** How long the answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  delayMs?: number;
  /**
   * How the connection fails instead: `reset`, `stall` (nothing is ever sent) or `garbage` (bytes that are no HTTP); `truncate`
   * cuts the real answer in half. Only sockets can do it; `service.fetch` rejects with an error that says so.
   */
  wire?: WireFault;
  /** Whether it strikes before anything is done, or once the work is done. @defaultValue `"before"`; `"after"` for `wire: "truncate"` */
  when?: "before" | "after";
}

/** A planned fault, to watch and to take back. */
export interface Fault {
  /** The rule as it was given. */
  readonly rule: Readonly<FaultRule>;
  /** How many requests it has befallen so far. */
  readonly fired: number;
  /** Takes it back; requests it has already befallen are not changed. */
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
}

/** A fault that befalls a request. */
export type Strike = Readonly<FaultRule> & { readonly when: "before" | "after" };

/** What decides which faults befall a request. */
interface StrikableRequest {
  readonly endpoint: EndpointName | undefined;
  readonly accountId: string;
  /** Whether the rate limit lets it through: where no work is done, nothing can strike after it. */
  readonly isAllowed: boolean;
}

interface Entry {
  readonly fault: Fault;
  readonly strike: Strike;
  readonly accountId: string | undefined;
  spared: number;
  fired: number;
}

/** All planned faults of a service. */
export class FaultPlan {
  readonly #random: () => number;
  readonly #accountIdOf: (key: string) => string;
  #entries: Entry[] = [];

  /** @param accountIdOf - throws when a key opens no account. */
  constructor(random: () => number, accountIdOf: (key: string) => string) {
    this.#random = random;
    this.#accountIdOf = accountIdOf;
  }

  /** The faults as a test author sees them: all, or those of one account. */
  view(key?: string): Faults {
    const accountId = key === undefined ? undefined : this.#accountIdOf(key);
    const seen = (entry: Entry): boolean => accountId === undefined || entry.accountId === accountId;
    return {
      add: (rule) => {
        if (key !== undefined && rule.key !== undefined && rule.key !== key)
          throw new TypeError("faults.add: an account's faults take no other account's key");
        return this.#add(key === undefined ? rule : { ...rule, key });
      },
      clear: () => {
        this.#entries = this.#entries.filter((entry) => !seen(entry));
      },
      list: () => this.#entries.filter(seen).map(({ fault }) => fault),
    };
  }

  /** Takes back the faults of one account. */
  clearAccount(accountId: string): void {
    this.#entries = this.#entries.filter((entry) => entry.accountId !== accountId);
  }

  /** The fault that befalls a request, counted as fired; `undefined` when it is spared. */
  strike(request: StrikableRequest): Strike | undefined {
    for (const entry of this.#entries) if (this.#befalls(entry, request)) return entry.strike;
    return undefined;
  }

  #befalls(entry: Entry, { endpoint, accountId, isAllowed }: StrikableRequest): boolean {
    const { strike } = entry;
    if (strike.when === "after" && !isAllowed) return false;
    if (strike.endpoint !== undefined && strike.endpoint !== endpoint) return false;
    if (entry.accountId !== undefined && entry.accountId !== accountId) return false;
    if (entry.spared < (strike.skip ?? 0)) {
      entry.spared += 1;
      return false;
    }
    if (strike.probability !== undefined && this.#random() >= strike.probability) return false;
    entry.fired += 1;
    if (entry.fired === strike.times) entry.fault.remove();
    return true;
  }

  #add(rule: FaultRule): Fault {
    checkRule(rule);
    if (this.#entries.length >= mostFaults)
      throw wrong(`${mostFaults} faults are planned already; take back those that are done with`);
    const fault: Fault = {
      rule: { ...rule },
      get fired() {
        return entry.fired;
      },
      remove: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
    const entry: Entry = {
      fault,
      strike: { ...rule, when: rule.when ?? (rule.wire === "truncate" ? "after" : "before") },
      accountId: rule.key === undefined ? undefined : this.#accountIdOf(rule.key),
      spared: 0,
      fired: 0,
    };
    this.#entries.push(entry);
    return fault;
  }
}

/** Faults that can be planned at one time: each is held against every request. */
const mostFaults = 10_000;

const ruleNames = [
  "endpoint",
  "key",
  "times",
  "skip",
  "probability",
  "status",
  "headers",
  "body",
  "delayMs",
  "wire",
  "when",
];
const wireFaults = ["reset", "truncate", "stall", "garbage"];
const longestDelayMs = 2 ** 31 - 1;

function checkRule(rule: FaultRule): void {
  const { endpoint, times, skip, probability, status, delayMs, wire, when } = rule;
  const unknown = Object.keys(rule).find((name) => !ruleNames.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, ruleNames);
    throw wrong(`unknown option "${unknown}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`);
  }
  if (endpoint !== undefined && !Object.hasOwn(endpoints, endpoint))
    throw wrong(`endpoint: expected one of ${Object.keys(endpoints).join(", ")}, got ${JSON.stringify(endpoint)}`);
  if (times !== undefined && !isWhole(times, 1, Number.MAX_SAFE_INTEGER))
    throw wrong(`times: expected 1 or more, got ${times}`);
  if (skip !== undefined && !isWhole(skip, 0, Number.MAX_SAFE_INTEGER))
    throw wrong(`skip: expected 0 or more, got ${skip}`);
  if (probability !== undefined && !(probability > 0 && probability <= 1))
    throw wrong(`probability: expected above 0 and at most 1, got ${probability}`);
  if (status !== undefined && !isWhole(status, 200, 599)) throw wrong(`status: expected 200 to 599, got ${status}`);
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= longestDelayMs))
    throw wrong(`delayMs: expected 0 to ${longestDelayMs}, got ${delayMs}`);
  if (wire !== undefined && !wireFaults.includes(wire))
    throw wrong(`wire: expected one of ${wireFaults.join(", ")}, got ${JSON.stringify(wire)}`);
  if (when !== undefined && when !== "before" && when !== "after")
    throw wrong(`when: expected "before" or "after", got ${JSON.stringify(when)}`);
  checkCombination(rule);
  checkContent(rule);
}

/** What tells where a body ends is not for a rule to say: a connection would be out of step. */
const framingHeader = /^(?:content-length|transfer-encoding|trailer|upgrade)$/i;

/** What cannot be sent must fail where it was planned, not in the request it befalls. */
function checkContent({ headers, body }: FaultRule): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!isHeader(name, value)) throw wrong("headers: a name or value is none that HTTP can carry");
    if (framingHeader.test(name)) throw wrong(`headers: ${name} is written by whatever sends the answer`);
  }
  if (body !== undefined && JSON.stringify(body) === undefined)
    throw wrong("body: expected a text or what JSON can hold");
}

function checkCombination({ status, headers, body, delayMs, wire, when }: FaultRule): void {
  if (status === undefined && (headers !== undefined || body !== undefined))
    throw wrong("headers and body need a status");
  if (status !== undefined && wire !== undefined) throw wrong("status and wire exclude each other");
  if (status === undefined && wire === undefined && delayMs === undefined)
    throw wrong("needs a status, a delayMs or a wire");
  if (wire === "truncate" && when === "before")
    throw wrong('wire: "truncate" cuts the real answer, so it cannot strike before');
  if ((status === 204 || status === 205 || status === 304) && body !== undefined)
    throw wrong(`status ${status} has no body`);
}

function wrong(rule: string): TypeError {
  return new TypeError(`faults.add: ${rule}`);
}
