import { randomUUID } from "node:crypto";
import type { HeaderLookup } from "@landing-page-service/contract";
import * as z from "zod";
import { isRefusal, type Outcome, type Refusal, wrongFields } from "../exchange/outcome.ts";
import { fitToMethod, type PlainAnswer, type PlainRequest } from "../exchange/plain.ts";
import { readQuery } from "../exchange/query.ts";
import { writeAnswer } from "../service/write-answer.ts";
import { controlDocument } from "./document.ts";
import { type ControlRow, controlRows } from "./rows.ts";
import { homePage } from "./home.ts";
import { hasToken } from "./token.ts";
import { maxControlBodyBytes } from "../http/body.ts";
import type { MockService } from "../service/service.ts";

/** Who may use the control API. */
export interface ControlOptions {
  /** Whether it is open at all; health and assumptions always are. */
  isOpen: boolean;
  /** What callers must send as `Authorization: Bearer`. @defaultValue nothing */
  token?: string | undefined;
}

/**
 * Makes the function that answers requests below `/__mock/`: the service's remote control, for tests in other languages.
 * It stands outside rate limits, faults and journal.
 */
export function createControl(
  service: MockService,
  options: ControlOptions,
): (request: PlainRequest) => Promise<PlainAnswer> {
  return async (request) => {
    // A link to the page itself may stand anywhere: it shows nothing of anybody's data.
    const outcome =
      request.path === "/"
        ? { status: 200, headers: homeHeaders, body: homePage(options.isOpen) }
        : (refuseForeignSite(request.headers) ?? (await answerRow(request, service, options)));
    const frame = { id: `ctl_${randomUUID()}`, rateHeaders: {}, nowMs: service.clock.now() };
    const answer = fitToMethod(writeAnswer(outcome, frame), request.method);
    return { ...answer, headers: { ...answer.headers, "Cache-Control": "no-store" } };
  };
}

const homeHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** A web page on another site must not steer the service of whoever looks at it. */
function refuseForeignSite(headers: HeaderLookup): Refusal | undefined {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  const isOurSite = site === null || site === "same-origin" || site === "none";
  if (isOurSite && (origin === null || origin === `http://${headers.get("Host")}`)) return undefined;
  return refusal(403, "Requests that a web page on another site sends are refused.");
}

function answerRow(request: PlainRequest, service: MockService, options: ControlOptions): Outcome | Promise<Outcome> {
  if (request.path === documentPath && options.isOpen) return { status: 200, body: JSON.stringify(controlDocument()) };
  const matches = matchRows(request.path);
  const wanted = request.method === "HEAD" ? "GET" : request.method;
  const match = matches.find(({ row }) => row.method === wanted);
  if (match?.row.isAlwaysOpen !== true) {
    const refused = refuseCaller(request.headers, options);
    if (refused !== undefined) return refused;
  }
  if (match !== undefined) return runRow(match, request, service);
  if (matches.length === 0) return refusal(404, `The control API has nothing here; ${documentPath} lists what it has.`);
  const allow = matches.map(({ row }) => row.method).join(", ");
  return { ...refusal(405, `This path takes ${allow}.`), headers: { Allow: allow } };
}

const documentPath = "/__mock/openapi.json";

function refuseCaller(headers: HeaderLookup, { isOpen, token }: ControlOptions): Refusal | undefined {
  if (!isOpen) return refusal(404, "The control API is off; it opens with listen(service, { control: true }).");
  if (token === undefined || hasToken(headers, token)) return undefined;
  return {
    ...refusal(401, "The control API expects Authorization: Bearer with its token."),
    headers: { "WWW-Authenticate": "Bearer" },
  };
}

interface Match {
  readonly row: ControlRow;
  /** What stands for `{id}`, still percent-encoded. */
  readonly encodedId: string;
}

function matchRows(path: string): Match[] {
  return controlRows.flatMap((row) => {
    const [start = "", end] = row.path.split("{id}");
    if (end === undefined) return path === start ? [{ row, encodedId: "" }] : [];
    const encodedId = path.slice(start.length);
    return path.startsWith(start) && encodedId !== "" && !encodedId.includes("/") ? [{ row, encodedId }] : [];
  });
}

async function runRow({ row, encodedId }: Match, request: PlainRequest, service: MockService): Promise<Outcome> {
  const { signal } = request;
  try {
    const query = readQuery(request.query);
    if (query.wrong.length > 0) return wrongFields(query.wrong);
    if (row.body === undefined && (request.body?.length ?? 0) > 0)
      return refusal(400, `${row.method} ${row.path} takes no body; what it is about stands in the query.`);
    const body = row.body === undefined ? undefined : readJson(request);
    if (body !== undefined && isRefusal(body)) return body;
    const value = await row.run({
      service,
      id: decodeURIComponent(encodedId),
      query: query.values,
      body: body?.value,
      signal,
    });
    if (typeof value === "object" && value !== null && isRefusal(value)) return value;
    return row.status === 204 ? { status: 204 } : { status: row.status, body: JSON.stringify(value) };
  } catch (error) {
    return refuseMisuse(error);
  }
}

function readJson({ headers, body }: PlainRequest): { value: unknown } | Refusal {
  const type = headers.get("Content-Type") ?? "none";
  // A form on a foreign site cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return refusal(415, `Expected application/json, got ${type}.`);
  if ((body?.length ?? 0) > maxControlBodyBytes) return refusal(413, "The body is larger than 64 MiB.");
  return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) };
}

/** What goes wrong while a row runs is what its caller sent: the service throws these at misuse. */
function refuseMisuse(error: unknown): Refusal {
  if (error instanceof z.ZodError) {
    return wrongFields(
      error.issues.map(({ path, message }) => ({ pointer: ["#", ...path].join("/"), detail: message })),
    );
  }
  const isMisuse = [TypeError, RangeError, SyntaxError, URIError].some((kind) => error instanceof kind);
  if (isMisuse && error instanceof Error) return refusal(400, error.message);
  throw error;
}

function refusal(refused: number, detail: string): Refusal {
  return { refused, detail };
}
