import type { Switches } from "@landing-page-service/contract";
import type { DialectFile } from "@landing-page-service/contract/dialect";
import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CheckError, checkService, renderReport } from "../src/check.ts";
import { createMockService, type DialectChoice, type MockService } from "../src/index.ts";
import { create } from "./client.ts";
import { check, expectLearned, isThorough, replaceStatus, runs, type Send } from "./learning.ts";

function pagesLeft(service: MockService): number {
  return service.account("test_check").pages.length;
}

test("whatever a server responds, a check ends with a report or an error that says why there is none", async () => {
  const texts = ["", "ok", "<html>", "[]", "{}", "null", '{"id":"..","title":"x"}', '{"id":"\\ud800","title":"x"}'];
  const pages = fc.array(fc.record({ id: fc.oneof(fc.integer(), fc.string()), title: fc.string() }));
  const response = fc.record({
    status: fc.constantFrom(200, 201, 204, 302, 400, 401, 404, 405, 409, 429, 500, 503),
    body: fc.oneof(
      fc.constantFrom(...texts),
      fc.json(),
      pages.map((data) => JSON.stringify({ data })),
    ),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { "Retry-After": "0" },
      { "Retry-After": "soon" },
      { Location: "/api/content/%E0" },
      { Location: "/api/content/%2e%2e" },
    ),
  });
  const responses = fc.array(response, { minLength: 1, maxLength: 20 });

  await fc.assert(
    fc.asyncProperty(responses, fc.boolean(), async (all, isListable) => {
      const paths: string[] = [];
      const improvise = (request: Request) => {
        paths.push(new URL(request.url).pathname);
        if (isListable && paths.length === 1) return Promise.resolve(Response.json({ data: [] }));
        const { status, body, headers } = all[paths.length % all.length] ?? { status: 500, body: "", headers: {} };
        return Promise.resolve(new Response(status === 204 ? null : body, { status, headers }));
      };

      const options = { yes: true, sleep: () => Promise.resolve(), fetch: improvise };
      const ending = await check(createMockService(), options).catch((error: unknown) => error);

      expect(ending instanceof CheckError || typeof (ending as { ok?: unknown }).ok === "boolean").toBe(true);
      const known = /^\/api\/(?:content(?:\/[^/]+)?|analytics\/view|landing-page-check)$/;
      expect(paths.filter((path) => !known.test(path))).toEqual([]);
    }),
    { numRuns: runs(15) },
  );
});

test("the report says that responses are not JSON, and lists the pages that cannot be addressed", async () => {
  const service = createMockService();
  const report = await check(service, {}, (send) => async (request) => {
    const response = await send(request);
    const text = await response.text();
    const { status } = response;
    return new Response(status === 204 ? null : `)]}'\n${text}`, { status });
  });

  expect(report.leftovers).toEqual(service.account("test_check").pages.map(({ slug }) => slug));
  expect(report.leftovers).toHaveLength(2);
  expect(renderReport(report)).toContain(`Pages left behind: ${report.leftovers.join(", ")}.`);
  expect(renderReport(report)).toContain(`listPages/body: ")]}'`);
});

test("the check waits after a 429, and counts it as observed", async () => {
  const service = createMockService({ plan: { limit: 10, windowMs: 60_000 } });
  const waits: number[] = [];

  const report = await check(service, {
    now: () => service.clock.now(),
    sleep: (delayMs) => {
      waits.push(delayMs);
      service.clock.advance(delayMs);
      return Promise.resolve();
    },
  });

  expect(report.statements.find(({ id }) => id === "error-too-many")?.verdict).toBe("holds");
  expect(report.ok).toBe(true);
  expect(waits.length).toBeGreaterThan(2);
  expect(Math.max(...waits)).toBeLessThanOrEqual(61_000);
  expect(pagesLeft(service)).toBe(0);
});

test("a wait that is too long ends the check, and the error says which pages are left behind", async () => {
  const service = createMockService({ plan: { limit: 5, windowMs: 3_600_000 } });

  const checking = check(service);

  await expect(checking).rejects.toThrow(CheckError);
  await expect(checking).rejects.toThrow(
    /^The service asks to wait \d+ s, longer than the 120 s allowed\. Pages left behind: landing-page-check-\w+, landing-page-check-\w+-short/,
  );
});

test("an account with pages is checked only with `yes`, and its pages do not change", async () => {
  const service = createMockService();
  for (let count = 0; count < 50; count += 1) await create(service, { slug: `own-${count}` }, "test_check");
  const before = service.account("test_check").pages;

  await expect(check(service)).rejects.toThrow("The account already has pages.");
  const report = await check(service, { yes: true });

  expect(report.ok).toBe(true);
  expectLearned(report, service.dialect);
  expect(service.account("test_check").pages).toEqual(before);
});

test.for<Partial<Switches>>([
  { "list-order": "newest-first" },
  { "list-total": "none" },
  { "list-envelope": "array", "list-order": "newest-first" },
])("an account with 50 pages reads the same in the dialect %j", async (switches) => {
  const service = createMockService({ dialect: { switches } });
  for (let count = 0; count < 50; count += 1) await create(service, { slug: `own-${count}` }, "test_check");

  const report = await check(service, { yes: true });

  expectLearned(report, service.dialect);
  expect(report.ok).toBe(true);
  expect(pagesLeft(service)).toBe(50);
});

test("whenever a check is aborted, it deletes the pages that it created and rejects with the reason", async () => {
  const { requests } = await check(createMockService());

  for (let stopAt = 1; stopAt < requests - 4; stopAt += isThorough ? 1 : 12) {
    const service = createMockService();
    const controller = new AbortController();
    const reason = new Error(`stopped at ${stopAt}`);
    const onProgress = (progress: { requests: number }) => {
      if (progress.requests === stopAt) controller.abort(reason);
    };

    await expect(check(service, { signal: controller.signal, onProgress })).rejects.toBe(reason);
    expect(pagesLeft(service)).toBe(0);
  }
});

test("a page whose response was lost is found by its slug and deleted", async () => {
  const service = createMockService();
  let creates = 0;
  const loseFirstResponse = (send: Send) => async (request: Request) => {
    const response = await send(request);
    if (response.status === 201 && (creates += 1) === 1)
      throw new TypeError("fetch failed", { cause: new Error("socket hang up") });
    return response;
  };

  const report = await check(service, {}, loseFirstResponse);

  expect(report.statements.find(({ id }) => id === "create-page")).toMatchObject({
    verdict: "broken",
    note: "POST /api/content got no response (fetch failed: socket hang up)",
  });
  expect(report.leftovers).toEqual([]);
  expect(pagesLeft(service)).toBe(0);
});

test("if the service becomes unreachable, the check ends with an error that lists the pages left behind", async () => {
  const service = createMockService();
  let sent = 0;
  const goAway = (send: Send) => (request: Request) =>
    (sent += 1) > 10 ? Promise.reject(new Error("gone")) : send(request);

  await expect(check(service, {}, goAway)).rejects.toThrow(
    /^The service stopped responding: gone Pages left behind: pg_/,
  );
});

test("a wrong key ends the check before it creates a page", async () => {
  const service = createMockService();

  await expect(check(service, { apiKey: "wrong" })).rejects.toThrow("The service returned 401 for a list");
  expect(service.requests({ method: "POST" })).toEqual([]);
});

test("the key appears nowhere in the report, even when the service echoes it", async () => {
  const apiKey = 'test_"secret\\key"/+';
  const report = await check(createMockService(), { apiKey, yes: true }, echo);

  const text = JSON.stringify(report) + renderReport(report);
  expect(text).toContain("[API key]");
  expect(text.includes("secret")).toBe(false);
});

test.for([
  ["localhost:4010", /must begin with https:\/\/, or with http:\/\/ on this machine/],
  ["http://service.example", /must be https, or http on this machine/],
  ["https://user:pass@service.example", /no credentials/],
  ["https://service.example?x=1", /no credentials, query or fragment/],
] as const)("the base URL %s is refused", async ([baseUrl, message]) => {
  await expect(
    checkService({ baseUrl, apiKey: "test_check", fetch: () => Promise.reject(new Error("sent")) }),
  ).rejects.toThrow(message);
});

test("a key that cannot be sent is refused without being shown", async () => {
  const service = createMockService();

  for (const apiKey of ["test_\nsecret", "Bearer test_secret", undefined as unknown as string])
    await expect(check(service, { apiKey })).rejects.toThrow(
      /^A key is 1 to 512 visible ASCII characters, without `Bearer `\.$/,
    );
  await expect(check(service, { otherApiKey: "test_check" })).rejects.toThrow(/must open another account/);
});

test("a report is a table, with the evidence below each broken statement", async () => {
  const report = await check(createMockService({ dialect: "mongo-like" }), {}, replaceStatus(404, 410));

  const lines = renderReport(report).split("\n");

  expect(lines[0]).toMatch(
    /^https:\/\/\S+: \d+ documented statements hold, 1 broken, \d+ not observable; 6 of \d+ open questions and some responses differ from our default \(\d+ requests\)$/,
  );
  const at = lines.findIndex((line) => line.includes("✘ broken         error-not-found"));
  expect(lines[at + 2]).toMatch(/^ {21}> PUT \/api\/content\/pg_\w+ \{"title":"Retitled landing page \w+"\}$/);
  expect(lines[at + 3]).toMatch(/^ {21}< 410 \{"error":"The account has no page/);
  expect(lines).toContain("  ≠ error-body         error-string         our default: problem");
  expect(lines).toContain(
    "  ≠ responses          see page, listPages, deletePage, error, errors in `answers` of the dialect",
  );
  const order = [
    "Broken",
    "Different from our default",
    "Options that fit this service",
    "Documented",
    "Same as our default, or not observed",
  ];
  expect(order.map((title) => lines.indexOf(title)).toSorted((one, other) => one - other)).toEqual(
    order.map((title) => lines.indexOf(title)),
  );
  expect(lines).toContain('  retry: { writes: "safe" }      the service ignores Idempotency-Key');
  expect(renderReport(report, { colour: true })).toContain("\u001b[31m");
});

test("a report is wrapped to the width of the terminal, and loses nothing", async () => {
  const report = await check(createMockService({ dialect: "lenient" }));

  const folded = renderReport(report, { width: 60, colour: true });

  const whole = renderReport(report, { colour: true });
  expect(folded.split(/\s+/)).toEqual(whole.split(/\s+/));
  const longest = folded.split("\n").filter((line) => stripVTControlCharacters(line).length > 60);
  expect(longest.every((line) => !stripVTControlCharacters(line).trim().includes(" "))).toBe(true);
});

test("complete pages in lists and ignored idempotency keys are reported as options for the client", async () => {
  const summaries: DialectChoice = {
    switches: { idempotency: "ignored" },
    answers: { listedPage: { id: "{id}", slug: "{slug}" } },
  };

  const whole = await check(createMockService());
  const thin = await check(createMockService({ dialect: summaries }));

  expect(whole.clientOptions).toEqual({ strict: true });
  expect(thin.clientOptions).toEqual({ retry: { writes: "safe" } });
});

test.for<[string, DialectFile, string[]]>([
  ["nothing", {}, []],
  [
    "the place of a total",
    { switches: { "list-total": "meta.total" } },
    ["listPages/body/total", "listPages/body/meta"],
  ],
  [
    "the status of a create",
    { switches: { "create-status": "200-page" } },
    ["createPage/status", "createPage/headers/Location"],
  ],
  ["a body that is removed", { answers: { updatePage: { status: 204 } } }, ["updatePage/status", "updatePage/body"]],
])("a check that compares with an earlier dialect reports what changed: %s", async ([, changed, places]) => {
  const before = await check(createMockService());

  const report = await check(createMockService({ dialect: changed }), { compare: before.dialect });

  expect(report.drift?.map(({ place }) => place)).toEqual(expect.arrayContaining(places));
  expect(report.drift?.length === 0).toBe(places.length === 0);
  expect(renderReport(report).includes("Drift from the dialect")).toBe(places.length > 0);
});

test.for<[string, Response, RegExp]>([
  [
    "a redirect",
    new Response(null, { status: 302, headers: { Location: "https://login.example/" } }),
    /returned 302, a redirect to https:\/\/login\.example\//,
  ],
  [
    "an HTML page",
    new Response("<html><title>Sign in</title></html>"),
    /returned 200 and an HTML page titled "Sign in"/,
  ],
])("%s ends a check at once with an error that says so", async ([, response, message]) => {
  const sent: string[] = [];
  const respond = (request: Request) => {
    sent.push(request.url);
    return Promise.resolve(response);
  };

  await expect(
    checkService({ baseUrl: "https://service.example", apiKey: "test_check", fetch: respond }),
  ).rejects.toThrow(message);
  expect(sent).toHaveLength(1);
});

test("a report is plain data", async () => {
  const report = await check(createMockService());

  expect(JSON.parse(JSON.stringify(report))).toEqual({
    ...report,
    gaps: report.gaps.map((gap) => JSON.parse(JSON.stringify(gap)) as unknown),
  });
});

const echo = (send: Send) => async (request: Request) => {
  const response = await send(request);
  const key = request.headers.get("Authorization") ?? "";
  return new Response(JSON.stringify({ title: "x", id: "1", detail: key, url: encodeURIComponent(key) }), {
    status: response.status === 204 ? 200 : response.status,
    headers: { "X-Echo": key },
  });
};
