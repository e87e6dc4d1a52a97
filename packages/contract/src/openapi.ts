import * as z from "zod";
import { formats } from "./dialect/formats.ts";
import { placeholders } from "./dialect/placeholders.ts";
import { type AnswerShape, type AnswerShapes, type Dialect, readAnswers, referenceDialect } from "./dialect/resolve.ts";
import type { TemplateNode } from "./dialect/template.ts";
import { type Endpoint, type EndpointName, endpoints, statusTitles } from "./endpoints.ts";
import { gaps, type GapId, type SwitchId, switchIds, type Switches } from "./gaps.ts";
import type { Json } from "./json.ts";
import { rateLimitHeaderNames } from "./rate-limit.ts";
import { referenceSchemas } from "./reference.ts";

type Described = { [name: string]: Json };

/**
 * Writes the OpenAPI 3.1 document of our reference service from the table of endpoints, with the responses of a dialect.
 * Parts that the spec leaves open have an `x-gap`, the id of a gap; `x-gaps` describes each gap.
 */
export function openApiDocument(dialect: Dialect = referenceDialect): Described {
  const { switches } = dialect;
  const { "page-id-type": idType } = switches;
  const shapes = readAnswers(dialect.answers);
  const paths: { [path: string]: Described } = {};
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    const path = endpoint.path.replace(":id", "{id}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, shapes, switches) };
  }
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
      schemas: shapes.error.body?.kind === "json" ? { Problem: describeTemplate(shapes.error.body.node, idType) } : {},
      headers: {
        RequestId: describeHeader("Identifier of the request, to quote when something is wrong.", text),
        WwwAuthenticate: describeHeader("Authentication scheme of the API key: Bearer.", text),
        RetryAfter: describeHeader("Seconds until the window resets.", { type: "integer", minimum: 1 }),
        Limit: describeHeader("Requests allowed in one window.", count, "limits"),
        Remaining: describeHeader("Requests left in this window.", count, "limits"),
        Reset: describeHeader(resetTexts[switches["reset-unit"]], count, "reset-unit"),
      },
    },
    "x-gaps": Object.fromEntries(
      Object.entries(gaps).map(([id, gap]) => [
        id,
        {
          question: gap.question,
          assumed: Object.values(gap.readings)[0] ?? "",
          readings: { ...gap.readings },
          ...(isSwitch(id) && switches[id] !== referenceDialect.switches[id] && { inForce: switches[id] }),
        },
      ]),
    ),
  };
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };

const resetTexts: Record<Switches["reset-unit"], string> = {
  "epoch-seconds": "Time at which the window resets, in seconds since 1970 UTC.",
  seconds: "Seconds until the window resets.",
  "epoch-milliseconds": "Time at which the window resets, in milliseconds since 1970 UTC.",
};

function isSwitch(id: string): id is SwitchId {
  return switchIds.some((known) => known === id);
}

function describeHeader(description: string, schema: Json, gap?: string): Json {
  return { description, required: true, schema, ...(gap !== undefined && { "x-gap": gap }) };
}

function describeOperation(endpoint: Endpoint, shapes: AnswerShapes, switches: Switches): Json {
  const { input, name, method, path, summary } = endpoint;
  const schema = input && toJsonSchema(referenceSchemas(switches)[input.reference]);
  const parameters: Json[] = [];
  if (path.includes(":id"))
    parameters.push({ name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 } });
  if (method === "POST" && switches.idempotency === "honoured") parameters.push(idempotencyKey);
  if (schema && input.in === "query") parameters.push(...describeQuery(schema));
  const byStatus = Array.from(Map.groupBy(listResponses(endpoint, shapes), ({ status }) => status));
  const describe = (some: readonly PossibleResponse[]) =>
    describeResponses(some, shapes.error, switches["page-id-type"]);
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(schema &&
      input.in === "body" && { requestBody: { required: true, content: { "application/json": { schema } } } }),
    responses: Object.fromEntries(byStatus.map(([status, some]) => [status, describe(some)])),
  };
}

function describeQuery({ properties }: Described): Json[] {
  return Object.entries(properties ?? {}).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
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

/** A response that an endpoint may give. */
interface PossibleResponse {
  readonly status: number;
  readonly description: string;
  readonly headers?: Described | undefined;
  /** The gap about its shape. */
  readonly gap: GapId;
  readonly shape: AnswerShape;
}

/** The successes, the documented errors, and the errors that our reference service adds. Gap: see docs/spec-gaps.md#body-limits */
function listResponses({ name, success, errors, input }: Endpoint, shapes: AnswerShapes): PossibleResponse[] {
  const { endpoints: own, emptyList, emptyAccount, error, malformed } = shapes;
  const { status, description } = success;
  const all = (name === "listPages" ? [own[name], emptyList, emptyAccount] : [own[name]]).map(
    (shape): PossibleResponse => ({ status: shape.status ?? status, description, gap: successGaps[name], shape }),
  );
  const isBody = input?.in === "body";
  for (const refused of [...errors, 413, ...(isBody ? [415] : [])]) {
    // A malformed body may get another response than a body with a wrong field.
    const others = refused === 400 && isBody ? [malformed] : [];
    for (const shape of [shapes.errors.get(refused) ?? error, ...others]) {
      const common = { description: statusTitles[refused] ?? "", headers: headersOfStatus[refused] };
      all.push({ ...common, status: shape.status ?? refused, gap: "error-body", shape });
    }
  }
  return all;
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

/** Describes all responses of one status. The body matches one of theirs. */
function describeResponses(all: readonly PossibleResponse[], error: AnswerShape, idType: IdType): Json {
  const headers: Described = {
    "X-Request-Id": referTo("RequestId"),
    [rateLimitHeaderNames.limit]: referTo("Limit"),
    [rateLimitHeaderNames.remaining]: referTo("Remaining"),
    [rateLimitHeaderNames.reset]: referTo("Reset"),
  };
  const schemas = new Map<string, Map<string, Json>>();
  for (const shape of new Set(all.map((one) => one.shape))) {
    for (const [name] of shape.headers)
      if (name.toLowerCase() !== "content-type") headers[name] = { required: true, schema: text };
    if (shape.body === undefined) continue;
    const { kind, node } = shape.body;
    const schema = kind === "json" ? describeTemplate(node, idType) : text;
    const type = mediaTypeOf(shape, kind);
    schemas.set(type, (schemas.get(type) ?? new Map<string, Json>()).set(JSON.stringify(schema), schema));
  }
  const isUsualError = all.every(({ shape }) => shape === error && shape.body?.kind === "json");
  const content = Array.from(schemas, ([type, bodies]): [string, Json] => {
    const [first = {}, ...others] = bodies.values();
    const one = isUsualError ? { $ref: "#/components/schemas/Problem" } : first;
    return [type, { schema: others.length === 0 ? one : { anyOf: [first, ...others] } }];
  });
  const [{ description, gap, headers: added } = { description: "", gap: "error-body" }] = all;
  return {
    description,
    headers: { ...headers, ...added },
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
    "x-gap": gap,
  };
}

function mediaTypeOf({ headers }: AnswerShape, kind: "json" | "text" | "html"): string {
  const own = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  // A response without a type may be anything.
  if (own?.kind === "constant") return String(own.value) || "*/*";
  return { json: "application/json", text: "text/plain", html: "text/html" }[kind];
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

/** A timestamp, a link or a description may be absent. */
function orNull(type: string, mayBeNull: boolean): Json {
  return mayBeNull ? [type, "null"] : type;
}
