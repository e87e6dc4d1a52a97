import type { RateLimit } from "@landing-page-service/contract";
import { readApiKey, readBaseUrl, refuseBrowser } from "./access.ts";
import { Analytics } from "./analytics.ts";
import { type Call, type Connection, performCall } from "./call.ts";
import { Gate } from "./gate.ts";
import { createReport } from "./log.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { Pages } from "./pages.ts";
import { type CallResult, ResultPromise } from "./result.ts";
import { RetryBudget } from "./retry.ts";
import { type CallSettings, checkOptions, mergeSettings } from "./settings.ts";
import { createSleep } from "./sleep.ts";

/**
 * A client of the Landing Page Service, for one account. All its calls share one rate-limit gate and one retry budget.
 *
 * @example
 * ```ts
 * const client = new LandingPages({ apiKey: process.env.LANDING_PAGES_API_KEY, baseUrl: "https://service.example" });
 * const page = await client.pages.create({ title, content, slug, cta: { type: "button", label, url } });
 * await client.analytics.track({ pageId: page.id });
 * ```
 */
export class LandingPages {
  static {
    // The bundler calls a class that names itself `_LandingPages`, and `console.log(client)` would show that.
    Object.defineProperty(this, "name", { value: "LandingPages" });
  }

  /** The landing pages of the account. */
  readonly pages: Pages;
  /** Views of pages and interactions with them. */
  readonly analytics: Analytics;
  readonly #options: ClientOptions;
  #settings: CallSettings;
  #connection: Connection;

  /**
   * Checks the options; opens no connection and starts no timer.
   *
   * @throws {ConfigurationError} when the key or the base URL is missing or unsafe, or an option is out of range.
   */
  constructor(options: ClientOptions = {}) {
    const { now = Date.now, random = Math.random, sleep = createSleep(now) } = checkOptions(options);
    refuseBrowser(options.allowBrowser);
    const readKey = readApiKey(options.apiKey);
    const baseUrl = readBaseUrl(options.baseUrl);
    const report = createReport(options);
    const gate = new Gate({ now, random, sleep, onChange: (change) => report?.({ type: "gate", ...change }) });

    this.#options = { ...options, apiKey: readKey, baseUrl };
    this.#settings = mergeSettings(options);
    this.#connection = {
      readKey,
      baseUrl,
      // Looked up for every request, so that a test or a tracer may replace it later.
      fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
      now,
      random,
      sleep,
      report,
      shared: { gate, budget: new RetryBudget(), rateLimit: undefined },
    };

    const send = <Value>(callOptions: CallOptions, prepare: () => Call<Value>) =>
      new ResultPromise(this.#start(callOptions, prepare));
    this.pages = new Pages(send, report);
    this.analytics = new Analytics(send, { now, random, sleep, report });
  }

  /** The rate limit as of the last answer that told it; `undefined` before. Source: spec, "Limits". */
  get rateLimit(): RateLimit | undefined {
    return this.#connection.shared.rateLimit;
  }

  /**
   * Makes a client with other settings; what is left out is as here, and `retry` and `headers` are merged. Both share
   * rate-limit gate and retry budget, unless `apiKey` or `baseUrl` is among the settings: another account has its own.
   * A shared gate reports to the listener and logger of the client that was made first.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  withOptions(options: ClientOptions): LandingPages {
    const changes = Object.fromEntries(
      Object.entries(checkOptions(options)).filter(([, value]) => value !== undefined),
    );
    const client = new LandingPages({ ...this.#options, ...changes });
    client.#settings = mergeSettings(options, this.#settings);
    const isSameAccount = !("apiKey" in changes) && !("baseUrl" in changes);
    if (isSameAccount) client.#connection = { ...client.#connection, shared: this.#connection.shared };
    return client;
  }

  async #start<Value>(options: CallOptions, prepare: () => Call<Value>): Promise<CallResult<Value>> {
    const settings = mergeSettings(options, this.#settings);
    return performCall(this.#connection, prepare(), settings);
  }
}
