import type { PageRecord, PageRecordList, Problem } from "@landing-page-service/contract";
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

interface RequestOptions {
  /** API key of the account; `null` sends none. @defaultValue that of the client options, or `"test_demo"` */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A service, the client options of an account, or a server at a URL with the global `fetch`. */
type Target = Pick<MockService, "fetch" | "baseUrl"> & { readonly apiKey?: string };

/** Sends one request to the service with the key of an account. */
export async function send<Body = PageRecord & Problem>(
  service: Target,
  method: string,
  path: string,
  { key = service.apiKey ?? "test_demo", body, headers = {}, signal }: RequestOptions = {},
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
export async function create(service: Target, fields: object = {}, key = service.apiKey): Promise<PageRecord> {
  const { body } = await post(service, { ...(key !== undefined && { key }), body: { ...somePage, ...fields } });
  return body;
}

/** Sends a create, by default of {@link somePage}. */
export const post = (service: Target, options: RequestOptions = {}) =>
  send(service, "POST", "/api/content", { body: somePage, ...options });

/** Lists pages. */
export const list = (service: Target, query = "", options: RequestOptions = {}) =>
  send<PageRecordList & Problem>(service, "GET", `/api/content${query}`, options);

/** Lists pages with the global `fetch`, of the service and by default with the key that the environment names. */
export const listByEnvironment = (key = process.env["LANDING_PAGES_API_KEY"] ?? "") =>
  list({ fetch, baseUrl: process.env["LANDING_PAGES_BASE_URL"] ?? "" }, "", { key });

export const update = (service: Target, id: unknown, body: unknown, options: RequestOptions = {}) =>
  send(service, "PUT", `/api/content/${String(id)}`, { ...options, body });

export const remove = (service: Target, id: unknown, options: RequestOptions = {}) =>
  send(service, "DELETE", `/api/content/${String(id)}`, options);

/** Tracks a view of a page, whose event may have other fields too. */
export const track = (service: Target, pageId: unknown, fields: object = {}, options: RequestOptions = {}) => {
  const body = { pageId, timestamp: "2026-01-02T03:04:05Z", ...fields };
  return send<Problem & { id: string }>(service, "POST", "/api/analytics/view", { ...options, body });
};
