// Schemas of the records of a state.
import { pageRecordSchema } from "@landing-page-service/contract";
import * as z from "zod";
import { integer, optional } from "../exchange/argument.ts";
import { isHeader } from "../exchange/headers.ts";
import { isIdempotencyKey } from "./idempotency.ts";
import { isIdText } from "./ids.ts";
import { planSchema } from "./limiter.ts";
import { stateVersion } from "./snapshot.ts";

/** Clocks are moved within the years that timestamps can write. */
const aheadMs = optional(z.number().min(-3e14).max(3e14));

/** Checks the first record of what a service wrote. */
export const headerSchema = z.strictObject({
  version: z.literal(stateVersion),
  records: optional(integer(0)),
  aheadMs,
});

/** Reasons are kept as they came: they explain what is past, and another release may have given them. */
const assignmentSchema = z.looseObject({
  domains: z.array(z.looseObject({ name: z.string() })),
  explanation: optional(z.string()),
});

const account = z.string();

/** Checks the records about an account, by the field that tells what a record is about; a page or an event may be as a request sends it. */
export const entrySchemas = {
  standing: z.strictObject({
    account,
    aheadMs,
    lastId: optional(z.string().refine(isIdText, { error: "expected what follows the prefix of an id" })),
    lastNumber: optional(integer(0)),
    plan: optional(planSchema),
  }),
  page: z.strictObject({
    account,
    page: z.looseObject({}),
    assignment: optional(
      z.custom<object>((value) => assignmentSchema.safeParse(value).success, {
        error: "expected the explanation of an assignment",
      }),
    ),
  }),
  event: z.strictObject({ account, event: z.looseObject({}) }),
  create: z.strictObject({ account, create: rememberedSchema(201) }),
  track: z.strictObject({ account, track: rememberedSchema(202) }),
};

/** Kinds of records about an account. */
export type EntryKind = keyof typeof entrySchemas;

/** Checks a page that has its domains. */
export const assignedPageSchema = z.object({ page: pageRecordSchema });

/** Checks an event that has its id. */
export const storedEventSchema = z.object({
  event: z.strictObject({
    id: z.string(),
    pageId: z.string(),
    timestamp: z.string(),
    type: z.string(),
    properties: optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  }),
});

/** A remembered key whose response has the one status there is. */
function rememberedSchema<Status extends number>(status: Status) {
  return z.strictObject({
    key: z.string().refine(isIdempotencyKey, { error: "expected an Idempotency-Key" }),
    fingerprint: z.string(),
    expiresAtMs: z.number(),
    status: z.literal(status),
    headers: z
      .record(z.string(), z.string())
      .refine((headers) => Object.entries(headers).every(([name, value]) => isHeader(name, value)), {
        error: "expected what HTTP can carry",
      }),
    body: z.string(),
  });
}
