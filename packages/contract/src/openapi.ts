/**
 * The OpenAPI document of the service.
 *
 * @module
 */
import * as z from "zod";
import { formats } from "./dialect/formats.ts";
import { placeholders } from "./dialect/placeholders.ts";
import { type AnswerShape, type AnswerShapes, type Dialect, readAnswers, referenceDialect } from "./dialect/resolve.ts";
import { leads, type TemplateNode } from "./dialect/template.ts";
import { type Endpoint, type EndpointName, endpoints, statusTitles } from "./endpoints.ts";
import { type Gap, gaps, type GapId, type Switches } from "./gaps.ts";
import type { Json } from "./json.ts";
import { rateLimitHeaderNames } from "./rate-limit.ts";
import { referenceSchemas } from "./reference.ts";

type Described = { [name: string]: Json };

/**
 * Writes the OpenAPI 3.1 document of the mock server from the table of endpoints, with the responses of a dialect.
 * Parts that the spec leaves open have an `x-gap`, the id of a gap; `x-gaps` describes each gap.
 */
export function openApiDocument(dialect: Dialect = referenceDialect): Described {
  const { switches } = dialect;
  const shapes = readAnswers(dialect.answers);
  const paths: { [path: string]: Described } = {};
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    const path = endpoint.path.replace(":id", "{id}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, shapes, switches) };
  }
  const { body: problem } = shapes.error;
  const chosen: Readonly<Record<string, string>> = switches;
  return {
    openapi: "3.1.0",
    info: {
      title: "Landing Page Service",
      version: "1",
      description: "Stores landing pages, assigns domains of its network to each, and accepts analytics events.",
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
      schemas: problem?.kind === "json" ? { Problem: describeTemplate(problem.node, switches["page-id-type"]) } : {},
      headers: {
        RequestId: describeHeader("Identifier of the request, to quote when something is wrong.", text),
        WwwAuthenticate: describeHeader("Authentication scheme of the API key: Bearer.", text),
        RetryAfter: describeHeader("Seconds until the window resets.", { type: "integer", minimum: 1 }),
        Limit: describeHeader("Requests allowed in one window.", count, "limits"),
        Remaining: describeHeader("Requests left in this window.", count, "limits"),
        Reset: describeHeader(resetTexts[switches["reset-unit"]], count, "reset-unit"),
      },
    },
    "x-gaps": Object.fromEntries(Object.entries<Gap>(gaps).map(([id, gap]) => [id, describeGap(gap, chosen[id])])),
  };
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };

const resetTexts: Record<Switches["reset-unit"], string> = {
  "epoch-seconds": "Time at which the window resets, in seconds since 1970 UTC.",
  seconds: "Seconds until the window resets.",
  "epoch-milliseconds": "Time at which the window resets, in milliseconds since 1970 UTC.",
};

function describeHeader(description: string, schema: Json, gap?: string): Json {
  return { description, required: true, schema, ...(gap !== undefined && { "x-gap": gap }) };
}

function describeGap({ question, interpretations }: Gap, chosen?: string): Json {
  const [assumed = ""] = Object.keys(interpretations);
  return {
    question,
    assumed: interpretations[assumed] ?? "",
    interpretations: { ...interpretations },
    ...(chosen !== undefined && chosen !== assumed && { inForce: chosen }),
  };
}

function describeOperation(endpoint: Endpoint, shapes: AnswerShapes, switches: Switches): Json {
  const { input, name, method, path, summary } = endpoint;
  const schema = input && toJsonSchema(referenceSchemas(switches)[input.reference]);
  const parameters: Json[] = [];
  if (path.includes(":id"))
    parameters.push({ name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 } });
  if (method === "POST" && switches.idempotency === "honoured") parameters.push(idempotencyKey);
  if (schema && input.in === "query")
    for (const [name, one] of Object.entries(schema["properties"] ?? {}))
      parameters.push({ name, in: "query", required: false, schema: one });
  const byStatus = Map.groupBy(listResponses(endpoint, shapes), ({ shape, usual }) => shape.status ?? usual.status);
  const idType = switches["page-id-type"];
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(schema &&
      input.in === "body" && { requestBody: { required: true, content: { "application/json": { schema } } } }),
    responses: Object.fromEntries(
      byStatus.entries().map(([status, some]) => [status, describeResponses(some, shapes, idType)]),
    ),
  };
}

/** Gap: see docs/spec-gaps.md#idempotency */
const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A request with the same key and body within 24 hours is carried out once.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  "x-gap": "idempotency",
};

function toJsonSchema(schema: z.core.$ZodType): Described {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(rest)) as Described; // why: zod types its result with fields that may be `undefined`
}

/** The successes, the documented errors, and the errors that the mock server adds. Gap: see docs/spec-gaps.md#body-limits */
function listResponses({ name, success, errors, input }: Endpoint, shapes: AnswerShapes) {
  const { endpoints: own, emptyList, emptyAccount, error, malformed } = shapes;
  const asSuccess = { ...success, headers: {}, gap: successGaps[name] };
  const successes = name === "listPages" ? [own[name], emptyList, emptyAccount] : [own[name]];
  const isBody = input?.in === "body";
  const refusals = [...errors, 413, ...(isBody ? [415] : [])].flatMap((status) => {
    const description = statusTitles[status] ?? "";
    const usual = { status, description, headers: headersOfStatus[status] ?? {}, gap: "error-body" as const };
    // A malformed body may get another response than a body with a wrong field.
    const all = [shapes.errors.get(status) ?? error, ...(status === 400 && isBody ? [malformed] : [])];
    return all.map((shape) => ({ shape, usual }));
  });
  return [...successes.map((shape) => ({ shape, usual: asSuccess })), ...refusals];
}

const successGaps: Record<EndpointName, GapId> = {
  listPages: "list-envelope",
  createPage: "create-body",
  updatePage: "update-body",
  deletePage: "delete-status",
  trackEvent: "event-status",
};

const headersOfStatus: { readonly [status: number]: Described } = {
  401: { "WWW-Authenticate": referTo("WwwAuthenticate") },
  429: { "Retry-After": referTo("RetryAfter") },
};

function referTo(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

/** Describes all responses with one status. A body matches the schema of one of them. */
function describeResponses(all: ReturnType<typeof listResponses>, { error }: AnswerShapes, idType: IdType): Json {
  const shapes = [...new Set(all.map(({ shape }) => shape))];
  const own = shapes.flatMap(({ headers }) => headers.map(([name]) => name));
  const isUsualError = shapes.every((shape) => shape === error && shape.body?.kind === "json");
  const byType = Map.groupBy(
    shapes.filter(({ body }) => body !== undefined),
    mediaTypeOf,
  );
  const content = Array.from(byType, ([type, some]): [string, Json] => {
    const schemas = some.map(({ body }) => (body?.kind === "json" ? describeTemplate(body.node, idType) : text));
    const [first = {}, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
    const one = isUsualError ? { $ref: "#/components/schemas/Problem" } : first;
    return [type, { schema: others.length === 0 ? one : { anyOf: [first, ...others] } }];
  });
  const { description, gap, headers: added } = all[0]?.usual ?? { description: "", gap: "error-body" };
  return {
    description,
    headers: {
      "X-Request-Id": referTo("RequestId"),
      [rateLimitHeaderNames.limit]: referTo("Limit"),
      [rateLimitHeaderNames.remaining]: referTo("Remaining"),
      [rateLimitHeaderNames.reset]: referTo("Reset"),
      ...Object.fromEntries(own.filter(isNoType).map((name) => [name, { required: true, schema: text }])),
      ...added,
    },
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
    "x-gap": gap,
  };
}

function isNoType(name: string): boolean {
  return name.toLowerCase() !== "content-type";
}

function mediaTypeOf({ headers, body }: AnswerShape): string {
  const own = headers.find(([name]) => !isNoType(name))?.[1];
  // A response without a type may be anything.
  if (own?.kind === "constant") return String(own.value) || "*/*";
  return { json: "application/json", text: "text/plain", html: "text/html" }[body?.kind ?? "text"];
}

type IdType = Switches["page-id-type"];

/** Makes the JSON Schema of the values that a template writes. */
function describeTemplate(node: TemplateNode, idType: IdType): Described {
  const describe = (inner: TemplateNode) => describeTemplate(inner, idType);
  if (node.kind === "constant") return { const: node.value };
  if (node.kind === "text") return { type: orNull("string", node.parts.some(leads)) };
  if (node.kind === "placeholder") {
    const format = node.formats.at(-1);
    if (format !== undefined) return { type: orNull(formats[format].type, format !== "text") };
    return node.name === "id" ? { type: idType } : { ...(placeholders[node.name].schema as Described) }; // why: it is JSON
  }
  if (node.kind === "optional") return { anyOf: [describe(node.item), { type: "null" }] };
  if (node.kind === "each")
    return node.key === undefined
      ? { type: "array", items: describe(node.item) }
      : { type: "object", additionalProperties: describe(node.item) };
  if (node.kind === "array") {
    const { length } = node.items;
    const items = node.items.map(describe);
    return node.items.some(({ kind }) => kind === "optional")
      ? { type: "array", items: { anyOf: items }, maxItems: length }
      : { type: "array", prefixItems: items, minItems: length, maxItems: length };
  }
  const named = node.members.flatMap(({ name, isOptional, value }) => {
    if (name?.kind !== "constant") return [];
    return [
      { name: String(name.value), isOptional, part: value.kind === "optional" && isOptional ? value.item : value },
    ];
  });
  return {
    type: "object",
    properties: Object.fromEntries(named.map(({ name, part }) => [name, describe(part)])),
    required: named.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  };
}

/** A timestamp, a link or a description may be absent. */
function orNull(type: string, mayBeNull: boolean): Json {
  return mayBeNull ? [type, "null"] : type;
}
