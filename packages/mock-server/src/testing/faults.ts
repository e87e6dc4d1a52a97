import * as z from "zod";
import { ArgumentError, integer, optional, parseArgument, timerMs } from "../argument.ts";
import { isHeader, type WireFault } from "../http-types.ts";
import { type Account, apiKeySchema } from "../state/accounts.ts";
import {
  checkEndpoint,
  compileMatch,
  keepCopy,
  type MatchableRequest,
  type Matches,
  type RequestMatch,
  requestMatchSchema,
} from "./match.ts";

/** A planned fault. */
export interface Fault {
  /** Identifier of the fault, which begins with `flt_`. */
  readonly id: string;
  /** A copy of its rule. */
  readonly rule: Readonly<FaultRule>;
  /** How many times it has fired so far. The count stays when the fault is used up. */
  readonly fired: number;
  /** Removes it. Requests for which it has already fired are not changed. */
  remove(): void;
}

/** The planned faults of a service, or of one account. */
export interface Faults {
  /**
   * Plans a fault. If several match a request, the first one fires.
   *
   * @throws {TypeError} when the rule contradicts itself or would do nothing, or 10 000 are planned already.
   */
  add(rule: FaultRule): Fault;
  /** Removes all faults. */
  clear(): void;
  /** Faults that can still fire, in the order they were added. */
  list(): Fault[];
  /** Finds a fault by its identifier. The last 1 000 used-up faults are found too, until they are removed. */
  get(id: string): Fault | undefined;
}

/** A fault that fires for a request. */
export type FiredFault = Readonly<FaultRule> & {
  readonly id: string;
  readonly when: "before" | "after";
  /** Body of the response as it is sent: a string as it is, anything else as JSON. */
  readonly text: string | undefined;
};

interface Entry {
  readonly fault: Fault;
  /** The only account for which it can fire; `undefined` for all. */
  readonly owner: Account | undefined;
  readonly effect: FiredFault;
  readonly matches: Matches;
  skipped: number;
  fired: number;
}

/** Most planned faults, because each is compared with every request, and most used-up faults that can be found. */
const most = { planned: 10_000, usedUp: 1_000 };

/** The planned faults of a service and its accounts, in the order they were added. */
export class FaultPlan {
  readonly #random: () => number;
  #planned: readonly Entry[] = [];
  #usedUp: readonly Entry[] = [];

  /** @param random - gives numbers from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Faults that can still fire: of one account, or all. */
  list(owner?: Account): Fault[] {
    return this.#planned.filter((entry) => belongsTo(owner, entry)).map(({ fault }) => fault);
  }

  get(id: string, owner?: Account): Fault | undefined {
    const entries = [...this.#planned, ...this.#usedUp];
    return entries.find((entry) => entry.fault.id === id && belongsTo(owner, entry))?.fault;
  }

  /** Removes the faults of one account, or all. */
  clear(owner?: Account): void {
    this.#remove((entry) => belongsTo(owner, entry));
  }

  /** @throws {TypeError} when the rule contradicts itself or would do nothing, or too many are planned. */
  add(given: FaultRule, id: string, owner: Account | undefined): Fault {
    const rule: FaultRule = keepCopy(parseArgument("faults.add", faultRuleSchema, given));
    if (this.#planned.length >= most.planned)
      throw new ArgumentError(`faults.add: ${most.planned} faults are planned already; remove some of them`);
    const { endpoint, method, path, pageId, query, request } = rule;
    const { wire, when = wire === "truncate" ? "after" : "before" } = rule;
    const text = typeof rule.body === "string" ? rule.body : JSON.stringify(rule.body);
    const entry: Entry = {
      fault: Object.freeze({
        id,
        rule,
        get fired() {
          return entry.fired;
        },
        remove: () => this.#remove((other) => other === entry),
      }),
      owner,
      effect: { ...rule, id, when, text },
      matches: compileMatch({ endpoint, method, path, pageId, query, ...request }),
      skipped: 0,
      fired: 0,
    };
    this.#planned = [...this.#planned, entry];
    return entry.fault;
  }

  /**
   * Finds the first fault that fires for a request of an account, and counts it.
   *
   * @param isAllowed - whether the rate limit lets the request through. If not, no fault with `when: "after"` fires, because no work is done.
   */
  fire(account: Account, request: MatchableRequest, isAllowed: boolean): FiredFault | undefined {
    const entry = this.#planned.find((each) => {
      const { owner = account, effect, matches } = each;
      return owner === account && (effect.when === "before" || isAllowed) && matches(request) && this.#isDue(each);
    });
    if (entry === undefined) return undefined;
    entry.fired += 1;
    if (entry.fired === entry.effect.times) {
      this.#planned = this.#planned.filter((other) => other !== entry);
      this.#usedUp = [...this.#usedUp, entry].slice(-most.usedUp);
    }
    return entry.effect;
  }

  #isDue(entry: Entry): boolean {
    const { skip = 0, probability } = entry.effect;
    if (entry.skipped < skip) {
      entry.skipped += 1;
      return false;
    }
    return probability === undefined || this.#random() < probability;
  }

  #remove(isMeant: (entry: Entry) => boolean): void {
    this.#planned = this.#planned.filter((entry) => !isMeant(entry));
    this.#usedUp = this.#usedUp.filter((entry) => !isMeant(entry));
  }
}

function belongsTo(owner: Account | undefined, entry: Entry): boolean {
  return owner === undefined || entry.owner === owner;
}

/** A planned failure: which requests it matches, and their response. It never fires for anonymous clients. */
export interface FaultRule extends Pick<RequestMatch, "endpoint" | "method" | "path" | "pageId" | "query"> {
  /** Headers and body of the request, not of the response. @defaultValue any */
  request?: Pick<RequestMatch, "headers" | "body"> | undefined;
  /** API key of the account it fires for. @defaultValue every account, or the account whose `faults` it is added to */
  key?: string | undefined;
  /** How many times it fires before it is used up, 1 or more. @defaultValue unlimited */
  times?: number | undefined;
  /** How many matching requests it skips first, 0 or more. @defaultValue 0 */
  skip?: number | undefined;
  /** Share of the matching requests it fires for, above 0 and at most 1. The service's `random` decides. @defaultValue 1 */
  probability?: number | undefined;
  /** Whether it may stay unused. Otherwise the fixtures of `/vitest` and `/assert` fail a test with a fault that never fired. @defaultValue false */
  optional?: boolean | undefined;
  /** Status of the response, 200-599. Without `status` and `wire`, the service handles the request. */
  status?: number | undefined;
  /** Headers of the response, which replace those of the service. Headers that frame the body, such as `Content-Length`, are refused. Needs `status`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Body of the response: a string as it is, anything else as JSON. Needs `status`. @defaultValue a problem body from status 400, else none */
  body?: unknown;
  /** How long the response is delayed, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  delayMs?: number | undefined;
  /**
   * Network error in place of the response. `refuse`: there is no connection (`ECONNREFUSED`). On a port it is a `reset`, because the
   * connection exists already. `stall`: nothing is ever sent, so the client waits for its own timeout. `garbage`: the bytes are not HTTP. `truncate`:
   * the real response is cut in half. Without a socket, `fetch` fails as the platform's `fetch` does.
   */
  wire?: WireFault | undefined;
  /** Whether it fires before or after the service does the work. @defaultValue `"before"`; `"after"` for `wire: "truncate"` */
  when?: "before" | "after" | undefined;
}

const { headers, body, status, times, ...line } = requestMatchSchema.shape;

const responseHeaders = z
  .record(z.string(), z.unknown(), { error: "expected a plain object of headers" })
  .superRefine(checkHeaders)
  .meta({ additionalProperties: { type: "string" } });

/** Checks a planned failure: each field, and their combination. */
export const faultRuleSchema = z
  .strictObject({
    ...line,
    request: optional(z.strictObject({ headers, body })).meta({
      description: "Headers and body of the request, not of the response.",
    }),
    key: optional(apiKeySchema),
    times: optional(integer(1)),
    skip: optional(integer(0)),
    probability: optional(z.number({ error: "expected above 0 and at most 1" }).gt(0).max(1)),
    optional: optional(z.boolean({ error: "expected true or false" })),
    status: optional(integer(200, 599)),
    headers: optional(responseHeaders as z.ZodType<Record<string, string>>), // why: checkHeaders allows strings only
    body: optional(z.unknown().refine(isWritable, { error: "must be a string or a JSON value" })),
    delayMs: optional(timerMs()),
    wire: optional(z.enum(["refuse", "reset", "truncate", "stall", "garbage"])),
    when: optional(z.enum(["before", "after"])),
  })
  .superRefine(checkEndpoint)
  .superRefine(checkCombination) satisfies z.ZodType<FaultRule>;

/** Headers that frame the body. A rule cannot set them, because the client would misread the next response. */
const framingHeader = /^(?:content-length|transfer-encoding|trailer|upgrade)$/i;

/** Refuses headers that cannot be sent, before the fault fires. */
function checkHeaders(headers: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [name, input] of Object.entries(headers)) {
    const issue = { code: "custom" as const, path: [name] };
    if (!isHeader(name, input))
      context.addIssue({ ...issue, input, message: "expected a name and a string that HTTP can carry" });
    if (framingHeader.test(name)) context.addIssue({ ...issue, message: "is set by the server" });
  }
}

function isWritable(body: unknown): boolean {
  try {
    return body === undefined || JSON.stringify(body) !== undefined;
  } catch {
    return false;
  }
}

function checkCombination(rule: FaultRule, context: z.RefinementCtx): void {
  const { endpoint, pageId, status, headers, body, delayMs, wire, when } = rule;
  const refuse = (message: string): void => context.addIssue({ code: "custom", message });
  if (status === undefined && (headers !== undefined || body !== undefined))
    refuse("headers and body of the response need a status; to match a request, use request: { headers, body }");
  else if (status === undefined && wire === undefined && delayMs === undefined) refuse("needs status, delayMs or wire");
  if (endpoint === "createPage" && pageId !== undefined) refuse("pageId: a page has none before it is created");
  if (status !== undefined && wire !== undefined) refuse("status and wire exclude each other");
  if (wire === "truncate" && when === "before")
    refuse('wire: "truncate" cuts the real response, so it cannot fire before');
  if (wire === "refuse" && when === "after") refuse('wire: "refuse" refuses the connection, so it cannot fire after');
  if ((status === 204 || status === 205 || status === 304) && body !== undefined)
    refuse(`status ${status} has no body`);
}
