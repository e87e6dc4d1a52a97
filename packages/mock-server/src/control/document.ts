import { problemMediaType, problemSchema } from "@landing-page-service/contract";
import * as z from "zod";
import type { ControlRow } from "./row.ts";

/** Writes the OpenAPI 3.1 document of the control API from its rows. */
export function controlDocument(rows: readonly ControlRow[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(row) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Remote control of the mock Landing Page Service",
      version: "1",
      description: "For tests and demos: outside rate limits, planned faults and journal.",
    },
    servers: [{ url: "/" }],
    security: [{}, { token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: schemaOf(problemSchema, "output") },
      headers: { RequestId: { description: "Identifier of the call.", required: true, schema: { type: "string" } } },
      responses: responses(),
    },
  };
}

function operation(row: ControlRow): object {
  const { name, path, summary, status, query, body, example, answer, isAlwaysOpen, isStream } = row;
  const mediaType = isStream ? "text/event-stream" : "application/json";
  const statuses = [400, ...(isAlwaysOpen ? [] : [401]), 403, 404, ...(body ? [413, 415] : []), 500];
  return {
    operationId: name,
    summary,
    ...(isAlwaysOpen && { security: [{}] }),
    parameters: [...idParameter(path), ...queryParameters(query)],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input"), example } } },
    }),
    responses: {
      [status]: {
        description: "Done.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        ...(answer && { content: { [mediaType]: { schema: schemaOf(answer, "output") } } }),
      },
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const refusals: Record<number, string> = {
  400: "The query or the body is not what the row takes; `detail` says what it takes.",
  401: "The token is missing or wrong.",
  403: "A web page on another site sent it.",
  404: "There is nothing of this name, or the control API is off.",
  413: "The body is larger than 64 MiB.",
  415: "The body is not application/json by its type.",
  500: "The mock service itself failed.",
};

function responses(): object {
  const content = { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => {
      const headers = {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(status === "401" && { "WWW-Authenticate": { required: true, schema: { type: "string" } } }),
      };
      return [status, { description, headers, content }];
    }),
  );
}

function idParameter(path: string): object[] {
  return path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : [];
}

function queryParameters(schema: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, property]) => {
    return { name, in: "query", required: required.includes(name), schema: property };
  });
}

function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
