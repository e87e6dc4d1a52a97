import type { DialectFile, Json } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { checkService } from "../src/check.ts";
import { createMockService } from "../src/index.ts";

type Change = (body: { [name: string]: Json }) => Json;

/** Checks a service that answers with something else than the mock service does, and refuses and fails once. */
function check(dialect: DialectFile, change: Change, compare?: DialectFile) {
  const service = createMockService({ dialect });
  service.faults.add({ endpoint: "listPages", status: 429, skip: 4, times: 1, headers: { "Retry-After": "1" } });
  service.faults.add({ endpoint: "listPages", status: 500, skip: 7, times: 1 });
  return checkService({
    baseUrl: service.baseUrl,
    apiKey: "test_check",
    sleep: () => Promise.resolve(),
    fetch: async (request) => {
      const response = await service.fetch(request);
      const text = await response.text();
      if (!text.startsWith("{")) return new Response(text === "" ? null : text, response);
      return new Response(JSON.stringify(change(JSON.parse(text) as { [name: string]: Json })), response); // why: an object, by its brace
    },
    ...(compare && { compare }),
  });
}

const stripeLike: DialectFile = {
  answers: { listPages: { body: { object: "list", has_more: "{has_more}", data: ["{listedPage}"] } } },
};
const same: Change = (body) => body;
const placesOf = ({ drift = [] }: { drift?: readonly { place: string }[] }) => drift.map(({ place }) => place);

test("a list that is no longer in its answer has drifted", async () => {
  const { dialect } = await check(stripeLike, same);

  const without = await check(stripeLike, ({ data: _, ...body }) => body, dialect);

  expect(placesOf(without)).toContain("listPages/body/data");
  expect(placesOf(await check(stripeLike, same, dialect))).toEqual([]);
});

const rename: Change = ({ fault, ...body }) => (fault === undefined ? body : { ...body, fault: { help_url: null } });

test("an error that only a failing service shows has drifted where it is no longer as it was", async () => {
  const failing: DialectFile = {
    answers: {
      error: { body: { fault: { help: null, code: "{code}" } } },
      errors: {
        400: { body: { refused: "{detail}" } },
        401: { body: { who: "{detail}" } },
        404: { body: { gone: "{detail}" } },
      },
    },
  };
  const { dialect } = await check(failing, same);

  expect(placesOf(await check(failing, rename, dialect))).toEqual(
    expect.arrayContaining(["errors/500/body/fault/help", "errors/500/body/fault/code"]),
  );
  expect(placesOf(await check(failing, same, dialect))).toEqual([]);
});

/** Takes the label out of a call to action, and puts a colour in. */
const paint: Change = ({ cta, ...body }) =>
  cta === undefined ? body : { ...body, cta: { type: "button", url: "https://example.com/", color: "red" } };

test("a member of the call to action that is gone, or new, has drifted", async () => {
  const { dialect } = await check({}, same);

  const painted = await check({}, paint, dialect);

  expect(placesOf(painted)).toEqual(
    expect.arrayContaining(["createPage/body/cta/label", "createPage/body/cta/color", "updatePage/body/cta/label"]),
  );
});

test("a field that is always shown otherwise than it was sent does change, and stays when it is not sent", async () => {
  const dress: Change = ({ content, data, ...body }) => ({
    ...body,
    ...(typeof content === "string" && { content: `<p>${content}</p>` }),
    ...(Array.isArray(data) && { data: data.map((page) => dress(page as { [name: string]: Json })) }), // why: pages are objects
  });

  const { statements } = await check({}, dress);

  const verdicts = Object.fromEntries(statements.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({
    "create-page": "broken",
    "update-changes-sent": "holds",
    "update-keeps-unsent": "holds",
  });
});
