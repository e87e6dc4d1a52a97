import { freezeDeep } from "./json.ts";

/** One question that the spec leaves open, and the interpretations that the toolkit supports. */
export interface Gap {
  /** Heading of the spec under which the question is left open. */
  readonly heading: string;
  /** The question. */
  readonly question: string;
  /** Interpretations by name. The mock uses the first one by default. No name is a bare number, because JavaScript would sort it first. */
  readonly readings: Readonly<Record<string, string>>;
  /** What the SDK does, if a user should know. It works with every interpretation. */
  readonly sdk?: string;
}

/** Adds a heading of the spec to questions. */
function under<const Rows extends Readonly<Record<string, Omit<Gap, "heading">>>>(heading: string, rows: Rows) {
  const filed = Object.entries(rows).map(([id, row]) => [id, { heading, ...row }]);
  return Object.fromEntries(filed) as { readonly [Id in keyof Rows]: Rows[Id] & { readonly heading: string } }; // why: the names are those of the rows
}

/** One question, its interpretations by name, and what the SDK does. */
function gap<const Readings extends Gap["readings"]>(question: string, readings: Readings, sdk?: string) {
  return { question, readings, ...(sdk !== undefined && { sdk }) };
}

/**
 * Every gap of the spec, by id, in the order of the spec. The page `docs/spec-gaps.md`, the served list of assumptions
 * and the type of a dialect are all made from this table.
 */
export const gaps = freezeDeep({
  ...under("Page (landing page)", {
    "create-required": gap(
      "Which fields must a create have?",
      { "all-but-description": "All documented fields but `meta_description`." },
      "Requires the same fields, and that `cta.url` is an absolute URL.",
    ),
    bounds: gap("How long may fields be?", {
      bounded:
        "`title` 1 to 300 characters, `content` 1 to 500 000, `slug` 1 to 200, `meta_description` 0 to 500, `cta.label` 1 to 100, `cta.url` up to 2 048.",
    }),
    "slug-format": gap("Which slugs are allowed?", {
      hyphenated: "Words of lower-case letters and digits, joined by single hyphens.",
    }),
    "slug-unique": gap(
      "May two pages of an account have the same slug?",
      {
        shared: "Yes. On the same domain, the URL of the later page ends in `-2`, `-3` and so on.",
        "refused-400": "No. The second create gets a 400.",
        "refused-409": "No. The second create gets a 409.",
      },
      "Does not retry a 400 or 409.",
    ),
    "unknown-fields": gap(
      "What happens to fields that the spec does not name?",
      {
        refused: "The request gets a 400 that suggests the nearest known field.",
        ignored: "They are ignored.",
      },
      "The types do not allow them.",
    ),
    "cta-type": gap("Which values may `cta.type` have?", { button: "Only `button`.", any: "Any string." }),
    "page-record": gap(
      "Which fields does a returned page have?",
      {
        full: "`id`, all documented fields, `domains` (best first), `created_at` and `updated_at`.",
        minimal: "`id` and the fields that were sent.",
        extended: "The same as `full`, and fields that no spec names.",
      },
      "Gives an empty array if there are no `domains`, and keeps unknown fields.",
    ),
    "domain-form": gap(
      "How are the domains of a page written?",
      {
        objects: "An array of objects, `{ name, url }`.",
        names: "An array of host names.",
        urls: "An array of URLs.",
        one: "One object, in the field `domain`.",
        map: "An object whose keys are host names and whose values are URLs.",
      },
      "Always gives an array of `{ name, url? }`.",
    ),
    "time-form": gap(
      "How are timestamps written?",
      {
        iso: "ISO 8601, as a string.",
        "epoch-seconds": "Seconds since 1970, as a number.",
        "epoch-milliseconds": "Milliseconds since 1970, as a number.",
      },
      "Always gives ISO 8601.",
    ),
    "page-id": gap("What is the field with the identifier called?", { id: "`id`", _id: "`_id`", page_id: "`page_id`" }),
    "page-id-type": gap("What does the identifier look like?", {
      string: "A string: `pg_` and 26 characters that sort by time of creation.",
      integer: "A number that counts up.",
    }),
  }),
  ...under("States and transitions", {
    "page-states": gap("Does a page have states?", {
      none: "No.",
      status: "It has a field `status`, which is always `published`.",
    }),
  }),
  ...under("Analytics event", {
    "event-fields": gap("Which other fields may an event have?", {
      "type-and-properties":
        "`type` (`view` or `interaction`), and `properties`, an object of strings, numbers, booleans and nulls.",
    }),
  }),
  ...under("Gaps common to the endpoints", {
    "list-envelope": gap("Which field of a list response holds the pages?", {
      data: "`data`",
      items: "`items`",
      results: "`results`",
      pages: "`pages`",
      content: "`content`",
      array: "None: the response is a bare array, without a total.",
    }),
    "list-total": gap(
      "Which field of a list response holds the total?",
      {
        total: "`total`",
        none: "None: there is no total.",
        total_count: "`total_count`",
        totalCount: "`totalCount`",
        "meta.total": "`meta.total`",
        "pagination.total": "`pagination.total`",
      },
      "Does not need the total for pagination.",
    ),
    "list-order": gap("In which order are pages listed?", {
      "oldest-first": "Oldest first.",
      "newest-first": "Newest first.",
    }),
    "list-filters": gap(
      "Which filters does a list have?",
      { "slug-domain-q": "`slug` and `domain` (exact values), and `q` (words of title and content)." },
      "Sends every filter that you pass.",
    ),
    "cta-update": gap(
      "What happens to fields of `cta` that an update does not send?",
      { merge: "They stay.", replace: "The update must send the whole `cta`, which replaces the old one." },
      "Send the whole `cta`: that works either way.",
    ),
    "create-status": gap("Which status does a successful create have?", {
      "201-page": "201, with a `Location` header.",
      "200-page": "200.",
    }),
    "create-body": gap("What does the response to a create contain?", {
      page: "The page.",
      id: "Only the identifier.",
      location: "No body, only a `Location` header.",
    }),
    "update-body": gap("What does the response to an update contain?", {
      page: "The page.",
      changes: "The fields that were sent.",
      flag: "`{ success: true }`",
      "204-empty": "Nothing; the status is 204.",
      "200-empty": "Nothing; the status is 200.",
    }),
    "list-record": gap(
      "Do listed pages have all fields?",
      { page: "Yes.", summary: "No, only identifier, title and slug." },
      "Only `id` and `domains` are certain in the types, unless you set `strict`.",
    ),
    "envelope-depth": gap("How many objects enclose the response?", {
      one: "One.",
      two: "Two: the whole response is in a field `result`.",
    }),
    "record-wrapper": gap("Is a single page in a field of its own?", {
      bare: "No, the response is the page.",
      data: "Yes, in `data`.",
      page: "Yes, in `page`.",
    }),
    "delete-status": gap("What is the response to a successful delete?", {
      "204-empty": "204 without a body.",
      "200-body": "200 with a JSON body.",
      "200-empty": "200 without a body.",
    }),
    "event-status": gap("What is the response to an event?", {
      "202-receipt": "202 with `id`, `pageId` and `timestamp`.",
      "200-receipt": "200 with the same fields.",
      "201-receipt": "201 with the same fields.",
      "204-empty": "204 without a body.",
      "200-text": "200 with the text `ok`.",
    }),
  }),
  ...under("Limits", {
    "list-max": gap(
      "What happens if `limit` is greater than 100?",
      {
        refused: "The request gets a 400.",
        clamped: "The list has 100 pages.",
        unbounded: "The list has as many pages as were asked for.",
      },
      "Asks for 20 pages per request by default.",
    ),
    "reset-unit": gap(
      "What is the unit of `X-RateLimit-Reset`?",
      {
        "epoch-seconds": "Seconds since 1970.",
        seconds: "Seconds from now.",
        "epoch-milliseconds": "Milliseconds since 1970.",
      },
      "Recognizes the unit by the size of the number.",
    ),
    limits: gap("How many requests does a plan allow?", {
      "per-minute": "`free` 60, `starter` 600 and `pro` 6 000 in each window of 60 s; `unlimited` has no limit.",
    }),
    "body-limits": gap("Which request bodies does the service refuse?", {
      "1-mib": "More than 1 MiB gets a 413, a body that is not JSON a 400, another content type a 415.",
    }),
  }),
  ...under("Update page", {
    "empty-update": gap("What does an update without fields do?", {
      unchanged: "It changes nothing and gets a 200.",
      refused: "It gets a 400.",
    }),
  }),
  ...under("Submit analytics event", {
    "event-page": gap(
      "What is the response to an event for a page that does not exist?",
      { "refused-404": "404.", "refused-400": "400.", accepted: "The event is accepted." },
      "Rejects with the error of that status.",
    ),
  }),
  ...under("Errors", {
    "error-body": gap(
      "What does the body of an error response look like?",
      {
        problem: "A problem as in RFC 9457, with `request_id` and `errors`, an array of `{ pointer, detail }`.",
        "error-object": "`{ error: { type, message } }`",
        "error-string": "`{ error }`",
        message: "`{ message }`",
        errors: "`{ errors: [{ field, message }] }`",
        text: "A text.",
        html: "An HTML page.",
        empty: "There is no body.",
      },
      "The status decides which error class you get.",
    ),
  }),
  ...under("Create page", {
    idempotency: gap(
      "What happens if a create or an event is sent twice?",
      {
        honoured:
          "If both have the same `Idempotency-Key`, within 24 hours, the second does nothing and gets the first response. Another body with that key gets a 400.",
        ignored: "The service stores both.",
      },
      "Sends one key per call, and does not rely on it.",
    ),
  }),
  ...under("Endpoints", {
    "method-routing": gap("What is the response to an unknown path or method?", {
      "404-405": "404 for a path; 405 with an `Allow` header for a method.",
    }),
  }),
  ...under("Authentication", {
    "key-format": gap(
      "What does an API key look like?",
      {
        test_:
          "Any key that begins with `test_` opens an empty account. Accounts that you set up yourself have the keys that you give them.",
      },
      "Accepts 1 to 512 visible ASCII characters.",
    ),
  }),
  ...under("Events", { webhooks: gap("Which webhooks does the service send?", { none: "None." }) }),
  ...under("Versioning", { versioning: gap("How is the API versioned?", { none: "It has no versions." }) }),
} satisfies Record<string, Gap>);

/** Id of a gap, such as `list-envelope`; also its anchor in `docs/spec-gaps.md`. */
export type GapId = keyof typeof gaps;

/** Names of the interpretations of one gap. */
export type Reading<Id extends GapId> = keyof (typeof gaps)[Id]["readings"] & string;

/** Ids of the gaps with more than one interpretation, which can be switched. */
export type SwitchId = {
  [Id in GapId]: IsUnion<Reading<Id>> extends true ? Id : never;
}[GapId];

/** One interpretation for every gap that can be switched. */
export type Switches = { [Id in SwitchId]: Reading<Id> };

type IsUnion<Name, Copy = Name> = Name extends unknown ? ([Copy] extends [Name] ? false : true) : never;

/** Ids of the gaps that can be switched, in the order of the spec. */
export const switchIds: readonly SwitchId[] = freezeDeep(
  Object.entries<Gap>(gaps)
    .filter(([, gap]) => Object.keys(gap.readings).length > 1)
    .map(([id]) => id as SwitchId), // why: the table itself is what the type is derived from
);

const firstReadings = switchIds.map((id) => [id, Object.keys(gaps[id].readings)[0]]);

/** What our reference service does by default: the first interpretation of every gap that can be switched. */
export const referenceSwitches: Readonly<Switches> = freezeDeep(Object.fromEntries(firstReadings) as Switches); // why: the table itself is what the type is derived from
