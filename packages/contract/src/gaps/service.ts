import type { Gap } from "./gap.ts";

/** Gaps in what holds for every request: errors, limits, repetition, keys. */
export const serviceGaps = {
  "error-body": {
    heading: "Errors",
    question: "What does the body of an error look like?",
    readings: {
      problem: "RFC 9457 `application/problem+json` with `errors`, each with `pointer` and `detail`, and `request_id`.",
      "error-object": '`{ "error": { "type", "message" } }`',
      "error-string": '`{ "error": "…" }`',
      message: '`{ "message": "…" }`',
      errors: '`{ "errors": [{ "field", "message" }] }`',
      text: "Plain text.",
      html: "An HTML page.",
      empty: "Nothing.",
    },
    sdk: "The status alone picks the error class; the message is found in any of these.",
  },
  "reset-unit": {
    heading: "Limits",
    question: "What is the unit of `X-RateLimit-Reset`?",
    readings: {
      "epoch-seconds": "Seconds since 1970 UTC.",
      seconds: "Seconds from now.",
      "epoch-milliseconds": "Milliseconds since 1970 UTC.",
    },
    sdk: "Tells the unit from the size of the number; anything but a plain non-negative integer is ignored.",
  },
  limits: {
    heading: "Limits",
    question: "How many requests does a plan allow, in which window?",
    readings: { "per-minute": "`free` 60, `starter` 600, `pro` 6 000 in a fixed window of 60 s; `unlimited`." },
    sdk: "Reads the headers, assumes no numbers.",
  },
  idempotency: {
    heading: "Create page",
    question: "What does a repeated create or event do?",
    readings: {
      honoured:
        "With the `Idempotency-Key` of the last 24 h and the same body it replays the first answer; with another body it is a 400.",
      ignored: "It stores another page or event; the header is ignored.",
    },
    sdk: "Sends one key per call, the same on every attempt, and does not rely on it: ambiguous failures are not retried.",
  },
  "method-routing": {
    heading: "Endpoints",
    question: "What answers an unknown path, or a method that a path does not have?",
    readings: { "404-405": "404, and 405 with `Allow`." },
    sdk: "Both are an `ApiError` with the status.",
  },
  "body-limits": {
    heading: "Limits",
    question: "How large may a body be, and what if it is not JSON?",
    readings: { "1-mib": "1 MiB, then 413; not JSON is 400; another content type is 415." },
    sdk: "Each is an `ApiError` with the status.",
  },
  "key-format": {
    heading: "Authentication",
    question: "What does an API key look like?",
    readings: {
      test_: "Any key that begins with `test_` opens its own empty account; seeded accounts name their own keys.",
    },
    sdk: "Takes 1 to 512 characters of visible ASCII.",
  },
  webhooks: {
    heading: "Events",
    question: "Which events does the service send out?",
    readings: { none: "None." },
    sdk: "Has nothing to receive them.",
  },
  versioning: {
    heading: "Versioning",
    question: "How is the service versioned?",
    readings: { none: "It is not." },
    sdk: "Sends no version; unknown fields and values pass through.",
  },
} as const satisfies Record<string, Gap>;
