// Finds out how a service speaks, from outside: which documented statements hold, and which reading of every gap it has.
import { setTimeout as sleepFor } from "node:timers/promises";
import { type DialectFile, resolveDialect } from "@landing-page-service/contract/dialect";
import { type Caller, CheckClient, CheckError, CheckOptionError } from "./check/client.ts";
import { hasSucceeded } from "./check/exchange.ts";
import { walk } from "./check/listing.ts";
import { type CheckReport, writeReport } from "./check/report.ts";
import { renderReport as writeTable, type RenderOptions } from "./check/table.ts";
import { visitService } from "./check/phases.ts";
import { checkNames } from "./exchange/names.ts";
import { isLoopback } from "./http/host.ts";

export { CheckError } from "./check/client.ts";
export type { Exchange } from "./check/exchange.ts";
export type { Drift } from "./check/compare.ts";
export type { Unexplained } from "./check/learned.ts";
export type { CheckReport, GapResult, StatementResult } from "./check/report.ts";
export type { Verdict } from "./check/finding.ts";
export type { RenderOptions } from "./check/table.ts";

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
  /** Compares what is seen with how this dialect says that the service speaks. @defaultValue nothing is compared */
  readonly compare?: DialectFile;
  /** Stops the check early; what it made is deleted all the same. */
  readonly signal?: AbortSignal;
  /** Hears of every request that was answered. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Longest wait on a 429, milliseconds; a longer one ends the check. @defaultValue 120 000 */
  readonly maxWaitMs?: number;
  /** Longest time for one request, milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number;
  /** Longest time for all requests before those that clean up, waits included, milliseconds. @defaultValue 600 000 */
  readonly totalTimeoutMs?: number;
  /** Marks the pages of this check: their slugs begin with `landing-page-check-` and this. @defaultValue 8 random characters */
  readonly runId?: string;
  /** Sends a request. @defaultValue the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The present moment, milliseconds since 1970 UTC. @defaultValue `Date.now` */
  readonly now?: () => number;
  /** Waits; rejects when the signal fires. @defaultValue a timer */
  readonly sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** How far a check has come. */
export interface CheckProgress {
  /** Requests answered so far; a whole check of an account without pages takes about 60. */
  readonly requests: number;
  /** What is being done, in a word or two. */
  readonly phase: string;
}

const optionNames = [
  "baseUrl",
  "apiKey",
  "otherApiKey",
  "yes",
  "thorough",
  "compare",
  "signal",
  "onProgress",
  "maxWaitMs",
  "timeoutMs",
  "totalTimeoutMs",
  "runId",
  "fetch",
  "now",
  "sleep",
];

/**
 * Checks a service from outside, with care: few requests, pages under a marked slug, all of them deleted in
 * the end, also when the check is stopped or fails. A refusal with 429 is waited out.
 *
 * @throws {CheckError} when there is nothing to check (wrong key, no answer), or the account holds pages and `yes` is not given.
 * @throws {TypeError} when an option does not exist.
 * @throws the signal's reason, after cleaning up, when the signal fires.
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  checkNames("checkService", options, optionNames);
  const { now = Date.now, runId = crypto.randomUUID().slice(0, 8), onProgress, signal } = options;
  checkKeys(options);
  if (options.compare !== undefined) resolveDialect(options.compare);
  const prefix = `landing-page-check-${runId}`;
  const startedAt = new Date(now()).toISOString();
  let phase = "looking";
  const client = new CheckClient({
    baseUrl: checkBaseUrl(options.baseUrl),
    keys: { account: options.apiKey, other: options.otherApiKey, wrongKey: `${prefix}-wrong-key` },
    fetch: options.fetch ?? fetch,
    now,
    sleep: options.sleep ?? ((delayMs, signal) => sleepFor(delayMs, undefined, { signal })),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxWaitMs: options.maxWaitMs ?? 120_000,
    mark: runId,
    onRequest: () => onProgress?.({ requests: client.exchanges.length, phase }),
  });
  client.endsAtMs = now() + (options.totalTimeoutMs ?? 600_000);
  client.signal = signal;
  const visiting = visitService(client, {
    prefix,
    now,
    yes: options.yes ?? false,
    thorough: options.thorough ?? false,
    hasOtherKey: options.otherApiKey !== undefined,
    onPhase: (next) => (phase = next),
  });
  const [visited] = await Promise.allSettled([visiting]);
  phase = "cleaning up";
  client.endsAtMs = Number.POSITIVE_INFINITY;
  client.signal = undefined;
  const leftovers = await cleanUp(client, prefix, runId);

  const redact = createRedactor(options);
  if (visited.status === "rejected") throw endOf(visited.reason, leftovers, redact);
  const { baseUrl } = options;
  const { exchanges } = client;
  const { compare } = options;
  return writeReport({ baseUrl, startedAt, visit: visited.value, exchanges, leftovers, compare, redact });
}

/**
 * Writes a report for people: one line of verdict, what is broken and what shows it, where the service differs, and then
 * what is as documented and assumed.
 *
 * @throws {TypeError} when an option does not exist.
 */
export function renderReport(report: CheckReport, options: RenderOptions = {}): string {
  checkNames("renderReport", options, ["colour", "width"]);
  return writeTable(report, options);
}

/** Deletes all that was made; what cannot be deleted, or is still listed after, is returned. */
async function cleanUp(client: CheckClient, prefix: string, mark: string): Promise<string[]> {
  if (!client.exchanges.some(({ request }) => request.method === "POST")) return [];
  const leftovers = new Set<string>();
  async function remove(id: string, caller: Caller): Promise<void> {
    const path = client.pathOf(id);
    for (const by of new Set<Caller>(["account", caller])) {
      if (hasSucceeded(await client.send(`DELETE ${path}`, undefined, { caller: by }))) return;
    }
    leftovers.add(id);
  }
  try {
    for (const [id, caller] of client.made) await remove(id, caller);
    const { pages, isWhole } = await walk(client);
    for (const { page, record } of pages) {
      // Its slug may be another one by now, or stand elsewhere; the mark is in all that was sent.
      const text = JSON.stringify(record ?? page);
      if (!text.includes(prefix) && !(mark.length >= 8 && text.includes(mark))) continue;
      const id = page.id ?? findSlug(text, prefix) ?? page.slug ?? page.title;
      if (id === undefined) continue;
      if (client.deleted.has(client.pathOf(id))) leftovers.add(id);
      else await remove(id, "account");
    }
    if (pages.length === 0 && !isWhole) for (const slug of nameless(client, prefix)) leftovers.add(slug);
  } catch {
    // The service stopped answering, or asks for too long a wait: the pages that are left are named in the report.
    for (const id of client.made.keys()) leftovers.add(id);
  }
  return [...leftovers];
}

/** The slugs of pages that were made, though no answer told an identifier. */
function nameless(client: CheckClient, prefix: string): string[] {
  const made = client.exchanges.filter(
    (exchange) =>
      exchange.request.method === "POST" &&
      exchange.request.path === "/api/content" &&
      hasSucceeded(exchange) &&
      client.toldId(exchange) === undefined,
  );
  return made.flatMap(({ request }) => findSlug(request.body ?? "", prefix) ?? []);
}

/** The slug of a page of this check, which a service may show under whatever name. */
function findSlug(text: string, prefix: string): string | undefined {
  const start = text.indexOf(prefix);
  if (start < 0) return undefined;
  const [rest = ""] = /^[\w-]*/.exec(text.slice(start + prefix.length)) ?? [];
  return prefix + rest;
}

/** The error to end with; pages left behind must not go unsaid. */
function endOf(reason: unknown, leftovers: readonly string[], redact: (text: string) => string): unknown {
  const isOurs = reason instanceof CheckError;
  if (leftovers.length === 0 && !isOurs) return reason;
  const message = redact(reason instanceof Error ? reason.message : String(reason));
  const left = leftovers.length === 0 ? "" : ` Pages left behind: ${leftovers.join(", ")}.`;
  return new CheckError(`${message}${left}`, isOurs ? {} : { cause: reason });
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
  if (!(url.protocol === "https:" || isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))))
    throw new CheckOptionError(
      "The base URL must be https, or http on this machine: the key must not travel in the clear.",
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CheckOptionError("The base URL must have no credentials, query or fragment.");
  return url.href.replace(/\/+$/, "");
}

/** Blacks out the keys as they are, as JSON and as part of a URL have them. */
function createRedactor({ apiKey, otherApiKey }: CheckOptions): (text: string) => string {
  const spellings = [apiKey, otherApiKey].flatMap((key) =>
    key === undefined ? [] : [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)],
  );
  return (text) => spellings.reduce((clean, spelling) => clean.replaceAll(spelling, "***"), text);
}
