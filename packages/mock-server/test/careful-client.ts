// A client by hand that does what the service asks of its callers, for apps that are swept; each part of it can be left out.
import type { SweptAccount } from "../src/sweep.ts";

/** What is sent. */
export interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request once, and gives up on it after 10 s unless it is told otherwise. */
export async function send(mock: SweptAccount, path: string, options: Sent = {}): Promise<Response> {
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const { method = "GET", body, key, signal = AbortSignal.timeout(10_000) } = options;
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  return fetch(baseUrl + path, {
    method,
    headers: { ...headers, ...(key !== undefined && { "Idempotency-Key": key }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
}

/** What is tried again, after which pause, and under which key. */
export interface Manner {
  readonly isRetried?: (status: number) => boolean;
  readonly pauseMs?: (response: Response) => number;
  readonly keyOf?: (key: string, attempt: number) => string | undefined;
  /** Whether whatever answer is a success. */
  readonly isCareless?: boolean;
  readonly signalOf?: () => AbortSignal;
}

const pauseAsAsked = ({ headers }: Response): number => Number(headers.get("Retry-After") ?? 1) * 1000;

/** Sends a request up to three times, as the service asks. */
export async function persist(mock: SweptAccount, path: string, sent: Sent, manner: Manner = {}): Promise<Response> {
  const { isRetried = (status) => status === 429 || status >= 500, pauseMs = pauseAsAsked, keyOf } = manner;
  const key = sent.key ?? `${sent.method}${path}${JSON.stringify(sent.body)}`.replaceAll(/[^\w-]/g, "");
  for (let attempt = 1; ; attempt += 1) {
    const isPost = sent.method === "POST";
    const used = keyOf === undefined ? (isPost ? key : undefined) : keyOf(key, attempt);
    const signal = manner.signalOf?.();
    const response = await send(mock, path, {
      ...sent,
      ...(used !== undefined && { key: used }),
      ...(signal && { signal }),
    });
    if (attempt === 3 || !isRetried(response.status)) return response;
    await pause(pauseMs(response));
  }
}

export const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

/** The fields of a page. */
export const fields = (slug: string, title = "Tea") => ({
  title,
  content: "An afternoon.",
  slug,
  cta: { type: "button", label: "Book", url: "https://tea.example/" },
});

/** Rejects when the status is another. */
export function expectStatus({ status }: Response, wanted: number): void {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}`);
}

const timestamp = "2026-01-02T03:04:05Z";
/** The body of an event; the place tells events of one page apart. */
export const view = (pageId: string, place = "top") => ({ pageId, timestamp, properties: { place } });

/** Calls that reject when they fail. */
export function careful(mock: SweptAccount, manner: Manner = {}) {
  return {
    create: async (slug: string, title?: string): Promise<string> => {
      const response = await persist(mock, "/api/content", { method: "POST", body: fields(slug, title) }, manner);
      expectStatus(response, 201);
      return ((await response.json()) as { id: string }).id; // why: what a 201 of the reference holds
    },
    update: async (id: string, changes: object): Promise<void> => {
      const response = await persist(mock, `/api/content/${id}`, { method: "PUT", body: changes }, manner);
      if (manner.isCareless === true) return;
      expectStatus(response, 200);
      await response.json();
    },
    remove: async (id: string): Promise<void> => {
      const response = await persist(mock, `/api/content/${id}`, { method: "DELETE" }, manner);
      // A delete that was lost on its way back is found done.
      if (response.status !== 404 && manner.isCareless !== true) expectStatus(response, 204);
    },
    track: async (pageId: string, place?: string): Promise<void> => {
      const body = view(pageId, place);
      const response = await persist(mock, "/api/analytics/view", { method: "POST", body }, manner);
      if (manner.isCareless !== true) expectStatus(response, 202);
    },
    list: async (query = ""): Promise<{ id: string; slug: string; title: string }[]> => {
      const response = await persist(mock, `/api/content${query}`, {}, manner);
      expectStatus(response, 200);
      const answer = (await response.json()) as { data: { id: string; slug: string; title: string }[] }; // why: checked in the next line
      if (!Array.isArray(answer.data)) throw new Error("expected a list");
      return answer.data;
    },
  };
}

export type Careful = ReturnType<typeof careful>;
