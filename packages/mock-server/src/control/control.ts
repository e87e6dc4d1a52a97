import { randomUUID } from "node:crypto";
import type { HeaderLookup } from "@landing-page-service/contract";
import { ArgumentError } from "../argument.ts";
import { bodyPointer, knownNames, queryPointer, readFields, readQuery, wrongFields } from "../api/input.ts";
import {
  fitToMethod,
  isRefusal,
  type PlainAnswer,
  type PlainRequest,
  type Refusal,
  type TextOutcome,
} from "../http-types.ts";
import { renderReference } from "../dialect/renderer.ts";
import { controlDocument } from "./document.ts";
import type { ControlRow } from "./row.ts";
import { serviceRows } from "./service-rows.ts";
import { stateRows } from "./state-rows.ts";
import { testingRows } from "./testing-rows.ts";
import { hasToken } from "./token.ts";
import { isFromForeignSite, maxControlBodyBytes } from "../http/request.ts";
import type { MockService } from "../service/mock-service.ts";

/** Everything the control API can do. */
const controlRows: readonly ControlRow[] = [...serviceRows, ...stateRows, ...testingRows];

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
    const outcome = refuseForeignSite(request.headers) ?? (await answerRow(request, service, options));
    const { path, origin, method } = request;
    const frame = { endpoint: undefined, path, origin, requestId: `ctl_${randomUUID()}`, nowMs: service.clock.now() };
    const answer = fitToMethod(renderReference(outcome, frame), method);
    return { ...answer, headers: { ...answer.headers, ...guards } };
  };
}

/** Nothing is kept by a browser, nor taken for a page. */
const guards = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function refuseForeignSite(headers: HeaderLookup): Refusal | undefined {
  return isFromForeignSite(headers)
    ? refusal(403, "Requests that a web page on another site sends are refused.")
    : undefined;
}

type Answered = TextOutcome | Refusal;

function answerRow(request: PlainRequest, service: MockService, options: ControlOptions): Answered | Promise<Answered> {
  if (request.path === documentPath && options.isOpen)
    return { status: 200, text: JSON.stringify(controlDocument(controlRows)) };
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

type Pieces = AsyncIterable<string>;

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

async function runRow({ row, encodedId }: Match, request: PlainRequest, service: MockService): Promise<Answered> {
  const query = readParameters(row, request);
  if (isRefusal(query)) return query;
  const body = readBodyOf(row, request);
  if (isRefusal(body)) return body;
  const id = decodeId(encodedId);
  if (id === undefined) return refusal(400, "The path is not percent-encoded UTF-8.");
  try {
    const value = await row.run({ service, id, query: query.value, body: body.value, signal: request.signal });
    if (typeof value === "object" && value !== null && isRefusal(value)) return value;
    if (row.isStream)
      return {
        status: 200,
        headers: { "Content-Type": "text/event-stream" },
        text: undefined,
        pieces: value as Pieces,
      }; // why: a row that streams runs to these
    return row.answer === undefined
      ? { status: 204, text: undefined }
      : { status: row.status, text: JSON.stringify(value) };
  } catch (error) {
    if (error instanceof ArgumentError) return refusal(400, error.message);
    // A mistake of our own: the caller can do nothing about it, and whoever mends it needs the stack.
    console.error(error);
    return refusal(500, `The mock service itself failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function decodeId(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function readParameters({ query: schema }: ControlRow, request: PlainRequest): { value: unknown } | Refusal {
  const query = readQuery(request.query);
  if (query.wrong.length > 0) return wrongFields(query.wrong);
  const fields = readFields(schema, query.values, queryPointer);
  return isRefusal(fields) ? wanted(fields, `The query takes ${knownNames(schema).join(", ") || "nothing"}.`) : fields;
}

function readBodyOf(row: ControlRow, { headers, body }: PlainRequest): { value: unknown } | Refusal {
  const { body: schema, example } = row;
  if (schema === undefined) {
    if ((body?.length ?? 0) === 0) return { value: undefined };
    return refusal(400, `${row.method} ${row.path} takes no body; what it is about stands in the query.`);
  }
  const sentence = `A body it takes: ${JSON.stringify(example)}`;
  const type = headers.get("Content-Type") ?? "none";
  // A form on a foreign site cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    return wanted(refusal(415, `Expected Content-Type: application/json, got ${type.slice(0, 200)}.`), sentence);
  if ((body?.length ?? 0) > maxControlBodyBytes) return refusal(413, "The body is larger than 64 MiB.");
  const json = parseBody(body ?? new Uint8Array());
  const fields = isRefusal(json) ? json : readFields(schema, json.value, bodyPointer);
  return isRefusal(fields) ? wanted(fields, sentence) : fields;
}

function parseBody(body: Uint8Array): { value: unknown } | Refusal {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) };
  } catch (error) {
    const reason = body.length === 0 ? "got nothing" : error instanceof Error ? error.message : "got something else";
    return refusal(400, `Expected JSON in UTF-8: ${reason}.`);
  }
}

/** A refusal that also says what would have been taken. */
function wanted(refused: Refusal, sentence: string): Refusal {
  return { ...refused, detail: `${refused.detail.replace(/[^.?]$/, "$&.")} ${sentence}` };
}

function refusal(refused: number, detail: string): Refusal {
  return { refused, detail };
}
