import type { Dialect } from "./gaps.ts";

/** A named choice of readings that are likely to occur together. */
export interface DialectPreset {
  /** What kind of service speaks like this. */
  readonly summary: string;
  /** The readings that differ from our reference service. */
  readonly dialect: Readonly<Partial<Dialect>>;
}

/** Likely combinations of readings, by name. Gap: see docs/spec-gaps.md#presets */
export const dialectPresets = {
  reference: { summary: "Our reference service.", dialect: {} },
  minimal: {
    summary: "Says as little as it can: bare arrays, no totals, empty bodies.",
    dialect: {
      "page-record": "minimal",
      "list-envelope": "array",
      "list-total": "none",
      "create-status": "200-page",
      "delete-status": "200-empty",
      "event-status": "204-empty",
      "error-body": "empty",
    },
  },
  wrapped: {
    summary: "Everything under `data`, totals under `meta`, errors in a list.",
    dialect: {
      "page-record": "extended",
      "page-states": "status",
      "list-total": "meta.total",
      "record-wrapper": "data",
      "delete-status": "200-body",
      "event-status": "201-receipt",
      "error-body": "errors",
    },
  },
  "mongo-like": {
    summary: "A document database behind a thin web layer.",
    dialect: {
      "unknown-fields": "ignored",
      "page-id": "_id",
      "list-envelope": "items",
      "list-total": "total_count",
      "list-order": "newest-first",
      "delete-status": "200-body",
      "error-body": "error-string",
      "reset-unit": "epoch-milliseconds",
      idempotency: "ignored",
    },
  },
  "rails-like": {
    summary: "A relational database, wrapped records, unique slugs.",
    dialect: {
      "slug-unique": "refused-409",
      "unknown-fields": "ignored",
      "page-states": "status",
      "page-id-type": "integer",
      "list-envelope": "pages",
      "list-total": "pagination.total",
      "list-order": "newest-first",
      "list-max": "clamped",
      "record-wrapper": "page",
      "error-body": "errors",
      "reset-unit": "seconds",
      idempotency: "ignored",
    },
  },
  "spring-like": {
    summary: "Pages under `content`, integer identifiers, camel-case totals.",
    dialect: {
      "unknown-fields": "ignored",
      "page-id-type": "integer",
      "list-envelope": "content",
      "list-total": "totalCount",
      "list-max": "clamped",
      "cta-update": "replace",
      "event-status": "200-receipt",
      "error-body": "message",
      idempotency: "ignored",
    },
  },
  lenient: {
    summary: "Takes whatever it is sent.",
    dialect: {
      "unknown-fields": "ignored",
      "cta-type": "any",
      "list-max": "clamped",
      "event-status": "200-text",
      "event-page": "accepted",
      "error-body": "text",
      idempotency: "ignored",
    },
  },
  strict: {
    summary: "Refuses whatever it can.",
    dialect: {
      "slug-unique": "refused-400",
      "list-envelope": "results",
      "list-total": "none",
      "empty-update": "refused",
      "cta-update": "replace",
      "event-page": "refused-400",
      "error-body": "error-object",
    },
  },
} as const satisfies Record<string, DialectPreset>;

/** Names of the presets. */
export type PresetName = keyof typeof dialectPresets;
