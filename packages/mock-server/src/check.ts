/**
 * Checks a service over HTTP: whether the documented statements hold, and how it interprets every gap.
 *
 * @module
 */
import { setTimeout as sleepFor } from "node:timers/promises";
import { type DialectFile, resolveDialect } from "@landing-page-service/contract/dialect";
import { CheckError, CheckOptionError, type CheckOptions, type Settings } from "./check/client.ts";
import { cleanUp } from "./check/clean-up.ts";
import { Session } from "./check/probes.ts";
import { type CheckReport, renderReport as renderText, type RenderOptions, writeReport } from "./check/report.ts";
import * as z from "zod";
import { aFunction, integer, optional, parseArgument, timerMs } from "./argument.ts";
import { isLoopback } from "./http-types.ts";

export { CheckError } from "./check/client.ts";
export type { CheckOptions, CheckProgress, Exchange } from "./check/client.ts";
export type { Drift } from "./check/compare.ts";
export type { CheckReport, GapResult, RenderOptions, StatementResult, Unexplained } from "./check/report.ts";
export type { Verdict } from "./check/statements.ts";

// The base URL, the keys and the dialect are checked later.
const checkOptionsSchema = z.strictObject({
  baseUrl: optional(z.unknown()),
  apiKey: optional(z.unknown()),
  otherApiKey: optional(z.custom<string>()),
  yes: z.boolean().default(false),
  thorough: z.boolean().default(false),
  compare: optional(z.custom<DialectFile>()),
  signal: optional(z.instanceof(AbortSignal, { error: "expected an AbortSignal" })),
  onProgress: optional(aFunction<NonNullable<CheckOptions["onProgress"]>>()),
  maxWaitMs: timerMs().default(120_000),
  timeoutMs: timerMs().default(30_000),
  totalTimeoutMs: timerMs().default(600_000),
  runId: z.string().default(() => crypto.randomUUID().slice(0, 8)),
  fetch: optional(aFunction<NonNullable<CheckOptions["fetch"]>>()),
  now: aFunction<() => number>().default(() => Date.now),
  sleep: aFunction<Settings["sleep"]>().default(() => sleep),
});

async function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(delayMs, undefined, { signal });
}

const renderOptionsSchema = z.strictObject({ colour: optional(z.boolean()), width: optional(integer(1)) });

/**
 * Checks a service over HTTP. Sends few requests, and deletes the pages that it created, also when the check is stopped or fails.
 * Waits and retries after a 429.
 *
 * @throws {CheckError} when there is nothing to check (wrong key, no response), or the account has pages and `yes` is not set.
 * @throws {TypeError} when an option does not exist.
 * @throws the signal's reason, after the cleanup, when the signal aborts.
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  const { runId, ...given } = parseArgument("checkService", checkOptionsSchema, options);
  checkKeys(options);
  const { apiKey, compare } = options;
  if (compare !== undefined) resolveDialect(compare);
  const baseUrl = checkBaseUrl(options.baseUrl);
  const session = new Session({ ...given, baseUrl, apiKey, prefix: `landing-page-check-${runId}` });
  const startedAt = new Date(given.now()).toISOString();
  const [probed] = await Promise.allSettled([session.run()]);
  session.beginCleanUp();
  const leftovers = await cleanUp(session);

  if (probed.status === "rejected") throw endOf(session, probed.reason, leftovers);
  return writeReport(session, { baseUrl: options.baseUrl, startedAt, leftovers, compare });
}

/**
 * Writes a report for people: a summary line, broken statements with their evidence, differences from our default, and then
 * everything else.
 *
 * @throws {TypeError} when an option does not exist.
 */
export function renderReport(report: CheckReport, options: RenderOptions = {}): string {
  parseArgument("renderReport", renderOptionsSchema, options);
  return renderText(report, options);
}

/** The error to throw, with the names of the pages left behind. */
function endOf(session: Session, reason: unknown, leftovers: readonly string[]): unknown {
  const isOurs = reason instanceof CheckError;
  if (leftovers.length === 0 && !isOurs) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  const left = leftovers.length === 0 ? "" : ` Pages left behind: ${leftovers.join(", ")}.`;
  return new CheckError(session.redact(`${message}${left}`), isOurs ? {} : { cause: reason });
}

function checkKeys({ apiKey, otherApiKey }: CheckOptions): void {
  for (const key of [apiKey, otherApiKey ?? apiKey])
    if (typeof key !== "string" || !/^[\x21-\x7e]{1,512}$/.test(key))
      throw new CheckOptionError("A key is 1 to 512 visible ASCII characters, without `Bearer `.");
  if (apiKey === otherApiKey)
    throw new CheckOptionError("The other key is the same as the first. It must open another account.");
}

function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CheckOptionError("The base URL must begin with https://, or with http:// on this machine.");
  if (!(url.protocol === "https:" || isLoopback(url.hostname)))
    throw new CheckOptionError(
      "The base URL must be https, or http on this machine, because the key must not travel in the clear.",
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CheckOptionError("The base URL must have no credentials, query or fragment.");
  return url.href.replace(/\/+$/, "");
}
