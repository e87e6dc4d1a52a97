import { expect, test } from "vitest";
import { createMockService, type Domain } from "../src/index.ts";
import { domain, names } from "./assigning.ts";
import { create, list, post, remove, somePage, update } from "./client.ts";

const small = domain("small", ["shoes"], ["running"], { capacity: 2 });
const large = domain("large", ["shoes"]);
const strict = domain("strict", ["shoes"], [], { blockedCtaHosts: ["bets.example"] });

test("a domain never has more pages than its capacity, and has room again after a delete", async () => {
  const service = createMockService({ domains: [small, large], latencyMs: 1, sleep: async () => undefined });

  const pages = await Promise.all(Array.from({ length: 5 }, async () => create(service)));
  const foreign = await create(service, {}, "test_other");
  await remove(service, pages[0]?.id);
  const next = await create(service);

  expect(pages.flatMap(names).filter((name) => name === "small.example")).toHaveLength(2);
  expect(pages.every((page) => names(page).includes("large.example"))).toBe(true);
  expect(names(foreign)).toContain("small.example");
  expect(names(next)).toContain("small.example");
});

const bets = { type: "button", label: "Bet", url: "https://www.bets.example/" };

test("a page whose call to action moves to a blocked host leaves only the domains that block it", async () => {
  const service = createMockService({ domains: [strict, large] });
  const page = await create(service);

  const { body } = await update(service, page.id, { cta: bets });

  expect(names(page).toSorted()).toEqual(["large.example", "strict.example"]);
  expect(body.domains).toEqual(page.domains.filter(({ name }) => name === "large.example"));
  expect((await list(service, "?domain=strict.example")).body.total).toBe(0);
  expect(service.assignment(page.id)).toMatchObject({
    domains: [{ name: "large.example" }],
    left: [{ name: "strict.example", reason: "blocked-cta-host" }],
    explanation: expect.stringContaining("An update took it off strict.example, which blocks bets.example"),
  });
});

test("a page that can stay on none of its domains is assigned again, and its old URLs are free", async () => {
  const other = domain("other", ["poker"]);
  const service = createMockService({ domains: [strict, other] });
  const page = await create(service);

  const { body } = await update(service, page.id, { title: "Poker", cta: bets });
  const next = await create(service);
  service.setDomains([strict, { ...other, active: false }]);
  await update(service, page.id, { title: "Poker night" });

  expect(body.domains).toEqual([{ name: "other.example", url: "https://other.example/red-shoes" }]);
  expect(next.domains).toEqual(page.domains);
  expect(service.assignment(page.id)?.left).toMatchObject([{ name: "strict.example" }, { name: "other.example" }]);
});

test("a page stays where it is when its words change, also on a full domain, unless its new language or a closed domain forbids it", async () => {
  const english = domain("english", ["shoes"], [], { locale: "en", capacity: 1 });
  const service = createMockService({ domains: [english, large] });
  const page = await create(service);

  const reworded = await update(service, page.id, { title: "Poker", content: "A game.", slug: "poker" });
  const translated = await update(service, page.id, { content: "赤い靴です。".repeat(9) });
  service.setDomains([english, { ...large, active: false }]);
  const again = await update(service, page.id, { title: "Shoes", content: "Shoes for you and for the hills." });

  expect(names(page).toSorted()).toEqual(["english.example", "large.example"]);
  expect(names(reworded.body)).toEqual(names(page));
  expect(names(translated.body)).toEqual(["large.example"]);
  expect(names(again.body)).toEqual(["english.example"]);
});

test("a page that got no domain is assigned at its next update", async () => {
  const service = createMockService({ domains: [{ ...strict, active: false }] });
  const page = await create(service);
  service.setDomains([strict]);

  const { body } = await update(service, page.id, { title: page.title });

  expect([page, body].map(names)).toEqual([[], ["strict.example"]]);
  expect(service.assignment(page.id)).toMatchObject({ how: "match" });
});

test("a test assigns pages by slug or words in its own account, until a reset", async () => {
  const service = createMockService({ domains: [small, large, domain("third", [])] });
  const mock = service.account("test_demo");
  mock.domains.assign({ slug: "summer" }, ["third.example", "large.example"]);
  mock.domains.assign({ words: ["winter boots"] }, ["large.example"]);
  mock.domains.assign({ words: ["boots"] }, ["third.example"]);

  const bySlug = await create(service, { slug: "summer" });
  const byWords = await create(service, { content: "Our winter boots are here." });
  const others = [await create(service, { slug: "other" }), await create(service, { slug: "summer" }, "test_other")];
  const why = service.assignment(bySlug.id);
  const dryRun = service.evaluate({ ...somePage, slug: "summer" }, "test_demo");
  mock.reset();
  const afterReset = await create(service, { slug: "summer" });

  expect([bySlug, byWords].map(names)).toEqual([["third.example", "large.example"], ["third.example"]]);
  expect([...others, afterReset].flatMap(names)).not.toContain("third.example");
  expect(why).toMatchObject({ how: "rule", rule: { slug: "summer" } });
  expect(why?.explanation).toContain('The test assigns pages with the slug "summer" to third.example.');
  expect(dryRun.how).toBe("rule");
});

const other = domain("other", [], ["marathon"]);
const catchAll = domain("rest", [], [], { catchAll: true });

test.for<[what: string, domains: Domain[], second: string | null, why: string]>([
  ["the next best", [small, other, catchAll], "other.example", "other.example (1.00), the next best."],
  ["a catch-all", [small, { ...small, active: false, name: "z.example" }, catchAll], "rest.example", "the catch-all."],
  ["one by the hash", [small, { ...other, keywords: [] }], "other.example", "by the hash of the slug."],
  ["none if there is none", [small], null, "to small.example with"],
])("a page on one domain gets a second if the dialect has a place for it: %s", async ([, domains, second, why]) => {
  const page = { id: "{id}", host: "{domain.name}", otherHost: "{alias.name}" };
  const service = createMockService({ domains, dialect: { answers: { page } } });
  const fields = { title: "Running shoes", content: "For your first marathon." };
  const body = { ...somePage, ...fields };

  const created = await post(service, { body });
  service.account("test_demo").domains.assign({ slug: "one" }, ["small.example"]);
  const byRule = await post(service, { body: { ...body, slug: "one" } });

  const hosts = ["small.example", ...(second === null ? [] : [second])];
  expect(created.body).toMatchObject({ host: "small.example", otherHost: second });
  expect(service.assignment(created.body.id)?.explanation).toContain(why);
  expect(names(service.evaluate({ ...body, slug: "two" }))).toEqual(hosts);
  expect(byRule.body).toMatchObject({ host: "small.example", otherHost: null });
  expect(names(await create(createMockService({ domains }), fields))).toEqual(["small.example"]);
});

test("an explanation stays as it was decided, whatever has changed since", async () => {
  const service = createMockService({ domains: [{ ...small, capacity: 1 }, large] });
  const first = await create(service);
  const second = await create(service);
  const before = [first, second].map(({ id }) => service.assignment(id));
  await update(service, second.id, { title: "Insurance", content: "Cover", slug: "cover" });
  await remove(service, first.id);
  service.account("test_demo").domains.assign({ words: ["shoes"] }, ["small.example"]);
  service.setDomains([{ ...small, topics: ["insurance"] }]);

  const after = service.assignment(second.id);

  expect(after).toEqual(before[1]);
  expect(after?.rejected).toMatchObject([{ name: "small.example", reason: "capacity" }]);
  expect(service.assignment(first.id)).toBeUndefined();
  expect(service.assignment(second.id, "test_other")).toBeUndefined();
});
