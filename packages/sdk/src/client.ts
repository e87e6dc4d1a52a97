import type { RateLimit } from "@landing-page-service/contract";
import { type Analytics, createAnalytics } from "./analytics.ts";
import { type Call, type ClientContext, performCall, type Send } from "./call/call.ts";
import { RateLimiter, type RateLimiterOptions } from "./call/rate-limiter.ts";
import { monotonicNow, sleep as sleepOnTimer, sleepBy, takeTurns } from "./call/timers.ts";
import { type KeySource, readApiKey, readBaseUrl, refuseBrowser } from "./credentials.ts";
import {
  type CallOptions,
  type CallSettings,
  callSchema,
  checkClientOptions,
  checkOptions,
  type ClientOptions,
  mergeSettings,
  writeSchema,
} from "./options.ts";
import { createPages, type Pages } from "./pages.ts";
import { ConfigurationError } from "./report/errors.ts";
import { createReport, followCall, type ReportInCall } from "./report/events.ts";
import { toResultPromise, type UnparsedResult } from "./result.ts";

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
    const { now, random, sleep, report, baseUrl } = parts.context;
    const { writes } = parts.settings.retry;
    partsOf.set(this, parts);

    const send: Send = (...call) => toResultPromise(start(parts, ...call));
    const reading = { strict: options.strict ?? false, apiHost: new URL(baseUrl).host, reader: options.read };
    this.pages = createPages<Strict, Added>(send, report, reading);
    this.analytics = createAnalytics(send, { now, random, sleep: parts.given.sleep && sleep, report, writes });
  }

  /** The rate limit as of the last response that told it; `undefined` before. Source: spec, "Limits". */
  get rateLimit(): RateLimit | undefined {
    return readParts(this).context.shared.rateLimit;
  }

  /**
   * Makes a client with other settings; what is left out is as here, and `retry` and `headers` are merged. Both share
   * rate limiter and retry budget, unless `apiKey` or `baseUrl` is among the settings: another account has its own.
   * A shared rate limiter reports to the listener and logger of the client that was made first.
   *
   * @throws {ConfigurationError} when an option is out of range.
   */
  withOptions<Changed extends boolean = Strict, Other extends object = Added>(
    options: ClientOptions<Changed, Other>,
  ): LandingPages<Changed, Other> {
    const { given, settings, context } = readParts(this);
    const changes = Object.fromEntries(
      Object.entries(checkClientOptions(options)).filter(([, value]) => value !== undefined),
    );
    const isSameAccount = !("apiKey" in changes) && !("baseUrl" in changes);
    if (isSameAccount && "maxInFlight" in changes) {
      throw new ConfigurationError(
        "`maxInFlight` belongs to the rate limiter, which both clients share: pass it where the first one is made.",
      );
    }
    const inherited: DerivedOptions[typeof derived] = {
      settings: mergeSettings(options, settings),
      keySource: "apiKey" in changes ? undefined : context,
      shared: isSameAccount ? context.shared : undefined,
    };
    // why: the symbol is nobody else's, and `strict` is the one asked for or the one there was
    return new LandingPages<Changed, Other>({
      ...given,
      ...changes,
      [derived]: inherited,
    } as ClientOptions<Changed, Other>);
  }
}

/** What a client is made of: beside the object, so that the types of two copies of this package fit each other. */
const partsOf = new WeakMap<object, Parts>();

interface Parts {
  readonly given: ClientOptions;
  readonly settings: CallSettings;
  readonly context: ClientContext;
}

function readParts(client: object): Parts {
  const parts = partsOf.get(client);
  if (parts === undefined) throw new TypeError("This is no client: call the method on `new LandingPages(…)`.");
  return parts;
}

async function start<Value>(
  { context, settings: clientSettings }: Parts,
  endpoint: Call<Value>["endpoint"],
  options: CallOptions,
  prepare: () => Omit<Call<Value>, "endpoint">,
): Promise<UnparsedResult<Value>> {
  const { report } = context;
  const run = (begin?: (path: string) => ReportInCall) => {
    checkOptions(endpoint.method === "POST" ? writeSchema : callSchema, options);
    const settings = mergeSettings(options, clientSettings);
    const call = { ...prepare(), endpoint };
    const reportInCall = begin?.(call.path);
    if (reportInCall !== undefined) call.onBegin?.(reportInCall.call);
    return performCall(context, call, settings, reportInCall);
  };
  return report === undefined ? run() : followCall({ ...context, report }, endpoint, run);
}

/** What a client made by `withOptions` has from the one it was made of. A symbol, so that nobody else can pass it. */
const derived = Symbol("derived");

interface DerivedOptions extends ClientOptions {
  readonly [derived]?: {
    readonly settings: CallSettings;
    readonly keySource: KeySource | undefined;
    readonly shared: ClientContext["shared"] | undefined;
  };
}

/** Checks the options and makes what all calls go through. */
function setUp(options: DerivedOptions): Parts {
  const {
    now = monotonicNow,
    random = Math.random,
    maxInFlight = 64,
    maxAnswerBytes = 16 * 1024 * 1024,
    onEvent,
    hooks,
  } = checkClientOptions(options);
  const ownSleep = options.now === undefined ? sleepOnTimer : sleepBy(options.now);
  const sleep = options.sleep === undefined ? ownSleep : takeTurns(options.sleep);
  const inherited = options[derived];
  refuseBrowser(options.allowBrowser);
  const keySource = inherited?.keySource ?? readApiKey(options.apiKey);
  const baseUrl = readBaseUrl(options);
  const report = createReport(options);
  const onChange: RateLimiterOptions["onChange"] = ({ state, untilMs, atMs, waiting, call }) => {
    const delayMs = state === "closed" ? Math.max(0, untilMs - atMs) : undefined;
    // A client made of one that reports cannot be silent, so where somebody listens a call has a name.
    if (call !== undefined) report?.({ type: "rate-limit", state, untilMs, delayMs, waiting, ...call });
  };
  const share = () => ({
    limiter: new RateLimiter({ now, random, sleep, maxInFlight, onChange }),
    budgets: new Map(),
    rateLimit: undefined,
  });
  const context: ClientContext = {
    ...keySource,
    baseUrl,
    // Looked up for every request, so that a test or a tracer may replace it later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    hooks,
    now,
    random,
    sleep,
    report,
    onEvent,
    maxAnswerBytes,
    reader: options.read,
    told: new Set(),
    shared: inherited?.shared ?? share(),
  };
  const settings = inherited?.settings ?? mergeSettings(options);
  return { settings, context, given: { ...options, baseUrl } };
}
