import type { Gap } from "./gap.ts";

/** Gaps in what is documented of the five endpoints: their parameters, statuses and answers. */
export const endpointGaps = {
  "list-envelope": {
    heading: "Gaps common to the endpoints",
    question: "Where in the answer to a list are the pages?",
    readings: {
      data: "Under `data`, beside `limit` and `offset`.",
      items: "Under `items`, beside `limit` and `offset`.",
      results: "Under `results`, beside `limit` and `offset`.",
      pages: "Under `pages`, beside `limit` and `offset`.",
      content: "Under `content`, beside `limit` and `offset`.",
      array: "The answer is a bare array, so there is no total.",
    },
    sdk: "Finds them in each.",
  },
  "list-total": {
    heading: "Gaps common to the endpoints",
    question: "Where in the answer to a list is the number of all matching pages?",
    readings: {
      total: "`total`",
      none: "Nowhere.",
      total_count: "`total_count`",
      totalCount: "`totalCount`",
      "meta.total": "`meta.total`",
      "pagination.total": "`pagination.total`",
    },
    sdk: "Presents it as `total`; iteration is exact without it.",
  },
  "list-order": {
    heading: "Gaps common to the endpoints",
    question: "In which order are pages listed?",
    readings: { "oldest-first": "Oldest first.", "newest-first": "Newest first." },
    sdk: "Iteration yields every page that stays exactly once, in either order.",
  },
  "list-max": {
    heading: "Limits",
    question: "What happens to a `limit` above the largest one, 100?",
    readings: { refused: "400.", clamped: "It is lowered to 100 in silence." },
    sdk: "Iteration asks for 20 at a time unless told otherwise, and never takes a short answer for the last one.",
  },
  "list-filters": {
    heading: "Gaps common to the endpoints",
    question: "Which filters does a list take?",
    readings: { "slug-domain-q": "`slug` and `domain`, both exact, and `q`: words in title or content." },
    sdk: "Passes unknown filters through.",
  },
  "empty-update": {
    heading: "Update page",
    question: "What does an update without any field do?",
    readings: { unchanged: "200, and the page as it was.", refused: "400." },
    sdk: "Sends it.",
  },
  "cta-update": {
    heading: "Gaps common to the endpoints",
    question: "Does an update of `cta` merge or replace?",
    readings: {
      merge: "The members sent replace the old ones, the others stay.",
      replace: "The whole `cta` is replaced, so it must be sent whole.",
    },
    sdk: "Sends what it is given; a whole `cta` is right under both readings.",
  },
  "create-status": {
    heading: "Gaps common to the endpoints",
    question: "Which status says that a page was created?",
    readings: { "201-page": "201 with a `Location`, and the page.", "200-page": "200 and the page." },
    sdk: "Any 2xx is success.",
  },
  "create-body": {
    heading: "Gaps common to the endpoints",
    question: "What does a create answer with?",
    readings: { page: "The page.", id: "Its identifier alone.", location: "Nothing but a `Location`." },
    sdk: "Completes a thin answer from what was sent.",
  },
  "update-body": {
    heading: "Gaps common to the endpoints",
    question: "What does an update answer with?",
    readings: {
      page: "The page.",
      changes: "The fields that were sent.",
      flag: "`success`, true.",
      "204-empty": "204 without a body.",
      "200-empty": "200 without a body.",
    },
    sdk: "Completes it from the identifier and the changes.",
  },
  "list-record": {
    heading: "Gaps common to the endpoints",
    question: "Does a list hold whole pages?",
    readings: { page: "Yes.", summary: "No: identifier, title and slug." },
    sdk: "Every field but `id` and `domains` may be absent, unless `strict` is set.",
  },
  "envelope-depth": {
    heading: "Gaps common to the endpoints",
    question: "How deep is the envelope?",
    readings: { one: "As the other rows say.", two: "All that within a further `result`." },
    sdk: "Looks up to three levels down.",
  },
  "record-wrapper": {
    heading: "Gaps common to the endpoints",
    question: "Is a single page wrapped?",
    readings: { bare: "No.", data: '`{ "data": … }`', page: '`{ "page": … }`' },
    sdk: "Unwraps it.",
  },
  "delete-status": {
    heading: "Gaps common to the endpoints",
    question: "What answers a delete?",
    readings: { "204-empty": "204 without a body.", "200-body": "200 and a body.", "200-empty": "200 without a body." },
    sdk: "Any 2xx is success; the body is not read.",
  },
  "event-status": {
    heading: "Gaps common to the endpoints",
    question: "What answers an event?",
    readings: {
      "202-receipt": "202 with `id`, `pageId` and `timestamp`.",
      "200-receipt": "200 with `id`, `pageId` and `timestamp`.",
      "201-receipt": "201 with `id`, `pageId` and `timestamp`.",
      "204-empty": "204 without a body.",
      "200-text": "200 with the text `ok`, which is not JSON.",
    },
    sdk: "Any 2xx is success, with any body or none.",
  },
  "event-page": {
    heading: "Submit analytics event",
    question: "What answers an event for a page that the account does not own?",
    readings: { "refused-404": "404.", "refused-400": "400.", accepted: "The same as for any other event." },
    sdk: "Rejects with `NotFoundError`, `BadRequestError`, or not at all.",
  },
} as const satisfies Record<string, Gap>;
