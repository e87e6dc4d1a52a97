// What a rejection of `fetch` means: whether anything was sent, and what of it may be shown.
import { ConfigurationError } from "./errors.ts";
import { nameKind } from "./messages.ts";
import type { Misconfigured, Unanswered } from "./outcome.ts";
import { hideKey } from "./redact.ts";

/** Codes that can only come from a connection that never was; nothing can have been sent. */
const unsentCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  // The proxy hung up before there was a tunnel.
  "UND_ERR_PRX_CONN",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);
/** Deno gives no code, and names the step that failed. Source: hyper-util, `client::legacy::Error`. */
const connectMessage = /\bclient error \(Connect\)/;
/** Codes of a certificate that was refused, which happens before the request is written. Source: Node, "X509 certificate error codes". */
const certificateCode = /^(?:ERR_TLS_CERT|CERT|UNABLE_TO|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT)_/;
/**
 * How OpenSSL refuses a handshake, before which nothing is sent: the other side does not speak TLS, or not a kind that suits both. Alerts
 * about a certificate of the client's are not among them: since TLS 1.3 they come once the request may be on its way.
 */
const handshakeCode =
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|NO_\w+|(?:TLSV1|SSLV3|SSL\/TLS|TLS)_(?:ALERT_)?(?:PROTOCOL_VERSION|HANDSHAKE_FAILURE|UNRECOGNIZED_NAME|INSUFFICIENT_SECURITY|NO_APPLICATION_PROTOCOL))$/;
/** Node's words for a connection that ended within the handshake, of which the code, `ECONNRESET`, says nothing. */
const handshakeMessage = /before secure TLS connection was established/;
/** undici's words for a proxy that opens no tunnel, such as with a 407: the request itself would only have gone through that. */
const tunnelMessage = /^Proxy response \(\d+\) !== 200 when HTTP Tunneling/;
/** What undici says, or is made to say below, where a proxy asks for its own password: it has passed nothing on. */
const passwordMessage = /\bproxy authentication required\b/i;
const unsentMessages = [connectMessage, handshakeMessage, tunnelMessage, passwordMessage];

/** What this machine lacks for another connection, by code or words, and what to do. */
const shortages = [
  {
    isIt: /^E[MN]FILE$|\(os error 2[34]\)/,
    advice: "no more files may be open here: raise `ulimit -n`, or lower `maxInFlight`",
  },
  { isIt: /^EADDRNOTAVAIL$/, advice: "no address or port is left here to connect from: lower `maxInFlight`" },
  { isIt: /^ENOBUFS$|^ENOMEM$/, advice: "no memory is left here for connections: lower `maxInFlight`" },
] as const;

/** What an error says of itself, in texts. It is somebody else's: a part may be of any type, or throw when it is read. */
interface Said {
  readonly name: string | undefined;
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly syscall: string | undefined;
  readonly stack: string | undefined;
  /** What each of several tries says, of an error about all of them. */
  readonly errors: readonly Said[];
}

/** Tells what a network error means. The error itself may hold the request, and so the key: only names and messages are kept. */
export function readNetworkFailure(error: unknown, key: string): Unanswered {
  const chain = listCauses(error).filter(({ name }) => name !== "NetworkError"); // ky's own wrapper, which says nothing more
  const kind = chain.some(wasNeverConnected) ? "unsent" : "broken";
  const said = chain.map(({ code }) => code).find(isTold) ?? chain.map(({ name }) => name).findLast(isTelling);
  const code = hideKey(said ?? "UNKNOWN", key);
  const message = hideKey(chain.map(describe).findLast(isTold) ?? code, key);
  const cause = copyChain(chain, key);
  const lacks = kind === "unsent" ? shortages.find(({ isIt }) => isIt.test(code) || isIt.test(message)) : undefined;
  if (lacks === undefined) return { kind, code, message, cause };
  return { kind, code, message: `${message}; ${lacks.advice}`, cause, isShortage: true };
}

/** Copies what an error and its causes say, but for the key. */
export function copyWithout(key: string, error: unknown): Error | undefined {
  return copyChain(listCauses(error), key);
}

function copyChain(chain: readonly Said[], key: string): Error | undefined {
  return chain.reduceRight<Error | undefined>((inner, outer) => copyError(outer, inner, key), undefined);
}

/** What an error says; of OpenSSL's line, which is for its authors, the reason. */
function describe({ message = "" }: Said): string {
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  if (reason === undefined) return message.replace(" - Local (undefined:undefined)", "");
  return `TLS: ${reason}${reason === "wrong version number" ? "; what answers there may not speak https" : ""}`;
}

/** Some errors have a name in place of a code, such as undici's `HTTPParserError`. */
function isTelling(name: string | undefined): name is string {
  return isTold(name) && /^[A-Z]\w+Error$/.test(name) && name !== "TypeError";
}

function isTold(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/** What is said of an answer whose body is not encoded the way its headers name; `undefined` of every other failure. */
export function readUndecodable(error: unknown): string | undefined {
  return listCauses(error).find(({ code = "" }) => undecodableCode.test(code))?.message;
}

/** How Node says that bytes are not gzip or deflate, Brotli, Zstandard. */
const undecodableCode = /^(?:Z_DATA_ERROR$|ERR__ERROR_FORMAT_|ZSTD_error_)/;

/** Tells when a request fails before anything is sent, and always will: of what it was given, something does not fit. */
export function readMisfit(error: unknown, key: string): Misconfigured | undefined {
  const chain = listCauses(error);
  const misfit = misfits.find(({ isIt }) => chain.some(isIt));
  if (misfit === undefined) return undefined;
  const { cause } = readNetworkFailure(error, key);
  return { kind: "misconfigured", code: misfit.code, error: new ConfigurationError(misfit.advice, { cause }) };
}

const misfits = [
  {
    code: "dispatcher",
    isIt: ({ code, message = "" }: Said) => code === "UND_ERR_INVALID_ARG" && /invalid on\w+ method/.test(message),
    advice:
      'The dispatcher and `fetch` come from two versions of undici. Take both from one: `import { fetch, ProxyAgent } from "undici"`, and pass a `fetch` option that calls this fetch with this dispatcher.',
  },
  {
    code: "port",
    // undici and Deno give no code. Source: Fetch, "Port blocking".
    isIt: ({ message = "" }: Said) => /^bad port$|\bRequests to port \d+ are blocked$/.test(message),
    advice:
      "`baseUrl` names a port that `fetch` blocks, as browsers do, so nothing can be sent there: let the service listen on another port, such as 4010.",
  },
] as const;

/** Anything may be thrown: a text, or an error of another realm, as in tests that run in one of their own. */
function listCauses(error: unknown): Said[] {
  const chain = [readSaid(error)];
  for (let cause = error; chain.length < 8; chain.push(readSaid(cause))) {
    cause = readPart(cause, "cause");
    if (cause === undefined || cause === null) break;
  }
  // Who throws something that says nothing is told so.
  if (chain.every(({ message, code }) => !isTold(message) && !isTold(code)) && !(error instanceof Error))
    return [{ ...readSaid(`${nameKind(error)} was thrown`) }];
  return chain;
}

function readSaid(error: unknown): Said {
  const errors = readPart(error, "errors");
  const said = { ...readTexts(error), errors: Array.isArray(errors) ? errors.map(readTexts) : [] };
  return isPasswordWanted(said)
    ? { ...said, message: "407 Proxy Authentication Required: the proxy asks for its own password" }
    : said;
}

/** undici's network error without a reason, to which of all answers to our requests only a 407 leads. Source: Fetch, "HTTP-network-or-cache fetch" */
function isPasswordWanted({ name, message, code, stack = "" }: Said): boolean {
  return name === "Error" && message === "" && code === undefined && /\bmakeNetworkError\b/.test(stack);
}

function readTexts(error: unknown): Said {
  const text = (name: string) => {
    const part = readPart(error, name);
    return typeof part === "string" ? part : undefined;
  };
  const [name, message, code] = [text("name"), typeof error === "string" ? error : text("message"), text("code")];
  return { name, message, code, syscall: text("syscall"), stack: text("stack"), errors: [] };
}

function readPart(error: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(error) as object, name); // why: `Object` gives nothing else
  } catch {
    return undefined;
  }
}

function wasNeverConnected({ syscall, code = "", message = "", errors }: Said): boolean {
  // Happy eyeballs: every address was tried and none took the connection.
  if (errors.length > 0) return errors.every(wasNeverConnected);
  const isKnown = syscall === "connect" || syscall === "getaddrinfo" || unsentCodes.has(code);
  return (
    isKnown ||
    [certificateCode, handshakeCode].some((known) => known.test(code)) ||
    unsentMessages.some((said) => said.test(message))
  );
}

function copyError(
  { name = "Error", message = "", code, stack = "" }: Said,
  cause: Error | undefined,
  key: string,
): Error {
  const copy = new Error(hideKey(message, key), cause === undefined ? {} : { cause });
  copy.name = hideKey(name, key);
  // The frames of this line, which Bun prints where the text has none.
  Error.captureStackTrace?.(copy, Error);
  copy.stack = hideKey(leaveOutPlatform(stack || `${name}: ${message}`), key);
  return code === undefined ? copy : Object.assign(copy, { code: hideKey(code, key) });
}

/**
 * Of an error that the platform made, the frames say nothing to whoever reads them; those of a caller's own function do. Where the
 * platform is no JavaScript, the first frame is of who waited for it.
 */
function leaveOutPlatform(stack: string): string {
  const [first = ""] = stack.match(/^ +at .*/m) ?? [];
  return /^ +at async |\b(?:node|ext):|\bnative\b/.test(first) ? stack.slice(0, stack.indexOf(first)).trimEnd() : stack;
}
