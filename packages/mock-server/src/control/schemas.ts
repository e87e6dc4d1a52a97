// Schemas that several requests and responses of the control API share. Responses may have more fields.
import { type EndpointName, endpoints } from "@landing-page-service/contract";
import * as z from "zod";
import { optional } from "../argument.ts";
import { apiKeySchema } from "../state/accounts.ts";
import { requestFilterSchema } from "../testing/journal.ts";

const key = optional(apiKeySchema).meta({ description: "API key of the account; all accounts if left out." });

/** A query that narrows a call to one account. */
export const anyAccount = z.strictObject({ key });
/** A query that names an account. */
export const oneAccount = z.strictObject({ key: apiKeySchema });

const status = z.string().regex(/^[1-5]\d\d$/, { error: "expected a status, 100 to 599" });

const { times, ...filter } = requestFilterSchema.shape;
const { query, headers: _, body, ...line } = filter;

/** A filter for one request. The service checks how its fields fit together. */
export const waitFilter = z.strictObject(filter);

/** A match in a query, where a status is a string. */
export const requestQuery = z.strictObject({ ...line, status: optional(status.transform(Number)) });

/** A match as JSON in a query. */
export const liveQuery = z.strictObject({
  match: optional(z.string().transform(parseMatch).pipe(requestFilterSchema)).meta({
    description: "Request matcher as JSON, with the same fields as for faults and waits, including `key`.",
  }),
});

function parseMatch(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const bare = text.startsWith('"') ? "; it came without its braces: pass -g to curl" : "";
    context.addIssue(`expected a match as JSON, such as {"status":500}${bare}`);
    return z.NEVER;
  }
}

/** A count. */
export const count = z.int().min(0);
/** A timestamp. */
export const timestampMs = z.number().meta({ description: "Milliseconds since 1970 UTC." });
/** The rate-limit window of an account. */
export const rateLimit = z.looseObject({ limit: z.int(), remaining: count, resetAtMs: timestampMs });
/** How much an account holds. */
export const accountSummary = z.looseObject({ account: z.string(), pages: count, events: count, rateLimit });
/** A planned fault. */
export const fault = z.looseObject({ id: z.string(), rule: z.looseObject({}), fired: count });

const text = z.string();
const endpointName = z.enum(Object.keys(endpoints) as [EndpointName, ...EndpointName[]]); // why: the keys of the table are the names
const requestHead = z.looseObject({
  id: text,
  account: text.optional(),
  endpoint: endpointName.optional(),
  method: text,
  path: text,
  query: text,
  pageId: text.optional().meta({ description: "Identifier of its page." }),
  status: z.int().optional().meta({ description: "Missing when there was no response." }),
  startedAtMs: timestampMs,
  fault: text.optional().meta({ description: "Identifier of the fault that fired." }),
});

const headers = z.record(text, text);
const durationMs = z.number().min(0);

/** A request in the journal. */
export const recordedRequest = requestHead.extend({
  headers,
  bodyBytes: count,
  body: text,
  answer: z.looseObject({ status: z.int().optional(), headers, body: text, durationMs, wire: text.optional() }),
});

const attempt = z.int().optional().meta({ description: "Number of the attempt, from 1." });

/** A request in the journal with the number of its attempt. */
export const attemptedRequest = recordedRequest.extend({ attempt });

/** Short requests, oldest first. */
export const shortRequests = z.array(
  requestHead.extend({ durationMs, wire: text.optional(), idempotencyKey: text.optional(), attempt }),
);

/** The assignment of a page with its explanation. */
export const assignment = z.looseObject({
  domains: z.array(z.looseObject({ name: text, score: z.number() })),
  how: text,
  rejected: z.array(z.looseObject({ name: text, reason: text })),
  explanation: text,
});

/** A list in the field `data`. */
export function listOf<Item>(item: z.ZodType<Item>) {
  return z.looseObject({ data: z.array(item) });
}
