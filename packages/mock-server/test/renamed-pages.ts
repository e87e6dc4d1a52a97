// The mock service with other page identifiers in its responses and its paths.
import { type CheckOptions, checkService } from "../src/check.ts";
import type { MockService } from "../src/index.ts";

export type Fetch = (request: Request) => Promise<Response>;

/** Checks a service in process, without waits. */
export const checkFetch = (fetch: Fetch, options: Partial<CheckOptions> = {}) =>
  checkService({
    baseUrl: "https://service.example",
    apiKey: "test_check",
    fetch,
    sleep: () => Promise.resolve(),
    ...options,
  });

/** The fields from which a test makes an identifier. */
export interface Named {
  readonly id: string;
  readonly slug: string;
}

/** Makes responses identify the pages of the account `test_check` by `nameOf`, and makes paths accept only `addressOf`. */
export function renamePages(
  service: MockService,
  nameOf: (page: Named) => string,
  addressOf: (page: Named) => string = nameOf,
): Fetch {
  const pages = () => service.account("test_check").pages;
  const idOf = (address: string) => pages().find((page) => addressOf(page) === address)?.id ?? `no ${address}`;
  return async (request) => {
    const url = new URL(request.url);
    const [, start = "", address] = /^(\/api\/content\/)(.+)$/.exec(url.pathname) ?? [];
    if (address !== undefined) url.pathname = start + encodeURIComponent(idOf(decodeURIComponent(address)));
    const sent = await request.text();
    const body = sent.replace(/(?<="pageId":)"([^"]*)"/, (_, id: string) => JSON.stringify(idOf(id)));
    const response = await service.fetch(
      new Request(url, { method: request.method, headers: request.headers, ...(body !== "" && { body }) }),
    );
    return writeNames(response, pages(), nameOf);
  };
}

async function writeNames(
  response: Response,
  pages: readonly Named[],
  nameOf: (page: Named) => string,
): Promise<Response> {
  const headers = new Headers(response.headers);
  let text = await response.text();
  for (const page of pages) {
    const written = JSON.stringify(nameOf(page));
    text = text.replace(`"id":${page.id},`, `"id":${written},`).replace(`"id":"${page.id}"`, `"id":${written}`);
    text = text.replace(`"pageId":"${page.id}"`, `"pageId":${written}`);
    if (headers.get("Location")?.endsWith(`/${page.id}`) === true)
      headers.set("Location", `/api/content/${encodeURIComponent(nameOf(page))}`);
  }
  return new Response(text === "" ? null : text, { status: response.status, headers });
}
