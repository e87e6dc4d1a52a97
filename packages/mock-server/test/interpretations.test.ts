// What the service does under each interpretation of a gap in the spec.
import { expect, test } from "vitest";
import { createMockService, type DialectFile } from "../src/index.ts";
import { create, list, post, remove, somePage, track, update } from "./client.ts";

const serviceIn = (switches: DialectFile["switches"]) => createMockService({ dialect: { switches } });

test.each(["refused-400", "refused-409"] as const)("a slug in use is %s, on create and on update", async (refusal) => {
  const refused = Number(refusal.slice(-3));
  const service = serviceIn({ "slug-unique": refusal });
  const first = await create(service);
  const second = await create(service, { slug: "blue-shoes" });

  const twin = await post(service);
  const moved = await update(service, second.id, { slug: first.slug });
  const same = await update(service, first.id, { slug: first.slug, title: "New" });
  const other = await post(service, { key: "test_other" });
  await remove(service, first.id);
  const again = await post(service);

  expect([twin, moved, same, other, again].map(({ status }) => status)).toEqual([refused, refused, 200, 201, 201]);
  expect(twin.body.errors?.map(({ pointer }) => pointer)).toEqual(["#/slug"]);
});

test("unknown fields are dropped if the dialect ignores them, and known ones are still checked", async () => {
  const service = serviceIn({ "unknown-fields": "ignored" });

  const page = await create(service, { colour: "red" });
  const listed = await list(service, "?page=1&page=2&limit=5");
  const repeated = await list(service, "?limit=5&limit=6");
  const wrong = await post(service, { body: { ...somePage, colour: "red", title: 1 } });

  expect([listed.status, repeated.status, wrong.status]).toEqual([200, 400, 400]);
  expect(page).not.toHaveProperty("colour");
  expect(wrong.body.errors?.map(({ pointer }) => pointer)).toEqual(["#/title"]);
});

test("any kind of call to action is kept if the dialect allows any", async () => {
  const { cta } = await create(serviceIn({ "cta-type": "any" }), { cta: { ...somePage.cta, type: "carousel" } });

  expect(cta.type).toBe("carousel");
});

test.each([
  ["clamped", 100, 100],
  ["unbounded", 5000, 101],
] as const)("a limit that is too large is %s", async (interpretation, limit, length) => {
  const service = serviceIn({ "list-max": interpretation });
  await Promise.all(Array.from({ length: 101 }, async (_, index) => create(service, { slug: `page-${index}` })));

  const { status, body } = await list(service, "?limit=5000");

  expect([status, body.limit, body.data.length, body.total]).toEqual([200, limit, length, 101]);
});

test("an update without fields is refused if the dialect makes it an error", async () => {
  const service = serviceIn({ "empty-update": "refused" });
  const { id } = await create(service);

  const { status, body } = await update(service, id, {});

  expect([status, body.errors]).toEqual([400, [{ pointer: "#", detail: "needs at least one field" }]]);
});

test("a call to action must be sent whole if an update replaces it", async () => {
  const service = serviceIn({ "cta-update": "replace" });
  const { id } = await create(service);

  const part = await update(service, id, { cta: { label: "Get" } });
  const whole = await update(service, id, { cta: { ...somePage.cta, label: "Get" } });

  expect(part.body.errors?.map(({ pointer }) => pointer)).toEqual(["#/cta/type", "#/cta/url"]);
  expect([part.status, whole.status, whole.body.cta.label]).toEqual([400, 200, "Get"]);
});

test.each([
  ["refused-404", 404, 0],
  ["refused-400", 400, 0],
  ["accepted", 202, 1],
] as const)("an event for an unknown page is %s", async (interpretation, wanted, kept) => {
  const service = serviceIn({ "event-page": interpretation });

  const { status } = await track(service, "unknown");

  expect([status, service.account("test_demo").events.length]).toEqual([wanted, kept]);
});

test("a repeated create or event is stored again if the Idempotency-Key is ignored", async () => {
  const service = serviceIn({ idempotency: "ignored" });
  const headers = { "Idempotency-Key": "once" };
  const { id } = await create(service);

  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await post(service, { headers });
    await track(service, id, {}, { headers });
  }

  const { pages, events } = service.account("test_demo");
  expect([pages.length, events.length]).toEqual([3, 2]);
});
