import type { Gap } from "./gap.ts";

/** Gaps that concern every request: errors, limits, idempotency, keys. */
export const serviceGaps = {
  "error-body": {
    heading: "Errors",
    question: "What does the body of an error response look like?",
    readings: {
      problem: "A problem as in RFC 9457, with `request_id` and `errors`, an array of `{ pointer, detail }`.",
      "error-object": "`{ error: { type, message } }`",
      "error-string": "`{ error }`",
      message: "`{ message }`",
      errors: "`{ errors: [{ field, message }] }`",
      text: "A text.",
      html: "An HTML page.",
      empty: "There is no body.",
    },
    sdk: "The status decides which error class you get.",
  },
  "reset-unit": {
    heading: "Limits",
    question: "What is the unit of `X-RateLimit-Reset`?",
    readings: {
      "epoch-seconds": "Seconds since 1970.",
      seconds: "Seconds from now.",
      "epoch-milliseconds": "Milliseconds since 1970.",
    },
    sdk: "Recognizes the unit by the size of the number.",
  },
  limits: {
    heading: "Limits",
    question: "How many requests does a plan allow?",
    readings: {
      "per-minute": "`free` 60, `starter` 600 and `pro` 6 000 in each window of 60 s; `unlimited` has no limit.",
    },
  },
  idempotency: {
    heading: "Create page",
    question: "What happens if a create or an event is sent twice?",
    readings: {
      honoured:
        "If both have the same `Idempotency-Key`, within 24 hours, the second does nothing and gets the first response. Another body with that key gets a 400.",
      ignored: "The service stores both.",
    },
    sdk: "Sends one key per call, and does not rely on it.",
  },
  "method-routing": {
    heading: "Endpoints",
    question: "What is the response to an unknown path or method?",
    readings: { "404-405": "404 for a path; 405 with an `Allow` header for a method." },
  },
  "body-limits": {
    heading: "Limits",
    question: "Which request bodies does the service refuse?",
    readings: { "1-mib": "More than 1 MiB gets a 413, a body that is not JSON a 400, another content type a 415." },
  },
  "key-format": {
    heading: "Authentication",
    question: "What does an API key look like?",
    readings: {
      test_:
        "Any key that begins with `test_` opens an empty account. Accounts that you set up yourself have the keys that you give them.",
    },
    sdk: "Accepts 1 to 512 visible ASCII characters.",
  },
  webhooks: {
    heading: "Events",
    question: "Which webhooks does the service send?",
    readings: { none: "None." },
  },
  versioning: {
    heading: "Versioning",
    question: "How is the API versioned?",
    readings: { none: "It has no versions." },
  },
} as const satisfies Record<string, Gap>;
