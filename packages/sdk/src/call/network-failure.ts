// What a rejection of `fetch` means: whether anything was sent, and what of it may be shown.
import { redact } from "@landing-page-service/contract";
import { nameKind } from "../report/messages.ts";
import type { Unanswered } from "./outcome.ts";

/** Codes of a connection that never came about, so that nothing can have been sent. */
const unsentCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_PRX_CONN",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);
/** Codes of a certificate that was refused, before the request was written. Source: Node, "X509 certificate error codes". */
const certificateCode = /^(?:ERR_TLS_CERT|CERT|UNABLE_TO|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT)_/;
/** Deno gives no code and names the step that failed; Node's code for a handshake that was cut off says nothing. */
const unsentMessage = /\bclient error \(Connect\)|before secure TLS connection was established/;
/** How Node says that bytes are not gzip or deflate, Brotli, Zstandard. */
const undecodableCode = /^(?:Z_DATA_ERROR$|ERR__ERROR_FORMAT_|ZSTD_error_)/;

/** What an error says, as strings. Somebody else made it, so any part may have another type, or throw when it is read. */
interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly syscall: string;
  readonly stack: string;
  /** What each of several attempts says, in an error about all of them. */
  readonly errors: readonly ErrorText[];
}

/** Reads a network error. The error itself may hold the request, and so the key, so only names and messages are copied. */
export function readNetworkFailure(error: unknown, keys: readonly string[]): Unanswered {
  const chain = listCauses(error);
  const kind = chain.some(isUnsent) ? "unsent" : "broken";
  const code = chain.find(({ code }) => code !== "")?.code ?? chain.findLast(isTelling)?.name ?? "UNKNOWN";
  const message = chain.findLast(({ message }) => message !== "")?.message ?? code;
  return { kind, code: redact(code, keys), message: redact(message, keys), cause: copyChain(chain, keys) };
}

/** Copies what an error and its causes say, but for the keys. */
export function copyWithout(keys: readonly string[], error: unknown): Error | undefined {
  return copyChain(listCauses(error), keys);
}

/** What is said of a response whose body is not encoded the way its headers name; `undefined` of every other failure. */
export function readUndecodable(error: unknown): string | undefined {
  return listCauses(error).find(({ code }) => undecodableCode.test(code))?.message;
}

/** Some errors have a name in place of a code, such as undici's `HTTPParserError`. */
function isTelling({ name }: ErrorText): boolean {
  return /^[A-Z]\w+Error$/.test(name) && name !== "TypeError";
}

function isUnsent({ syscall, code, message, errors }: ErrorText): boolean {
  // Happy eyeballs: every address was tried, and none took the connection.
  if (errors.length > 0) return errors.every(isUnsent);
  return (
    syscall === "connect" ||
    syscall === "getaddrinfo" ||
    unsentCodes.has(code) ||
    certificateCode.test(code) ||
    unsentMessage.test(message)
  );
}

/** Anything may be thrown: a string, or an error of another realm. ky wraps network errors in one that says nothing more. */
function listCauses(error: unknown): ErrorText[] {
  const chain: ErrorText[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < 8; cause = readPart(cause, "cause"))
    chain.push(readText(cause));
  const telling = chain.filter(({ name }) => name !== "NetworkError");
  if (telling.some(({ message, code }) => message !== "" || code !== "")) return telling;
  const isError = typeof readPart(error, "stack") === "string";
  return isError ? telling : [readText(`${nameKind(error)} was thrown`)];
}

function readText(error: unknown): ErrorText {
  const text = (name: string) => {
    const part = readPart(error, name);
    return typeof part === "string" ? part : "";
  };
  const errors = readPart(error, "errors");
  return {
    name: text("name"),
    message: describe(typeof error === "string" ? error : text("message")),
    code: text("code"),
    syscall: text("syscall"),
    stack: text("stack"),
    errors: Array.isArray(errors) ? errors.slice(0, 20).map(readText) : [],
  };
}

/** What to do about a failure, by what the runtimes say of it. */
const advice = [
  { said: /\bEMFILE\b|\bENFILE\b|\(os error 2[34]\)/, todo: "raise `ulimit -n`, or lower `maxInFlight`" },
  {
    said: /^invalid on\w+ method$/,
    todo: "dispatcher and `fetch` come from two versions of undici: take both from one",
  },
  { said: /^bad port$|\bRequests to port \d+ are blocked$/, todo: "`fetch` blocks this port, as browsers do" },
  { said: /^TLS: wrong version number/, todo: "what answers there may not speak https" },
];

/** Of OpenSSL's line, which is for its authors, the reason. */
function describe(text: string): string {
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(text)?.[1];
  const message = reason === undefined ? text.replace(" - Local (undefined:undefined)", "") : `TLS: ${reason}`;
  const todo = advice.find(({ said }) => said.test(message))?.todo;
  return todo === undefined ? message : `${message}; ${todo}`;
}

function readPart(error: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(error) as object, name); // why: `Object` gives nothing else
  } catch {
    return undefined;
  }
}

function copyChain(chain: readonly ErrorText[], keys: readonly string[]): Error | undefined {
  return chain.reduceRight<Error | undefined>((inner, outer) => copyError(outer, inner, keys), undefined);
}

function copyError(
  { name, message, code, stack }: ErrorText,
  cause: Error | undefined,
  keys: readonly string[],
): Error {
  const copy = new Error(redact(message, keys), cause === undefined ? {} : { cause });
  copy.name = redact(name || "Error", keys);
  const [frame = ""] = stack.match(/^ +at .*/m) ?? [];
  // The frames of the platform say nothing to whoever reads them; those of a caller's own function do.
  const isPlatform = frame === "" || /^ +at async |\b(?:node|ext):|\bnative\b/.test(frame);
  const frames = isPlatform ? "" : `\n${stack.slice(stack.indexOf(frame))}`;
  copy.stack = redact(`${copy.name}: ${copy.message}${frames}`, keys);
  return code === "" ? copy : Object.assign(copy, { code: redact(code, keys) });
}
