/** One question that the spec leaves open, and how the toolkit lives with every answer to it. */
export interface Gap {
  /** Heading of the spec under which the question is left open. */
  readonly heading: string;
  /** The question. */
  readonly question: string;
  /** Every reading by name; the first is what our reference service decides unless told otherwise. No name is a bare number, which would jump the order. */
  readonly readings: Readonly<Record<string, string>>;
  /** What the SDK does so that every reading works. */
  readonly sdk: string;
}

/**
 * Every gap of the spec, by id, in the order of the spec. The page `docs/spec-gaps.md`, the served list of assumptions
 * and the type of a dialect are all made from this table.
 */
export const gaps = {
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
    question: "What does a repeated create do?",
    readings: {
      honoured:
        "With the `Idempotency-Key` of the last 24 h and the same body it replays the first answer; with another body it is a 400.",
      ignored: "It creates another page; the header is ignored.",
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

/** Id of a gap, such as `list-envelope`; also its anchor in `docs/spec-gaps.md`. */
export type GapId = keyof typeof gaps;

/** Names of the readings of one gap. */
export type Reading<Id extends GapId> = keyof (typeof gaps)[Id]["readings"] & string;

/** Ids of the gaps that have more than one reading, and so can be switched. */
export type SwitchId = {
  [Id in GapId]: IsUnion<Reading<Id>> extends true ? Id : never;
}[GapId];

/** One reading for every gap that can be switched. */
export type Switches = { [Id in SwitchId]: Reading<Id> };

type IsUnion<Name, Copy = Name> = Name extends unknown ? ([Copy] extends [Name] ? false : true) : never;

/** Ids of the gaps that can be switched, in the order of the spec. */
export const switchIds: readonly SwitchId[] = Object.entries<Gap>(gaps)
  .filter(([, gap]) => Object.keys(gap.readings).length > 1)
  .map(([id]) => id as SwitchId); // the table itself is what the type is derived from

/** What our reference service does unless told otherwise: the first reading of every gap that can be switched. */
export const referenceSwitches: Switches = Object.fromEntries(
  switchIds.map((id) => [id, Object.keys(gaps[id].readings)[0]]),
) as Switches; // the table itself is what the type is derived from
