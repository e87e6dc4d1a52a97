// Points the environment variables and the global `fetch` to the mock while a test runs.
import { problemMediaType } from "@landing-page-service/contract";
import { isLoopback } from "../http-types.ts";
import type { ClientOptions } from "./account-handle.ts";
import type { Fetch } from "./fetch.ts";

/** A mock that can receive intercepted requests. */
interface OpenMock extends Pick<ClientOptions, "apiKey" | "fetch"> {
  /** Identifies the test. If a test has several mocks, the last one receives the requests. */
  readonly test: unknown;
  /** Whether it was set up in the file of the test. It then receives the requests before mocks of other files. */
  readonly isOwn: boolean;
}

/** The base URL of every mock. */
const mockBaseUrl = "https://landing-pages.test";
/** The key in the environment, which stands for the mock of the running test. */
const environmentKey = "test_environment";
const environment = { LANDING_PAGES_BASE_URL: mockBaseUrl, LANDING_PAGES_API_KEY: environmentKey };

const openMocks = new Set<OpenMock>();

/** Sends intercepted requests to a mock while its test runs. @returns a function that ends this. */
export const interceptForTest: (mock: OpenMock) => () => void = share(openMocks);

/** Points the environment and `fetch` to the mock for all tests of a fixture. @returns a function that ends this. */
export const interceptForFile: (fixture: object) => () => void = share(new Set());

/** Intercepts while there is at least one user. Concurrent tests and files end in any order, so the last one restores. */
function share<User>(users: Set<User>): (user: User) => () => void {
  let restore: (() => void) | undefined;
  return (user) => {
    if (users.size === 0) restore = intercept();
    users.add(user);
    return () => {
      if (users.delete(user) && users.size === 0) restore?.();
    };
  };
}

/** Points the environment and `fetch` to the mock of the running test. @returns a function that restores them. */
function intercept(): () => void {
  const { fetch } = globalThis;
  const before = { ...process.env };
  let isOver = false;
  const send: Fetch = async (input, init) => {
    const response = isOver ? undefined : await respond(before["LANDING_PAGES_BASE_URL"], input, init);
    return response ?? fetch(input, init);
  };
  Object.assign(process.env, environment);
  // A spy stays in place, so that it counts calls.
  if (!("mock" in fetch || "isSinonProxy" in fetch)) globalThis.fetch = send;
  return () => {
    // Another wrapper may wrap this one by now, and still call it.
    isOver = true;
    globalThis.fetch = fetch;
    for (const name of Object.keys(environment)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  };
}

/** Responds as the mock, or with a refusal. `undefined` if the request is not for the service. */
async function respond(
  realBaseUrl: string | undefined,
  input: Request | string | URL,
  init: RequestInit = {},
): Promise<Response | undefined> {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  if (url === null) return undefined;
  const given = init.headers ?? (input instanceof Request ? input.headers : undefined);
  // As an array, because a `Headers` that msw has patched also copies headers that were removed from a changed `Request`.
  const headers = new Headers(given instanceof Headers ? [...given] : given);
  if (isBelow(url, mockBaseUrl)) return sendToMock(headers, input, init);
  const isSdk = headers.get("User-Agent")?.startsWith("landing-page-service-sdk/") === true;
  const isService = (openMocks.size > 0 && isSdk) || (realBaseUrl !== undefined && isBelow(url, realBaseUrl));
  return isService && !isLoopback(url.hostname) ? refuse(`${url.host} ${elsewhere}`) : undefined;
}

/** Sends a request to the mock that its key opens, or else to the mock set up in the file of the test, or else to the mock of the only test. */
function sendToMock(headers: Headers, input: Request | string | URL, init: RequestInit): Promise<Response> | Response {
  const key = headers.get("Authorization")?.replace(/^Bearer +/i, "");
  const all = Array.from(openMocks);
  const named = all.filter(({ apiKey }) => apiKey === key);
  const own = all.filter(({ isOwn }) => isOwn);
  const possible = [named, own].find((some) => some.length > 0) ?? all;
  const last = possible.at(-1);
  if (last === undefined) return refuse(noTest);
  if (possible.some(({ test }) => test !== last.test)) return refuse(severalMocks);
  if (key === environmentKey) headers.set("Authorization", `Bearer ${last.apiKey}`);
  return last.fetch(input, { ...init, headers });
}

const elsewhere =
  "is not the mock, and a test that uses the mock cannot reach another service. Build the client without options or with mock.clientOptions, or allow this with safetyNet: { environment: false }.";
const noTest =
  "A client that took its key from the environment sent this while no test with an account was running. Move the code from beforeAll to a beforeEach below useMockService().";
const severalMocks =
  "Several tests run at the same time, or several useMockService() apply to one test, and a key from the environment does not identify the mock. Build the client with mock.clientOptions.";

/** A 421 with a problem body. The SDK would retry a network error. */
function refuse(detail: string): Response {
  const problem = { type: "about:blank", title: "Misdirected Request", status: 421, detail };
  return Response.json(problem, { status: 421, headers: { "Content-Type": problemMediaType } });
}

function isBelow(url: URL, base: string): boolean {
  const parsed = URL.parse(base);
  const path = parsed?.pathname.replace(/\/+$/, "") ?? "";
  return url.origin === parsed?.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`));
}
