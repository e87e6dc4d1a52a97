// Finds out from outside how a service behaves: which documented statements hold, and its interpretation of every gap.
import { setTimeout as sleepFor } from "node:timers/promises";
import { type DialectFile, resolveDialect } from "@landing-page-service/contract/dialect";
import { redact } from "@landing-page-service/contract";
import { CheckClient, CheckError, CheckOptionError } from "./check/client.ts";
import { mapTexts } from "./check/json.ts";
import { cleanUp } from "./check/clean-up.ts";
import { Session } from "./check/probes.ts";
import { type CheckReport, renderReport as renderText, type RenderOptions, writeReport } from "./check/report.ts";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument, timerMs } from "./argument.ts";
import { isLoopback } from "./http-types.ts";

export { CheckError } from "./check/client.ts";
export type { Exchange } from "./check/client.ts";
export type { Drift } from "./check/compare.ts";
export type { CheckReport, GapResult, RenderOptions, StatementResult, Unexplained } from "./check/report.ts";
export type { Verdict } from "./check/statements.ts";

/** How a check is done. */
export interface CheckOptions {
  /** Scheme and host of the service: https, or http on this machine. */
  readonly baseUrl: string;
  /** API key of the account to use; it appears nowhere in the report. */
  readonly apiKey: string;
  /** Key of a second account, which lets the check see whether accounts are apart. */
  readonly otherApiKey?: string;
  /** Go on although the account already holds pages; those are neither changed nor deleted. @defaultValue false */
  readonly yes?: boolean;
  /** Make 21 pages instead of a few, which shows the default limit at work: 40 requests more. @defaultValue false */
  readonly thorough?: boolean;
  /** A dialect to compare the service with. @defaultValue nothing is compared */
  readonly compare?: DialectFile;
  /** Stops the check early. Its pages are deleted all the same. */
  readonly signal?: AbortSignal;
  /** Called after every response. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Longest wait on a 429, milliseconds; a longer one ends the check. @defaultValue 120 000 */
  readonly maxWaitMs?: number;
  /** Longest time for one request, milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number;
  /** Longest time for all requests before those that clean up, waits included, and again for those, milliseconds. @defaultValue 600 000 */
  readonly totalTimeoutMs?: number;
  /** Marks the pages of this check: their slugs begin with `landing-page-check-` and this. @defaultValue 8 random characters */
  readonly runId?: string;
  /** Sends a request. @defaultValue the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The current time, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  readonly now?: () => number;
  /** Waits; rejects when the signal fires. @defaultValue a timer */
  readonly sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** How far a check has come. */
export interface CheckProgress {
  /** Responses so far. A whole check of an account without pages takes about 60. */
  readonly requests: number;
  /** What is being done, in a word or two. */
  readonly phase: string;
}

// What a base URL, a key and a dialect hold is checked where they are read.
const checkOptionsSchema = z.strictObject({
  baseUrl: optional(z.unknown()),
  apiKey: optional(z.unknown()),
  otherApiKey: optional(z.unknown()),
  yes: optional(z.boolean()),
  thorough: optional(z.boolean()),
  compare: optional(z.unknown()),
  signal: optional(z.instanceof(AbortSignal, { error: "expected an AbortSignal" })),
  onProgress: optional(aFunction()),
  maxWaitMs: optional(timerMs()),
  timeoutMs: optional(timerMs()),
  totalTimeoutMs: optional(timerMs()),
  runId: optional(z.string()),
  fetch: optional(aFunction()),
  now: optional(aFunction()),
  sleep: optional(aFunction()),
});

const renderOptionsSchema = z.strictObject({ colour: optional(z.boolean()), width: optional(integer(1)) });

/**
 * Checks a service from outside, with care: few requests, pages under a marked slug, all of them deleted in
 * the end, also when the check is stopped or fails. A refusal with 429 is waited out.
 *
 * @throws {CheckError} when there is nothing to check (wrong key, no response), or the account has pages and `yes` is not given.
 * @throws {TypeError} when an option does not exist.
 * @throws the signal's reason, after cleaning up, when the signal fires.
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  parseArgument("checkService", checkOptionsSchema, options);
  const { now = Date.now, runId = crypto.randomUUID().slice(0, 8), onProgress, signal, timeoutMs = 30_000 } = options;
  const { totalTimeoutMs = 600_000, yes = false, thorough = false, otherApiKey, compare } = options;
  checkKeys(options);
  if (compare !== undefined) resolveDialect(compare);
  const prefix = `landing-page-check-${runId}`;
  const startedAt = new Date(now()).toISOString();
  let phase = "looking";
  const client = new CheckClient({
    baseUrl: checkBaseUrl(options.baseUrl),
    keys: { account: options.apiKey, other: otherApiKey, wrongKey: `${prefix}-wrong-key` },
    fetch: options.fetch,
    now,
    sleep: options.sleep ?? ((delayMs, signal) => sleepFor(delayMs, undefined, { signal })),
    timeoutMs,
    maxWaitMs: options.maxWaitMs ?? 120_000,
    onRequest: () => onProgress?.({ requests: client.exchanges.length, phase }),
  });
  client.endsAtMs = now() + totalTimeoutMs;
  client.signal = signal;
  const onPhase = (next: string): void => void (phase = next);
  const session = new Session(client, { prefix, now, yes, thorough, hasOtherKey: otherApiKey !== undefined, onPhase });
  const [probed] = await Promise.allSettled([session.run()]);
  phase = "cleaning up";
  client.endsAtMs = now() + totalTimeoutMs;
  client.signal = undefined;
  const leftovers = await cleanUp(session);

  const keys = [options.apiKey, otherApiKey].filter((key) => key !== undefined);
  if (probed.status === "rejected") throw endOf(probed.reason, leftovers, keys);
  const report = writeReport(session, { baseUrl: options.baseUrl, startedAt, leftovers, compare });
  return mapTexts(report, (text) => redact(text, keys));
}

/**
 * Writes a report for people: a line with the verdict, broken statements with their evidence, differences from our default, and then
 * everything else.
 *
 * @throws {TypeError} when an option does not exist.
 */
export function renderReport(report: CheckReport, options: RenderOptions = {}): string {
  parseArgument("renderReport", renderOptionsSchema, options);
  return renderText(report, options);
}

/** The error to end with; pages left behind must not go unsaid. */
function endOf(reason: unknown, leftovers: readonly string[], keys: readonly string[]): unknown {
  const isOurs = reason instanceof CheckError;
  if (leftovers.length === 0 && !isOurs) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  const left = leftovers.length === 0 ? "" : ` Pages left behind: ${leftovers.join(", ")}.`;
  return new CheckError(redact(`${message}${left}`, keys), isOurs ? {} : { cause: reason });
}

function checkKeys({ apiKey, otherApiKey }: CheckOptions): void {
  for (const key of [apiKey, otherApiKey])
    if (key !== undefined && !/^[\x21-\x7e]{1,512}$/.test(key))
      throw new CheckOptionError("A key is 1 to 512 characters of visible ASCII.");
  if (apiKey === otherApiKey)
    throw new CheckOptionError("The other key is the same as the first: it must open another account.");
}

function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CheckOptionError("The base URL must begin with https://, or with http:// on this machine.");
  if (!(url.protocol === "https:" || isLoopback(url.hostname)))
    throw new CheckOptionError(
      "The base URL must be https, or http on this machine: the key must not travel in the clear.",
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CheckOptionError("The base URL must have no credentials, query or fragment.");
  return url.href.replace(/\/+$/, "");
}
