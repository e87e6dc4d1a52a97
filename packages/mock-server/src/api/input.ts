// Reads the body and the query of a request, or makes a refusal that names each wrong field.
import { isUtf8 } from "node:buffer";
import { type FieldProblem, maxBodyBytes } from "@landing-page-service/contract";
import { checkValue, decodePercent } from "@landing-page-service/contract/internal";
import * as z from "zod";
import type { PlainRequest, Refusal } from "../http-types.ts";

/** A parsed value, or a refusal. */
export type Input<Value> = { readonly value: Value } | Refusal;

// Gap: see docs/spec-gaps.md#body-limits
const deepestJson = 64;

/** Reads the JSON body of a request. */
export function readBody<Value>(schema: z.ZodType<Value>, request: PlainRequest): Input<Value> {
  const json = checkMediaType(request) ?? checkSize(request) ?? readJson(request.body);
  return "refused" in json ? json : readFields(schema, json.value, bodyPointer);
}

/** Reads the query of a request. An unknown parameter is wrong, or ignored if `ignoresUnknown`. */
export function readParameters<Value>(schema: z.ZodType<Value>, query: string, ignoresUnknown: boolean): Input<Value> {
  const { values, wrong } = readQuery(query);
  const known = ignoresUnknown ? knownNames(schema) : undefined;
  const meant = wrong.filter(({ pointer }) => known?.includes(pointer) ?? true);
  return meant.length > 0 ? wrongFields(meant) : readFields(schema, values, queryPointer);
}

/** Reads the JSON value of a body. The decoder drops a byte order mark. Gap: see docs/spec-gaps.md#body-limits */
export function readJson(body: Uint8Array = new Uint8Array()): Input<unknown> {
  if (!isUtf8(body)) return wrongBody("expected JSON in UTF-8, got bytes that are not UTF-8");
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    if (!isDeeper(value, deepestJson)) return { value };
    return wrongBody(`expected JSON nested at most ${deepestJson} levels deep`);
  } catch (error) {
    const { message } = error as Error; // why: JSON.parse throws these
    return wrongBody(body.length === 0 ? "expected a JSON object, got nothing" : `is not JSON: ${message}`);
  }
}

function wrongBody(detail: string): Refusal {
  return wrongFields([{ pointer: "#", detail }]);
}

/** Refuses a body that is not plain JSON. */
function checkMediaType({ headers }: PlainRequest): Refusal | undefined {
  const type = headers.get("Content-Type") ?? "none";
  const isJson = /^\s*application\/json\s*(?:;|$)/i.test(type);
  if (!isJson || /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i.test(type)) {
    const got = type === "none" ? type : JSON.stringify(type.slice(0, 200));
    return { refused: 415, detail: `Content-Type: expected application/json, got ${got}.` };
  }
  const encoding = headers.get("Content-Encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return undefined;
  return { refused: 415, detail: `Content-Encoding: expected none, got ${JSON.stringify(encoding.slice(0, 200))}.` };
}

/** Refuses a body that is too large. */
export function checkSize({ body }: PlainRequest): Refusal | undefined {
  if (body === undefined || body.length <= maxBodyBytes) return undefined;
  return { refused: 413, detail: `The body is larger than ${maxBodyBytes} bytes.` };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}

/** Parses the fields of a request. `pointerTo` writes the place of a wrong field. */
export function readFields<Value>(schema: z.ZodType<Value>, value: unknown, pointerTo: PointerWriter): Input<Value> {
  const result = checkValue(schema, value);
  if (result.success) return { value: result.data };
  const problems = result.issues.map(({ path, message }) => ({ pointer: pointerTo(path), detail: message }));
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

/** The name of a query parameter, in place of a pointer. */
export function queryPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => String(key).slice(0, 100)).join(".");
}

/** Makes a 400 that names the first 100 of `total` wrong fields. */
export function wrongFields(errors: readonly FieldProblem[], total: number = errors.length): Refusal {
  const [first] = errors;
  const more = total > 1 ? ` (and ${total - 1} more)` : "";
  return {
    refused: 400,
    detail: first === undefined ? "The request is not valid." : `${first.pointer}: ${first.detail}${more}`,
    errors: errors.slice(0, 100),
  };
}

/** Splits a query. A value that is not percent-encoded UTF-8 is wrong, and so is a repeated name. */
export function readQuery(query: string): { values: Record<string, string>; wrong: FieldProblem[] } {
  const values = new Map<string, string>();
  const wrong: FieldProblem[] = [];
  for (const part of query.split("&"))
    for (const [name, value] of new URLSearchParams(`&${part}`))
      if (decodePercent(part) === undefined)
        wrong.push({ pointer: name.slice(0, 100), detail: "expected percent-encoded UTF-8" });
      else if (values.has(name)) wrong.push({ pointer: name, detail: "expected once, got it again" });
      else values.set(name, value);
  // `fromEntries` makes an own property of `__proto__` too.
  return { values: Object.fromEntries(values), wrong };
}
