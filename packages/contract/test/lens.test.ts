// A response is read by the template that wrote it.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { atLeast } from "../../../.ci/properties.ts";
import { dialects } from "../../mock-server/test/fixtures/dialects.ts";
import {
  type AnswerShape,
  type Facts,
  formats,
  type PlaceholderName,
  placeholders,
  type PresetName,
  dialectPresets,
  listSubjects,
  readAnswers,
  readTemplate,
  resolveDialect,
  type TemplateNode,
} from "../src/dialect.ts";
import {
  fitsBetter,
  type ReadFacts,
  readPageFacts,
  readResponse,
  readTemplateValue,
  renderResponse,
} from "../src/internal.ts";

type Page = NonNullable<Facts["page"]>;

const words = fc.stringMatching(/^[A-Za-z][a-z0-9 ,]{0,20}[a-z]$/);
const slug = fc.stringMatching(/^[a-z]{2,8}(-[a-z0-9]{2,5}){0,2}$/);
const timestamp = fc.integer({ min: 0, max: 2_000_000_000_000 }).map((ms) => new Date(ms).toISOString());
const host = fc.stringMatching(/^[a-z]{3,8}\.example$/);
const domain = fc.tuple(host, slug).map(([name, path]) => ({ name, url: `https://${name}/${path}` }));

const page: fc.Arbitrary<Page> = fc.record({
  id: fc.stringMatching(/^pg_[A-Z0-9]{6}$/),
  title: words,
  content: words,
  slug,
  meta_description: fc.oneof(words, fc.constant(null)),
  cta: fc.record({ type: fc.constant("button"), label: words, url: domain.map(({ url }) => url) }),
  domains: fc.uniqueArray(domain, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
  created_at: timestamp,
  updated_at: timestamp,
});
const pages = fc.uniqueArray(page, { maxLength: 4, selector: ({ id }) => String(id) });

const request = { requestId: "req_1", path: "/api/content", origin: "https://service.example" };
const common = { ...request, status: 200, now: "2026-03-01T12:00:00.000Z" };

/** Every placeholder and every repeated element of a template. */
function listNodes(node: TemplateNode): TemplateNode[] {
  if (node.kind === "text") return node.parts.flatMap(listNodes);
  if (node.kind === "array") return node.items.flatMap(listNodes);
  if (node.kind === "optional") return listNodes(node.item);
  if (node.kind === "object")
    return node.members.flatMap(({ name = [], value }) => [name, value].flat().flatMap(listNodes));
  return [node];
}

/** Writes a value in the formats of its placeholder. Some formats lose information, so values are compared as written. */
function writeFact({ formats: names }: TemplateNode & { kind: "placeholder" }, value: unknown): unknown {
  return names.reduce(
    (written, name) => (written === null || written === undefined ? written : formats[name].write(written)),
    value,
  );
}

function expectFacts(nodes: readonly TemplateNode[], found: ReadFacts, facts: Facts, list: readonly Page[]): void {
  const parts = nodes.flatMap(listNodes);
  for (const placeholder of parts.filter((node) => node.kind === "placeholder")) {
    const name: PlaceholderName = placeholder.name;
    const fact = placeholders[name].value(facts) ?? null;
    if (fact === null || fact === undefined) continue;
    const expected = typeof fact === "number" && name === "id" ? String(fact) : fact;
    const seen = found.values[name];
    const isAlike = JSON.stringify(writeFact(placeholder, seen)) === JSON.stringify(writeFact(placeholder, expected));
    // Where two placeholders of one name have different formats, the first in the template counts.
    expect([name, isAlike ? expected : seen, placeholder.formats]).toEqual([name, expected, placeholder.formats]);
  }
  for (const each of parts.filter((node) => node.kind === "each")) {
    const about = listSubjects(each.of, facts, list);
    const elements = found.repeated[each.of] ?? [];
    const inside = each.key === undefined ? [each.item] : [each.key, each.item];
    // A map has its integer keys first, so elements are found by their content.
    if (each.key !== undefined) expect(elements.length).toBeGreaterThanOrEqual(each.of === "field" ? 0 : about.length);
    else for (const [index, one] of about.entries()) expectFacts(inside, elements[index] ?? elements[0]!, one, list);
  }
}

function write(shape: AnswerShape, facts: Facts, list: readonly Page[] = []) {
  const { headers, text = "" } = renderResponse(shape, { ...facts, pages: list });
  return { headers: new Headers(headers), text };
}

/** Expects that a response has everything that its template has, and shows every fact as it was written. */
function expectReadBack(shape: AnswerShape, facts: Facts, list: readonly Page[] = []): ReadFacts {
  const found = readResponse(shape, write(shape, facts, list));
  const nodes = [...(shape.body === undefined ? [] : [shape.body.node]), ...shape.headers.map(([, node]) => node)];
  expectFacts(nodes, found, facts, list);
  expect(found.missing).toEqual([]);
  return found;
}

const event = { id: "ev_1", pageId: "pg_1", timestamp: "2026-03-01T12:00:00Z" };

function expectLaw(choice: unknown, given: readonly [Page, Page, readonly Page[]]): void {
  const { answers, switches } = resolveDialect(choice);
  const { endpoints, emptyList, error, malformed, errors } = readAnswers(answers);
  // Identifiers of integers count up.
  const isInteger = switches["page-id-type"] === "integer";
  const number = (page: Page, index: number): Page => (isInteger ? { ...page, id: index + 1 } : page);
  const [one, before] = [number(given[0], 7), number(given[1], 7)];
  const listed = given[2].map(number);
  const list = { total: listed.length + 3, limit: 20, offset: 0, count: listed.length };
  const changes = { title: one.title, slug: one.slug };

  const expectSuccess: typeof expectReadBack = (shape, ...about) => {
    const found = expectReadBack(shape, ...about);
    // Even if the error has the same status.
    for (const other of [error, malformed, ...errors.values()])
      expect(fitsBetter(readResponse(other, write(shape, ...about)), found)).toBe(false);
    return found;
  };
  const created = expectSuccess(endpoints.createPage, { ...common, page: one });
  const updated = expectSuccess(endpoints.updatePage, { ...common, page: one, changes, previous: before });
  const inList = expectSuccess(listed.length === 0 ? emptyList : endpoints.listPages, { ...common, list }, listed);
  expectSuccess(endpoints.deletePage, { ...common, page: one });
  expectSuccess(endpoints.trackEvent, { ...common, page: one, event });

  expect([undefined, String(one.id)]).toContain(readPageFacts(created).id);
  expect([undefined, one.title, before.title]).toContain(readPageFacts(updated).title);
  // A map puts integer names first, so pages are compared as a set.
  const ids = inList.repeated.page?.map((each) => readPageFacts(each).id);
  expect(new Set(ids)).toEqual(new Set(listed.map(({ id }) => String(id))));
  const problems = [{ pointer: "#/cta/url", detail: "expected a URL" }];
  const problem = { reason: "Bad Request", detail: "Something is wrong.", errors: problems };
  for (const [status, shape] of [[400, malformed], [404, error], ...errors] as const) {
    const about = { ...common, status, error: problem };
    const found = expectReadBack(shape, about);
    const asCreated = readResponse(endpoints.createPage, write(shape, about));
    expect([fitsBetter(found, asCreated), readPageFacts(asCreated).id !== undefined]).toContain(true);
  }
}

const facts = fc.tuple(page, page, pages);

test.each(Object.keys(dialectPresets) as PresetName[])(
  "responses of the preset %s are read back, and no success is an error",
  (preset) => {
    fc.assert(fc.property(facts, (given) => expectLaw(preset, given)));
  },
);

test("responses of any dialect are read back: every fact that has a placeholder, no success as an error, and every error as one", () => {
  fc.assert(
    fc.property(dialects, facts, (dialect, given) => expectLaw(dialect, given)),
    atLeast(150),
  );
});

function valuesOf(format: string): fc.Arbitrary<unknown> {
  if (["text", "json", "html", "url"].includes(format)) return words;
  if (["camel", "pascal", "kebab", "snake", "upper"].includes(format))
    return fc.constantFrom("title", "meta_description");
  return format === "number" ? fc.nat() : timestamp;
}

test.each(Object.entries(formats))("a value in the format %s is read back", (name, format) => {
  fc.assert(
    fc.property(valuesOf(name), (value) => {
      const written = format.write(value);
      const again = format.read(written);

      expect(again).not.toBeUndefined();
      expect(format.write(again)).toBe(written);
    }),
  );
});

test("extra fields pass, and a placeholder without a value and a constant with another are missing at their places", () => {
  const data = { "a/b": { _id: "{id}" }, "slug?": "{slug}", title: "{title}", kind: "page", live: true };
  const node = readTemplate({ data }, { path: "test", subjects: ["answer", "page", "domain", "alias"], parts: {} });

  const found = readTemplateValue(node, { ok: true, data: { kind: "page", live: 1, title: { en: "x" }, more: 1 } });

  expect(found.values).toEqual({});
  expect(found.found).toEqual([{ name: "constant", pointer: "#/data/kind" }]);
  expect(found.missing).toEqual([
    { name: "id", pointer: "#/data/a~1b/_id" },
    { name: "title", pointer: "#/data/title" },
    { name: "constant", pointer: "#/data/live" },
  ]);
});

test("an identifier keeps all its digits", () => {
  const shape = readAnswers(resolveDialect({ switches: { "page-id": "_id" } }).answers).endpoints.createPage;

  const found = readResponse(shape, { headers: new Headers(), text: '{"_id":12345678901234567890}' });

  expect(found.values.id).toBe("12345678901234567890");
});
