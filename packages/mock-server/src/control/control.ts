// The control API below `/__mock/`. Tests in other languages use it to control the service over HTTP.
import { hash, randomUUID, timingSafeEqual } from "node:crypto";
import type { HeaderLookup } from "@landing-page-service/contract";
import { decodePercent } from "@landing-page-service/contract/internal";
import { bodyPointer, knownNames, queryPointer, readFields, readJson, readQuery, wrongFields } from "../api/input.ts";
import { ArgumentError } from "../argument.ts";
import { renderReference } from "../dialect/renderer.ts";
import { isFromForeignSite, maxControlBodyBytes } from "../http/request.ts";
import type { PlainAnswer, PlainRequest, Refusal, TextOutcome } from "../http-types.ts";
import { internalError } from "../service/fixed-responses.ts";
import type { MockService } from "../service/mock-service.ts";
import { readBearerKey } from "../state/accounts.ts";
import { controlDocument } from "./document.ts";
import { type ControlRoute, NotFoundError, routes } from "./routes.ts";

/** Access to the control API. */
export interface ControlOptions {
  /** Whether it is open. Health and assumptions are always open. */
  isOpen: boolean;
  /** Token that callers must send as `Authorization: Bearer`. @defaultValue none */
  token?: string | undefined;
}

/** Makes the function that responds to requests below `/__mock/`. Rate limits, faults and the journal do not apply to them. */
export function createControl(
  service: MockService,
  options: ControlOptions,
): (request: PlainRequest) => Promise<PlainAnswer> {
  return async (request) => {
    const outcome = await respond(request, service, options);
    const { path, origin } = request;
    const frame = { path, origin, requestId: `ctl_${randomUUID()}`, nowMs: service.clock.now() };
    const response = renderReference(outcome, frame);
    // A browser must not cache it or show it as a page.
    const guards = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
    return { ...response, headers: { ...response.headers, ...guards } };
  };
}

/** Whether headers have the token of the control API. Compares digests, so that its duration reveals nothing about the token. */
export function hasToken(headers: HeaderLookup, token: string): boolean {
  const given = readBearerKey(headers) ?? "";
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

const documentPath = "/__mock/openapi.json";

async function respond(
  request: PlainRequest,
  service: MockService,
  options: ControlOptions,
): Promise<TextOutcome | Refusal> {
  const { path, headers } = request;
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (isFromForeignSite(headers)) return refusal(403, "Requests from a web page on another site are refused.");
  if (path === documentPath && options.isOpen) return { status: 200, text: JSON.stringify(controlDocument(routes)) };
  const matches = routes.filter(({ pattern }) => pattern.test(path));
  const route = matches.find((each) => each.method === method);
  const refused = route?.isAlwaysOpen === true ? undefined : refuseCaller(headers, options);
  if (refused !== undefined) return refused;
  if (route !== undefined) return run(route, request, service);
  if (matches.length === 0) return refusal(404, `The control API has no such path; ${documentPath} lists all paths.`);
  const allow = matches.map((each) => each.method).join(", ");
  return { refused: 405, detail: `This path accepts ${allow}.`, headers: { Allow: allow } };
}

function refuseCaller(headers: HeaderLookup, { isOpen, token }: ControlOptions): Refusal | undefined {
  if (!isOpen) return refusal(404, "The control API is off; it opens with listen(service, { control: true }).");
  if (token === undefined || hasToken(headers, token)) return undefined;
  const detail = "The control API expects Authorization: Bearer with its token.";
  return { refused: 401, detail, headers: { "WWW-Authenticate": "Bearer" } };
}

async function run(route: ControlRoute, request: PlainRequest, service: MockService): Promise<TextOutcome | Refusal> {
  const query = readParameters(route, request);
  if ("refused" in query) return query;
  const body = readBody(route, request);
  if ("refused" in body) return body;
  const id = decodePercent(route.pattern.exec(request.path)?.[1] ?? "");
  if (id === undefined) return refusal(400, "The path is not percent-encoded UTF-8.");
  const { status, response, isStream } = route;
  try {
    const value = await route.run({ service, id, query: query.value, body: body.value, signal: request.signal });
    if (!isStream) return { status, text: response && JSON.stringify(value) };
    const pieces = value as AsyncIterable<string>; // why: a route that streams returns these
    return { status, headers: { "Content-Type": "text/event-stream" }, text: undefined, pieces };
  } catch (error) {
    if (error instanceof NotFoundError) return refusal(404, error.message);
    if (error instanceof ArgumentError) return refusal(400, error.message);
    return internalError(error);
  }
}

function readParameters(route: ControlRoute, request: PlainRequest): { value: unknown } | Refusal {
  const query = readQuery(request.query);
  const known = knownNames(route.query).join(", ");
  if (request.query !== "" && known === "") return refusePart("query", route, route.body && acceptedBody(route));
  if (query.wrong.length > 0) return wrongFields(query.wrong);
  const fields = readFields(route.query, query.values, queryPointer);
  return "refused" in fields ? advise(fields, `The query accepts ${known}.`) : fields;
}

function refusePart(part: "query" | "body", { method, path }: ControlRoute, advice = ""): Refusal {
  return advise(refusal(400, `${method} ${path} accepts no ${part}.`), advice);
}

function acceptedBody({ example }: ControlRoute): string {
  return `An accepted body: ${JSON.stringify(example)}`;
}

function readBody(route: ControlRoute, request: PlainRequest): { value: unknown } | Refusal {
  const size = request.body?.length ?? 0;
  if (route.body === undefined) return size === 0 ? { value: undefined } : refusePart("body", route);
  const advice = acceptedBody(route);
  const type = request.headers.get("Content-Type") ?? "none";
  // A form on a foreign site cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    return advise(refusal(415, `Expected Content-Type: application/json, got ${type.slice(0, 200)}.`), advice);
  if (size > maxControlBodyBytes) return refusal(413, "The body is larger than 64 MiB.");
  const json = readJson(request.body);
  const fields = "refused" in json ? json : readFields(route.body, json.value, bodyPointer);
  return "refused" in fields ? advise(fields, advice) : fields;
}

/** Adds a hint about the accepted values to a refusal. */
function advise(refused: Refusal, advice: string): Refusal {
  return { ...refused, detail: `${refused.detail.replace(/[^.?]$/, "$&.")} ${advice}`.trimEnd() };
}

function refusal(refused: number, detail: string): Refusal {
  return { refused, detail };
}
