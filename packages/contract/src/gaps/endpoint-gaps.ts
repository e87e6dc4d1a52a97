import type { Gap } from "./gap.ts";

/** Gaps in what is documented of the five endpoints: their parameters, statuses and answers. */
export const endpointGaps = {
  "list-envelope": {
    heading: "Gaps common to the endpoints",
    question: "Where are listed pages?",
    readings: {
      data: "`data`",
      items: "`items`",
      results: "`results`",
      pages: "`pages`",
      content: "`content`",
      array: "A bare array, without total.",
    },
  },
  "list-total": {
    heading: "Gaps common to the endpoints",
    question: "Where is the total?",
    readings: {
      total: "`total`",
      none: "None.",
      total_count: "`total_count`",
      totalCount: "`totalCount`",
      "meta.total": "`meta.total`",
      "pagination.total": "`pagination.total`",
    },
    sdk: "Not needed.",
  },
  "list-order": {
    heading: "Gaps common to the endpoints",
    question: "In which order are pages listed?",
    readings: { "oldest-first": "Oldest first.", "newest-first": "Newest first." },
  },
  "list-max": {
    heading: "Limits",
    question: "What about a `limit` above 100?",
    readings: { refused: "400.", clamped: "Taken as 100.", unbounded: "Taken as it is." },
    sdk: "Asks for 20.",
  },
  "list-filters": {
    heading: "Gaps common to the endpoints",
    question: "Which filters are there?",
    readings: { "slug-domain-q": "`slug`, `domain`: exact; `q`: words in title or content." },
    sdk: "Passes any on.",
  },
  "empty-update": {
    heading: "Update page",
    question: "What does an update without fields do?",
    readings: { unchanged: "Nothing: 200.", refused: "400." },
  },
  "cta-update": {
    heading: "Gaps common to the endpoints",
    question: "What does an update do to members of `cta` not sent?",
    readings: { merge: "They stay.", replace: "They go." },
    sdk: "Send it whole: right in both.",
  },
  "create-status": {
    heading: "Gaps common to the endpoints",
    question: "Which status has a create?",
    readings: { "201-page": "201, with a `Location`.", "200-page": "200." },
  },
  "create-body": {
    heading: "Gaps common to the endpoints",
    question: "What does a create answer?",
    readings: { page: "The page.", id: "Its id.", location: "Only `Location`." },
  },
  "update-body": {
    heading: "Gaps common to the endpoints",
    question: "What does an update answer?",
    readings: {
      page: "The page.",
      changes: "What was sent.",
      flag: "`success`, true.",
      "204-empty": "204, empty.",
      "200-empty": "200, empty.",
    },
  },
  "list-record": {
    heading: "Gaps common to the endpoints",
    question: "Are listed pages whole?",
    readings: { page: "Yes.", summary: "Identifier, title, slug." },
    sdk: "Types only `id` and `domains` as certain, unless `strict`.",
  },
  "envelope-depth": {
    heading: "Gaps common to the endpoints",
    question: "How deep is the envelope?",
    readings: { one: "One.", two: "All within `result`." },
  },
  "record-wrapper": {
    heading: "Gaps common to the endpoints",
    question: "Is a single page wrapped?",
    readings: { bare: "No.", data: "In `data`.", page: "In `page`." },
  },
  "delete-status": {
    heading: "Gaps common to the endpoints",
    question: "What answers a delete?",
    readings: { "204-empty": "204, empty.", "200-body": "200, body.", "200-empty": "200, empty." },
  },
  "event-status": {
    heading: "Gaps common to the endpoints",
    question: "What answers an event?",
    readings: {
      "202-receipt": "202 with `id`, `pageId`, `timestamp`.",
      "200-receipt": "200, receipt.",
      "201-receipt": "201, receipt.",
      "204-empty": "204, empty.",
      "200-text": "`ok`, not JSON.",
    },
  },
  "event-page": {
    heading: "Submit analytics event",
    question: "What answers an event for an unknown page?",
    readings: { "refused-404": "Refused: 404.", "refused-400": "Refused: 400.", accepted: "Accepted." },
    sdk: "Rejects as the status says.",
  },
} as const satisfies Record<string, Gap>;
