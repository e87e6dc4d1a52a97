// A client with the dialect that a check learned reads every page exactly.
import { gaps, switchIds } from "@landing-page-service/contract";
import { type DialectFile, dialectPresets } from "@landing-page-service/contract/dialect";
import { createMockService, type DialectChoice } from "@landing-page-service/mock-server";
import { checkService } from "@landing-page-service/mock-server/check";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LandingPages } from "../src/index.ts";
import { readBy } from "../src/read/by-dialect.ts";
import { somePage } from "./setup.ts";

/** If PROPERTY_RUNS is set, the tests try all cases, otherwise some. */
const { PROPERTY_RUNS } = process.env;
const presets = Object.entries<DialectFile>(dialectPresets);
const interpretations = switchIds.flatMap((id) =>
  Object.keys(gaps[id].readings).map((reading): [string, DialectFile] => {
    return [`${id}: ${reading}`, { switches: { [id]: reading } }];
  }),
);
const some = interpretations.filter((_, index) => PROPERTY_RUNS !== undefined || index % 16 === 8);

test.for([...presets, ...some])(
  "a client reads every page by the dialect that a check learned from %s",
  async ([, dialect]) => {
    await expectExact(dialect);
  },
);

test("a client reads every page by the dialect that a check learned from any combination of interpretations", async () => {
  const one = fc.record(
    Object.fromEntries(switchIds.map((id) => [id, fc.constantFrom(...Object.keys(gaps[id].readings))])),
  );
  const combinations = one.map((switches): DialectFile => ({ switches }));

  await fc.assert(fc.asyncProperty(combinations, expectExact), { numRuns: Number(PROPERTY_RUNS ?? 3) });
});

function second(time: string | undefined): string | undefined {
  return time?.slice(0, 19);
}

/** Checks a service and reads it by the learned dialect. Expects that every page equals the stored one. */
async function expectExact(dialect: DialectChoice): Promise<void> {
  const service = createMockService({ dialect });
  const { baseUrl, fetch } = service;
  const report = await checkService({ baseUrl, apiKey: "test_check", fetch });
  const client = new LandingPages({ apiKey: "test_exact", baseUrl, fetch, read: readBy(report.dialect) });
  const stored = () => service.account("test_exact").pages;
  const expectStored = ({ id, domains, ...page }: Awaited<ReturnType<typeof client.pages.create>>): void => {
    const own = stored().find((one) => one.id === id);
    const times = { created_at: second(page.created_at), updated_at: second(page.updated_at) };
    const hosts = domains.map(({ name }) => name);
    expect({ ...page, ...times }).toMatchObject({
      title: own?.title,
      slug: own?.slug,
      content: own?.content,
      cta: own?.cta,
    });
    expect(times).toEqual({
      created_at: times.created_at && second(own?.created_at),
      updated_at: times.updated_at && second(own?.updated_at),
    });
    expect(own?.domains.map(({ name }) => name).slice(0, hosts.length)).toEqual(hosts);
  };

  const before = await client.pages.list();
  const created = [];
  for (const slug of ["one", "two"]) created.push(await client.pages.create({ ...somePage, slug }));
  created.forEach(expectStored);
  const listed = await client.pages.iterate({ batchSize: 1 }).toArray({ limit: 10 });
  const updated = await client.pages.update(created[0]?.id ?? "", { title: "New" });

  expect([before.data, created.map(({ slug }) => slug)]).toEqual([[], ["one", "two"]]);
  expect(new Map(listed.map(({ id, title }) => [id, title]))).toEqual(
    new Map(created.map(({ id }) => [id, somePage.title])),
  );
  expect([updated.id, updated.title]).toEqual([created[0]?.id, "New"]);
}
