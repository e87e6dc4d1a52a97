import type { DialectChoice } from "@landing-page-service/contract/dialect";
import type { Domain } from "../domains/network.ts";
import { createMockService } from "../service/service.ts";
import { somePage } from "./row.ts";

/** What an endpoint answers to a request that is taken as an example. */
export interface Sample {
  /** What it is an example of, such as `createPage`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Body of the answer; empty when there is none. */
  readonly body: string;
}

/** Asks a service of its own, which speaks in the given way and has the given domains, once for each endpoint and for something wrong. @throws {TypeError} when the dialect is none. */
export async function sampleAnswers(dialect: DialectChoice, domains: readonly Domain[]): Promise<Sample[]> {
  const service = createMockService({ dialect, domains });
  const key = "test_sample";
  const ask = async (name: string, method: string, path: string, content?: object): Promise<Sample> => {
    const headers = new Headers({ Authorization: `Bearer ${key}`, "Content-Type": "application/json" });
    const body = content === undefined ? undefined : new TextEncoder().encode(JSON.stringify(content));
    const answer = await service.handle({ method, path, query: "", headers, body });
    return { name, method, path, status: answer.status, body: answer.body ?? "" };
  };
  const created = await ask("createPage", "POST", "/api/content", somePage);
  const pageId = service.account(key).pages[0]?.id ?? "";
  const path = `/api/content/${pageId}`;
  return [
    created,
    await ask("listPages", "GET", "/api/content"),
    await ask("updatePage", "PUT", path, { title: "Tea in Uji" }),
    await ask("trackEvent", "POST", "/api/analytics/view", { pageId, timestamp: "2026-01-31T12:00:00Z" }),
    await ask("deletePage", "DELETE", path),
    await ask("a wrong field", "POST", "/api/content", { ...somePage, slug: "Not a slug" }),
    await ask("an unknown page", "DELETE", path),
  ];
}
