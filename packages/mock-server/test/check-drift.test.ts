import type { DialectFile } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { type Body, learnChanged as check } from "./learning.ts";

type Change = (body: Body) => Body;

const stripeLike: DialectFile = {
  answers: { listPages: { body: { object: "list", has_more: "{has_more}", data: ["{listedPage}"] } } },
};
const same: Change = (body) => body;

test("a list that is missing from its response has drifted", async () => {
  const { dialect } = await check(stripeLike, same);

  const without = await check(stripeLike, ({ data: _, ...body }) => body, dialect);

  expect(without.places).toContain("listPages/body/data");
  expect((await check(stripeLike, same, dialect)).places).toEqual([]);
});

const rename: Change = ({ fault, ...body }) => (fault === undefined ? body : { ...body, fault: { help_url: null } });

test("a changed field has drifted in the error of a 500, too", async () => {
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

  expect((await check(failing, rename, dialect)).places).toEqual(
    expect.arrayContaining(["errors/500/body/fault/help", "errors/500/body/fault/code"]),
  );
  expect((await check(failing, same, dialect)).places).toEqual([]);
});

/** Removes the label of a call to action, and adds a colour. */
const paint: Change = ({ cta, ...body }) =>
  cta === undefined ? body : { ...body, cta: { type: "button", url: "https://example.com/", color: "red" } };

test("a field that the call to action lost or gained has drifted", async () => {
  const { dialect } = await check({}, same);

  const painted = await check({}, paint, dialect);

  expect(painted.places).toEqual(
    expect.arrayContaining(["createPage/body/cta/label", "createPage/body/cta/color", "updatePage/body/cta/label"]),
  );
});

test("if the service reformats a field, the check still sees that updates change it and that other updates keep it", async () => {
  const dress: Change = ({ content, data, ...body }) => ({
    ...body,
    ...(typeof content === "string" && { content: `<p>${content}</p>` }),
    ...(Array.isArray(data) && { data: data.map((page) => dress(page as Body)) }), // why: pages are objects
  });

  const { statements } = await check({}, dress);

  const verdicts = Object.fromEntries(statements.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({
    "create-page": "broken",
    "update-changes-sent": "holds",
    "update-keeps-unsent": "holds",
  });
});

const hosts: DialectFile = {
  answers: {
    page: {
      id: "{id}",
      slug: "{slug}",
      channel: [{ id: "ch1", url: "{domain.url}" }],
      revision: 3,
      about: { "en-US": "{meta_description:text}" },
    },
    createPage: { status: 201, body: "{page}" },
    listPages: { body: { data: ["{page}"], total: "{total}" } },
    updatePage: { body: "{page}" },
  },
};
const inList: Change = ({ data, ...body }) =>
  Array.isArray(data)
    ? { ...body, data: data.map((page) => ({ ...(page as Body), channel: [{ id: "ch1" }] })) }
    : { ...body }; // why: pages are objects

test("a field inside an array that only the list leaves out has drifted in the list alone", async () => {
  const { dialect } = await check(hosts, same);

  expect((await check(hosts, inList, dialect)).places).toEqual(["listPages/body/data/0/channel/0/url"]);
  expect((await check(hosts, same, dialect)).places).toEqual([]);
});

const forgetful: Change = ({ revision, ...body }) =>
  /-short"/.test(JSON.stringify(body)) ? body : { ...body, revision: revision ?? null };

test("a field that one page lacks has drifted, unless it was missing when the dialect was learned", async () => {
  const { dialect } = await check(hosts, same);
  const { dialect: unsteady } = await check(hosts, forgetful);

  expect((await check(hosts, forgetful, dialect)).places).toContain("createPage/body/revision");
  expect(unsteady.varies).toContain("createPage/body/revision");
  expect((await check(hosts, forgetful, unsteady)).places).toEqual([]);
});

test("the list of an account without pages is learned separately from the list after the last page, and its drift is reported separately", async () => {
  const empty: DialectFile = { answers: { emptyAccount: { body: { pages: null, version: 2 } } } };
  const { dialect } = await check(empty, same);

  const renamed = await check(
    empty,
    ({ version, ...body }) => (version === undefined ? body : { ...body, v: version }),
    dialect,
  );

  expect(dialect.answers?.emptyAccount).toEqual({ status: 200, body: { pages: null, version: 2 } });
  expect(renamed.places).toEqual(["emptyAccount/body/version", "emptyAccount/body/v"]);
});

const leadOn: Change = (body) =>
  Array.isArray(body["data"]) && body["data"].length === 0 ? { ...body, next: "more" } : body;

test("a cursor after the last page has drifted if it was null", async () => {
  const cursors: DialectFile = { answers: { listPages: { body: { data: ["{listedPage}"], next: "{next_cursor}" } } } };
  const { dialect } = await check(cursors, same);

  expect((await check(cursors, leadOn, dialect)).places).toEqual(["emptyList/body/next", "emptyAccount/body/next"]);
});

const moveInList: Change = ({ data, ...body }) =>
  Array.isArray(data)
    ? { ...body, data: data.map((page) => ({ ...(page as Body), domains: { other: "" } })) }
    : { ...body }; // why: pages are objects

test("a map of domains that has other names only in lists has drifted in the lists", async () => {
  const mapped: DialectFile = {
    answers: { page: { id: "{id}", slug: "{slug}", domains: { "{domain.name}": "{domain.url}" } } },
  };
  const { dialect } = await check(mapped, same);

  expect((await check(mapped, moveInList, dialect)).places).toEqual(["listPages/body/data/0/domains/{domain.name}"]);
});
