// Catches what would leave a test by the global `fetch`, and lends it the environment of a client without options.
import { problemMediaType } from "@landing-page-service/contract";
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
  #holds = 0;
  #entrance: Entrance = mockEntrance;
  #restore: (() => void) | undefined;
  /** The global `fetch` as it was. */
  #outside: Fetch | undefined;

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
    this.#tests.add(test);
    return once(() => {
      this.#tests.delete(test);
      // What a test did to the variables ends with it; what was there when it began is not its doing.
      for (const [name, value] of lent) if (value === this.#lends(name)) process.env[name] = value;
      release();
    });
  }

  #lends(name: string): string {
    return name === baseUrlName ? this.#entrance.baseUrl : this.#entrance.apiKey;
  }

  #install(entrance: Entrance): () => void {
    const { fetch } = globalThis;
    const before = [baseUrlName, apiKeyName].map((name) => [name, process.env[name]] as const);
    const known = process.env[baseUrlName];
    let isOver = false;
    const caught: Fetch = (input, init) =>
      isOver ? fetch(input, init) : this.#catch({ input, init, known }, () => fetch(input, init));
    this.#entrance = entrance;
    this.#outside = fetch;
    process.env[baseUrlName] = entrance.baseUrl;
    process.env[apiKeyName] = entrance.apiKey;
    globalThis.fetch = caught;
    return () => {
      // Whoever has wrapped it meanwhile goes on to the one before.
      isOver = true;
      this.#outside = undefined;
      if (globalThis.fetch === caught) globalThis.fetch = fetch;
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    };
  }

  async #catch({ input, init, known }: CaughtCall, pass: () => Promise<Response>): Promise<Response> {
    const url = URL.parse(input instanceof Request ? input.url : String(input));
    if (url === null) return pass();
    const headers = copyHeaders(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (isBelow(url, this.#entrance.baseUrl)) return this.#give({ input, init, known }, headers);
    const isOurs =
      headers.get("User-Agent")?.startsWith("landing-page-service-sdk/") === true ||
      (known !== undefined && isBelow(url, known));
    return isOurs && !isLoopback(url) ? refuse(`${url.host} ${elsewhere}`) : pass();
  }

  /** Gives a call to its test: the one whose key it has, or the only one that runs; of the accounts of one test, to the last. */
  #give({ input, init }: CaughtCall, headers: Headers): Promise<Response> | Response {
    const key = headers.get("Authorization")?.replace(/^Bearer +/i, "");
    const tests = Array.from(this.#tests);
    const named = tests.filter(({ apiKey }) => apiKey === key);
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
  /** The base URL that the environment had before. */
  readonly known: string | undefined;
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
