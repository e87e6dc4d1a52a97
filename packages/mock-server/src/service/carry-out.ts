import type { Dialect } from "@landing-page-service/contract/dialect";
import { openApiDocument } from "@landing-page-service/contract/openapi";
import { operations } from "../api/operations.ts";
import { endpointPaths } from "../api/routes.ts";
import type { Outcome, Success } from "../exchange/outcome.ts";
import type { Account } from "../state/accounts.ts";
import type { Call } from "./call.ts";
import type { Manner } from "./manner.ts";

/** What carrying out takes beside the request. */
export interface Workplace {
  readonly account: Account;
  readonly nowMs: number;
  readonly manner: Manner;
}

/** Does what a request of an account asks for, whether there is such a thing or not. */
export function carryOut(
  { request, route }: Call,
  { account: { state, placeRules }, nowMs, manner }: Workplace,
): Outcome {
  const shownPath = request.path.slice(0, 200);
  if (route.kind === "endpoint") {
    const { encodedId, endpoint } = route;
    const { switches, inputs, network, findPage } = manner;
    return operations[endpoint.name]({
      switches,
      inputs,
      network,
      findPage,
      request,
      encodedId,
      state,
      placeRules,
      nowMs,
    });
  }
  if (route.kind === "document") return showDocument(route.document, manner.dialect);
  if (route.kind === "options") return { status: 204, headers: { Allow: route.allow } };
  if (route.kind === "wrong-method") {
    const detail = `${shownPath} takes ${route.allow}, not ${request.method.slice(0, 40)}.`;
    return { refused: 405, detail, headers: { Allow: route.allow } };
  }
  return { refused: 404, detail: `Nothing is at ${shownPath}; there are ${endpointPaths.join(", ")}.` };
}

/** What is shown to whoever asks, without a key: a page for people who opened the base URL, and the API's description. */
export function showDocument(document: "home" | "openapi", dialect: Dialect): Success {
  return document === "home" ? home : { status: 200, body: openApiText(dialect) };
}

const home: Success = {
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Landing Page Service (mock)</title>
<h1>Landing Page Service (mock)</h1>
<p>The API is at <code>/api</code>, described in <a href="/openapi.json">/openapi.json</a>. Any key that begins with
<code>test_</code> opens an account of its own: <code>Authorization: Bearer test_demo</code></p>
<p>On a port, <code>/__mock/health</code> and <code>/__mock/assumptions</code> answer too, and with
<code>listen(service, { control: true })</code> the control API, described in <code>/__mock/openapi.json</code>.</p>
</html>
`,
};

const openApiTexts = new WeakMap<Dialect, string>();

function openApiText(dialect: Dialect): string {
  const text = openApiTexts.get(dialect) ?? JSON.stringify(openApiDocument(dialect));
  openApiTexts.set(dialect, text);
  return text;
}
