import { checkValue, type Issue } from "@landing-page-service/contract/internal";
import * as z from "zod";
import { mostErrors, type Refusal, wrongFields } from "./outcome.ts";

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
