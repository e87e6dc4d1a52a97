// The format of a dialect file.
import * as z from "zod/mini";
import { type Gap, gaps, switchIds, type Switches } from "../gaps.ts";
import type { Json } from "../json.ts";
import { type StatementId, statements } from "../statements.ts";

/** The content of a dialect file: the differences from the mock server's default. */
export interface DialectFile {
  /** Where editors find the JSON Schema of dialect files. */
  readonly $schema?: string | undefined;
  /** What kind of service behaves like this. */
  readonly summary?: string | undefined;
  /** The interpretations that differ; those about a shape choose a template. Gap: see docs/spec-gaps.md */
  readonly switches?: Readonly<Partial<Switches>> | undefined;
  /**
   * How paths and events write the identifier of a page, as a template such as `{id}` or `urn:page:{id}`.
   *
   * @defaultValue every form in which responses show it
   */
  readonly pageId?: string | undefined;
  /** Templates. They replace the templates that the switches choose. */
  readonly answers?: Readonly<Partial<AnswerTemplates>> | undefined;
  /** Places such as `listPages/body/data/0/views` where responses differed from the templates. A comparison ignores them. @defaultValue none */
  readonly varies?: readonly string[] | undefined;
  /** Documented statements that the service breaks, such as `list-offset`. A comparison does not count them. @defaultValue none */
  readonly broken?: readonly StatementId[] | undefined;
}

/** A template for every response: JSON with placeholders such as `{title}`, see docs/dialects.md. */
export interface AnswerTemplates {
  /** One page, which the other templates can insert as `{page}`. */
  readonly page: Json;
  /** One page of a list, which list templates can insert as `{listedPage}`. @defaultValue `"{page}"` */
  readonly listedPage: Json;
  /** Response to a create. */
  readonly createPage: AnswerTemplate;
  /** Response to a list. */
  readonly listPages: AnswerTemplate;
  /** Response to a list that has no page to show. @defaultValue `listPages` */
  readonly emptyList?: AnswerTemplate | undefined;
  /** Response to a list when there are no pages at all, such as in an account without pages. @defaultValue `emptyList` */
  readonly emptyAccount?: AnswerTemplate | undefined;
  /** Response to an update. */
  readonly updatePage: AnswerTemplate;
  /** Response to a delete. */
  readonly deletePage: AnswerTemplate;
  /** Response to an event. */
  readonly trackEvent: AnswerTemplate;
  /** Every error that `errors` does not name. */
  readonly error: AnswerTemplate;
  /**
   * Errors with another shape, by the status of the reference dialect. `malformed` is a 400 about the body as a whole, such as one that
   * is not JSON. An error with a status from 200 to 299 is a failure that the service reports in a success.
   */
  readonly errors?: { readonly [status: string]: AnswerTemplate } | undefined;
}

/** One response. It has at most one of `body`, `text` and `html`; without them it is empty. */
export interface AnswerTemplate {
  /** HTTP status. @defaultValue that of the reference dialect */
  readonly status?: number | undefined;
  /** Headers in addition to those of every response. Placeholders are written as strings. @defaultValue none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The body: JSON with placeholders. */
  readonly body?: Json | undefined;
  /** The body as plain text with placeholders. */
  readonly text?: string | undefined;
  /** The body as HTML with placeholders, whose values are escaped. */
  readonly html?: string | undefined;
}

const headers = z.record(
  z.string().check(z.regex(/^[!#$%&'*+\-.^_`|~\w]+$/)),
  z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, { error: "expected a value that HTTP can carry" })),
  { error: ({ code }) => (code === "invalid_key" ? "expected a name that HTTP can carry" : undefined) },
);

const statuses = (least: number, most: number, error = `expected a status from ${least} to ${most}`) =>
  z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
const success = statuses(200, 299);
const notError = "expected a status from 200 to 299 or from 400 to 599";
const anyError = z.union([statuses(200, 299, notError), statuses(400, 599, notError)]);
const successOr404 = z.union([success, z.literal(404)]);

function response(description: string, status: z.ZodMiniType<number> = success) {
  const fields = {
    status: z.optional(status),
    headers: z.optional(headers),
    body: described("JSON with placeholders such as {title}.", z.optional(z.unknown())),
    text: described("Plain text with placeholders.", z.optional(z.string())),
    html: described("HTML with placeholders.", z.optional(z.string())),
  };
  return described(description, z.strictObject(fields, { error: asObject('{ "status": 200, "body": … }') }));
}

function asObject(example: string) {
  return ({ code }: { readonly code: string }) =>
    code === "invalid_type" ? `expected an object such as ${example}` : undefined;
}

function described<Schema extends z.ZodMiniType>(description: string, schema: Schema): Schema {
  return schema.check(z.meta({ description }));
}

function interpretation({ question, interpretations }: Gap) {
  const each = Object.entries(interpretations).map(([name, description]) => ({ const: name, description }));
  return z.optional(z.enum(Object.keys(interpretations)).check(z.meta({ description: question, oneOf: each })));
}

const switches = z.strictObject(Object.fromEntries(switchIds.map((id) => [id, interpretation(gaps[id])])), {
  error: asObject('{ "page-id": "_id" }'),
});

const errors = z.record(
  z.string().check(z.regex(/^(?:[45]\d\d|malformed)$/)),
  response("Errors with another shape, by status; malformed is a 400 about the body as a whole.", anyError),
  { error: ({ code }) => (code === "invalid_key" ? "expected a status from 400 to 599, or malformed" : undefined) },
);

const answers = z.strictObject(
  {
    page: described("One page, which other templates can insert as {page}.", z.unknown()),
    listedPage: described("One page of a list, which list templates can insert as {listedPage}.", z.unknown()),
    createPage: response("Response to a create."),
    listPages: response("Response to a list."),
    emptyList: response("Response to a list that has no page to show. Default: listPages.", successOr404),
    emptyAccount: response("Response to a list when there are no pages at all. Default: emptyList.", successOr404),
    updatePage: response("Response to an update."),
    deletePage: response("Response to a delete."),
    trackEvent: response("Response to an event."),
    error: response("Every error that errors does not name.", anyError),
    errors,
  },
  { error: asObject('{ "page": { "id": "{id}" } }') },
);

const place = new RegExp(`^(?:switches|${Object.keys(answers.shape).join("|")})(?:/|$)`);

const noDialect = "A dialect is the name of a preset, or an object with `switches` and `answers`.";

const fileSchema = z.strictObject(
  {
    $schema: z.optional(z.string()),
    summary: described("What kind of service behaves like this.", z.optional(z.string())),
    switches: z.optional(switches),
    pageId: described(
      "How paths and events write the identifier of a page, for example {id} or urn:page:{id}. Default: every form in which responses show it.",
      z.optional(z.string()),
    ),
    answers: z.optional(z.partial(answers)),
    varies: described(
      "Places where responses differed from the templates. check --compare ignores them.",
      z.optional(z.array(z.string().check(z.regex(place, "expected a place such as listPages/body/total")))),
    ),
    broken: described(
      "Documented statements that the service breaks. check --compare does not count them.",
      z.optional(z.array(z.enum(Object.keys(statements)))),
    ),
  },
  { error: ({ code }) => (code === "invalid_type" ? noDialect : undefined) },
);

/** Checks a dialect file, except for the content of its templates. */
export const dialectFileSchema = fileSchema as z.ZodMiniType as z.ZodMiniType<DialectFile>; // why: the names of switches and templates are those of the tables

/** Writes the JSON Schema of a dialect file. Editors use it to complete and explain switches and interpretations. */
export function dialectSchema(): { [key: string]: Json } {
  const schema = z.toJSONSchema(dialectFileSchema, { io: "input" });
  return { title: "Dialect of a landing page service", ...(schema as { [key: string]: Json }) }; // why: it is JSON
}
