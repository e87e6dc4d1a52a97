import type { RateLimit } from "@landing-page-service/contract";
import { type Analytics, createAnalytics } from "./analytics.ts";
import { type Call, CallRun, type ClientContext, type UnparsedResult } from "./call/call.ts";
import { RateLimiter } from "./call/rate-limiter.ts";
import { monotonicNow, sleep as sleepOnTimer, sleepBy, takeTurns } from "./call/timers.ts";
import { readApiKey, readBaseUrl, refuseBrowser } from "./credentials.ts";
import {
  type CallOptions,
  callSchema,
  type ClientOptions,
  clientSchema,
  defaults,
  mergeSettings,
  type Settings,
  writeSchema,
} from "./options.ts";
import { createPages, type Pages } from "./pages.ts";
import { readByStructure } from "./read/responses.ts";
import { ConfigurationError } from "./report/errors.ts";
import { createReport, followCall } from "./report/events.ts";
import { type Send, toResultPromise } from "./result.ts";

/**
 * A client of the Landing Page Service, for one account. All its calls share one rate limiter and one retry budget.
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
    // The bundler calls a class that names itself `_LandingPages`, and `console.log(client)` would show that.
    Object.defineProperty(this, "name", { value: "LandingPages" });
  }

  /** The landing pages of the account. */
  readonly pages: Pages<Strict, Added>;
  /** Views of pages and interactions with them. */
  readonly analytics: Analytics;

  /**
   * Checks the options; opens no connection and starts no timer.
   *
   * @throws {ConfigurationError} when the key or the base URL is missing or unsafe, or an option is out of range.
   */
  constructor(options: ClientOptions<Strict, Added> = {}) {
    const parts = derived.get(options) ?? setUp(mergeSettings(defaults, options, clientSchema));
    partsOf.set(this, parts);
    const { context, settings } = parts;
    const { now, random, sleep, report, reader } = context;
    const send: Send = (...call) => toResultPromise(start(parts, ...call));
    this.pages = createPages<Strict, Added>(send, report, { strict: settings.strict ?? false, reader });
    const { writes } = settings.retry;
    this.analytics = createAnalytics(send, { now, random, sleep: settings.sleep && sleep, report, writes });
  }

  /** The rate limit of the last response that had one; `undefined` before. Source: spec, "Limits". */
  get rateLimit(): RateLimit | undefined {
    return readParts(this).context.shared.rateLimit;
  }

  /**
   * Makes a client with other settings. Options that are left out are as here, and `retry` and `headers` are merged. Both share
   * rate limiter and retry budget, unless `apiKey` or `baseUrl` is among the settings: another account has its own.
   * A shared rate limiter reports to the listener and logger of the client that was made first.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  withOptions<Changed extends boolean = Strict, Other extends object = Added>(
    options: ClientOptions<Changed, Other>,
  ): LandingPages<Changed, Other> {
    const { settings, context } = readParts(this);
    const merged = mergeSettings(settings, options, clientSchema);
    const { apiKey, baseUrl, maxInFlight } = options;
    const isSameAccount = apiKey === undefined && baseUrl === undefined;
    if (isSameAccount && maxInFlight !== undefined) {
      throw new ConfigurationError(
        "`maxInFlight` belongs to the rate limiter, which both clients share: pass it where the first one is made.",
      );
    }
    const none: ClientOptions<Changed, Other> = {};
    derived.set(
      none,
      setUp(merged, apiKey === undefined ? context.apiKey : undefined, isSameAccount ? context.shared : undefined),
    );
    return new LandingPages<Changed, Other>(none);
  }
}

/** The parts of a client. */
interface Parts {
  readonly settings: Settings;
  readonly context: ClientContext;
}

// Beside the objects, so that the types of two copies of this package fit each other.
const partsOf = new WeakMap<object, Parts>();
/** The parts of a client that `withOptions` makes, by the options that it passes to the constructor. */
const derived = new WeakMap<object, Parts>();

function readParts(client: object): Parts {
  const parts = partsOf.get(client);
  if (parts === undefined) throw new TypeError("This is no client: call the method on `new LandingPages(…)`.");
  return parts;
}

async function start<Value>(
  { context, settings }: Parts,
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
): Promise<UnparsedResult<Value>> {
  return followCall(context, endpoint, (report) => {
    const merged = mergeSettings(settings, options, endpoint.method === "POST" ? writeSchema : callSchema);
    const call = { ...prepare(), endpoint };
    report.setPath(call.path);
    call.onBegin?.(report.call);
    return new CallRun(context, call, merged, report).run();
  });
}

/** Makes what all calls of a client go through. A client made from another one has its key, and may share its rate limiter. */
function setUp(given: Settings, checkedKey?: ClientContext["apiKey"], shared?: ClientContext["shared"]): Parts {
  const { now = monotonicNow, random, maxInFlight } = given;
  refuseBrowser(given.allowBrowser);
  const apiKey = checkedKey ?? readApiKey(given.apiKey);
  const baseUrl = readBaseUrl(given);
  const settings = { ...given, apiKey, baseUrl };
  const ownSleep = given.now === undefined ? sleepOnTimer : sleepBy(given.now);
  const sleep = given.sleep === undefined ? ownSleep : takeTurns(given.sleep);
  const report = createReport(given);
  const context: ClientContext = {
    ...settings,
    now,
    sleep,
    report,
    reader: given.read ?? readByStructure(new URL(baseUrl).host),
    shared: shared ?? {
      limiter: new RateLimiter({ now, random, sleep, maxInFlight, report }),
      tokens: new Map(),
      rateLimit: undefined,
    },
  };
  return { settings, context };
}
