import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import * as z from "zod";
import { generatedFiles } from "../generated-files.ts";
import { create, post, test, track } from "./client.ts";

const root = join(import.meta.dirname, "../../..");
const seedText = readFileSync(join(import.meta.dirname, "../seed.schema.json"), "utf8");
const seed = z.fromJSONSchema(JSON.parse(seedText) as Parameters<typeof z.fromJSONSchema>[0]); // why: our own file

test.for(Object.entries(await generatedFiles()))(
  "%s matches the checks in the code; `pnpm run generate` updates it",
  ([path, text]) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text);
  },
);

test("the schema of a seed accepts every record of a snapshot", async ({ service }) => {
  service.account("test_demo").setPlan("pro");
  const { id } = await create(service);
  await track(service, id, {}, { headers: { "Idempotency-Key": "once" } });
  await post(service, { headers: { "Idempotency-Key": "twice" } });

  const wrong = service.snapshot().filter((record) => !seed.safeParse(JSON.parse(JSON.stringify(record))).success);

  expect(wrong).toEqual([]);
});
