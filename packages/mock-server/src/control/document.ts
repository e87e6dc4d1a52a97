import { problemMediaType, problemSchema } from "@landing-page-service/contract";
import * as z from "zod";
import { type ControlRow, controlRows } from "./rows.ts";

/** Writes the OpenAPI 3.1 document of the control API from its rows. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of controlRows) {
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
      schemas: { Problem: schemaOf(problemSchema) },
    },
  };
}

function operation({ path, summary, status, query, body }: ControlRow): object {
  const problem = { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } };
  return {
    summary,
    parameters: [...idParameter(path), ...queryParameters(query)],
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } } }),
    responses: {
      [status]: { description: "Done.", ...(status !== 204 && { content: { "application/json": {} } }) },
      "4XX": { description: "Refused.", content: problem },
    },
  };
}

function idParameter(path: string): object[] {
  return path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : [];
}

function queryParameters(schema: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(schema);
  return Object.entries(properties).map(([name, property]) => {
    return { name, in: "query", required: required.includes(name), schema: property };
  });
}

function schemaOf(schema: z.core.$ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}
