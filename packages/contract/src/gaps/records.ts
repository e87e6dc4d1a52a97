import type { Gap } from "./gap.ts";

/** Gaps in the documented fields of pages and events, in the order of the spec. */
export const recordGaps = {
  "create-required": {
    heading: "Page (landing page)",
    question: "Which fields must a create have?",
    readings: { "all-but-description": "All documented fields but `meta_description`." },
    sdk: "Requires the same fields, and that `cta.url` is an absolute URL.",
  },
  bounds: {
    heading: "Page (landing page)",
    question: "How long may fields be?",
    readings: {
      bounded:
        "`title` 1 to 300 characters, `content` 1 to 500 000, `slug` 1 to 200, `meta_description` 0 to 500, `cta.label` 1 to 100, `cta.url` up to 2 048.",
    },
  },
  "slug-format": {
    heading: "Page (landing page)",
    question: "Which slugs are allowed?",
    readings: { hyphenated: "Words of lower-case letters and digits, joined by single hyphens." },
  },
  "slug-unique": {
    heading: "Page (landing page)",
    question: "May two pages of an account have the same slug?",
    readings: {
      shared: "Yes. On the same domain, the URL of the later page ends in `-2`, `-3` and so on.",
      "refused-400": "No. The second create gets a 400.",
      "refused-409": "No. The second create gets a 409.",
    },
    sdk: "Does not retry a 400 or 409.",
  },
  "unknown-fields": {
    heading: "Page (landing page)",
    question: "What happens to fields that the spec does not name?",
    readings: {
      refused: "The request gets a 400 that suggests the nearest known field.",
      ignored: "They are ignored.",
    },
    sdk: "The types do not allow them.",
  },
  "cta-type": {
    heading: "Page (landing page)",
    question: "Which values may `cta.type` have?",
    readings: { button: "Only `button`.", any: "Any string." },
  },
  "page-record": {
    heading: "Page (landing page)",
    question: "Which fields does a returned page have?",
    readings: {
      full: "`id`, all documented fields, `domains` (best first), `created_at` and `updated_at`.",
      minimal: "`id` and the fields that were sent.",
      extended: "The same as `full`, and fields that no spec names.",
    },
    sdk: "Gives an empty array if there are no `domains`, and keeps unknown fields.",
  },
  "domain-form": {
    heading: "Page (landing page)",
    question: "How are the domains of a page written?",
    readings: {
      objects: "An array of objects, `{ name, url }`.",
      names: "An array of host names.",
      urls: "An array of URLs.",
      one: "One object, in the field `domain`.",
      map: "An object whose keys are host names and whose values are URLs.",
    },
    sdk: "Always gives an array of `{ name, url? }`.",
  },
  "time-form": {
    heading: "Page (landing page)",
    question: "How are timestamps written?",
    readings: {
      iso: "ISO 8601, as a string.",
      "epoch-seconds": "Seconds since 1970, as a number.",
      "epoch-milliseconds": "Milliseconds since 1970, as a number.",
    },
    sdk: "Always gives ISO 8601.",
  },
  "page-states": {
    heading: "States and transitions",
    question: "Does a page have states?",
    readings: { none: "No.", status: "It has a field `status`, which is always `published`." },
  },
  "page-id": {
    heading: "Page (landing page)",
    question: "What is the field with the identifier called?",
    readings: { id: "`id`", _id: "`_id`", page_id: "`page_id`" },
  },
  "page-id-type": {
    heading: "Page (landing page)",
    question: "What does the identifier look like?",
    readings: {
      string: "A string: `pg_` and 26 characters that sort by time of creation.",
      integer: "A number that counts up.",
    },
  },
  "event-fields": {
    heading: "Analytics event",
    question: "Which other fields may an event have?",
    readings: {
      "type-and-properties":
        "`type` (`view` or `interaction`), and `properties`, an object of strings, numbers, booleans and nulls.",
    },
  },
} as const satisfies Record<string, Gap>;
