import { freezeDeep } from "./freeze.ts";

/** One thing that the spec states about the service, and that a caller can see happen or not. */
export interface Statement {
  /** Heading of the spec under which it stands. */
  readonly heading: string;
  /** What is stated. */
  readonly statement: string;
}

/** What the spec documents of the service's behaviour, by id, in the order of the spec. Whatever is not here is one of the gaps. */
export const statements = freezeDeep({
  "page-identifier": {
    heading: "Page (landing page)",
    statement: "A page has an identifier, which addresses it in the paths of update and delete.",
  },
  "list-own": { heading: "List pages", statement: "A list returns the pages of the account." },
  "list-no-foreign": {
    heading: "Page (landing page)",
    statement: "A page belongs to the account whose key created it; another account does not see it.",
  },
  "list-limit": { heading: "List pages", statement: "`limit` is the number of pages returned." },
  "list-default-limit": { heading: "Limits", statement: "Without `limit`, 20 pages are returned." },
  "list-offset": { heading: "List pages", statement: "`offset` skips that many pages." },
  "create-page": {
    heading: "Create page",
    statement: "A create with the documented fields makes a page that has them.",
  },
  "create-no-domain": {
    heading: "Create page",
    statement: "A domain need not be sent; the service chooses.",
  },
  "create-no-description": { heading: "Create page", statement: "`meta_description` may be left out of a create." },
  "update-changes-sent": { heading: "Update page", statement: "An update changes the fields that are sent." },
  "update-keeps-unsent": { heading: "Update page", statement: "An update leaves the fields that are not sent." },
  "delete-permanent": { heading: "Delete page", statement: "A deleted page is gone for good." },
  "event-accepted": {
    heading: "Submit analytics event",
    statement: "An event with `pageId` and a `timestamp` shaped `YYYY-MM-DDTHH:MM:SSZ` is taken.",
  },
  "auth-bearer": {
    heading: "Authentication",
    statement: "A request with `Authorization: Bearer <key>` is let in.",
  },
  "auth-missing": { heading: "Authentication", statement: "Without a key, every endpoint answers 401." },
  "auth-invalid": { heading: "Authentication", statement: "With an invalid key, every endpoint answers 401." },
  "error-malformed": { heading: "Errors", statement: "Malformed data is answered with 400." },
  "error-invalid": { heading: "Errors", statement: "Invalid parameters are answered with 400." },
  "error-not-found": { heading: "Errors", statement: "A page that does not exist is answered with 404." },
  "error-too-many": { heading: "Errors", statement: "A request beyond the rate limit is answered with 429." },
  "error-server": { heading: "Errors", statement: "A failure of the service is answered with 500." },
  "rate-limit-headers": {
    heading: "Limits",
    statement:
      "Every answer carries `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, each an integer.",
  },
} as const satisfies Record<string, Statement>);

/** Id of a documented statement, such as `list-offset`. */
export type StatementId = keyof typeof statements;
