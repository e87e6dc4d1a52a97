// The JSON Schemas that ship for editors and validators; `pnpm run generate` writes them anew from the schemas of the code.
import { pageRecordSchema, referenceSchemas, referenceSwitches } from "@landing-page-service/contract";
import * as prettier from "prettier";
import * as z from "zod";
import { catalogueSchema } from "./src/domains/catalogue.ts";
import { accountRecordSchema, headerSchema, storedEventSchema } from "./src/state/records.ts";

/** Text of every generated file, by its path from the root of the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    "packages/mock-server/catalogue.schema.json": await formatted({
      title: "Domain catalogue",
      ...json(catalogueSchema),
    }),
    "packages/mock-server/seed.schema.json": await formatted(seedSchema()),
  };
}

/** A record of a state, as it stands on one line of a file. */
function seedSchema(): object {
  const { createPage, event } = referenceSchemas(referenceSwitches);
  const { $schema, ...seedPage } = json(createPage);
  const id = bare(z.union([z.string(), z.int()]).describe("Id of the page, so that events and tests can name it."));
  const { properties, ...record } = bare(accountRecordSchema);
  const page = { anyOf: [bare(pageRecordSchema), { ...seedPage, properties: { ...seedPage.properties, id } }] };
  const account = {
    ...record,
    properties: { ...properties, page, event: { anyOf: [bare(storedEventSchema), bare(event)] } },
  };
  return {
    $schema,
    title: "Record of a state: one line of a seed, an import or an export",
    anyOf: [bare(headerSchema), account],
  };
}

type Json = z.core.JSONSchema.BaseSchema;

function json(schema: z.core.$ZodType): Json {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** The same without the name of the JSON Schema draft, which stands at the root only. */
function bare(schema: z.core.$ZodType): Json {
  const { $schema, ...rest } = json(schema);
  return rest;
}

function formatted(schema: object): Promise<string> {
  return prettier.format(JSON.stringify(schema), { parser: "json", printWidth: 120 });
}
