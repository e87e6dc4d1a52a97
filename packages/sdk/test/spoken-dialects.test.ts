// What a user does with the client, tried on templates as `check` learns them, which the mock speaks.
import * as fc from "fast-check";
import { createMockService } from "@landing-page-service/mock-server";
import { expect, test } from "vitest";
import { dialects } from "../../mock-server/test/fixtures/dialects.ts";
import { LandingPages } from "../src/index.ts";
import { somePage } from "./setup.ts";

const work = "work that is under way";

/** At 202 a `Location` is the place to ask about the work: who is given nothing else is told that the page may be there. */
function toldNothing(error: unknown): string {
  expect(error).toMatchObject({ name: "ResponseValidationError", status: 202, mayHaveBeenApplied: true });
  return work;
}

test("an unconfigured client gets through generated templates, as the mock speaks them", async () => {
  await fc.assert(
    fc.asyncProperty(dialects, async (dialect) => {
      const service = createMockService({ dialect });
      const { pages } = new LandingPages({ apiKey: "test_words", baseUrl: service.baseUrl, fetch: service.fetch });
      const stored = () => service.account("test_words").pages.map(({ id }) => id);

      for (const slug of ["one", "two", "three"]) {
        const told = await pages.create({ ...somePage, slug }).then(({ id }) => id, toldNothing);
        const isWork = dialect.answers?.createPage?.status === 202;
        expect([stored().at(-1), ...(isWork ? [work] : [])]).toContain(told);
      }
      const created = stored();
      const listed = await pages.iterate({ batchSize: 2 }).toArray({ limit: 10 });
      const updated = await pages.update(created[0] ?? "", { title: "New" });
      await pages.delete(created[1] ?? "");

      expect(listed.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
      expect([updated.id, updated.title]).toEqual([created[0], "New"]);
      expect(stored()).toEqual([created[0], created[2]]);
    }),
    { numRuns: Number(process.env["DIALECTS"] ?? 100) },
  );
});
