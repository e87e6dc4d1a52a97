// What holds for a call: the options of client and call, laid over the defaults.
import manifest from "../package.json" with { type: "json" };
import type { RetryPolicy } from "./call/retry.ts";
import {
  type CallOptions,
  callOptions,
  callSchema,
  checkOptions,
  type HeaderOptions,
  type RetryOptions,
  writeOptions,
  writeSchema,
} from "./options.ts";
import { ConfigurationError } from "./report/errors.ts";
import { nameKind } from "./report/messages.ts";

/** What holds for a call once defaults, client and call have been merged. */
export interface CallSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly headers: Readonly<Record<string, string>>;
}

const defaultSettings: CallSettings = {
  signal: undefined,
  timeoutMs: 15_000,
  totalTimeoutMs: 120_000,
  retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 8000, maxWaitMs: 60_000, writes: "documented" },
  headers: { accept: "application/json", "user-agent": `landing-page-service-sdk/${manifest.version}` },
};

/**
 * Lays the options of a call over those of the client, or those of the client over the defaults.
 *
 * @throws {ConfigurationError} when one is out of range.
 */
export function mergeSettings(options: CallOptions, settings = defaultSettings): CallSettings {
  if (typeof options !== "object" || options === null)
    throw new ConfigurationError(`\`options\` must be an object, not ${nameKind(options)}.`);
  const { signal, timeoutMs, totalTimeoutMs, retry = {}, headers } = options;
  checkOptions(callOptions, callSchema, { signal, timeoutMs, totalTimeoutMs, retry, headers });
  const policy = retry === false ? { maxAttempts: 1 } : definedOnly(retry);
  return {
    signal,
    timeoutMs: timeoutMs ?? settings.timeoutMs,
    totalTimeoutMs: totalTimeoutMs ?? settings.totalTimeoutMs,
    retry: { ...settings.retry, ...policy },
    headers: headers === undefined ? settings.headers : mergeHeaders(settings.headers, headers),
  };
}

function definedOnly(policy: RetryOptions): Partial<RetryPolicy> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined));
}

/**
 * Gives the caller's idempotency key, or a new one.
 *
 * @throws {ConfigurationError} when it is not visible ASCII of 1 to 255 characters.
 */
export function chooseIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return crypto.randomUUID();
  checkOptions(writeOptions, writeSchema, { idempotencyKey: key });
  return key;
}

function mergeHeaders(base: Readonly<Record<string, string>>, given: HeaderOptions): Record<string, string> {
  if (typeof given !== "object" || given === null) throw wrongHeaders();
  const pairs = Symbol.iterator in given ? (given as Iterable<unknown>) : Object.entries(given); // why: asked a moment ago
  const merged = { ...base };
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") throw wrongHeaders();
    const [name, value] = pair as [string, unknown]; // why: checked a line above
    const lowerName = name.toLowerCase();
    if (ownHeaders.has(lowerName)) {
      throw new ConfigurationError(
        `The header ${name} is set by the client itself and cannot be passed in \`headers\`.`,
      );
    }
    if (value === undefined) continue;
    // The value may be a secret, so it is not repeated.
    if (value !== null && !isHeader(lowerName, value)) {
      throw new ConfigurationError(`The header ${JSON.stringify(name)} cannot be sent as it is.`);
    }
    if (value === null) delete merged[lowerName];
    else merged[lowerName] = value as string; // why: `isHeader` has just said so
  }
  return merged;
}

const ownHeaders = new Set([
  "authorization",
  "content-type",
  "content-length",
  "idempotency-key",
  "host",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
]);

function isHeader(name: string, value: unknown): boolean {
  try {
    if (typeof value !== "string") return false;
    new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
}

function wrongHeaders(): ConfigurationError {
  return new ConfigurationError("`headers` must be a Headers, pairs, or an object of names and values.");
}
