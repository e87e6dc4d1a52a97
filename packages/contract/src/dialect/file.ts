import type { Switches } from "../gaps.ts";
import type { Json } from "./facts.ts";

/** A dialect as a file has it: what differs from our reference service. */
export interface DialectFile {
  /** Where editors find the JSON Schema of dialect files. */
  readonly $schema?: string | undefined;
  /** What kind of service speaks like this. */
  readonly summary?: string | undefined;
  /** The readings that differ; those about a shape name a template. Gap: see docs/spec-gaps.md */
  readonly switches?: Readonly<Partial<Switches>> | undefined;
  /** Templates, which go before those that the switches name. */
  readonly answers?: Readonly<Partial<AnswerTemplates>> | undefined;
  /** Places such as `listPages/body/data/0/views` at which not all answers were as the templates have them: a comparison leaves them out. @defaultValue none */
  readonly varies?: readonly string[] | undefined;
}

/** A template for every answer: JSON with placeholders such as `{title}`, see docs/dialects.md. */
export interface AnswerTemplates {
  /** One page, for the others to name as `{page}`. */
  readonly page: Json;
  /** One page of a list, for a list to name as `{listedPage}`. @defaultValue `"{page}"` */
  readonly listedPage: Json;
  /** Answer to a create. */
  readonly createPage: AnswerTemplate;
  /** Answer to a list. */
  readonly listPages: AnswerTemplate;
  /** Answer to a list when there is no page to put in. @defaultValue `listPages` */
  readonly emptyList?: AnswerTemplate | undefined;
  /** Answer to a list when there is none at all, such as that of an account without pages. @defaultValue `emptyList` */
  readonly emptyAccount?: AnswerTemplate | undefined;
  /** Answer to an update. */
  readonly updatePage: AnswerTemplate;
  /** Answer to a delete. */
  readonly deletePage: AnswerTemplate;
  /** Answer to an event. */
  readonly trackEvent: AnswerTemplate;
  /** Every error that `errors` does not name. */
  readonly error: AnswerTemplate;
  /** Errors that look otherwise, by the status that our reference service answers; `malformed` is a 400 that blames the body as a whole, such as one that is no JSON. */
  readonly errors?: { readonly [status: string]: AnswerTemplate } | undefined;
}

/** How one answer looks. Without `body`, `text` and `html` it is empty; there is at most one of them. */
export interface AnswerTemplate {
  /** HTTP status. @defaultValue that of our reference service */
  readonly status?: number | undefined;
  /** Headers beside those that every answer has; placeholders are written as text. @defaultValue none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The body: JSON with placeholders. */
  readonly body?: Json | undefined;
  /** The body as plain text with placeholders. */
  readonly text?: string | undefined;
  /** The body as HTML with placeholders, whose values are escaped. */
  readonly html?: string | undefined;
}
