/**
 * Handlers for msw.
 *
 * @module
 */
import { http, type RequestHandler } from "msw";
import * as z from "zod";
import { optional, parseArgument } from "./argument.ts";
import { checkService, type MockService } from "./service/mock-service.ts";

/** Options of the handlers. */
export interface MswOptions {
  /** Base URL that the code under test calls, such as `https://service.example` or, with a path, `https://proxy.example/pages`. @defaultValue `service.baseUrl` */
  baseUrl?: string | undefined;
}

const mswOptionsSchema = z.strictObject({
  baseUrl: optional(
    z
      .string({ error: "expected an absolute URL such as https://service.example" })
      .refine((text) => URL.canParse(text)),
  ),
}) satisfies z.ZodType<MswOptions>;

/**
 * Makes msw handlers that send every request to the base URL to a service. They leave all other requests alone.
 * Works with msw 2.15 and 3.
 *
 * @throws {TypeError} when the service is not a mock service, or `baseUrl` is not an absolute URL.
 * @example
 * const server = setupServer(...mswHandlers(createMockService()));
 */
export function mswHandlers(service: MockService, options: MswOptions = {}): RequestHandler[] {
  checkService("mswHandlers", service);
  const { baseUrl = service.baseUrl } = parseArgument("mswHandlers", mswOptionsSchema, options);
  const { origin, pathname } = new URL(baseUrl);
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  // A predicate, because msw decodes the parameters of a path pattern and fails on a stray `%`.
  const isOurs = ({ request }: { request: Request }) => request.url === base || request.url.startsWith(`${base}/`);
  return [
    http.all(isOurs, ({ request }) => {
      const inside = base === origin ? request : new Request(origin + request.url.slice(base.length), request);
      return service.fetch(inside).catch((error: unknown) => endCall(request, error));
    }),
  ];
}

/**
 * Fails a call. A network error gets a `code` and an `errno`, so that msw passes it on to the caller. Any other error is thrown for
 * the test author to see.
 */
function endCall({ signal }: Request, error: unknown): Response {
  if (signal.aborted) return Response.error();
  if (error instanceof TypeError && error.cause instanceof Error && "code" in error.cause) {
    const { code } = error.cause;
    Object.defineProperties(error, { code: { value: code }, errno: { value: -1 } });
  }
  throw error;
}
