import type { PageRecord, Problem } from "@landing-page-service/contract";
import { test as plainTest } from "vitest";
import { createMockService, type MockService } from "../src/index.ts";

/** Vitest's `test` with a service of its own for each test, and an account in it. */
export const test = plainTest
  .extend("service", () => createMockService())
  .extend("account", ({ service }) => service.account("test_demo"));

/** A valid body of a create. */
export const somePage = {
  title: "Red running shoes",
  content: "Light shoes for long runs.",
  slug: "red-shoes",
  meta_description: "Shoes that run",
  cta: { type: "button", label: "Buy", url: "https://shop.example/red" },
};

/** The parts of a response that tests look at. */
export interface HttpResult<Body> {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; `undefined` if it is none. The test names the shape that it expects. */
  body: Body;
}

/** Sends one request to the service with the key of an account. */
export async function send<Body = PageRecord & Problem>(
  service: Pick<MockService, "fetch" | "baseUrl">,
  method: string,
  path: string,
  {
    key = "test_demo",
    body,
    headers = {},
    signal,
  }: { key?: string | null; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<HttpResult<Body>> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const response = await service.fetch(service.baseUrl + path, {
    method,
    headers: {
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    // why: the caller names the shape it expects, and its assertions check it
    body: (isJson && text !== "" ? JSON.parse(text) : undefined) as Body,
  };
}

/** Creates a page and returns it. */
export async function create(service: MockService, fields: object = {}, key = "test_demo"): Promise<PageRecord> {
  const { body } = await send<PageRecord>(service, "POST", "/api/content", { key, body: { ...somePage, ...fields } });
  return body;
}
