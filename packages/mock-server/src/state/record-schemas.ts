// What a record of the state has to be like.
import { pageRecordSchema } from "@landing-page-service/contract";
import * as z from "zod";
import { isHeader } from "../exchange/headers.ts";
import { isIdempotencyKey } from "./idempotency.ts";
import { isIdText } from "./ids.ts";
import { stateVersion } from "./snapshot.ts";

/** The schemas of records. */
export type RecordSchemas = ReturnType<typeof makeSchemas>;

/** Kinds of records about an account. */
export type EntryKind = keyof RecordSchemas["entries"];

let schemas: RecordSchemas | undefined;

/** The schemas of records, made when something is first loaded: most services begin with nothing. */
export function recordSchemas(): RecordSchemas {
  return (schemas ??= makeSchemas());
}

function makeSchemas() {
  const entry = z.looseObject({ account: z.string() });
  /** Clocks are moved within the years that timestamps can write. */
  const aheadMsSchema = z.number().min(-3e14).max(3e14);
  const header = z.strictObject({
    version: z.literal(stateVersion),
    records: z.int().min(0).exactOptional(),
    aheadMs: aheadMsSchema.exactOptional(),
  });
  /** Reasons are kept as they came: what they explain is past, and they may have been given by another release. */
  const assignmentSchema = z.looseObject({
    domains: z.array(z.looseObject({ name: z.string() })),
    explanation: z.string().exactOptional(),
  });
  const placedPage = z.object({ page: pageRecordSchema });
  const storedEvent = z.object({
    event: z.strictObject({
      id: z.string(),
      pageId: z.string(),
      timestamp: z.string(),
      type: z.string(),
      properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).exactOptional(),
    }),
  });

  /** The kinds of records about an account, by the member that tells them. */
  const entries = {
    standing: z.strictObject({
      account: z.string(),
      aheadMs: aheadMsSchema.exactOptional(),
      lastId: z.string().refine(isIdText, { error: "expected what follows the prefix of an id" }).exactOptional(),
      lastNumber: z.int().min(0).exactOptional(),
      plan: z
        .union(
          [
            z.enum(["free", "starter", "pro", "unlimited"]),
            z.strictObject({ limit: z.int().min(1), windowMs: z.int().min(1) }),
          ],
          { error: 'expected "free", "starter", "pro", "unlimited" or { limit, windowMs } with integers of 1 or more' },
        )
        .exactOptional(),
    }),
    page: z.strictObject({
      account: z.string(),
      page: z.looseObject({}),
      assignment: z
        .custom<object>((value) => assignmentSchema.safeParse(value).success, {
          error: "expected the reasons of a placement",
        })
        .exactOptional(),
    }),
    event: z.strictObject({ account: z.string(), event: z.looseObject({}) }),
    create: z.strictObject({ account: z.string(), create: rememberedSchema(201) }),
    track: z.strictObject({ account: z.string(), track: rememberedSchema(202) }),
  };
  return { entry, header, placedPage, storedEvent, entries };
}

/** A remembered key whose answer has the one status there is. */
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
