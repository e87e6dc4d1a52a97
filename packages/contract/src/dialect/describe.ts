import { formats } from "./formats.ts";
import type { Json } from "./facts.ts";
import { placeholders } from "./placeholders.ts";
import type { AnswerShape } from "./shapes.ts";
import type { TemplateNode } from "./template.ts";

type Schema = { [key: string]: Json };

/** The JSON Schema of what a template writes; `idType` is the type of `{id}`. */
function describeTemplate(node: TemplateNode, idType: "string" | "integer"): Schema {
  const describe = (inner: TemplateNode) => describeTemplate(inner, idType);
  if (node.kind === "constant") return { const: node.value };
  if (node.kind === "text") return { type: optional("string", node.parts.some(leads)) };
  if (node.kind === "placeholder") {
    const format = node.formats.at(-1);
    if (format !== undefined) return { type: optional(formats[format].type, format !== "text") };
    return node.name === "id" ? { type: idType } : { ...placeholders[node.name].schema };
  }
  if (node.kind === "optional") return { anyOf: [describe(node.item), { type: "null" }] };
  if (node.kind === "array" && node.items.some(({ kind }) => kind === "optional"))
    return { type: "array", items: { anyOf: node.items.map(describe) }, maxItems: node.items.length };
  if (node.kind === "array")
    return {
      type: "array",
      prefixItems: node.items.map(describe),
      minItems: node.items.length,
      maxItems: node.items.length,
    };
  if (node.kind === "each")
    return node.key === undefined
      ? { type: "array", items: describe(node.item) }
      : { type: "object", additionalProperties: describe(node.item) };
  const named = node.members.flatMap(({ name, isOptional, value }) =>
    name?.kind === "constant" ? [{ name: String(name.value), isOptional, schema: describe(value) }] : [],
  );
  return {
    type: "object",
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    required: named.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  };
}

function leads(node: TemplateNode): boolean {
  return node.kind === "placeholder" && "leads" in placeholders[node.name];
}

/** A moment, a link or a description may not be there to be written otherwise. */
function optional(type: string, mayBeNull: boolean): Json {
  return mayBeNull ? [type, "null"] : type;
}

/** The `content` of an answer as OpenAPI has it; `undefined` when there is no body. */
export function describeContent({ body, headers }: AnswerShape, idType: "string" | "integer"): Schema | undefined {
  if (body === undefined) return undefined;
  const own = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const usual = { json: "application/json", text: "text/plain", html: "text/html" }[body.kind];
  // An answer without a type may be anything.
  const type = own?.kind === "constant" ? String(own.value) || "*/*" : usual;
  return { [type]: { schema: body.kind === "json" ? describeTemplate(body.node, idType) : { type: "string" } } };
}
