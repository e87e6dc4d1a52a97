import { type ReferenceSchemas, referenceSchemas, maxBodyBytes, type Switches } from "@landing-page-service/contract";
import type * as z from "zod";
import { bodyPointer, knownNames, queryPointer, readFields } from "../exchange/fields.ts";
import { isRefusal, type Refusal, wrongFields } from "../exchange/outcome.ts";
import type { PlainRequest, RequestBody } from "../exchange/plain.ts";
import { readQuery } from "../exchange/query.ts";

/** Checks values against the rules of one kind of input. Each gives the value as the service takes it, or every wrong field. */
interface InputReader<Value> {
  check(value: unknown): Value | Refusal;
  body(request: PlainRequest, body: RequestBody): Value | Refusal;
  query(request: PlainRequest): Value | Refusal;
}

/** One reader for each kind of input. */
export type InputReaders = { readonly [Kind in keyof ReferenceSchemas]: InputReader<z.output<ReferenceSchemas[Kind]>> };

// Gap: see docs/spec-gaps.md#body-limits
const deepestJson = 64;

/** Makes the readers for one dialect. */
export function createInputReaders(switches: Switches): InputReaders {
  const schemas = referenceSchemas(switches);
  const ignoresUnknown = switches["unknown-fields"] === "ignored";
  return {
    createPage: createReader(schemas.createPage, ignoresUnknown),
    updatePage: createReader(schemas.updatePage, ignoresUnknown),
    listQuery: createReader(schemas.listQuery, ignoresUnknown),
    event: createReader(schemas.event, ignoresUnknown),
  };
}

function createReader<Value extends object>(schema: z.ZodType<Value>, ignoresUnknown: boolean): InputReader<Value> {
  function check(value: unknown, pointerTo = bodyPointer): Value | Refusal {
    const result = readFields(schema, value, pointerTo);
    return isRefusal(result) ? result : result.value;
  }
  return {
    check: (value) => check(value),
    body(request, body) {
      const json = checkMediaType(request) ?? checkSize(body) ?? readJson(body);
      return isRefusal(json) ? json : check(json.value);
    },
    query(request) {
      const parameters = readQuery(request.query);
      const known = ignoresUnknown ? knownNames(schema) : undefined;
      const wrong = parameters.wrong.filter(({ pointer }) => known?.includes(pointer) ?? true);
      return wrong.length > 0 ? wrongFields(wrong) : check(parameters.values, queryPointer);
    },
  };
}

/** The JSON value of a body. Gap: see docs/spec-gaps.md#body-limits */
function readJson(body: RequestBody): { value: unknown } | Refusal {
  if (!body.isUtf8) return wrongBody("expected JSON in UTF-8, got bytes that are not UTF-8");
  const { json } = body;
  if (json === undefined)
    return wrongBody(`expected a JSON object, got ${body.text === "" ? "nothing" : body.problem}`);
  return isDeeper(json.value, deepestJson)
    ? wrongBody(`expected JSON nested at most ${deepestJson} levels deep`)
    : json;
}

function wrongBody(detail: string): Refusal {
  return wrongFields([{ pointer: "#", detail }]);
}

/** Refuses a body that is not plain JSON. */
function checkMediaType({ headers }: PlainRequest): Refusal | undefined {
  const contentType = headers.get("Content-Type");
  if (contentType === null || !isJsonInUtf8(contentType)) {
    const got = contentType === null ? "none" : JSON.stringify(contentType.slice(0, 200));
    return { refused: 415, detail: `Content-Type: expected application/json, got ${got}.` };
  }
  const encoding = headers.get("Content-Encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return undefined;
  return { refused: 415, detail: `Content-Encoding: expected none, got ${JSON.stringify(encoding.slice(0, 200))}.` };
}

/** Refuses a body that is too large, on whatever endpoint. */
export function checkSize({ bytes }: RequestBody): Refusal | undefined {
  if (bytes.length <= maxBodyBytes) return undefined;
  return { refused: 413, detail: `The body is larger than ${maxBodyBytes} bytes.` };
}

function isJsonInUtf8(contentType: string): boolean {
  if (!/^\s*application\/json\s*(?:;|$)/i.test(contentType)) return false;
  return !/;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i.test(contentType);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
