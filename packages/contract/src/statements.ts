import { freezeDeep } from "./json.ts";

/** One statement of the spec that a caller can check. */
export interface Statement {
  /** Heading of the spec that contains it. */
  readonly heading: string;
  /** The statement. */
  readonly statement: string;
}

/** The documented behaviour of the service, by id, in the order of the spec. `gaps` has everything that the spec leaves open. */
export const statements = freezeDeep({
  "page-identifier": {
    heading: "Page (landing page)",
    statement: "A page has an identifier, which stands for it in the paths of update and delete.",
  },
  "list-own": { heading: "List pages", statement: "A list returns the pages of the account." },
  "list-no-foreign": {
    heading: "Page (landing page)",
    statement: "A page belongs to the account whose key created it; another account does not see it.",
  },
  "list-limit": { heading: "List pages", statement: "`limit` is the largest number of pages in a list." },
  "list-default-limit": { heading: "Limits", statement: "Without `limit`, a list has at most 20 pages." },
  "list-offset": { heading: "List pages", statement: "`offset` skips that many pages." },
  "create-page": {
    heading: "Create page",
    statement: "A create with the documented fields stores a page with those fields.",
  },
  "create-no-domain": {
    heading: "Create page",
    statement: "A create sends no domain, because the service assigns them.",
  },
  "create-no-description": { heading: "Create page", statement: "`meta_description` may be left out of a create." },
  "update-changes-sent": { heading: "Update page", statement: "An update changes the fields that are sent." },
  "update-keeps-unsent": { heading: "Update page", statement: "An update keeps the fields that are not sent." },
  "delete-permanent": { heading: "Delete page", statement: "A deleted page is gone for good." },
  "event-accepted": {
    heading: "Submit analytics event",
    statement: "An event with `pageId` and a `timestamp` shaped `YYYY-MM-DDTHH:MM:SSZ` is accepted.",
  },
  "auth-bearer": {
    heading: "Authentication",
    statement: "A request with `Authorization: Bearer <key>` is accepted.",
  },
  "auth-missing": { heading: "Authentication", statement: "Without a key, every endpoint responds with 401." },
  "auth-invalid": { heading: "Authentication", statement: "With an invalid key, every endpoint responds with 401." },
  "error-malformed": { heading: "Errors", statement: "The response to malformed data is 400." },
  "error-invalid": { heading: "Errors", statement: "The response to invalid parameters is 400." },
  "error-not-found": { heading: "Errors", statement: "The response for a page that does not exist is 404." },
  "error-too-many": { heading: "Errors", statement: "The response to a request over the rate limit is 429." },
  "error-server": { heading: "Errors", statement: "The response is 500 if the service fails." },
  "rate-limit-headers": {
    heading: "Limits",
    statement:
      "Every response has `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, each an integer.",
  },
} as const satisfies Record<string, Statement>);

/** Id of a documented statement, such as `list-offset`. */
export type StatementId = keyof typeof statements;
