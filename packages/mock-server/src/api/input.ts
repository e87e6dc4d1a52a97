import { isUtf8 } from "node:buffer";
import {
  type FieldProblem,
  maxBodyBytes,
  nearest,
  parseValue,
  type ReferenceSchemas,
  referenceSchemas,
  type Switches,
} from "@landing-page-service/contract";
import * as z from "zod";
import { isRefusal, mostErrors, type Refusal, wrongFields } from "../exchange/outcome.ts";
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
    const result = parseValue(schema, value);
    return result.success ? result.data : refuseFields(result.error.issues, schema, pointerTo);
  }
  return {
    check,
    body(request) {
      const json = readJson(request);
      return isRefusal(json) ? json : check(json.value);
    },
    query(request) {
      const parameters = readQuery(request.query);
      const known = ignoresUnknown ? knownNames(schema, []) : undefined;
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

function refuseFields(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, pointerTo: PointerWriter): Refusal {
  let total = 0;
  const problems = issues.flatMap((issue): FieldProblem | FieldProblem[] => {
    if (issue.code !== "unrecognized_keys") {
      total += 1;
      return { pointer: pointerTo(issue.path), detail: ruleOf(issue) };
    }
    total += issue.keys.length;
    const known = knownNames(schema, issue.path);
    // A body can hold very many; looking for what each was meant to be would keep all other callers waiting.
    return issue.keys
      .slice(0, mostErrors)
      .map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: unknownField(key, known) }));
  });
  return wrongFields(problems, total);
}

function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `unknown field; ${hint}`;
}

function ruleOf({ message }: z.core.$ZodIssue): string {
  const rule = message.replace(/^Invalid input: /, "").replace(/^Too (?:small|big): /, "");
  return rule.endsWith(", received undefined") ? `required; ${rule.replace(", received undefined", "")}` : rule;
}

/** Names of the fields that a schema knows in the object at a path. */
function knownNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let place: z.core.JSONSchema.BaseSchema | boolean | undefined = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  for (const key of path) place = typeof place === "object" ? place.properties?.[String(key)] : undefined;
  return Object.keys((typeof place === "object" ? place.properties : undefined) ?? {});
}

type PointerWriter = (path: readonly PropertyKey[]) => string;

/** A JSON pointer as a URI fragment. Source: RFC 6901, sections 3 and 6. */
function bodyPointer(path: readonly PropertyKey[]): string {
  const tokens = path.map((key) =>
    encodeURI(String(key).slice(0, 100).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  return ["#", ...tokens].join("/");
}

function queryPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => String(key).slice(0, 100)).join(".");
}
