import type { RateLimit } from "@landing-page-service/contract";
import { type Analytics, createAnalytics } from "./analytics.ts";
import { type CallContext, createSend } from "./call/call.ts";
import { RateLimiter } from "./call/rate-limiter.ts";
import { sleep as sleepOnTimer, sleepBy, takeTurns } from "./call/timers.ts";
import { readApiKey, readBaseUrl, refuseBrowser } from "./credentials.ts";
import { type ClientOptions, clientSchema, defaults, mergeSettings, monotonicNow, type Settings } from "./options.ts";
import { createPages, type Pages } from "./pages.ts";
import { readByStructure } from "./read/responses.ts";
import { ConfigurationError } from "./report/errors.ts";
import { createReport } from "./report/report.ts";

/**
 * A client of the Landing Page Service, for one account. All its calls share one rate limiter, and the calls of each endpoint share a retry
 * budget.
 *
 * @example
 * ```ts
 * const client = new LandingPages({ apiKey: process.env.LANDING_PAGES_API_KEY, baseUrl: "https://service.example" });
 * const page = await client.pages.create({ title, content, slug, cta: { type: "button", label, url } });
 * await client.analytics.track({ pageId: page.id });
 * ```
 */
export class LandingPages<Strict extends boolean = boolean, Added extends object = object> {
  static {
    // The bundler renames a class that refers to itself to `_LandingPages`, and `console.log(client)` would show that.
    Object.defineProperty(this, "name", { value: "LandingPages" });
  }

  /** The landing pages of the account. */
  readonly pages: Pages<Strict, Added>;
  /** Views of pages and interactions with them. */
  readonly analytics: Analytics;

  /**
   * Checks the options. It opens no connection and starts no timer.
   *
   * @throws {ConfigurationError} when the key or the base URL is missing or unsafe, or an option is out of range.
   */
  constructor(options: ClientOptions<Strict, Added> = {}) {
    const context = derived.get(options) ?? createContext(options);
    const send = createSend(context);
    contextOf.set(this, context);
    this.pages = createPages(send, context.report) as Pages<Strict, Added>; // why: the readers check what `strict` promises, and the caller vouches for further fields
    this.analytics = createAnalytics(send, context);
  }

  /** The rate limit of the last response that had one; `undefined` before. Source: spec, "Limits". */
  get rateLimit(): RateLimit | undefined {
    return readContext(this).limiter.rateLimit;
  }

  /**
   * Makes a client with other settings. Options that are left out are those of this client; `retry` and `headers` are merged. Both
   * clients share the rate limiter and the retry budget, unless `apiKey` or `baseUrl` is passed, because another account has its own.
   * A shared rate limiter reports to the listener and logger of the client that was made first.
   *
   * @throws {ConfigurationError} when an option is out of range, or is `maxInFlight` although the rate limiter is shared.
   */
  withOptions<Changed extends boolean = Strict, Other extends object = Added>(
    options: ClientOptions<Changed, Other>,
  ): LandingPages<Changed, Other> {
    const none: ClientOptions<Changed, Other> = {};
    derived.set(none, createContext(options, readContext(this)));
    return new LandingPages<Changed, Other>(none);
  }
}

// Not a private field, so that the types of two copies of this package fit each other.
const contextOf = new WeakMap<object, CallContext>();
/** The context of a client that `withOptions` makes, by the empty options that it passes to the constructor. */
const derived = new WeakMap<object, CallContext>();

function readContext(client: object): CallContext {
  const context = contextOf.get(client);
  if (context === undefined) throw new TypeError("This is not a client: call the method on `new LandingPages(…)`.");
  return context;
}

/** Makes the context of all calls of a client. A client that `withOptions` makes starts from the context of another one. */
function createContext(options: ClientOptions, base?: CallContext): CallContext {
  const settings: Settings = mergeSettings<Settings>(base ?? defaults, options, clientSchema);
  const { now, sleep, random, maxInFlight } = settings;
  const isSameKey = options.apiKey === undefined;
  const kept = isSameKey && options.baseUrl === undefined ? base?.limiter : undefined;
  if (kept !== undefined && options.maxInFlight !== undefined) {
    throw new ConfigurationError(
      "`maxInFlight` belongs to the rate limiter, which both clients share: pass it to the first client.",
    );
  }
  refuseBrowser(settings.allowBrowser);
  const readKey = (isSameKey ? base?.readKey : undefined) ?? readApiKey(settings.apiKey);
  const baseUrl = readBaseUrl(settings);
  const wait = sleep ? takeTurns(sleep) : now === monotonicNow ? sleepOnTimer : sleepBy(now);
  const report = createReport(settings);
  const reader = settings.read ?? readByStructure(new URL(baseUrl).host);
  const limiter = kept ?? new RateLimiter({ now, random, wait, maxInFlight, report });
  return { ...settings, readKey, baseUrl, wait, report, reader, reported: new Set(), limiter };
}
