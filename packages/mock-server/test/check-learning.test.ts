import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { type Body, learnChanged } from "./learning.ts";

/** Puts the description of a page, where it has one, under a language. */
const wrap = ({ meta_description: text, ...page }: Body): Body => ({
  ...page,
  meta_description: typeof text === "string" ? { en: text } : null,
});
const isPage = (body: Body): boolean => "slug" in body && "content" in body;

test("an object that is null for a page without a description is null again when it is served", async () => {
  const { dialect } = await learnChanged({}, (body) =>
    Array.isArray(body["data"])
      ? { ...body, data: body["data"].map((page) => wrap(page as Body)) } // why: pages are objects
      : isPage(body)
        ? wrap(body)
        : body,
  );

  expect(dialect.answers?.page).toMatchObject({ meta_description: { "...?": { en: "{meta_description}" } } });
});

test("what stands only where more pages follow may be an object", async () => {
  const { dialect } = await learnChanged({}, ({ total, limit, offset, data, ...body }) => {
    if (!Array.isArray(data)) return { ...body, ...(data !== undefined && { data }) };
    const next = Number(offset) + data.length;
    return { data, total: total ?? 0, ...(next < Number(total) && { paging: { next: { after: "k7xQz9" } } }) };
  });

  expect(dialect.answers?.listPages?.body).toMatchObject({ "paging?": { next: { after: "{next_cursor}" } } });
});

test("a headline that errors of several statuses share is no detail", async () => {
  const { dialect } = await learnChanged({}, (body) =>
    "detail" in body ? { title: "An error occurred", detail: body["detail"] ?? null } : body,
  );

  expect(dialect.answers?.error?.body).toEqual({ title: "An error occurred", detail: "{detail}" });
});

test("a refusal that blames no field blames none when it is served, though the mock server knows which it is", async () => {
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

test("the identifier of a request that no header has is described by its name", async () => {
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

  // It is where the request went.
  const there = { headers: { Location: "{path}" } };
  expect(dialect.answers).toMatchObject({ updatePage: { ...updatePage, ...there }, deletePage: there });
});
