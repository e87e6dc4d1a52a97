import { expect, test } from "vitest";
import { createMockService, type Domain } from "../src/index.ts";
import { create, send, somePage } from "./client.ts";

const small: Domain = { name: "small.example", topics: ["shoes"], keywords: ["running"], capacity: 2 };
const large: Domain = { name: "large.example", topics: ["shoes"], keywords: [] };

const namesOf = (page: { domains: { name: string }[] }): string[] => page.domains.map(({ name }) => name);

test("a domain never serves more pages than it can, and has room again after a delete", async () => {
  const service = createMockService({ domains: [small, large], latencyMs: 1, sleep: async () => undefined });

  const pages = await Promise.all(Array.from({ length: 5 }, async () => create(service)));
  const foreign = await create(service, {}, "test_other");
  await send(service, "DELETE", `/api/content/${pages[0]?.id}`);
  const next = await create(service);

  expect(pages.flatMap(namesOf)).toEqual([...Array(2).fill("small.example"), ...Array(3).fill("large.example")]);
  expect(namesOf(foreign)).toContain("small.example");
  expect(namesOf(next)).toContain("small.example");
});

test("a placement is explained as it was decided, whatever changed since", async () => {
  const service = createMockService({ domains: [{ ...small, capacity: 1 }, large] });
  const first = await create(service);
  const second = await create(service);
  const before = [first, second].map(({ id }) => service.assignment(id));
  await send(service, "PUT", `/api/content/${second.id}`, {
    body: { title: "Insurance", content: "Cover", slug: "cover" },
  });
  await send(service, "DELETE", `/api/content/${first.id}`);

  const after = service.assignment(second.id);

  expect(after).toEqual(before[1]);
  expect(after?.rejected).toMatchObject([{ name: "small.example", reason: "capacity" }]);
  expect(service.assignment(first.id)).toBeUndefined();
  expect(service.assignment(second.id, "test_other")).toBeUndefined();
});

test("a dry run tells where a page would go, in an empty account or in one that is filled", async () => {
  const service = createMockService({ domains: [{ ...small, capacity: 1 }, large] });
  await create(service);

  const inEmpty = service.evaluate(somePage);
  const inFilled = service.evaluate(somePage, "test_demo");

  expect(inEmpty.domains.map(({ name }) => name)).toContain("small.example");
  expect(inFilled.domains.map(({ name }) => name)).toEqual(["large.example"]);
  expect(service.account("test_demo").pages).toHaveLength(1);
});
