// Leads the SDK from the environment and the global `fetch` to the mock, as long as a test runs.
import { problemMediaType } from "@landing-page-service/contract";
import { copyHeaders, type Fetch } from "./fetch.ts";

/** A test that can receive intercepted requests. */
export interface InterceptedTest {
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** Identity of the test in its runner. Several mocks of one test share it. */
  readonly test: unknown;
  /** Whether the mock was set up in the file of the test. It then wins over mocks of other files. */
  readonly isOwn: boolean;
}

/** The base URL of every mock. */
const mockBaseUrl = "https://landing-pages.test";
/** The key in the environment. It stands for whichever test runs. */
const environmentKey = "test_environment";
const environment = { LANDING_PAGES_BASE_URL: mockBaseUrl, LANDING_PAGES_API_KEY: environmentKey };

const running = new Set<InterceptedTest>();

/** Sets environment and `fetch` for the tests of a file. @returns a function that restores them. */
export const interceptForFile: () => () => void = shareInstall();
const interceptWhileTestsRun = shareInstall();

/** Gives a test the requests that are intercepted while it runs. @returns a function that ends this. */
export function interceptForTest(test: InterceptedTest): () => void {
  const restore = interceptWhileTestsRun();
  running.add(test);
  return () => {
    running.delete(test);
    restore();
  };
}

/** The first caller installs, the last one restores: concurrent tests end in any order. */
function shareInstall(): () => () => void {
  let users = 0;
  let restore: (() => void) | undefined;
  return () => {
    if (users === 0) restore = install();
    users += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      users -= 1;
      if (users === 0) restore?.();
    };
  };
}

function install(): () => void {
  const { fetch } = globalThis;
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  const [[, realBaseUrl] = []] = before;
  let isOver = false;
  const intercept: Fetch = async (input, init) => {
    const answer = isOver ? undefined : await answerIntercepted(realBaseUrl, input, init);
    return answer ?? fetch(input, init);
  };
  Object.assign(process.env, environment);
  // A spy was installed to be called, and it calls the `fetch` that it wraps.
  if (!isSpy(fetch)) globalThis.fetch = intercept;
  return () => {
    // A function that wrapped this one in the meantime still calls it.
    isOver = true;
    globalThis.fetch = fetch;
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** The mock's response, or a refusal; `undefined` for a request that is none of our business. */
async function answerIntercepted(
  realBaseUrl: string | undefined,
  input: Request | string | URL,
  init: RequestInit = {},
): Promise<Response | undefined> {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  if (url === null) return undefined;
  const headers = copyHeaders(init.headers ?? (input instanceof Request ? input.headers : undefined));
  if (isBelow(url, mockBaseUrl)) return sendToTest(headers, input, init);
  const isSdk = headers.get("User-Agent")?.startsWith("landing-page-service-sdk/") === true;
  const isService = (running.size > 0 && isSdk) || (realBaseUrl !== undefined && isBelow(url, realBaseUrl));
  return isService && !isLoopback(url) ? refuse(`${url.host} ${elsewhere}`) : undefined;
}

/** Sends a request to the test whose key it has, else to the only test that runs. */
function sendToTest(headers: Headers, input: Request | string | URL, init: RequestInit): Promise<Response> | Response {
  const key = headers.get("Authorization")?.replace(/^Bearer +/i, "");
  const tests = Array.from(running);
  const named = tests.filter(({ apiKey }) => apiKey === key);
  const possible = named.length > 0 ? named : tests;
  const chosen = possible.findLast(({ isOwn }) => isOwn) ?? possible.at(-1);
  if (chosen === undefined) return refuse(noTest);
  if (possible.some(({ test }) => test !== chosen.test)) return refuse(severalTests);
  if (key === environmentKey) headers.set("Authorization", `Bearer ${chosen.apiKey}`);
  return chosen.fetch(input, { ...init, headers });
}

const elsewhere =
  "is not the mock, and a test that uses the mock reaches no other service. Build the client without options, or with mock.clientOptions; safetyNet: { environment: false } lets it through.";
const noTest =
  "A client that took its key from the environment sent this while no test with an account was running: what beforeAll does belongs in a beforeEach below useMockService().";
const severalTests =
  "Several tests run at the same time, and a key from the environment does not tell which of them sent this: build the client with mock.clientOptions.";

/** A 421 with a problem body. A network error would be retried. */
function refuse(detail: string): Response {
  const problem = { type: "about:blank", title: "Misdirected Request", status: 421, detail };
  return Response.json(problem, { status: 421, headers: { "Content-Type": problemMediaType } });
}

function isBelow(url: URL, base: string): boolean {
  const parsed = URL.parse(base);
  const path = parsed?.pathname.replace(/\/+$/, "") ?? "";
  return url.origin === parsed?.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`));
}

/** Whether a function is a spy of vitest, jest, node:test or sinon. */
function isSpy(given: object): boolean {
  return "mock" in given || "isSinonProxy" in given;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
