// Five apps with a bug each, and the same apps mended. They call the service by hand, as apps did before there was a client.
import type { SweptAccount } from "../src/sweep.ts";

const page = (slug: string) => ({
  title: "Tea",
  content: "An afternoon.",
  slug,
  cta: { type: "button", label: "Book", url: "https://tea.example/" },
});

interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends a request, and gives up on it after 10 s unless it is told otherwise. */
async function send(mock: SweptAccount, path: string, options: Sent = {}): Promise<Response> {
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const { method = "GET", body, headers = {}, signal = AbortSignal.timeout(10_000) } = options;
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
}

/** The answer's JSON; rejects where there is none, or the status is another. */
async function read(response: Response, status: number): Promise<{ id: string }> {
  if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}`);
  const record = (await response.json()) as { id?: unknown }; // why: checked in the next line
  if (typeof record?.id !== "string") throw new Error("expected a page");
  return { id: record.id };
}

const create = async (mock: SweptAccount, slug: string, headers: Record<string, string> = {}) =>
  read(await send(mock, "/api/content", { method: "POST", body: page(slug), headers }), 201);

async function remove(mock: SweptAccount, id: string): Promise<void> {
  const { status } = await send(mock, `/api/content/${id}`, { method: "DELETE" });
  if (status !== 204) throw new Error(`expected 204, got ${status}`);
}

async function track(mock: SweptAccount, pageId: string): Promise<void> {
  const body = { pageId, timestamp: new Date().toISOString().replace(/\.\d+/, "") };
  const { status, headers } = await send(mock, "/api/analytics/view", { method: "POST", body });
  if (status >= 300 || headers.get("Content-Type")?.includes("html")) throw new Error(`not tracked: ${status}`);
}

/** Creates a page, and again when that failed in whatever way. */
export async function retriesBlindly(mock: SweptAccount): Promise<void> {
  await retry(() => create(mock, "tea"));
}
export async function retriesWithKey(mock: SweptAccount): Promise<void> {
  const headers = { "Idempotency-Key": "tea-1" };
  // A success that cannot be read is none to try again.
  await read(await retry(() => sendPage(mock, headers)), 201);
}
async function sendPage(mock: SweptAccount, headers: Record<string, string>): Promise<Response> {
  const response = await send(mock, "/api/content", { method: "POST", body: page("tea"), headers });
  if (!response.ok) throw new Error(`got ${response.status}`);
  return response;
}
/** Pauses long enough for whatever reset was named. */
async function retry<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && /got 40[01]/.test(error.message)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return call();
  }
}

/** Replaces a page; whether the old one could be deleted does not interest it. */
export async function swallowsDelete(mock: SweptAccount): Promise<void> {
  const { id } = await create(mock, "old");
  await remove(mock, id).catch(() => undefined);
}
export async function reportsDelete(mock: SweptAccount): Promise<void> {
  const { id } = await create(mock, "old");
  await remove(mock, id).catch((error: unknown) => mock.report(error));
}

/** Leaves before the last event is known to have arrived. */
export async function losesLastEvent(mock: SweptAccount): Promise<void> {
  const { id } = await create(mock, "tea");
  void track(mock, id).catch(() => undefined);
}
export async function awaitsLastEvent(mock: SweptAccount): Promise<void> {
  const { id } = await create(mock, "tea");
  await track(mock, id);
}

/** Waits for the answer as long as it takes. */
export async function hangsOnStall(mock: SweptAccount): Promise<void> {
  const signal = new AbortController().signal;
  await read(await send(mock, "/api/content", { method: "POST", body: page("tea"), signal }), 201);
}
export async function givesUpOnStall(mock: SweptAccount): Promise<void> {
  await create(mock, "tea");
}

/** Publishes one page after the other, whatever the service says. */
export async function goesOnUnauthorized(mock: SweptAccount): Promise<unknown[]> {
  return publishAll(mock, () => false);
}
export async function stopsUnauthorized(mock: SweptAccount): Promise<unknown[]> {
  return publishAll(mock, ({ message }) => message.includes("got 401"));
}
async function publishAll(mock: SweptAccount, isLast: (error: Error) => boolean): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const slug of ["one", "two", "three"]) {
    try {
      results.push(await create(mock, slug));
    } catch (error) {
      results.push(error);
      if (error instanceof Error && isLast(error)) break;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  }
  return results;
}
