// What a check finds out about the statements of the specification and the open questions.
import { type Gap, gaps, type StatementId } from "@landing-page-service/contract";
import { expect, test } from "vitest";
import { type CheckOptions, renderReport } from "../src/check.ts";
import { createMockService, type DialectChoice } from "../src/index.ts";
import { check, replaceStatus, type Send } from "./learning.ts";

test("our own service keeps every documented statement that can be seen with two keys", async () => {
  const service = createMockService();

  const report = await check(service, { otherApiKey: "test_other" });

  const notSeen = report.statements.filter(({ verdict }) => verdict !== "holds").map(({ id }) => id);
  expect(notSeen).toEqual(["error-too-many", "error-server"]);
  expect(report.requests).toBeLessThanOrEqual(61);
  expect(service.requests()).toHaveLength(report.requests);
});

test("the report has a line for every gap, with the interpretation that we assume", async () => {
  const report = await check(createMockService());

  expect(report.gaps.map(({ id }) => id)).toEqual(Object.keys(gaps));
  const assumed = Object.values<Gap>(gaps).map(({ interpretations }) => Object.keys(interpretations)[0]);
  expect(report.gaps.map((gap) => gap.assumed)).toEqual(assumed);
  const open = report.gaps.filter(({ interpretation }) => interpretation === undefined).map(({ id }) => id);
  expect(open).toEqual(["event-fields", "limits", "key-format", "webhooks", "versioning"]);
});

/** The body if it is a JSON object. The request or response can still be read. */
async function bodyOf(message: Request | Response): Promise<object | undefined> {
  const text = await message.clone().text();
  return /^\{.*\}$/s.test(text) ? (JSON.parse(text) as object) : undefined; // why: it begins with a brace
}

/** Faults of a service, each with the statement that it breaks. */
const plantedFaults: [string, StatementId, (send: Send) => Send, RegExp][] = [
  [
    "drops the rate-limit headers on 404",
    "rate-limit-headers",
    (send) => async (request) => {
      const response = await send(request);
      if (response.status !== 404) return response;
      const headers = [...response.headers].filter(([name]) => !name.startsWith("x-ratelimit-"));
      return new Response(await response.text(), { status: 404, headers });
    },
    /^404 without an integer X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset$/,
  ],
  [
    "replaces the whole record on update",
    "update-keeps-unsent",
    (send) => async (request) => {
      const sent = await bodyOf(request);
      if (request.method !== "PUT" || sent === undefined) return send(request);
      const cta = { type: "button", label: "-", url: "https://x.example" };
      const blank = { title: "-", content: "-", slug: "blank", meta_description: "", cta };
      return send(new Request(request, { method: "PUT", body: JSON.stringify({ ...blank, ...sent }) }));
    },
    /^after an update of title: content, slug, meta_description, cta changed$/,
  ],
  [
    "confirms an update but does not store it",
    "update-changes-sent",
    (send) => async (request) => {
      if (request.method !== "PUT") return send(request);
      const sent = await bodyOf(request);
      const response = await send(new Request(request, { method: "PUT", body: "{}" }));
      return response.status === 200 ? Response.json({ ...(await bodyOf(response)), ...sent }, response) : response;
    },
    /^after an update of title: title did not change$/,
  ],
  [
    "keeps a deleted page",
    "delete-permanent",
    (send) => async (request) => {
      if (request.method !== "DELETE" || request.headers.get("Authorization") !== "Bearer test_check")
        return send(request);
      const probe = await send(
        new Request(request.url, {
          method: "PUT",
          headers: { ...Object.fromEntries(request.headers), "Content-Type": "application/json" },
          body: "{}",
        }),
      );
      return probe.status === 404 ? probe : new Response(null, { status: 204, headers: probe.headers });
    },
    /^an update of the deleted page returned 200$/,
  ],
  [
    "ignores offset",
    "list-offset",
    rewriteQuery((query) => query.delete("offset")),
    /^offset=1 returns the same page as offset=0$/,
  ],
  [
    "ignores limit",
    "list-limit",
    rewriteQuery((query) => query.has("limit") && query.set("limit", "100")),
    /^limit=1 returns \d pages$/,
  ],
  [
    "accepts a missing key",
    "auth-missing",
    (send) => (request) => {
      if (!request.headers.has("Authorization")) request.headers.set("Authorization", "Bearer test_check");
      return send(request);
    },
    /^GET \/api\/content returned 200; POST \/api\/content returned 201; /,
  ],
  [
    "accepts any key",
    "auth-invalid",
    (send) => (request) => {
      if (request.headers.has("Authorization")) request.headers.set("Authorization", "Bearer test_check");
      return send(request);
    },
    /^GET \/api\/content returned 200; /,
  ],
  ["responds with 422 where 400 is documented", "error-invalid", replaceStatus(400, 422), /returned 422/],
  [
    "responds with 410 for a missing page",
    "error-not-found",
    replaceStatus(404, 410),
    /^PUT \S+ returned 410; DELETE \S+ returned 410$/,
  ],
];

test.for(plantedFaults)("the report shows that a service %s, with evidence", async ([, broken, tamper, note]) => {
  const report = await check(createMockService(), {}, tamper);

  const result = report.statements.find(({ id }) => id === broken);
  expect(result).toMatchObject({ verdict: "broken", note: expect.stringMatching(note) as string });
  expect(result?.evidence.length).toBeGreaterThan(0);
  expect(report.ok).toBe(false);
});

const tamperBy = (id: string) => plantedFaults.find(([, broken]) => broken === id)?.[2];

test("with `compare`, only a statement that the dialect does not name as broken counts", async () => {
  const { dialect, ok } = await check(createMockService(), {}, tamperBy("error-not-found"));

  const same = await check(createMockService(), { compare: dialect }, tamperBy("error-not-found"));
  const worse = await check(createMockService(), { compare: dialect }, tamperBy("list-offset"));

  expect([ok, dialect.broken]).toEqual([false, ["error-not-found"]]);
  expect([same.ok, same.drift, worse.ok]).toEqual([true, [], false]);
  expect(renderReport(same)).toContain("Broken, as the dialect says\n  ✘ broken         error-not-found");
  expect(renderReport(worse)).toContain("\nBroken\n  ✘ broken         list-offset");
});

test("the report lists the pages that a service keeps after a delete", async () => {
  const service = createMockService();

  const report = await check(service, {}, tamperBy("delete-permanent"));

  expect(report.leftovers.toSorted()).toEqual(
    service
      .account("test_check")
      .pages.map(({ id }) => id)
      .toSorted(),
  );
  expect(renderReport(report)).toContain(`Pages left behind: ${report.leftovers.join(", ")}.`);
});

test("a second key shows that accounts are not isolated", async () => {
  const report = await check(createMockService(), { otherApiKey: "test_other" }, oneForAll);

  expect(report.statements.find(({ id }) => id === "list-no-foreign")).toMatchObject({ verdict: "broken" });
});

test("if the other key is refused in a success, the accounts are isolated", async () => {
  const error = { status: 200, body: { ok: false, message: "{detail}" } };

  const report = await check(createMockService({ dialect: { answers: { error } } }), { otherApiKey: "test_other" });

  expect(report.statements.find(({ id }) => id === "list-no-foreign")).toMatchObject({ verdict: "holds" });
});

test("a thorough check observes the default limit, whatever the response says", async () => {
  const dialect: DialectChoice = { switches: { "list-envelope": "array" } };
  const all = rewriteQuery((query) => query.has("limit") || query.set("limit", "100"));
  const verdictOf = async (options: Partial<CheckOptions>, tamper?: (send: Send) => Send) => {
    const { statements } = await check(createMockService({ dialect }), options, tamper);
    return statements.find(({ id }) => id === "list-default-limit")?.verdict;
  };

  expect(await verdictOf({})).toBe("not observable");
  expect(await verdictOf({ thorough: true })).toBe("holds");
  expect(await verdictOf({ thorough: true }, all)).toBe("broken");
});

function rewriteQuery(rewrite: (query: URLSearchParams) => unknown): (send: Send) => Send {
  return (send) => (request) => {
    const url = new URL(request.url);
    rewrite(url.searchParams);
    return send(request.method === "GET" ? new Request(url, request) : request);
  };
}

const oneForAll = (send: Send) => (request: Request) => {
  if (request.headers.get("Authorization") === "Bearer test_other")
    request.headers.set("Authorization", "Bearer test_check");
  return send(request);
};
