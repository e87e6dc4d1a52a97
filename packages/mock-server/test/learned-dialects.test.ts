import type { DialectFile } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dialects } from "./fixtures/dialects.ts";
import { somePage } from "./client.ts";
import { learn, serve } from "./learning.ts";

// A fixed seed in CI; LEARNED_DIALECTS=1000 PROPERTY_SEED=random tries as many from a fresh one.
const runs = Number(process.env["LEARNED_DIALECTS"] ?? 100);

test(
  `what a check learned of ${runs} generated dialects is spoken alike, and learned alike again`,
  { timeout: 3_600_000 },
  async () => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(dialects, async (dialect) => {
        const report = await learn(dialect);
        const again = await learn(report.dialect, { runId: "0a1b2c3d", compare: report.dialect });

        expect(await speak(report.dialect)).toEqual(await speak(dialect));
        expect(JSON.stringify(report.dialect)).not.toMatch(/abcdef12|landing-pages\.test/);
        expect(again).toMatchObject({ dialect: report.dialect, drift: [] });
        tried += 1;
      }),
      { numRuns: runs },
    );
    console.log(`${tried} generated dialects served, checked, and served again as they were learned`);
  },
);

/** The status of every answer, and each place in its body with the type of what stands there, or what that repeats of the page. */
async function speak(dialect: DialectFile): Promise<Record<string, unknown>> {
  const service = serve(dialect);
  const heard: Record<string, unknown> = {};
  const ask = async (name: string, method: string, path: string, body?: unknown, key = "test_demo") => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const response = await service.fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get("Content-Type")?.split(";")[0];
    heard[name] = [response.status, type, [...new Set(placesOf(await response.text(), type ?? ""))].toSorted()];
  };
  const { meta_description: _, ...short } = somePage;
  await ask("empty", "GET", "/api/content");
  await ask("create", "POST", "/api/content", somePage);
  await ask("create short", "POST", "/api/content", { ...short, slug: "short" });
  await ask("list", "GET", "/api/content");
  await ask("list one", "GET", "/api/content?limit=1");
  await ask("list past the end", "GET", "/api/content?offset=50");
  const [id = "", other = ""] = service.account("test_demo").pages.map((page) => page.id);
  await ask("update", "PUT", `/api/content/${id}`, { title: "New" });
  await ask("update more", "PUT", `/api/content/${id}`, { content: "New", meta_description: "New" });
  await ask("event", "POST", "/api/analytics/view", { pageId: id, timestamp: "2026-03-01T12:00:00Z" });
  await ask("delete", "DELETE", `/api/content/${id}`);
  await ask("400", "POST", "/api/content", { ...somePage, title: 5 });
  await ask("400 to a description", "PUT", `/api/content/${other}`, { meta_description: 5 });
  await ask("400 to a list", "GET", "/api/content?limit=abc");
  await ask("malformed", "POST", "/api/content", "{nope");
  await ask("401", "GET", "/api/content", undefined, "wrong");
  await ask("404", "PUT", `/api/content/${id}`, { title: "New" });
  for (const status of [429, 500]) {
    service.faults.add({ status, times: 1 });
    await ask(String(status), "GET", "/api/content");
  }
  return heard;
}

/** The texts that are sent below, and what each is. */
const sent = new Map<string, string>([
  [somePage.title, "the title"],
  [somePage.content, "the content"],
  [somePage.slug, "the slug"],
  [somePage.meta_description, "the description"],
  [somePage.cta.label, "the label"],
  [somePage.cta.url, "the target"],
]);

function placesOf(text: string, type: string): string[] {
  if (!type.includes("json")) return [text === "" ? "nothing" : "text"];
  const places = (value: unknown, path: string): string[] => {
    if (Array.isArray(value)) return [`${path}: array`, ...value.flatMap((item) => places(item, `${path}[]`))];
    if (typeof value === "string" && sent.has(value)) return [`${path}: ${sent.get(value)}`];
    if (typeof value !== "object" || value === null) return [`${path}: ${value === null ? "null" : typeof value}`];
    return [`${path}: object`, ...Object.entries(value).flatMap(([name, inner]) => places(inner, `${path}.${name}`))];
  };
  return places(JSON.parse(text), "");
}
