import type { DialectFile } from "@landing-page-service/contract/dialect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type CheckOptions, checkService } from "../src/check.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { dialects } from "./fixtures/dialects.ts";
import { somePage } from "./client.ts";

// A fixed seed in CI; LEARNED_DIALECTS=1000 PROPERTY_SEED=random tries as many from a fresh one.
const runs = Number(process.env["LEARNED_DIALECTS"] ?? 100);

test(
  `what a check learned of ${runs} generated dialects is spoken alike, and learned alike again`,
  { timeout: runs * 2000 },
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

const changes = Math.ceil(runs / 4);

test(`what changes at one place of ${changes} learned dialects is told there`, { timeout: runs * 2000 }, async () => {
  await fc.assert(
    fc.asyncProperty(dialects, fc.nat(), async (dialect, choice) => {
      const { dialect: file } = await learn(dialect);
      const places = listMembers(file.answers ?? {});
      const place = places[choice % places.length];
      if (place === undefined) return;

      const { drift = [] } = await learn(rename(file, place), { runId: "0a1b2c3d", compare: file });

      const names = place.map((name) => name.replace(/\?$/, "")).filter((name) => name !== "...");
      const isThere = (told: string) =>
        told.split("/").includes(names.at(-1) ?? "") || names.join("/").startsWith(told);
      expect(
        drift.filter((one) => isThere(one.place)),
        place.join("/"),
      ).not.toEqual([]);
    }),
    { numRuns: changes },
  );
});

/** The ways to all members of templates that are called something. */
function listMembers(value: unknown, way: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...way, name];
    const isNamed = way.includes("body") || way[0] === "page" || way[0] === "listedPage";
    const isMember = isNamed && !Array.isArray(value) && !/[{/]|^\.\.\./.test(name);
    return listMembers(inner, here).concat(isMember ? [here] : []);
  });
}

function rename(file: DialectFile, place: readonly string[]): DialectFile {
  const changed = structuredClone(file);
  const around = place
    .slice(0, -1)
    .reduce<object>((value, name) => Object(Reflect.get(value, name)), changed.answers ?? {});
  const entries = Object.entries(around).map(([name, value]) => [
    name === place.at(-1) ? `changed_${name}` : name,
    value,
  ]);
  for (const name of Object.keys(around)) Reflect.deleteProperty(around, name);
  Object.assign(around, Object.fromEntries(entries));
  return changed;
}

/** Checks a service in a dialect; its 12th list and its 3rd event are refused, so that every documented error is seen. */
async function learn(dialect: DialectFile, options: Partial<CheckOptions> = {}) {
  const service = serve(dialect);
  service.faults.add({ endpoint: "listPages", status: 429, skip: 4, times: 1, headers: { "Retry-After": "1" } });
  service.faults.add({ endpoint: "listPages", status: 500, skip: 7, times: 1 });
  return checkService({
    baseUrl: service.baseUrl,
    apiKey: "test_check",
    fetch: (request) => service.fetch(request),
    now: () => service.clock.now(),
    sleep: () => Promise.resolve(),
    runId: "abcdef12",
    ...options,
  });
}

/** The same clock and randomness for every service, so that only the dialects differ. */
function serve(dialect: DialectFile): MockService {
  let nowMs = Date.parse("2026-03-01T12:00:00Z");
  let seed = 1;
  return createMockService({
    dialect,
    now: () => (nowMs += 1),
    random: () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647,
  });
}

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
