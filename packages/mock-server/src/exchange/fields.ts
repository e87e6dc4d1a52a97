import { type FieldProblem, nearest } from "@landing-page-service/contract";
import * as z from "zod";
import { mostErrors, type Refusal, wrongFields } from "./outcome.ts";

/** Tells what a schema found wrong: each field, its rule, and of an unknown one what it was most likely meant to be. */
export function refuseFields(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  pointerTo: PointerWriter,
): Refusal {
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
export function knownNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let place: z.core.JSONSchema.BaseSchema | boolean | undefined = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  for (const key of path) place = typeof place === "object" ? place.properties?.[String(key)] : undefined;
  return Object.keys((typeof place === "object" ? place.properties : undefined) ?? {});
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
