import { isUtf8 } from "node:buffer";
import { maxBodyBytes, type ReferenceSchemas, referenceSchemas, type Switches } from "@landing-page-service/contract";
import type * as z from "zod";
import { bodyPointer, knownNames, queryPointer, readFields } from "../exchange/fields.ts";
import { isRefusal, type Refusal, wrongFields } from "../exchange/outcome.ts";
import type { PlainRequest } from "../exchange/plain.ts";
import { readQuery } from "../exchange/query.ts";

/** Checks values against the rules of one kind of input. */
interface InputReader<Value> {
  /** The value as the service takes it, or every wrong field. */
  check(value: unknown): Value | Refusal;
  /** The same for the JSON body of a request. */
  body(request: PlainRequest): Value | Refusal;
  /** The same for the query of a request. */
  query(request: PlainRequest): Value | Refusal;
}

/** One reader for each kind of input. */
export type InputReaders = { readonly [Kind in keyof ReferenceSchemas]: InputReader<z.output<ReferenceSchemas[Kind]>> };

// Gap: see docs/spec-gaps.md#body-limits
const deepestJson = 64;
const byteOrderMark = /^\uFEFF/;

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
    const fields = readFields(schema, value, pointerTo);
    return isRefusal(fields) ? fields : fields.value;
  }
  return {
    check,
    body(request) {
      const json = readJson(request);
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

/** The JSON value of a body: after the content type and the size, as the order of checks has it. Gap: see docs/spec-gaps.md#body-limits */
function readJson(request: PlainRequest): { value: unknown } | Refusal {
  const refusal = checkMediaType(request) ?? checkSize(request);
  if (refusal !== undefined) return refusal;
  const { body = new Uint8Array() } = request;
  if (!isUtf8(body))
    return wrongFields([{ pointer: "#", detail: "expected JSON in UTF-8, got bytes that are not UTF-8" }]);
  return readText(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString().replace(byteOrderMark, ""));
}

function readText(text: string): { value: unknown } | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = text === "" ? "nothing" : error instanceof Error ? error.message : "something else";
    return wrongFields([{ pointer: "#", detail: `expected a JSON object, got ${reason}` }]);
  }
  if (!isDeeper(value, deepestJson)) return { value };
  return wrongFields([{ pointer: "#", detail: `expected JSON nested at most ${deepestJson} levels deep` }]);
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
export function checkSize({ body }: PlainRequest): Refusal | undefined {
  if (body === undefined || body.length <= maxBodyBytes) return undefined;
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
