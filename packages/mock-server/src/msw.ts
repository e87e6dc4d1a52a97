import { http, type RequestHandler } from "msw";
import type { MockService } from "./service/service.ts";

/** Which requests the handlers answer. */
export interface MswOptions {
  /** Origin that the code under test calls, such as `https://service.example`. @defaultValue `service.baseUrl` */
  baseUrl?: string;
}

/**
 * Makes the msw handlers that let a service answer every request to its base URL; all other requests are left alone.
 * Works with msw 2.15 and 3.
 *
 * @throws {TypeError} when `baseUrl` is not an absolute URL.
 * @example
 * const server = setupServer(...mswHandlers(createMockService()));
 */
export function mswHandlers(service: MockService, options: MswOptions = {}): RequestHandler[] {
  const { origin } = new URL(options.baseUrl ?? service.baseUrl);
  // A predicate, because msw decodes what a path pattern captures and fails on a stray `%`.
  const isOurs = ({ request }: { request: Request }) => new URL(request.url).origin === origin;
  return [http.all(isOurs, ({ request }) => service.fetch(request).catch((error: unknown) => endCall(request, error)))];
}

/** Whoever has gone away gets no answer; anything else that goes wrong is for the test author to see. */
function endCall({ signal }: Request, error: unknown): Response {
  if (signal.aborted) return Response.error();
  throw error;
}
