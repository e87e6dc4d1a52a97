// What the control API takes and answers. Answers are open: more members may come.
import { type EndpointName, endpoints, pageRecordSchema } from "@landing-page-service/contract";
import * as z from "zod";
import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { AssignablePage } from "../domains/assignment.ts";
import type { Domain } from "../domains/network.ts";
import type { FaultRule } from "../testing/fault-rule.ts";
import type { RequestFilter } from "../testing/journal.ts";
import type { Plan } from "../state/limiter.ts";
import type { StateRecord } from "../state/snapshot.ts";

const apiKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/, { error: "expected an API key, 1 to 512 characters of visible ASCII" });
const accountKey = apiKey.meta({ description: "API key of the account." });
const key = apiKey.exactOptional().meta({ description: "API key of the account; left out, it is about all of them." });

/** A query that narrows a call to one account. */
export const anyAccount = z.strictObject({ key });
/** A query that names an account. */
export const oneAccount = z.strictObject({ key: accountKey });

const members = z.record(z.string(), z.unknown());
const endpointName = z.enum(Object.keys(endpoints) as [EndpointName, ...EndpointName[]]); // the keys of the table are the names
const count = z.int().min(0);
const moment = z.number().meta({ description: "Milliseconds since 1970 UTC." });
const longestTimerMs = 2 ** 31 - 1;

/** What faults and the journal tell requests by. */
const matchMembers = {
  key,
  endpoint: endpointName.exactOptional(),
  method: z.string().exactOptional(),
  path: z.string().exactOptional().meta({ description: "The whole path, percent-encoded, without the query." }),
  pageId: z.string().exactOptional().meta({ description: "The page it is about." }),
};

/** Which requests are meant, in a body. */
const requestFilter: z.ZodType<RequestFilter> = z.strictObject({
  ...matchMembers,
  query: members.exactOptional(),
  headers: members.exactOptional(),
  body: z.unknown().exactOptional().meta({ description: "What the JSON body has, among other members." }),
  status: z.int().min(100).max(599).exactOptional(),
});

/** The same in a query, where a status is a text. */
export const requestQuery: z.ZodType<RequestFilter> = z.strictObject({
  ...matchMembers,
  status: z
    .string()
    .regex(/^[1-5]\d\d$/, { error: "expected a status, 100 to 599" })
    .transform(Number)
    .exactOptional(),
});

/** The whole of a match, as JSON in a query; the service checks it. */
export const liveQuery = z.strictObject({
  match: z
    .string()
    .transform((text, context): RequestFilter => {
      try {
        return JSON.parse(text) as RequestFilter; // why: see above
      } catch {
        const bare = text.startsWith('"') ? "; it came without its braces: pass -g to curl" : "";
        context.addIssue(`expected a match as JSON, such as {"status":500}${bare}`);
        return z.NEVER;
      }
    })
    .exactOptional()
    .meta({ description: "Which requests, as JSON: what faults and waits take, `key` included." }),
});

/** How to wait for a request. */
export const waitFor = z.strictObject({
  filter: requestFilter.exactOptional(),
  timeoutMs: z.int().min(0).max(60_000).exactOptional(),
});

/** A moment to set a clock to. */
export const clockSetting = z.strictObject({
  at: z.union([z.iso.datetime({ offset: true }), z.number().min(0)], {
    error: "expected milliseconds since 1970 UTC, or a moment as 2026-12-24T18:00:00Z",
  }),
});

/** A fault to plan; what goes together is checked by the service. */
export const faultRule: z.ZodType<FaultRule> = z.strictObject({
  ...matchMembers,
  query: members.exactOptional(),
  request: z
    .strictObject({ headers: members.exactOptional(), body: z.unknown().exactOptional() })
    .exactOptional()
    .meta({ description: "What the request has; `headers` and `body` beside it are the answer's." }),
  times: z.int().min(1).exactOptional(),
  skip: count.exactOptional(),
  probability: z.number().gt(0).max(1).exactOptional(),
  optional: z.boolean().exactOptional(),
  status: z.int().min(200).max(599).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  body: z.unknown().exactOptional(),
  delayMs: z.number().min(0).max(longestTimerMs).exactOptional(),
  wire: z.enum(["refuse", "reset", "truncate", "stall", "garbage"]).exactOptional(),
  when: z.enum(["before", "after"]).exactOptional(),
});

const plan: z.ZodType<Plan> = z.union(
  [
    z.enum(["free", "starter", "pro", "unlimited"]),
    z.strictObject({ limit: z.int().min(1), windowMs: z.int().min(1) }),
  ],
  { error: 'expected "free", "starter", "pro", "unlimited", or { limit, windowMs } with integers of 1 or more' },
);

/** A plan to put in force. */
export const planChange = z.strictObject({ plan });

/** How far to move a clock. */
export const clockAdvance = z.strictObject({ ms: z.number().min(0) });

/** A page to place. */
export const page: z.ZodType<AssignablePage> = z.strictObject({
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: z.string().nullish(),
  cta: z.strictObject({ type: z.string(), label: z.string(), url: z.string() }),
  locale: z.string().optional(),
});

const dialectBody = z.strictObject({
  dialect: z.union([z.string(), z.looseObject({})], {
    error: "expected the name of a preset, or { switches, answers }",
  }),
});
/** A way to speak: the name of a preset, or what differs; the service checks it. */
export const dialectChange = dialectBody as unknown as z.ZodType<{ dialect: DialectChoice }>; // why: the service checks what is in it

/** A catalogue of domains; the service checks it. */
export const catalogue = z.array(z.looseObject({ name: z.string() })) as unknown as z.ZodType<Domain[]>; // why: see above

/** Whether a domain takes new pages. */
export const domainSwitch = z.strictObject({ active: z.boolean() });

/** A list of records of a state. */
export const stateRecords = z.array(z.looseObject({})) as unknown as z.ZodType<StateRecord[]>; // why: the service checks the records one by one

const fault = z.looseObject({ id: z.string(), rule: z.looseObject({}), fired: count });

const requestHead = z.looseObject({
  id: z.string(),
  account: z.string().optional(),
  endpoint: endpointName.optional(),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  pageId: z.string().optional().meta({ description: "The page it is about." }),
  status: z.int().optional().meta({ description: "Missing when the caller went away before there was an answer." }),
  startedAtMs: moment,
  fault: z.string().optional().meta({ description: "Identifier of the planned fault that struck it." }),
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
  sentence: z.string(),
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
  rateLimit: z.looseObject({ limit: z.int(), remaining: count, resetAtMs: moment }),
  loaded: z.looseObject({ accounts: count, pages: count, events: count }),
  clock: z.looseObject({ nowMs: moment }),
  accounts: listOf(
    z.looseObject({
      account: z.string(),
      pages: count,
      events: count,
      rateLimit: z.looseObject({ limit: z.int(), remaining: count, resetAtMs: moment }),
    }),
  ),
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
