import type { RateLimit } from "@landing-page-service/contract";
import { type Analytics, createAnalytics } from "./analytics.ts";
import { type Call, CallRun, type CallSettings, type ClientContext, type UnparsedResult } from "./call/call.ts";
import { RateLimiter } from "./call/rate-limiter.ts";
import { monotonicNow, sleep as sleepOnTimer, sleepBy, takeTurns } from "./call/timers.ts";
import { readApiKey, readBaseUrl, refuseBrowser } from "./credentials.ts";
import {
  type CallOptions,
  callSchema,
  checkOptions,
  type ClientOptions,
  clientSchema,
  definedOnly,
  mergeSettings,
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
    const parts = setUp(options);
    partsOf.set(this, parts);
    const { now, random, sleep, report, reader } = parts.context;
    const send: Send = (...call) => toResultPromise(start(parts, ...call));
    this.pages = createPages<Strict, Added>(send, report, { strict: options.strict ?? false, reader });
    const { writes } = parts.settings.retry;
    this.analytics = createAnalytics(send, { now, random, sleep: options.sleep && sleep, report, writes });
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
    const { given, settings, context } = readParts(this);
    checkOptions(clientSchema, options);
    const changes: Partial<ClientOptions> = definedOnly(options);
    const isSameAccount = !("apiKey" in changes) && !("baseUrl" in changes);
    if (isSameAccount && "maxInFlight" in changes) {
      throw new ConfigurationError(
        "`maxInFlight` belongs to the rate limiter, which both clients share: pass it where the first one is made.",
      );
    }
    // why: `strict` and `read` are the ones passed, or those there were
    const merged = { ...given, ...changes } as ClientOptions<Changed, Other>;
    origins.set(merged, {
      settings,
      apiKey: "apiKey" in changes ? undefined : context.apiKey,
      shared: isSameAccount ? context.shared : undefined,
    });
    return new LandingPages<Changed, Other>(merged);
  }
}

/** The parts of a client. */
interface Parts {
  readonly given: ClientOptions;
  readonly settings: CallSettings;
  readonly context: ClientContext;
}

/** The parts that a client takes from the one it was made from. */
interface Origin {
  readonly settings: CallSettings;
  readonly apiKey: ClientContext["apiKey"] | undefined;
  readonly shared: ClientContext["shared"] | undefined;
}

// Beside the objects, so that the types of two copies of this package fit each other, and nobody can pass an origin.
const partsOf = new WeakMap<object, Parts>();
const origins = new WeakMap<object, Origin>();

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
    const merged = mergeSettings(options, settings, endpoint.method === "POST" ? writeSchema : callSchema);
    const call = { ...prepare(), endpoint };
    report.setPath(call.path);
    call.onBegin?.(report.call);
    return new CallRun(context, call, merged, report).run();
  });
}

/** Checks the options and makes what all calls go through. */
function setUp(options: ClientOptions): Parts {
  checkOptions(clientSchema, options);
  const { now = monotonicNow, random = Math.random, maxInFlight = 64, onEvent, hooks } = options;
  const { timeoutMs, totalTimeoutMs, retry, headers } = options;
  const ownSleep = options.now === undefined ? sleepOnTimer : sleepBy(options.now);
  const sleep = options.sleep === undefined ? ownSleep : takeTurns(options.sleep);
  const origin = origins.get(options);
  refuseBrowser(options.allowBrowser);
  const apiKey = origin?.apiKey ?? readApiKey(options.apiKey);
  const baseUrl = readBaseUrl(options);
  const report = createReport(options);
  const context: ClientContext = {
    apiKey,
    baseUrl,
    // Looked up for every request, so that a test or a tracer may replace it later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    hooks,
    now,
    random,
    sleep,
    report,
    onEvent,
    maxAnswerBytes: options.maxAnswerBytes ?? 16 * 1024 * 1024,
    reader: options.read ?? readByStructure(new URL(baseUrl).host),
    shared: origin?.shared ?? {
      limiter: new RateLimiter({ now, random, sleep, maxInFlight, report }),
      tokens: new Map(),
      rateLimit: undefined,
    },
  };
  const settings = mergeSettings({ timeoutMs, totalTimeoutMs, retry, headers }, origin?.settings);
  return { settings, context, given: { ...options, baseUrl } };
}
