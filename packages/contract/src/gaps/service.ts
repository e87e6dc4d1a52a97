import type { Gap } from "./gap.ts";

/** Gaps in what holds for every request: errors, limits, repetition, keys. */
export const serviceGaps = {
  "error-body": {
    heading: "Errors",
    question: "What does an error look like?",
    readings: {
      problem: "RFC 9457 problem with `errors` (`pointer`, `detail`) and `request_id`.",
      "error-object": "`{ error: { type, message } }`",
      "error-string": "`{ error }`",
      message: "`{ message }`",
      errors: "`{ errors: [{ field, message }] }`",
      text: "Text.",
      html: "HTML.",
      empty: "Empty.",
    },
    sdk: "The status picks the class.",
  },
  "reset-unit": {
    heading: "Limits",
    question: "What is the unit of `X-RateLimit-Reset`?",
    readings: {
      "epoch-seconds": "Epoch seconds.",
      seconds: "Seconds from now.",
      "epoch-milliseconds": "Epoch milliseconds.",
    },
    sdk: "Told by size.",
  },
  limits: {
    heading: "Limits",
    question: "How many requests does a plan allow?",
    readings: { "per-minute": "`free` 60, `starter` 600, `pro` 6 000 in fixed windows of 60 s; `unlimited`." },
  },
  idempotency: {
    heading: "Create page",
    question: "What does a repeated create or event do?",
    readings: {
      honoured: "With an `Idempotency-Key` of the last 24 h: same body, same answer; another body, 400.",
      ignored: "Stores another.",
    },
    sdk: "One key per call, not relied on.",
  },
  "method-routing": {
    heading: "Endpoints",
    question: "What answers unknown paths and methods?",
    readings: { "404-405": "404; 405 with `Allow`." },
  },
  "body-limits": {
    heading: "Limits",
    question: "What about large bodies, or no JSON?",
    readings: { "1-mib": "Above 1 MiB 413; not JSON 400; another content type 415." },
  },
  "key-format": {
    heading: "Authentication",
    question: "What does a key look like?",
    readings: { test_: "`test_…` opens an empty account; seeded accounts name theirs." },
    sdk: "1-512 visible ASCII characters.",
  },
  webhooks: {
    heading: "Events",
    question: "Which events does the service send out?",
    readings: { none: "None." },
  },
  versioning: {
    heading: "Versioning",
    question: "How is the API versioned?",
    readings: { none: "None." },
  },
} as const satisfies Record<string, Gap>;
