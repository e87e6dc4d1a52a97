import type { DialectFile } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { renderReport } from "../src/check.ts";
import { type Body, learnChanged as check } from "./learning.ts";

type Change = (body: Body) => Body;

const same: Change = (body) => body;

test("if the service reformats a field, the check says so, and sees that updates change it and that other updates keep it", async () => {
  const dress: Change = ({ content, data, ...body }) => ({
    ...body,
    ...(typeof content === "string" && { content: `<p>${content}</p>` }),
    ...(Array.isArray(data) && { data: data.map((page) => dress(page as Body)) }), // why: pages are objects
  });

  const report = await check({}, dress);

  const { statements } = report;
  const verdicts = Object.fromEntries(statements.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({
    "create-page": "holds",
    "update-changes-sent": "holds",
    "update-keeps-unsent": "holds",
  });
  const note = /the page has the fields as sent; content is stored in another form: "<p>Running shoes, .+<\/p>"/;
  expect(renderReport(report)).toMatch(note);
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

  expect((await check(mapped, moveInList, dialect)).places).toEqual(["listPages/body/data/0/domains/other"]);
});
