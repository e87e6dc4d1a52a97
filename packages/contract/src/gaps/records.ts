import type { Gap } from "./gap.ts";

/** Gaps in what is documented of pages and events, in the order of the spec. */
export const recordGaps = {
  "create-required": {
    heading: "Page (landing page)",
    question: "Which fields does a create need?",
    readings: { "all-but-description": "All but `meta_description`." },
    sdk: "Asks for the same, and that `cta.url` is absolute.",
  },
  bounds: {
    heading: "Page (landing page)",
    question: "How long may fields be?",
    readings: {
      bounded:
        "title 1-300 characters, content 500 000, slug 200, meta_description 0-500, cta.label 100, cta.url 2 048.",
    },
  },
  "slug-format": {
    heading: "Page (landing page)",
    question: "Which slugs are allowed?",
    readings: { hyphenated: "Lower-case letters and digits, in words joined by single hyphens." },
  },
  "slug-unique": {
    heading: "Page (landing page)",
    question: "May two pages share a slug?",
    readings: {
      shared: "Yes; on the same domain the later URL ends in `-2`, `-3`, …",
      "refused-400": "Refused: 400.",
      "refused-409": "Refused: 409.",
    },
    sdk: "Never retries a refusal.",
  },
  "unknown-fields": {
    heading: "Page (landing page)",
    question: "What about fields the spec does not name?",
    readings: { refused: "400, naming the nearest known one.", ignored: "Ignored." },
    sdk: "Types refuse them.",
  },
  "cta-type": {
    heading: "Page (landing page)",
    question: "Which `cta.type`?",
    readings: { button: "`button` only.", any: "Any text." },
  },
  "page-record": {
    heading: "Page (landing page)",
    question: "Which fields does a returned page have?",
    readings: {
      full: "`id`, the documented ones, `domains` (best first), `created_at`, `updated_at`.",
      minimal: "`id` and those that were sent.",
      extended: "Others too.",
    },
    sdk: "Missing `domains` are empty, unknown fields kept.",
  },
  "domain-form": {
    heading: "Page (landing page)",
    question: "How are domains written?",
    readings: {
      objects: "`{ name, url }` each.",
      names: "Host names.",
      urls: "URLs.",
      one: "One object, `domain`.",
      map: "An object from names to URLs.",
    },
    sdk: "`{ name, url? }` each.",
  },
  "time-form": {
    heading: "Page (landing page)",
    question: "How are moments written?",
    readings: { iso: "ISO 8601.", "epoch-seconds": "Epoch seconds.", "epoch-milliseconds": "Epoch milliseconds." },
    sdk: "ISO 8601.",
  },
  "page-states": {
    heading: "States and transitions",
    question: "Has a page any states?",
    readings: { none: "None.", status: "A `status` of `published`." },
  },
  "page-id": {
    heading: "Page (landing page)",
    question: "What is the identifier called?",
    readings: { id: "`id`", _id: "`_id`", page_id: "`page_id`" },
  },
  "page-id-type": {
    heading: "Page (landing page)",
    question: "What does the identifier look like?",
    readings: { string: "`pg_` and 26 characters that sort by creation.", integer: "Counting up." },
  },
  "event-fields": {
    heading: "Analytics event",
    question: "Which further fields may an event have?",
    readings: { "type-and-properties": "`type` (`view`, `interaction`) and flat `properties`." },
  },
} as const satisfies Record<string, Gap>;
