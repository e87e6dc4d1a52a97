import type { AnswerTemplate, DialectFile, Json } from "@landing-page-service/contract/dialect";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { type Body, type Change, expectLearned, learn, learnChanged, serve } from "./learning.ts";

/** Replaces the description of a page, if it has one, by an object with a language. */
const wrap = ({ meta_description: text, ...page }: Body): Body => ({
  ...page,
  meta_description: typeof text === "string" ? { en: text } : null,
});
const isPage = (body: Body): boolean => "slug" in body && "content" in body;

test("if an object is null for pages without a description, the mock also responds with null", async () => {
  const { dialect } = await learnChanged({}, (body) =>
    Array.isArray(body["data"])
      ? { ...body, data: body["data"].map((page) => wrap(page as Body)) } // why: pages are objects
      : isPage(body)
        ? wrap(body)
        : body,
  );

  expect(dialect.answers?.page).toMatchObject({ meta_description: { "...?": { en: "{meta_description}" } } });
});

test("a field that is present only if more pages follow may be an object", async () => {
  const { dialect } = await learnChanged({}, ({ total, limit, offset, data, ...body }) => {
    if (!Array.isArray(data)) return { ...body, ...(data !== undefined && { data }) };
    const next = Number(offset) + data.length;
    return { data, total: total ?? 0, ...(next < Number(total) && { paging: { next: { after: "k7xQz9" } } }) };
  });

  expect(dialect.answers?.listPages?.body).toMatchObject({ "paging?": { next: { after: "{next_cursor}" } } });
});

test("a title that errors of several statuses share is not learned as the detail", async () => {
  const { dialect } = await learnChanged({}, (body) =>
    "detail" in body ? { title: "An error occurred", detail: body["detail"] ?? null } : body,
  );

  expect(dialect.answers?.error?.body).toEqual({ title: "An error occurred", detail: "{detail}" });
});

test("a headline that all errors of one status share stays as it is, and the sentence about the field is the detail", async () => {
  const { dialect } = await learnChanged({}, ({ status, title, detail, errors, ...body }) => {
    if (detail === undefined)
      return { ...body, ...(title !== undefined && { title }), ...(status !== undefined && { status }) };
    if (status !== 400) return { title: detail, status: status ?? 0 };
    const invalid = (errors as Body[] | undefined) ?? [{ detail }]; // why: as the reference service writes it
    return {
      title: "One or more fields are wrong.",
      status,
      errors: invalid.map((error) => error["detail"] ?? detail),
    };
  });

  expect(dialect.answers?.error?.body).toEqual({ title: "{detail}", status: "{status}" });
  expect(dialect.answers?.errors?.["400"]?.body).toEqual({
    title: "One or more fields are wrong.",
    status: "{status}",
    errors: ["{error.detail}"],
  });
});

test("a check learns domains only from fields in which a client finds domains", async () => {
  const others: Body = {
    tags: [],
    domains_allowed: ["allowed.example"],
    tracking_domain: "track.example",
    organization: { domain: "company.example" },
    author: { url: "https://author.example/landing-page-check-abcdef12" },
    preview_url: "https://preview.example/landing-page-check-abcdef12",
  };
  const widen = (page: Body): Body => ({
    ...page,
    ...others,
    file: `${JSON.stringify(page["slug"]).slice(1, -1)}.html`,
  });
  const { dialect } = await learnChanged(
    {},
    ({ data, ...body }) =>
      Array.isArray(data)
        ? { ...body, data: data.map((page) => widen(page as Body)) }
        : isPage(body)
          ? widen(body)
          : { ...body, ...(data !== undefined && { data }) }, // why: pages are objects
  );

  expect(dialect.answers?.page).toMatchObject({
    ...others,
    domains: "{domains}",
    author: { url: "https://author.example/landing-page-check-abcdef12" },
    file: "{slug}.html",
  });
});

test("lists and empty lists have one template if it explains both", async () => {
  const { dialect } = await learnChanged({}, ({ total = 0, limit = 0, offset, data, ...body }) => {
    if (!Array.isArray(data)) return { ...body, ...(data !== undefined && { data }) };
    const page = { size: limit, totalElements: total, number: Math.floor(Number(offset) / Number(limit)) };
    return { ...(data.length > 0 && { embedded: { pages: data } }), page };
  });

  const page = { size: "{limit}", totalElements: "{total}", number: "{page_index}" };
  expect(dialect.answers).toEqual({
    listPages: { status: 200, body: { "embedded?": { pages: ["{listedPage}"] }, page } },
  });
});

test("a field that is called html is not escaped as a page of HTML is", async () => {
  const error = { body: { message: "{detail}", html: "<b>{error.field} is wrong</b>" } };

  const { dialect } = await learn({ answers: { error } });

  expect(dialect.answers?.error).toEqual(error);
});

test("a value that cannot be explained is listed, whatever its name", async () => {
  let count = 0;
  const names = ["https://schema.example/rank", "~rank", "ra/~1nk"];
  const ranked = (body: Body) => {
    return "slug" in body
      ? { ...body, ...Object.fromEntries(names.map((name) => [name, `rank ${(count += 1)}`])) }
      : body;
  };

  const { unexplained } = await learnChanged({}, ranked);

  const places = ["page/https:~1~1schema.example~1rank", "page/~0rank", "page/ra~1~01nk"];
  expect(unexplained.map(({ place }) => place)).toEqual(expect.arrayContaining(places));
  expect(unexplained.map(({ line }) => line)).not.toContain(undefined);
});

/** Sends a bare list, and a link to the next page in a header. */
const linkNext: Change = async (request, response) => {
  if (request.method !== "GET") return response;
  const { data, total } = (await response.json()) as { data?: Json[]; total: number }; // why: our own list or error
  if (data === undefined) return Response.json({ total }, response);
  const { origin, searchParams } = new URL(request.url);
  const limit = searchParams.get("limit") ?? "20";
  const next = Number(searchParams.get("offset")) + Number(limit);
  if (next < total) response.headers.set("Link", `<${origin}/api/content?limit=${limit}&offset=${next}>; rel="next"`);
  return Response.json(data, { status: response.status, headers: response.headers });
};

test("a link in a header is learned if it leads to the next page, also if the last page of the list has none", async () => {
  const { dialect } = await learn({}, {}, linkNext);

  const headers = { link: '<{origin}{path}?limit={limit}&offset={next_offset}>; rel="next"' };
  expect(dialect.answers?.listPages).toMatchObject({ headers, body: ["{listedPage}"] });
});

test("an empty array is learned as domains only under their name", async () => {
  const fields = { id: "{id}", title: "{title}", slug: "{slug}", content: "{content}" };
  const { dialect } = await learnChanged({ answers: { page: { ...fields, tags: [], domains: [] } } }, (body) => body);

  expect(dialect.answers?.page).toEqual({ ...fields, tags: [], domains: "{domains}" });
});

test("if an error of the service names no field, the mock's error names none either", async () => {
  const { dialect } = await learnChanged({}, ({ status, errors, ...body }) =>
    typeof status === "number" && status >= 400
      ? { status, message: body["detail"] ?? null, ...(status === 400 && { errors: errors ?? [] }) }
      : { ...body, ...(status !== undefined && { status }), ...(errors !== undefined && { errors }) },
  );
  const service = createMockService({ dialect });
  const unknown = await service.fetch(`${service.baseUrl}/api/analytics/view`, {
    method: "POST",
    headers: { Authorization: "Bearer test_check", "Content-Type": "application/json" },
    body: JSON.stringify({ pageId: "none", timestamp: "2026-03-01T12:00:00Z" }),
  });

  expect([unknown.status, Object.keys((await unknown.json()) as Body)]).toEqual([404, ["status", "message"]]); // why: an object
});

const tag = (body: Body): Body => ({ ...body, meta: { requestId: `req-${crypto.randomUUID()}-1` } });

test("a request id that is in no header is recognised by its field name", async () => {
  const { dialect, unexplained } = await learnChanged({}, tag);
  const { drift } = await learnChanged({}, tag, dialect);

  expect(dialect.answers?.error?.body).toMatchObject({ meta: { requestId: "{request_id}" } });
  expect(dialect.answers?.listPages?.body).toMatchObject({ meta: { requestId: "{request_id}" } });
  expect([unexplained, drift]).toEqual([[], []]);
});

test("the address of a page is also learned from the responses to updates and deletes", async () => {
  const headers = { Location: "/api/content/{id:url}" };
  const updatePage = { status: 202, headers, body: { queued: true } };

  const { dialect } = await learnChanged(
    { answers: { updatePage, deletePage: { status: 202, headers } } },
    (body) => body,
  );

  // The address equals the path of the request.
  const there = { headers: { Location: "{path}" } };
  expect(dialect.answers).toMatchObject({ updatePage: { ...updatePage, ...there }, deletePage: there });
});

/** Cursors and other signs of the end of a list, as real services have them. */
const endings: [string, NonNullable<NonNullable<DialectFile["answers"]>["listPages"]>["body"]][] = [
  ["a flag", { data: ["{listedPage}"], has_more: "{has_more}" }],
  ["the next offset, or null", { data: ["{listedPage}"], next: "{next_offset}" }],
  ["a cursor, or null", { data: ["{listedPage}"], paging: { next: "{next_cursor}", prev: "{previous_cursor}" } }],
  ["a link, or none", { data: ["{listedPage}"], "next?": "{origin}{path}?limit={limit}&offset={next_offset}" }],
  ["pages by number", { data: ["{listedPage}"], page: "{page_number}", pages: "{page_count}" }],
  ["flags for the first and the last page", { data: ["{listedPage}"], last: "{is_last}", first: "{is_first}" }],
  ["the number of the next page", { data: ["{listedPage}"], nextPage: "{next_page}", prevPage: "{previous_page}" }],
];

test.for(endings)("a check learns how a list shows its end: %s", async ([, body = null]) => {
  const { dialect } = await learn({ answers: { listPages: { body } } });

  expect(dialect.answers?.listPages?.body).toEqual(body);
});

const done = { outcome: "DONE" };
const page = { page: "{page}" };

/** Successes and failures that differ only by their templates. */
const reported: [string, NonNullable<DialectFile["answers"]>, AnswerTemplate, AnswerTemplate?][] = [
  [
    "in a word",
    {
      createPage: { status: 200, body: { ...done, ...page } },
      listPages: { status: 200, body: { ...done, pages: ["{listedPage}"], total: "{total}" } },
      updatePage: { status: 200, body: { ...done, ...page } },
      deletePage: { status: 200, body: done },
      trackEvent: { status: 200, body: done },
    },
    { body: { outcome: "REFUSED", explanation: "{detail}", about: "{error.field}" } },
    { body: { outcome: "REFUSED", explanation: "{detail}" } },
  ],
  [
    "in a flag, with the status as the code",
    {
      createPage: { status: 200, body: { saved: true, code: 200, ...page } },
      listPages: { status: 200, body: { saved: true, code: 200, rows: ["{listedPage}"] } },
      updatePage: { status: 200, body: { saved: true, code: 200 } },
      deletePage: { status: 200, body: { saved: true, code: 200 } },
      trackEvent: { status: 200, body: { saved: true, code: 200 } },
    },
    { body: { saved: false, code: "{status}", why: "{detail}" } },
  ],
  [
    "in a text",
    {
      updatePage: { status: 200, text: "OK" },
      deletePage: { status: 200, text: "OK" },
      trackEvent: { status: 200, text: "OK" },
    },
    { text: "{detail}" },
  ],
];

test.for(reported)(
  "a check learns how a service reports failures in a 200: %s",
  async ([, answers, wrong, other = wrong]) => {
    const errors: Record<string, AnswerTemplate> = { 400: { ...wrong, status: 200 }, 404: { ...other, status: 200 } };
    // A malformed body is a 400 otherwise.
    if (other !== wrong) errors["malformed"] = { ...other, status: 200 };
    const served: DialectFile = { answers: { ...answers, error: other, errors } };
    const report = await learn(served);
    const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });
    const drifted = await learn(
      { answers: { ...answers, error: other } },
      { runId: "0a1b2c3d", compare: report.dialect },
    );

    expectLearned(report, serve(served).dialect);
    const verdicts = Object.fromEntries(report.statements.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts).toMatchObject({
      "delete-permanent": "holds",
      "error-not-found": "broken",
      "error-invalid": "broken",
    });
    expect(report).toMatchObject({ leftovers: [], unexplained: [] });
    expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
    expect(drifted.drift?.map(({ place }) => place)).toContain("errors/404/status");
  },
);

test("a request that a service accepts although it should refuse it is no error", async () => {
  let count = 0;
  const accept: Change = async (request, response) => {
    if (response.status < 400 || response.status === 429 || response.status === 500) return response;
    const sent = await request.json().catch(() => ({}));
    const isPage = request.url.includes("/api/content") && request.method !== "DELETE";
    const body = { ...(isPage && { id: `pg_${(count += 1)}`, state: "draft", ...Object(sent) }), took: count };
    return new Response(JSON.stringify(body), { status: 200, headers: response.headers });
  };
  const { dialect } = await learn({}, {}, accept);

  expect(JSON.stringify(dialect.answers?.error ?? {})).not.toContain("draft");
  expect(Object.keys(dialect.answers?.errors ?? {})).toEqual([]);
});
