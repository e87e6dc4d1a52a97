import type { Gap } from "./gap.ts";

/** Gaps in the documentation of the five endpoints: their parameters, statuses and responses. */
export const endpointGaps = {
  "list-envelope": {
    heading: "Gaps common to the endpoints",
    question: "Which field of a list response holds the pages?",
    readings: {
      data: "`data`",
      items: "`items`",
      results: "`results`",
      pages: "`pages`",
      content: "`content`",
      array: "None: the response is a bare array, without a total.",
    },
  },
  "list-total": {
    heading: "Gaps common to the endpoints",
    question: "Which field of a list response holds the total?",
    readings: {
      total: "`total`",
      none: "None: there is no total.",
      total_count: "`total_count`",
      totalCount: "`totalCount`",
      "meta.total": "`meta.total`",
      "pagination.total": "`pagination.total`",
    },
    sdk: "Does not need the total for pagination.",
  },
  "list-order": {
    heading: "Gaps common to the endpoints",
    question: "In which order are pages listed?",
    readings: { "oldest-first": "Oldest first.", "newest-first": "Newest first." },
  },
  "list-max": {
    heading: "Limits",
    question: "What happens if `limit` is greater than 100?",
    readings: {
      refused: "The request gets a 400.",
      clamped: "The list has 100 pages.",
      unbounded: "The list has as many pages as were asked for.",
    },
    sdk: "Asks for 20 pages per request by default.",
  },
  "list-filters": {
    heading: "Gaps common to the endpoints",
    question: "Which filters does a list have?",
    readings: { "slug-domain-q": "`slug` and `domain` (exact values), and `q` (words of title and content)." },
    sdk: "Sends every filter that you pass.",
  },
  "empty-update": {
    heading: "Update page",
    question: "What does an update without fields do?",
    readings: { unchanged: "It changes nothing and gets a 200.", refused: "It gets a 400." },
  },
  "cta-update": {
    heading: "Gaps common to the endpoints",
    question: "What happens to fields of `cta` that an update does not send?",
    readings: { merge: "They stay.", replace: "The update must send the whole `cta`, which replaces the old one." },
    sdk: "Send the whole `cta`: that works either way.",
  },
  "create-status": {
    heading: "Gaps common to the endpoints",
    question: "Which status does a successful create have?",
    readings: { "201-page": "201, with a `Location` header.", "200-page": "200." },
  },
  "create-body": {
    heading: "Gaps common to the endpoints",
    question: "What does the response to a create contain?",
    readings: { page: "The page.", id: "Only the identifier.", location: "No body, only a `Location` header." },
  },
  "update-body": {
    heading: "Gaps common to the endpoints",
    question: "What does the response to an update contain?",
    readings: {
      page: "The page.",
      changes: "The fields that were sent.",
      flag: "`{ success: true }`",
      "204-empty": "Nothing; the status is 204.",
      "200-empty": "Nothing; the status is 200.",
    },
  },
  "list-record": {
    heading: "Gaps common to the endpoints",
    question: "Do listed pages have all fields?",
    readings: { page: "Yes.", summary: "No, only identifier, title and slug." },
    sdk: "Only `id` and `domains` are certain in the types, unless you set `strict`.",
  },
  "envelope-depth": {
    heading: "Gaps common to the endpoints",
    question: "How many objects enclose the response?",
    readings: { one: "One.", two: "Two: the whole response is in a field `result`." },
  },
  "record-wrapper": {
    heading: "Gaps common to the endpoints",
    question: "Is a single page in a field of its own?",
    readings: { bare: "No, the response is the page.", data: "Yes, in `data`.", page: "Yes, in `page`." },
  },
  "delete-status": {
    heading: "Gaps common to the endpoints",
    question: "What is the response to a successful delete?",
    readings: {
      "204-empty": "204 without a body.",
      "200-body": "200 with a JSON body.",
      "200-empty": "200 without a body.",
    },
  },
  "event-status": {
    heading: "Gaps common to the endpoints",
    question: "What is the response to an event?",
    readings: {
      "202-receipt": "202 with `id`, `pageId` and `timestamp`.",
      "200-receipt": "200 with the same fields.",
      "201-receipt": "201 with the same fields.",
      "204-empty": "204 without a body.",
      "200-text": "200 with the text `ok`.",
    },
  },
  "event-page": {
    heading: "Submit analytics event",
    question: "What is the response to an event for a page that does not exist?",
    readings: { "refused-404": "404.", "refused-400": "400.", accepted: "The event is accepted." },
    sdk: "Rejects with the error of that status.",
  },
} as const satisfies Record<string, Gap>;
