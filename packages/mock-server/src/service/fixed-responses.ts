// Responses that need no operation: documents, refusals and planned faults.
import { writeRateLimit } from "@landing-page-service/contract";
import type { Dialect } from "@landing-page-service/contract/dialect";
import { openApiDocument } from "@landing-page-service/contract/openapi";
import { endpointPaths, type Route } from "../api/operations.ts";
import type { PlainRequest, Refusal, TextOutcome } from "../http-types.ts";
import type { RateState } from "../state/plan.ts";
import type { FiredFault } from "../testing/faults.ts";

/** For anonymous clients. Source: spec, "Authentication". */
export const unauthorized: Refusal = {
  refused: 401,
  detail:
    "The API key is missing or invalid: expected Authorization: Bearer <API_KEY>. In this mock, any key that begins with test_ opens an account of its own.",
  headers: { "WWW-Authenticate": "Bearer" },
};

/** For clients that send requests after the end of their test. */
export const testEnded: Refusal = {
  refused: 421,
  detail:
    "The test of this mock has ended, but its client still sends requests. Build the client in each test, with its mock.clientOptions, and await all its calls.",
};

/** For requests whose account was reset or restored in the meantime. */
export const resetMeanwhile: Refusal = {
  refused: 503,
  detail: "The account was reset while this request was under way.",
};

/** For a bug of the mock itself. The stack goes to the log, because few tests show their responses. */
export function internalError(error: unknown): Refusal {
  console.error("The mock service itself failed:", error);
  return {
    refused: 500,
    detail: `The mock service itself failed: ${error instanceof Error ? error.message : String(error)}`,
  };
}

/** For a request beyond the rate limit. */
export function tooMany(rate: RateState, nowMs: number): Refusal {
  const headers = exhausted(rate, nowMs);
  return {
    refused: 429,
    detail: `The account's ${rate.limit} requests of this window are used up; the next one begins in ${headers["Retry-After"]} s.`,
    headers,
  };
}

/** The response of a planned fault. The pipeline adds the network error. */
export function faultResponse(
  { status = 500, headers: faultHeaders = {}, body, text }: FiredFault,
  rate: RateState,
  nowMs: number,
): Refusal | TextOutcome {
  const headers = status === 429 ? exhausted(rate, nowMs) : {};
  if (text === undefined && status >= 400)
    return { refused: status, detail: "A planned fault.", headers, faultHeaders };
  const type = typeof body === "string" ? { "Content-Type": "text/plain; charset=utf-8" } : {};
  return { status, headers: { ...type, ...headers }, faultHeaders, text };
}

/** Headers that tell a caller to wait until the window ends. */
function exhausted(rate: RateState, nowMs: number): Record<string, string> {
  const waitSeconds = Math.max(Math.ceil((rate.resetAtMs - nowMs) / 1000), 1);
  return { ...writeRateLimit({ ...rate, remaining: 0 }), "Retry-After": String(waitSeconds) };
}

/** For a method or a path without an endpoint. */
export function unrouted(route: Route, { method, path }: PlainRequest): Refusal | TextOutcome {
  const shownPath = path.slice(0, 200);
  if (route.kind === "options") return { status: 204, headers: { Allow: route.allow }, text: undefined };
  if (route.kind === "wrong-method") {
    const detail = `${shownPath} accepts ${route.allow}, not ${method.slice(0, 40)}.`;
    return { refused: 405, detail, headers: { Allow: route.allow } };
  }
  return { refused: 404, detail: `${shownPath} does not exist. The paths are ${endpointPaths.join(", ")}.` };
}

/** Responses that need no key: a page for people who open the base URL, and the OpenAPI document. */
export function showDocument(document: "home" | "openapi", dialect: Dialect): TextOutcome {
  return document === "home" ? home : { status: 200, text: JSON.stringify(openApiDocument(dialect)) };
}

const home: TextOutcome = {
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  },
  text: `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Landing Page Service (mock)</title>
<h1>Landing Page Service (mock)</h1>
<p>The API is at <code>/api</code>, described in <a href="/openapi.json">/openapi.json</a>. Any key that begins with
<code>test_</code> opens an account of its own: <code>Authorization: Bearer test_demo</code></p>
<p>On a port, <code>/__mock/health</code> and <code>/__mock/assumptions</code> are available too, and with
<code>listen(service, { control: true })</code> the control API, described in <code>/__mock/openapi.json</code>.</p>
`,
};
