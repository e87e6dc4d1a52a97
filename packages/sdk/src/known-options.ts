// What is passed under a name that nobody reads is refused rather than silently without effect. Each set of options has a table of
// its names beside its type.
import { nearest } from "@landing-page-service/contract";
import { ConfigurationError } from "./report/errors.ts";

/** Names as the type has them, all of them: the compiler says when one is missing or too many. */
export type Names<Options> = { readonly [Name in keyof Required<Options>]: true };

/** What is refused, and how it is told. */
interface Refusal {
  /** What the names stand below, such as `retry`. @defaultValue nothing */
  readonly below?: string;
  /** Whether other names have a meaning too: then only one that looks like a known one is refused. @defaultValue false */
  readonly isOpen?: boolean;
}

/**
 * Refuses options that nobody reads, and what is no object of options at all.
 *
 * @throws {ConfigurationError} that names the nearest known option.
 */
export function refuseUnknown(names: Names<object>, options: unknown, { below, isOpen = false }: Refusal = {}): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ConfigurationError(`\`${below ?? "options"}\` must be an object.`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const known = Object.keys(names);
    const near = nearest(name, known);
    if (isOpen && near === undefined) continue;
    const meant = near ?? findElsewhere(name, names, below);
    const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean \`${meant}\`?`;
    throw new ConfigurationError(`There is no option \`${below === undefined ? "" : `${below}.`}${name}\`: ${hint}`);
  }
}

/** What an option of another client is called here; `undefined` where none of these options does the same. */
function findElsewhere(name: string, names: Names<object>, below: string | undefined): string | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  for (const [path, others] of Object.entries(elsewhere)) {
    if (!others.split(" ").includes(plain)) continue;
    const [first = "", second] = path.split(".");
    if (Object.hasOwn(names, first)) return path;
    if (second !== undefined && first === below && Object.hasOwn(names, second)) return second;
  }
  return undefined;
}

/** What people are used to from other clients, by what does the same here. */
const elsewhere: Readonly<Record<string, string>> = {
  apiKey: "key token apitoken accesstoken authtoken bearer bearertoken secret auth authorization",
  baseUrl: "url apiurl serviceurl serverurl host origin endpoint base prefix prefixurl",
  "retry.maxAttempts": "retries maxretries maxattempts attempts tries maxtries retrycount retrylimit",
  "retry.baseDelayMs": "delay retrydelay backoff basedelay",
  totalTimeoutMs: "deadline",
  maxInFlight: "concurrency maxconcurrency maxconnections",
  signal: "abortsignal abort cancel canceltoken",
  hooks: "interceptors middleware plugins",
  fetch: "agent dispatcher httpagent httpsagent proxy adapter",
  headers: "useragent defaultheaders",
  logLevel: "debug verbose",
};

/**
 * Refuses whatever is passed to a method that takes nothing.
 *
 * @throws {ConfigurationError} that names the method.
 */
export function refuseAll(method: string, given: readonly unknown[]): void {
  if (given.some((each) => each !== undefined)) throw new ConfigurationError(`\`${method}\` takes no options.`);
}
