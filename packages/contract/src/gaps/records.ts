import type { Gap } from "./gap.ts";

/** Gaps in what is documented of pages and events, in the order of the spec. */
export const recordGaps = {
  "create-required": {
    heading: "Page (landing page)",
    question: "Which fields does a create need?",
    readings: {
      "all-but-description": "`title`, `content`, `slug` and `cta` are required, `meta_description` is not.",
    },
    sdk: "Asks for the same four fields, and checks only their types and that `cta.url` is an absolute URL.",
  },
  bounds: {
    heading: "Page (landing page)",
    question: "How long may a field be?",
    readings: {
      bounded:
        "title 1-300, content 1-500 000, slug 1-200, meta_description 0-500, cta.label 1-100, cta.url up to 2 048 characters.",
    },
    sdk: "Enforces no length.",
  },
  "slug-format": {
    heading: "Page (landing page)",
    question: "Which slugs are allowed?",
    readings: { hyphenated: "Lower-case letters and digits in words joined by single hyphens." },
    sdk: "Sends what it is given.",
  },
  "slug-unique": {
    heading: "Page (landing page)",
    question: "May two pages of an account share a slug?",
    readings: {
      shared:
        "Yes. Each keeps its slug; where a domain already serves that path, the new URL there ends in `-2`, `-3` and so on.",
      "refused-400": "No. The second is refused with 400.",
      "refused-409": "No. The second is refused with 409.",
    },
    sdk: "Reports a refusal as `BadRequestError` or as `ApiError` with status 409; it never retries it.",
  },
  "unknown-fields": {
    heading: "Page (landing page)",
    question: "What happens to a field that the spec does not name?",
    readings: {
      refused: "400, naming the field and the nearest known one, so that a typo does not vanish.",
      ignored: "It is dropped in silence.",
    },
    sdk: "Its types refuse unknown fields; at run time it sends what it is given.",
  },
  "cta-type": {
    heading: "Page (landing page)",
    question: "Which values of `cta.type` beyond `button` are allowed?",
    readings: { button: "None.", any: "Any non-empty string." },
    sdk: "The type is open, and unknown values read back unharmed.",
  },
  "page-record": {
    heading: "Page (landing page)",
    question: "Which fields does a returned page have?",
    readings: {
      full: "`id`, the documented fields (`meta_description` null when absent), `domains` (`name` and `url`, best first), `created_at`, `updated_at`.",
      minimal: "Identifier and documented fields only; a `meta_description` that was never sent is missing.",
      extended: "The full record and further fields that nobody announced.",
    },
    sdk: "`meta_description` reads as null and `domains` as empty when missing; unknown fields are kept.",
  },
  "domain-form": {
    heading: "Page (landing page)",
    question: "How are the domains of a page written?",
    readings: {
      objects: "A list of objects with `name` and `url`.",
      names: "A list of host names.",
      urls: "A list of URLs.",
      one: "One object under `domain`.",
      map: "An object from host names to URLs.",
    },
    sdk: "Presents a list of objects; `url` is absent where only the name is known.",
  },
  "time-form": {
    heading: "Page (landing page)",
    question: "How are moments written?",
    readings: {
      iso: "ISO 8601 in UTC.",
      "epoch-seconds": "Seconds since 1970 UTC.",
      "epoch-milliseconds": "Milliseconds since 1970 UTC.",
    },
    sdk: "Presents ISO 8601, telling the unit of a number from its size.",
  },
  "page-states": {
    heading: "States and transitions",
    question: "Does a page have states?",
    readings: {
      none: "No: a page exists or is gone.",
      status: 'Each page carries a further field `status`, `"published"`.',
    },
    sdk: "Keeps the field.",
  },
  "page-id": {
    heading: "Page (landing page)",
    question: "What is the identifier of a page called?",
    readings: { id: "`id`", _id: "`_id`", page_id: "`page_id`" },
    sdk: "Always presents it as `id`.",
  },
  "page-id-type": {
    heading: "Page (landing page)",
    question: "What does the identifier of a page look like?",
    readings: {
      string: "A string: `pg_` and 26 characters, sorting by creation.",
      integer: "An integer, counting up.",
    },
    sdk: "Always presents it as a string.",
  },
  "event-fields": {
    heading: "Analytics event",
    question: "Which fields may an event have beyond the two documented ones?",
    readings: { "type-and-properties": "`type` (`view`, the default, or `interaction`) and flat `properties`." },
    sdk: "Sends only what the caller passed.",
  },
} as const satisfies Record<string, Gap>;
