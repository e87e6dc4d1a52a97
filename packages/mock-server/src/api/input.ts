import * as z from "zod";
import {
  type FieldProblem,
  maxBodyBytes,
  type ReferenceSchemas,
  referenceSchemas,
  type Switches,
} from "@landing-page-service/contract";
import { checkValue, type Issue } from "@landing-page-service/contract/internal";
import { isRefusal, type PlainRequest, type Refusal, type RequestBody } from "../http-types.ts";

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

/** Parses what a request holds: the value as its schema gives it, or a refusal that names each wrong field. */
export function readFields<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  pointerTo: PointerWriter,
): { value: Value } | Refusal {
  const result = checkValue(schema, value);
  if (result.success) return { value: result.data };
  const problems = result.issues.slice(0, mostErrors).map(({ path, message }: Issue) => {
    return { pointer: pointerTo(path), detail: message };
  });
  return wrongFields(problems, result.total);
}

/** Names of the fields that an object schema knows. */
export function knownNames(schema: z.ZodType): string[] {
  return Object.keys(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).properties ?? {});
}

type PointerWriter = (path: readonly PropertyKey[]) => string;

/** A JSON pointer as a URI fragment. Source: RFC 6901, sections 3 and 6. */
export function bodyPointer(path: readonly PropertyKey[]): string {
  const tokens = path.map((key) =>
    encodeURI(String(key).slice(0, 100).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  return ["#", ...tokens].join("/");
}

/** The name of a query parameter. */
export function queryPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => String(key).slice(0, 100)).join(".");
}

/** Wrong fields that a response names; a body can hold very many. */
const mostErrors = 100;

/** A 400 that names the wrong fields: the first 100 of `total`. */
export function wrongFields(errors: readonly FieldProblem[], total: number = errors.length): Refusal {
  const [first] = errors;
  const more = total > 1 ? ` (and ${total - 1} more)` : "";
  return {
    refused: 400,
    detail: first === undefined ? "The request is not valid." : `${first.pointer}: ${first.detail}${more}`,
    errors: errors.slice(0, mostErrors),
  };
}

/** Splits a query; values that are not percent-encoded UTF-8, and names that come twice, are wrong. */
export function readQuery(query: string): { values: Record<string, string>; wrong: FieldProblem[] } {
  const values = new Map<string, string>();
  const wrong: FieldProblem[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = decode(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      wrong.push({ pointer: name ?? part.slice(0, 100), detail: "expected percent-encoded UTF-8" });
    } else if (values.has(name)) {
      wrong.push({ pointer: name, detail: "expected once, got it again" });
    } else {
      values.set(name, value);
    }
  }
  // fromEntries makes own properties of all names, `__proto__` too.
  return { values: Object.fromEntries(values), wrong };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
