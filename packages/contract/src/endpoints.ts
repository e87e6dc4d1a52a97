import type * as z from "zod/mini";
import { eventSchema } from "./event.ts";
import { freezeDeep } from "./json.ts";
import { createPageSchema, listQuerySchema, updatePageSchema } from "./page.ts";
import type { ReferenceSchemas } from "./reference.ts";

/** One endpoint of the service. The types of the SDK, the routes of the mock and the OpenAPI document are made from it. */
export interface Endpoint {
  /** Name of the endpoint, also its `operationId`. */
  readonly name: EndpointName;
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path template; `:id` stands for one encoded path segment. */
  readonly path: "/api/content" | "/api/content/:id" | "/api/analytics/view";
  /** Heading of the spec, such as `Create page`. Error messages begin with it. */
  readonly summary: string;
  /** The documented query or body, with the schema by which the SDK checks it; absent when there is neither. */
  readonly input?: {
    readonly in: "query" | "body";
    readonly schema: z.ZodMiniType;
    readonly reference: keyof ReferenceSchemas;
  };
  /** The successful response of the mock server. Gap: see docs/spec-gaps.md#create-status, #delete-status and #event-status */
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
  };
  /** Error statuses the spec documents for it. */
  readonly errors: readonly (400 | 401 | 404 | 429 | 500)[];
}

/** Names of the five endpoints. */
export type EndpointName = "listPages" | "createPage" | "updatePage" | "deletePage" | "trackEvent";

/** The five endpoints. Source: spec, "Endpoints". */
export const endpoints = freezeDeep({
  listPages: {
    name: "listPages",
    method: "GET",
    path: "/api/content",
    summary: "List pages",
    input: { in: "query", schema: listQuerySchema, reference: "listQuery" },
    success: { status: 200, description: "A part of the account's pages." },
    errors: [400, 401, 429, 500],
  },
  createPage: {
    name: "createPage",
    method: "POST",
    path: "/api/content",
    summary: "Create page",
    input: { in: "body", schema: createPageSchema, reference: "createPage" },
    success: { status: 201, description: "The page with its domains." },
    errors: [400, 401, 429, 500],
  },
  updatePage: {
    name: "updatePage",
    method: "PUT",
    path: "/api/content/:id",
    summary: "Update page",
    input: { in: "body", schema: updatePageSchema, reference: "updatePage" },
    success: { status: 200, description: "The page after the change." },
    errors: [400, 401, 404, 429, 500],
  },
  deletePage: {
    name: "deletePage",
    method: "DELETE",
    path: "/api/content/:id",
    summary: "Delete page",
    success: { status: 204, description: "The page is deleted permanently." },
    errors: [401, 404, 429, 500],
  },
  trackEvent: {
    name: "trackEvent",
    method: "POST",
    path: "/api/analytics/view",
    summary: "Submit analytics event",
    input: { in: "body", schema: eventSchema, reference: "event" },
    success: { status: 202, description: "The event was accepted." },
    errors: [400, 401, 404, 429, 500],
  },
} as const satisfies Record<EndpointName, Endpoint>);

/** Names of the documented error statuses, and of other statuses that the client and the mock use. Source: spec, "Errors", and RFC 9110, section 15. */
export const statusTitles: Readonly<Record<number, string>> = freezeDeep({
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  403: "Forbidden",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  // RFC 9110 renamed it, but services still use the old name.
  422: "Unprocessable Entity",
  503: "Service Unavailable",
});
