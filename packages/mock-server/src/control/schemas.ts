// Schemas of the requests and responses of the control API. Responses may have more fields.
import { type EndpointName, endpoints, pageRecordSchema } from "@landing-page-service/contract";
import { resolveDialect } from "@landing-page-service/contract/dialect";
import * as z from "zod";
import { integer, optional } from "../argument.ts";
import { assignablePageSchema } from "../service/mock-service.ts";
import { apiKeySchema } from "../state/accounts.ts";
import { planSchema } from "../state/limiter.ts";
import type { StateRecord } from "../state/records.ts";
import { clockMomentSchema, clockStepSchema } from "../service/context.ts";
import { requestFilterSchema } from "../testing/journal.ts";

const key = optional(apiKeySchema).meta({ description: "API key of the account; left out, it is about all of them." });

/** A query that narrows a call to one account. */
export const anyAccount = z.strictObject({ key });
/** A query that names an account. */
export const oneAccount = z.strictObject({ key: apiKeySchema });

/** Which requests are meant, in a query: there, a status is a text. */
export const requestQuery = requestFilterSchema.omit({ query: true, headers: true, body: true, times: true }).extend({
  status: optional(
    z
      .string()
      .regex(/^[1-5]\d\d$/, { error: "expected a status, 100 to 599" })
      .transform(Number),
  ),
});

/** The whole of a match, as JSON in a query. */
export const liveQuery = z.strictObject({
  match: optional(
    z
      .string()
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text);
        } catch {
          const bare = text.startsWith('"') ? "; it came without its braces: pass -g to curl" : "";
          context.addIssue(`expected a match as JSON, such as {"status":500}${bare}`);
          return z.NEVER;
        }
      })
      .pipe(requestFilterSchema),
  ).meta({ description: "Which requests, as JSON: what faults and waits take, `key` included." }),
});

/** How to wait for a request. */
export const waitFor = z.strictObject({
  filter: optional(requestFilterSchema.omit({ times: true })),
  timeoutMs: optional(integer(0, 60_000)),
});

/** A moment to set a clock to. */
export const clockSetting = z.strictObject({
  at: z.union(
    [
      clockMomentSchema,
      z.iso
        .datetime({ offset: true })
        .transform((text) => Date.parse(text))
        .pipe(clockMomentSchema),
    ],
    { error: "expected milliseconds since 1970 UTC, or a moment as 2026-12-24T18:00:00Z" },
  ),
});

/** How far to move a clock. */
export const clockAdvance = z.strictObject({ ms: clockStepSchema });

/** A plan to put in force. */
export const planChange = z.strictObject({ plan: planSchema });

/** A page to assign. */
export const page = assignablePageSchema.extend({ cta: assignablePageSchema.shape.cta.strict() }).strict();

/** A dialect: the name of a preset, or what differs. */
export const dialectChange = z.strictObject({
  dialect: z
    .union([z.string(), z.looseObject({})], { error: "expected the name of a preset, or { switches, answers }" })
    .transform(refineBy(resolveDialect)),
});

/** Parses further by a function that throws at what it cannot take. */
function refineBy<Value>(parse: (value: unknown) => Value): (value: unknown, context: z.RefinementCtx) => Value {
  return (value, context) => {
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  };
}

/** Whether a domain takes new pages. */
export const domainSwitch = z.strictObject({ active: z.boolean() });

/** A list of records of a state. */
export const stateRecords = z.array(z.looseObject({})) as unknown as z.ZodType<StateRecord[]>; // why: the service checks the records one by one

const endpointName = z.enum(Object.keys(endpoints) as [EndpointName, ...EndpointName[]]); // why: the keys of the table are the names
const count = z.int().min(0);
const moment = z.number().meta({ description: "Milliseconds since 1970 UTC." });

const rateLimit = z.looseObject({ limit: z.int(), remaining: count, resetAtMs: moment });
const fault = z.looseObject({ id: z.string(), rule: z.looseObject({}), fired: count });

const requestHead = z.looseObject({
  id: z.string(),
  account: z.string().optional(),
  endpoint: endpointName.optional(),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  pageId: z.string().optional().meta({ description: "The page it is about." }),
  status: z.int().optional().meta({ description: "Missing when the caller went away before there was a response." }),
  startedAtMs: moment,
  fault: z.string().optional().meta({ description: "Identifier of the fault that fired." }),
});

/** A request as the journal has it. */
export const recordedRequest = requestHead.extend({
  headers: z.record(z.string(), z.string()),
  bodyBytes: count,
  body: z.string(),
  answer: z.looseObject({
    status: z.int().optional(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    durationMs: z.number().min(0),
    wire: z.string().optional(),
  }),
});

const attempt = z.int().optional().meta({ description: "Which request with its idempotency key it is, from 1." });

/** The same, and which attempt it is. */
export const attemptedRequest = recordedRequest.extend({ attempt });

/** Requests in short, oldest first. */
export const requestsInShort = z.array(
  requestHead.extend({
    durationMs: z.number().min(0),
    wire: z.string().optional(),
    idempotencyKey: z.string().optional(),
    attempt,
  }),
);

/** Where a page goes, and why. */
export const assignment = z.looseObject({
  domains: z.array(z.looseObject({ name: z.string(), score: z.number() })),
  how: z.string(),
  rejected: z.array(z.looseObject({ name: z.string(), reason: z.string() })),
  explanation: z.string(),
});

const event = z.looseObject({
  id: z.string(),
  pageId: z.string(),
  timestamp: z.string().meta({ format: "date-time" }),
  type: z.string(),
});

const domain = z.looseObject({ name: z.string() });
const gap = z.looseObject({
  id: z.string(),
  heading: z.string(),
  question: z.string(),
  reading: z.string(),
  meaning: z.string(),
  isSwitched: z.boolean(),
});

/** What the rows answer beside the above. */
export const answers = {
  health: z.looseObject({ status: z.literal("ok") }),
  assumptions: z.looseObject({ dialect: z.unknown(), gaps: z.array(gap) }),
  fault,
  faults: listOf(fault),
  requests: listOf(recordedRequest),
  pages: listOf(pageRecordSchema),
  events: listOf(event),
  rateLimit,
  loaded: z.looseObject({ accounts: count, pages: count, events: count }),
  clock: z.looseObject({ nowMs: moment }),
  accounts: listOf(z.looseObject({ account: z.string(), pages: count, events: count, rateLimit })),
  presets: listOf(z.looseObject({ name: z.string(), isInForce: z.boolean() })),
  samples: listOf(
    z.looseObject({ name: z.string(), method: z.string(), path: z.string(), status: z.int(), body: z.string() }),
  ),
  dialect: z.looseObject({ switches: z.record(z.string(), z.string()), answers: z.looseObject({}) }),
  domain,
  domains: listOf(domain),
};

function listOf<Item>(item: z.ZodType<Item>) {
  return z.looseObject({ data: z.array(item) });
}
