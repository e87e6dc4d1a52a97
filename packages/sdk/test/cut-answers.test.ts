// Answers that end within their JSON although the connection ended cleanly, as a proxy leaves them that lost the rest.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseValidationError } from "../src/index.ts";
import { failureOf, scripted } from "./setup.ts";

const page = fc.record({
  id: fc.stringMatching(/^pg_\d{1,6}$/),
  title: fc.string(),
  slug: fc.constant("red-shoes"),
  note: fc.jsonValue({ maxDepth: 2 }),
});
const lists = fc
  .tuple(fc.uniqueArray(page, { selector: ({ id }) => id, minLength: 1, maxLength: 4 }), fc.constantFrom(0, 2))
  .chain(([pages, indent]) =>
    fc.constantFrom<unknown>(pages, { data: pages, total: pages.length }, { items: pages, next: null }).map((body) => {
      return { pages, text: JSON.stringify(body, null, indent) };
    }),
  );
/** A list, and the part of it that came. */
const cutLists = lists.chain(({ pages, text }) =>
  fc.integer({ min: 1, max: text.length - 1 }).map((end) => ({ pages, text, part: text.slice(0, end) })),
);

function ok(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "Content-Type": "application/json" } });
}

test("a list that is cut off anywhere is asked for again", async () => {
  await fc.assert(
    fc.asyncProperty(cutLists, async ({ pages, text, part }) => {
      const { client, requests, events } = scripted([ok(part), ok(text)]);

      const { data, attempts } = await client.pages.list().withResponse();

      expect(data.data.map(({ id }) => id)).toEqual(pages.map(({ id }) => id));
      expect(requests.length).toBe(2);
      expect(attempts).toMatchObject([{ status: 200, failure: "CUT_SHORT" }, { status: 200 }]);
      expect(events).toContainEqual(expect.objectContaining({ type: "retry", reason: "CUT_SHORT" }));
    }),
  );
});

test("a list that is always cut off says what came, after three attempts", async () => {
  const { client, requests } = scripted([ok('{"data":[{"id":"pg_1","title":"Te')]);

  const error = await failureOf(client.pages.list());

  expect(ResponseValidationError.is(error) && [error.status, error.body, error.mayHaveBeenApplied]).toEqual([
    200,
    '{"data":[{"id":"pg_1","title":"Te',
    false,
  ]);
  expect(requests.length).toBe(3);
});

test.for(['{"data":[]} and a notice', "{'data':[]}", "[1,2]]", "an apology {", '{"data":nothing}'])(
  "a list answered with %s is wrong rather than cut off, and not asked for again",
  async (text) => {
    const { client, requests } = scripted([ok(text)]);

    expect(await failureOf(client.pages.list())).toBeInstanceOf(ResponseValidationError);
    expect(requests.length).toBe(1);
  },
);
