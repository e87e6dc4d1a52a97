import type { WireFault } from "../exchange/plain.ts";
import * as z from "zod";
import { integer, optional, timerMs } from "../exchange/argument.ts";
import { isHeader } from "../exchange/headers.ts";
import { apiKeySchema } from "../state/keys.ts";
import { matchFields, requestContentFields, type RequestMatch } from "./match.ts";

/** A planned failure: which requests it strikes, and what happens to them. Callers without an account are never struck. */
export interface FaultRule extends Pick<RequestMatch, "endpoint" | "method" | "path" | "pageId" | "query"> {
  /** What the request has, where `headers` and `body` are the answer's. @defaultValue anything */
  request?: Pick<RequestMatch, "headers" | "body">;
  /** API key of the account it strikes. @defaultValue every account; the account itself in its own faults */
  key?: string;
  /** How many requests it strikes before it is used up, 1 or more. @defaultValue no end */
  times?: number;
  /** How many matching requests are spared first, 0 or more. @defaultValue 0 */
  skip?: number;
  /** Share of the matching requests it strikes, above 0 and at most 1; drawn from the service's `random`. @defaultValue 1 */
  probability?: number;
  /** Whether the test may end without it having struck: the fixtures of `/vitest` and `/assert` fail a test of which a fault struck nothing. @defaultValue false */
  optional?: boolean;
  /** Status of the answer, 200-599. Without one the request takes its course. */
  status?: number;
  /** Headers of the answer, in place of those the service would send; none that frame the body, as `Content-Length`. Needs `status`. */
  headers?: Readonly<Record<string, string>>;
  /** Body of the answer: a text as it is, anything else as JSON. Needs `status`. @defaultValue a problem body from status 400, else none */
  body?: unknown;
  /** How long the answer is held back, milliseconds of real time, at most 2^31 - 1. @defaultValue 0 */
  delayMs?: number;
  /**
   * How the connection fails instead: `refuse` (there is none: `ECONNREFUSED`; over a socket, which is there already, as `reset`), `reset`, `stall` (nothing is ever sent: the client gives up after
   * its own `timeoutMs`, which keeps a process such as node:test's for as long)
   * or `garbage` (bytes that are no HTTP); `truncate`
   * cuts the real answer in half. Without a socket, `fetch` shows it as the platform's `fetch` does.
   */
  wire?: WireFault;
  /** Whether it strikes before anything is done, or once the work is done. @defaultValue `"before"`; `"after"` for `wire: "truncate"` */
  when?: "before" | "after";
}

const probability = z.number({ error: "expected above 0 and at most 1" }).gt(0).max(1);

/** Checks a planned failure: each field, and what goes together. */
export const faultRuleSchema = z
  .strictObject({
    ...matchFields,
    request: optional(z.strictObject(requestContentFields)).meta({
      description: "What the request has; `headers` and `body` beside it are the response's.",
    }),
    key: optional(apiKeySchema),
    times: optional(integer(1)),
    skip: optional(integer(0)),
    probability: optional(probability),
    optional: optional(z.boolean({ error: "expected true or false" })),
    status: optional(integer(200, 599)),
    headers: optional(
      z.record(z.string(), z.unknown(), { error: "expected an object of headers" }).superRefine(checkHeaders),
    ).meta({ additionalProperties: { type: "string" } }) as z.ZodExactOptional<z.ZodType<Record<string, string>>>, // why: checkHeaders
    body: optional(z.unknown().refine(isWritable, { error: "must be a string, or what JSON can hold" })),
    delayMs: optional(timerMs()),
    wire: optional(z.enum(["refuse", "reset", "truncate", "stall", "garbage"])),
    when: optional(z.enum(["before", "after"])),
  })
  .superRefine(checkCombination) satisfies z.ZodType<FaultRule>;

/** What tells where a body ends is not for a rule to say: a connection would be out of step. */
const framingHeader = /^(?:content-length|transfer-encoding|trailer|upgrade)$/i;

/** A header that cannot be sent is refused here, not when the fault fires. */
function checkHeaders(headers: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value))
      context.addIssue({
        code: "custom",
        path: [name],
        input: value,
        message: "expected a name and a string that HTTP can carry",
      });
    if (framingHeader.test(name))
      context.addIssue({ code: "custom", path: [name], message: "is written by whatever sends the response" });
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
  for (const message of wrongCombinations(rule)) context.addIssue({ code: "custom", message });
}

function* wrongCombinations({ status, headers, body, delayMs, wire, when }: FaultRule): Generator<string> {
  if (status === undefined && (headers !== undefined || body !== undefined))
    yield "headers and body, which are the response's, need a status; what a request must have is request: { headers, body }";
  else if (status === undefined && wire === undefined && delayMs === undefined)
    yield "needs a status, a delayMs or a wire";
  if (status !== undefined && wire !== undefined) yield "status and wire exclude each other";
  if (wire === "truncate" && when === "before")
    yield 'wire: "truncate" cuts the real response, so it cannot strike before';
  if (wire === "refuse" && when === "after") yield 'wire: "refuse" is no connection at all, so it cannot strike after';
  if ((status === 204 || status === 205 || status === 304) && body !== undefined) yield `status ${status} has no body`;
}
