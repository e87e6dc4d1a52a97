// The service written by hand, without HTTP and without our packages. Every framework serves it.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { Page } from "@landing-page-service/sdk";
import * as z from "zod";
import { apiKey } from "./pages.ts";

/** The checks that a hand-written server makes of a new page. */
export const createSchema = z.strictObject({
  title: z.string().min(1).max(300),
  content: z.string().min(1).max(500_000),
  slug: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  meta_description: z.string().max(500).optional(),
  cta: z.strictObject({ type: z.literal("button"), label: z.string().min(1).max(100), url: z.url() }),
});

/** The checks that a hand-written client makes of a page in a response. */
export const pageSchema = z.looseObject({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  slug: z.string(),
  meta_description: z.string().nullable(),
  cta: z.looseObject({ type: z.string(), label: z.string(), url: z.string() }),
  domains: z.array(z.looseObject({ name: z.string(), url: z.string() })),
  created_at: z.string(),
  updated_at: z.string(),
});

export const listSchema = z.looseObject({ data: z.array(pageSchema), total: z.int(), limit: z.int(), offset: z.int() });

/** One account in memory: key, rate limit, list, create. */
export class HandWrittenService {
  readonly #pages: Page[];
  /** For update and delete. */
  readonly #byId: Map<string, Page>;
  #requests = 0;

  /** Loads the pages of a list from a file. */
  constructor(listPath: string) {
    this.#pages = readList(listPath).data;
    this.#byId = new Map(this.#pages.map((page) => [page.id, page]));
  }

  isAuthorized(authorization: string | null | undefined): boolean {
    return authorization === `Bearer ${apiKey}`;
  }

  /** The three headers of every response. */
  rateHeaders(): Record<string, string> {
    this.#requests += 1;
    return {
      "X-RateLimit-Limit": "1000000000",
      "X-RateLimit-Remaining": String(1_000_000_000 - this.#requests),
      "X-RateLimit-Reset": String(Math.ceil(Date.now() / 60_000) * 60),
    };
  }

  list(search: URLSearchParams): { data: Page[]; total: number; limit: number; offset: number } {
    const limit = Number(search.get("limit") ?? 20);
    const offset = Number(search.get("offset") ?? 0);
    return { data: this.#pages.slice(offset, offset + limit), total: this.#pages.length, limit, offset };
  }

  /** Stores a valid page. */
  create(input: z.infer<typeof createSchema>): Page {
    const timestamp = new Date().toISOString();
    const page: Page = {
      id: randomUUID(),
      ...input,
      meta_description: input.meta_description ?? null,
      domains: [],
      created_at: timestamp,
      updated_at: timestamp,
    };
    this.#pages.push(page);
    this.#byId.set(page.id, page);
    return page;
  }
}

/** Reads a list from a file, as our mock service sent it. */
export function readList(path: string): z.infer<typeof listSchema> {
  return listSchema.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** A JSON schema without `$schema`, for frameworks that refuse it. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema);
  return jsonSchema;
}

/** An error body with the name of its status. */
export function problem(status: number): { title: string | undefined; status: number } {
  return { title: STATUS_CODES[status], status };
}
