// Catches what would leave a test by the global `fetch`, and lends it the environment of a client without options.
import { problemMediaType } from "@landing-page-service/contract";
import { testEnded } from "./decision.ts";
import { copyHeaders, type Fetch } from "./fetch.ts";

/** Where a client without options goes. */
export interface Entrance {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A test whose requests are caught. */
interface CaughtTest {
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** The same for all accounts of one test. */
  readonly test: unknown;
}

/** Where clients without options go while a test on the mock runs. The key stands for whichever test runs. */
export const mockEntrance: Entrance = { baseUrl: "https://landing-pages.test", apiKey: "test_environment" };

const baseUrlName = "LANDING_PAGES_BASE_URL";
const apiKeyName = "LANDING_PAGES_API_KEY";

/**
 * The environment variables and the global `fetch`, as long as somebody holds them: clients without options reach the test
 * that runs, and calls of the service that would go elsewhere are answered 421.
 */
class Catcher {
  readonly #tests = new Set<CaughtTest>();
  /** Keys of tests that have ended. */
  readonly #ended = new Set<string>();
  #holds = 0;
  #entrance: Entrance = mockEntrance;
  /** The base URL that the environment had before. */
  #known: string | undefined;
  #restore: (() => void) | undefined;
  /** Gives back the global `fetch` that was there before the tests that run. */
  #giveBack: (() => void) | undefined;
  /** The global `fetch` as it was. */
  #outside: Fetch | undefined;
  /** The last that was lent in its place. */
  #lent: Fetch | undefined;

  /** Sends what is not to be caught. */
  readonly outside: Fetch = (input, init) => (this.#outside ?? globalThis.fetch)(input, init);

  /** Begins to catch, or goes on. @returns what ends it; once all have ended, everything is as it was. */
  hold(entrance: Entrance): () => void {
    this.#holds += 1;
    this.#restore ??= this.#install(entrance);
    return once(() => {
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#restore?.();
      this.#restore = undefined;
    });
  }

  /** The same, and gives a test what is caught while it runs alone, and whatever has its key. */
  enter(test: CaughtTest, entrance: Entrance): () => void {
    const release = this.hold(entrance);
    const lent = [baseUrlName, apiKeyName].map((name) => [name, process.env[name]] as const);
    this.#giveBack ??= this.#coverFetch();
    this.#tests.add(test);
    this.#ended.delete(test.apiKey);
    return once(() => {
      this.#tests.delete(test);
      if (test.apiKey !== entrance.apiKey) this.#ended.add(test.apiKey);
      if (this.#tests.size === 0) {
        this.#giveBack?.();
        this.#giveBack = undefined;
      }
      // What a test did to the variables ends with it; what was there when it began is not its doing.
      for (const [name, value] of lent) if (value === this.#lends(name)) process.env[name] = value;
      release();
    });
  }

  #lends(name: string): string {
    return name === baseUrlName ? this.#entrance.baseUrl : this.#entrance.apiKey;
  }

  #install(entrance: Entrance): () => void {
    const before = [baseUrlName, apiKeyName].map((name) => [name, process.env[name]] as const);
    this.#known = process.env[baseUrlName];
    this.#entrance = entrance;
    this.#outside = globalThis.fetch;
    process.env[baseUrlName] = entrance.baseUrl;
    process.env[apiKeyName] = entrance.apiKey;
    const giveBack = this.#lendFetch();
    return () => {
      giveBack();
      this.#outside = undefined;
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    };
  }

  /** Lets tests begin with a `fetch` that catches, whatever took its place between them. @returns what gives that back, whatever a test did. */
  #coverFetch(): () => void {
    const { fetch } = globalThis;
    // A spy was put there to be looked at, and hands on to the one before.
    const uncover = fetch === this.#lent || isSpy(fetch) ? () => {} : this.#lendFetch();
    return () => {
      uncover();
      globalThis.fetch = fetch;
    };
  }

  /** Lays a `fetch` that catches over the one that is there. @returns what takes it away again. */
  #lendFetch(): () => void {
    const { fetch } = globalThis;
    const before = this.#lent;
    let isOver = false;
    const lent: Fetch = (input, init) =>
      isOver ? fetch(input, init) : this.#catch({ input, init }, () => fetch(input, init));
    globalThis.fetch = this.#lent = lent;
    return () => {
      // Whoever has wrapped it meanwhile goes on to the one before.
      isOver = true;
      this.#lent = before;
      if (globalThis.fetch === lent) globalThis.fetch = fetch;
    };
  }

  async #catch({ input, init }: CaughtCall, pass: () => Promise<Response>): Promise<Response> {
    const url = URL.parse(input instanceof Request ? input.url : String(input));
    if (url === null) return pass();
    const headers = copyHeaders(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (isBelow(url, this.#entrance.baseUrl)) return this.#give({ input, init }, headers);
    // While no test runs on the mock, only what the environment named is certain to be the service itself.
    const isOurs =
      (this.#tests.size > 0 && headers.get("User-Agent")?.startsWith("landing-page-service-sdk/") === true) ||
      (this.#known !== undefined && isBelow(url, this.#known));
    return isOurs && !isLoopback(url) ? refuse(`${url.host} ${elsewhere}`) : pass();
  }

  /** Gives a call to its test: the one whose key it has, or the only one that runs; of the accounts of one test, to the last. */
  #give({ input, init }: CaughtCall, headers: Headers): Promise<Response> | Response {
    const key = headers.get("Authorization")?.replace(/^Bearer +/i, "");
    const tests = Array.from(this.#tests);
    const named = tests.filter(({ apiKey }) => apiKey === key);
    if (named.length === 0 && key !== undefined && this.#ended.has(key)) return refuse(testEnded);
    const possible = named.length > 0 ? named : tests;
    const last = possible.at(-1);
    if (last === undefined) return refuse(noTest);
    if (possible.some(({ test }) => test !== last.test)) return refuse(severalTests);
    if (key === this.#entrance.apiKey) headers.set("Authorization", `Bearer ${last.apiKey}`);
    return last.fetch(input, { ...init, headers });
  }
}

/** Of this process: so are the variables and the global `fetch`. */
export const catcher = new Catcher();

interface CaughtCall {
  readonly input: Request | string | URL;
  readonly init: RequestInit | undefined;
}

const elsewhere =
  "is not the mock, and a test that uses the mock reaches no other service. Build the client without options, or with mock.clientOptions; safetyNet: { environment: false } lets it through.";
const noTest =
  "A client that took its key from the environment sent this while no test with an account was running: what beforeAll does belongs in a beforeEach below useMockService().";
const severalTests =
  "Several tests run at the same time, and a key from the environment does not tell which of them sent this: build the client with mock.clientOptions.";

/** An answer, as an error of the network would be sent again. */
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

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
