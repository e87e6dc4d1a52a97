import { problemMediaType, problemSchema } from "@landing-page-service/contract";
import * as z from "zod";
import type { ControlRoute } from "./routes.ts";

/** Writes the OpenAPI 3.1 document of the control API from its routes. */
export function controlDocument(routes: readonly ControlRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Remote control of the mock Landing Page Service",
      version: "1",
      description: "For tests and demos. Rate limits, planned faults and the journal do not apply to it.",
    },
    servers: [{ url: "/" }],
    security: [{}, { token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      responses: { Refusal: { description: refusals, headers, content: contentOf(problemMediaType, problemSchema) } },
    },
  };
}

const requestId = { description: "Identifier of the call.", required: true, schema: { type: "string" } };
const headers = { "X-Request-Id": requestId };
const refusals =
  "400 for a wrong query or body, with the accepted values in `detail`; 401 for a missing or wrong token; 403 for a web page on another site; 404 if the path or id does not exist, or the control API is off; 413 for a body above 64 MiB; 415 for one that is not application/json; 500 for a bug of the mock itself.";

function describeRoute(route: ControlRoute): object {
  const { name, path, summary, status, query, body, example, response, isAlwaysOpen, isStream } = route;
  const mediaType = isStream ? "text/event-stream" : "application/json";
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  return {
    operationId: name,
    summary,
    ...(isAlwaysOpen && { security: [{}] }),
    parameters: [...(path.includes("{id}") ? [id] : []), ...describeQuery(query)],
    ...(body && { requestBody: { required: true, content: contentOf("application/json", body, example) } }),
    responses: {
      [status]: { description: "Done.", headers, ...(response && { content: contentOf(mediaType, response) }) },
      default: { $ref: "#/components/responses/Refusal" },
    },
  };
}

function contentOf(mediaType: string, schema: z.core.$ZodType, example?: unknown): object {
  const io = example === undefined ? "output" : "input";
  return { [mediaType]: { schema: schemaOf(schema, io), ...(example !== undefined && { example }) } };
}

function describeQuery(query: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(query, "input");
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema };
  });
}

function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
