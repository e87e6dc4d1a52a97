import * as z from "zod";
import { describeContent } from "./dialect/describe.ts";
import { type Dialect, referenceDialect } from "./dialect/resolve.ts";
import type { Json } from "./dialect/facts.ts";
import { type AnswerShape, type AnswerShapes, readAnswers } from "./dialect/shapes.ts";
import { type Endpoint, type EndpointName, endpoints, errorTitles } from "./endpoints.ts";
import { gaps, type SwitchId, switchIds, type Switches } from "./gaps.ts";
import { problemMediaType, problemSchema } from "./problem.ts";
import { rateLimitHeaderNames } from "./rate-limit.ts";
import { pageRecordListSchema, pageRecordSchema, recordedEventSchema, referenceSchemas } from "./reference.ts";

/**
 * Writes the OpenAPI 3.1 document of our reference service from the table of endpoints, as it speaks in a dialect.
 * Whatever the spec leaves open carries `x-gap`, the id of a row of the gaps, which `x-gaps` spells out.
 */
export function openApiDocument(dialect: Dialect = referenceDialect): { [key: string]: Json } {
  const { switches } = dialect;
  const context = { schemas: referenceSchemas(switches), dialect, shapes: readAnswers(dialect.answers) };
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    const path = endpoint.path.replace(":id", "{id}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, context) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Landing Page Service",
      version: "1",
      description: "Stores landing pages, places each on fitting domains of its network, and takes analytics events.",
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(problemSchema) },
      headers: {
        RequestId: textHeader("Identifier of the request, to quote when something is wrong."),
        Location: textHeader("Path of the page that was created."),
        WwwAuthenticate: textHeader("The scheme that a key is sent in: Bearer."),
        RetryAfter: {
          description: "Seconds until the window resets.",
          required: true,
          schema: { type: "integer", minimum: 1 },
        },
        Limit: integerHeader("Requests allowed in one window.", "limits"),
        Remaining: integerHeader("Requests left in this window.", "limits"),
        Reset: integerHeader(resetTexts[switches["reset-unit"]], "reset-unit"),
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

/** What a success brings, but for a delete, which brings nothing. */
const successSchemas: { readonly [Name in EndpointName]?: z.core.$ZodType } = {
  listPages: pageRecordListSchema,
  createPage: pageRecordSchema,
  updatePage: pageRecordSchema,
  trackEvent: recordedEventSchema,
};

const resetTexts: Record<Switches["reset-unit"], string> = {
  "epoch-seconds": "Moment the window resets, in seconds since 1970 UTC.",
  seconds: "Seconds until the window resets.",
  "epoch-milliseconds": "Moment the window resets, in milliseconds since 1970 UTC.",
};

function isSwitch(id: string): id is SwitchId {
  return switchIds.some((known) => known === id);
}

interface Context {
  readonly schemas: ReturnType<typeof referenceSchemas>;
  readonly dialect: Dialect;
  readonly shapes: AnswerShapes;
}

/** What a success looks like; our reference service's own answers are told in more detail than a template can. */
function successOf({ name, success }: Endpoint, { dialect, shapes }: Context): { [status: string]: Json } {
  const schema = successSchemas[name];
  const idType = dialect.switches["page-id-type"];
  if (dialect === referenceDialect) {
    const headers = { ...everyHeader(), ...(name === "createPage" && { Location: headerRef("Location") }) };
    const content = schema && { "application/json": { schema: jsonSchema(schema) } };
    return { [success.status]: { description: success.description, headers, ...(content && { content }) } };
  }
  const describe = (shape: AnswerShape): Json => {
    const own = shape.headers.filter(([header]) => header.toLowerCase() !== "content-type");
    const headers = own.map(([header]): [string, Json] => [header, { required: true, schema: { type: "string" } }]);
    const content = describeContent(shape, idType);
    return {
      description: success.description,
      headers: { ...everyHeader(), ...Object.fromEntries(headers) },
      ...(content && { content }),
    };
  };
  const shape = shapes.endpoints[name];
  const all = new Set(name === "listPages" ? [shape, shapes.emptyList, shapes.emptyAccount] : [shape]);
  const byStatus = Map.groupBy(all, ({ status }) => status ?? success.status);
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => [status, alike.map(describe).reduce(describeEither)]),
  );
}

/** Two answers of one status: the body is one or the other. */
function describeEither(one: Json, other: Json): Json {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const [first, second] = [contentOf(one), contentOf(other)];
  const types = Object.keys(first).filter((type) => Object.hasOwn(second, type));
  if (types.length === 0) return one;
  const either = types.map((type) => [
    type,
    { schema: { anyOf: [first[type]?.schema ?? {}, second[type]?.schema ?? {}] } },
  ]);
  return { ...(one as object), content: Object.fromEntries(either) as Json }; // why: both have just been written here
}

function contentOf(answer: Json): { [type: string]: { schema: Json } } {
  return (answer as { content?: { [type: string]: { schema: Json } } }).content ?? {}; // why: as above
}

function errorContent(status: number, { dialect, shapes }: Context): Json | undefined {
  const { error, errors } = dialect.answers;
  const isUsual =
    error === referenceDialect.answers.error ||
    JSON.stringify(error) === JSON.stringify(referenceDialect.answers.error);
  if (isUsual && errors?.[status] === undefined)
    return { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return describeContent(shapes.errors.get(status) ?? shapes.error, dialect.switches["page-id-type"]);
}

function operation(endpoint: Endpoint, context: Context): Json {
  const { input } = endpoint;
  const { dialect, schemas, shapes } = context;
  const schema = input && jsonSchema(schemas[input.reference]);
  const parameters: Json[] = [];
  if (endpoint.path.includes(":id"))
    parameters.push({ name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 } });
  if (endpoint.method === "POST" && dialect.switches.idempotency === "honoured") parameters.push(idempotencyKey);
  if (schema && input.in === "query") parameters.push(...queryParameters(schema));

  const responses = successOf(endpoint, context);
  for (const [status, description] of errorsOf(endpoint)) {
    const content = errorContent(status, context);
    const describe = (inner: Json | undefined): Json => ({
      description,
      headers: { ...everyHeader(), ...headersOfStatus[status] },
      ...(inner !== undefined && { content: inner }),
    });
    const spoken = shapes.errors.get(status)?.status ?? status;
    responses[spoken] = describe(content);
    if (status !== 400 || input?.in !== "body" || dialect.answers.errors?.["malformed"] === undefined) continue;
    const malformed = describe(describeContent(shapes.malformed, dialect.switches["page-id-type"]));
    const whole = shapes.malformed.status ?? status;
    responses[whole] = whole === spoken ? describeEither(describe(content), malformed) : malformed;
  }
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(schema &&
      input.in === "body" && { requestBody: { required: true, content: { "application/json": { schema } } } }),
    responses,
  };
}

function queryParameters(schema: { [key: string]: Json }): Json[] {
  const properties = schema["properties"];
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "query",
    required: false,
    schema: property,
  }));
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

/** The documented errors, and those our reference service adds. Gap: see docs/spec-gaps.md#body-limits */
function errorsOf({ errors, input }: Endpoint): [status: number, description: string][] {
  return [
    ...errors.map((status): [number, string] => [status, errorTitles[status]]),
    [413, "Content Too Large"],
    ...(input?.in === "body" ? [[415, "Unsupported Media Type"] satisfies [number, string]] : []),
  ];
}

const headersOfStatus: { readonly [status: number]: { [name: string]: Json } } = {
  401: { "WWW-Authenticate": headerRef("WwwAuthenticate") },
  429: { "Retry-After": headerRef("RetryAfter") },
};

function everyHeader(): { [name: string]: Json } {
  return {
    "X-Request-Id": headerRef("RequestId"),
    [rateLimitHeaderNames.limit]: headerRef("Limit"),
    [rateLimitHeaderNames.remaining]: headerRef("Remaining"),
    [rateLimitHeaderNames.reset]: headerRef("Reset"),
  };
}

function headerRef(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

function textHeader(description: string): Json {
  return { description, required: true, schema: { type: "string" } };
}

function integerHeader(description: string, gap: string): Json {
  return { description, required: true, schema: { type: "integer", minimum: 0 }, "x-gap": gap };
}

function jsonSchema(schema: z.core.$ZodType): { [key: string]: Json } {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  // zod types its result with optional members that are never `undefined` once written; JSON drops those that are.
  return JSON.parse(JSON.stringify(rest)) as { [key: string]: Json };
}
