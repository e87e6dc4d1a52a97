// A small client that retries as the service asks, for the apps that the tests sweep. A test can leave out any part of it.
import type { SweptAccount } from "../src/sweep.ts";
import { somePage } from "./client.ts";

interface SentRequest {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request once. By default it gives up after 10 s. */
export async function send(mock: SweptAccount, path: string, request: SentRequest = {}): Promise<Response> {
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const { method = "GET", body, key, signal = AbortSignal.timeout(10_000) } = request;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  return fetch(baseUrl + path, {
    method,
    headers: { ...headers, ...(key !== undefined && { "Idempotency-Key": key }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
}

/** The parts of the client that a test can get wrong. */
export interface Flaws {
  /** Gives an attempt its Idempotency-Key. */
  readonly keyOf?: (key: string, attempt: number) => string;
  /** Treats every response as a success. */
  readonly ignoresStatus?: boolean;
  readonly signalOf?: () => AbortSignal;
}

/** Sends a request up to three times, as the service asks. */
export async function sendWithRetry(
  mock: SweptAccount,
  path: string,
  request: SentRequest,
  { keyOf = (key) => key, signalOf }: Flaws = {},
): Promise<Response> {
  const { method, key = `${method}${path}${JSON.stringify(request.body)}`.replaceAll(/[^\w-]/g, "") } = request;
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(mock, path, {
      ...request,
      ...(method === "POST" && { key: keyOf(key, attempt) }),
      ...(signalOf && { signal: signalOf() }),
    });
    if (attempt === 3 || (response.status !== 429 && response.status < 500)) return response;
    await pause(Number(response.headers.get("Retry-After") ?? 1) * 1000);
  }
}

export const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

/** The fields of a page. */
export const fields = (slug: string, title = "Tea") => ({ ...somePage, slug, title });

/** Throws if the status is not the expected one. */
export function expectStatus({ status }: Response, expected: number): void {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status}`);
}

/** The body of an event. Events of one page differ by `place`. */
const view = (pageId: string, place = "top") => {
  return { pageId, timestamp: "2026-01-02T03:04:05Z", properties: { place } };
};

type ListedPage = ReturnType<typeof fields> & { id: string };

/** One call for each endpoint; each rejects if the request fails. */
export function careful(mock: SweptAccount, flaws: Flaws = {}) {
  const call = async (method: string, path: string, expected: number, body?: object): Promise<Response> => {
    const response = await sendWithRetry(mock, path, { method, ...(body && { body }) }, flaws);
    // The first attempt of a delete may have deleted the page.
    if (flaws.ignoresStatus !== true && !(method === "DELETE" && response.status === 404))
      expectStatus(response, expected);
    return response;
  };
  return {
    create: async (slug: string, title?: string): Promise<string> => {
      const response = await call("POST", "/api/content", 201, fields(slug, title));
      return ((await response.json()) as ListedPage).id; // why: the body of a 201 in the reference dialect
    },
    update: async (id: string, changes: object): Promise<void> => {
      const response = await call("PUT", `/api/content/${id}`, 200, changes);
      if (flaws.ignoresStatus !== true) await response.json();
    },
    remove: async (id: string): Promise<unknown> => call("DELETE", `/api/content/${id}`, 204),
    track: async (pageId: string, place?: string): Promise<unknown> =>
      call("POST", "/api/analytics/view", 202, view(pageId, place)),
    list: async (query = ""): Promise<ListedPage[]> => {
      const response = await call("GET", `/api/content${query}`, 200);
      const { data } = (await response.json()) as { data: ListedPage[] }; // why: the next line checks it
      if (!Array.isArray(data)) throw new Error("expected a list");
      return data;
    },
  };
}

export type Careful = ReturnType<typeof careful>;

/** Sends one list request without retries. */
export const list = (mock: SweptAccount): Promise<Response> => send(mock, "/api/content");
