// Hooks are ky's own: ky builds a request, lets them change it, hands on what they made of it, and shows them the answer.
import type * as Ky from "ky";
import { ConfigurationError } from "./errors.ts";
import type { Fetch, FetchInit, RequestHooks } from "./options.ts";
import { streamOf } from "./read-answer.ts";

/** Makes of a way to send one that does more. Throws a `ConfigurationError` and nothing else. */
export type Middleware = (send: Fetch) => Fetch | Promise<Fetch>;

/** Runs hooks around whatever sends; where there are none, that is as it was. */
export function runHooks(hooks: RequestHooks | undefined): Middleware {
  if (hooks === undefined) return (send) => send;
  return async (send) => {
    const ky = await loadKy();
    return (url, init) =>
      ky(url, {
        ...init,
        hooks: hooks as Ky.Hooks, // why: ky's own types of the same functions, which tell more of what they are given
        ...passive,
        fetch: async (built) => {
          const sent = await readRequest(built as Request, init); // why: ky passes the one it has built
          return toWebResponse(await send(sent.url, sent.init));
        },
      });
  };
}

/** Tries, time limits and errors are the client's. */
const passive = { retry: 0, timeout: false, throwHttpErrors: false } as const;

let loadedKy: typeof Ky.default | undefined;

/** Loads ky with the first request that has hooks: few programs have any. */
async function loadKy(): Promise<typeof Ky.default> {
  try {
    return (loadedKy ??= (await import("ky")).default);
  } catch (cause) {
    throw new ConfigurationError(
      "The package `ky`, which runs the hooks, cannot be loaded: install the dependencies again.",
      { cause },
    );
  }
}

/** Takes apart what the hooks have made of a request, for a `fetch` that may know no `Request` of this platform. */
async function readRequest(
  { url, method, headers, body }: Request,
  { redirect, signal }: FetchInit,
): Promise<{ url: string; init: FetchInit }> {
  const init = { method, headers: Object.fromEntries(headers), redirect, signal };
  return { url, init: body === null ? init : { ...init, body: await new Response(body).text() } };
}

/** Gives hooks the platform's own `Response`, which they and ky may copy, also where `fetch` gives one without a web stream. */
function toWebResponse(response: Response): Response {
  const { status, statusText, headers } = response;
  const stream = streamOf(response);
  if (stream === response.body) return response;
  const body = [204, 205, 304].includes(status) ? null : stream;
  return new Response(body, { status, statusText, headers: new Headers([...headers]) });
}
