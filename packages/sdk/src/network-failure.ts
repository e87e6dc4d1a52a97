// What a rejection of `fetch` means: whether anything was sent, and what of it may be shown.
import { ConfigurationError } from "./errors.ts";
import type { Misconfigured, Unanswered } from "./outcome.ts";
import { hideKey } from "./redact.ts";

/** Codes that can only come from a connection that never was; nothing can have been sent. */
const unsentCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
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
const unsentMessages = [connectMessage, handshakeMessage, tunnelMessage];

/** Tells what a network error means. The error itself may hold the request, and so the key: only names and messages are kept. */
export function readNetworkFailure(error: unknown, key: string): Unanswered {
  const chain = listCauses(error).filter(({ name }) => name !== "NetworkError"); // ky's own wrapper, which says nothing more
  const kind = chain.some(wasNeverConnected) ? "unsent" : "broken";
  const said = chain.map(({ code }) => code).find(isSaid) ?? chain.map(({ name }) => name).findLast(isTelling);
  const code = hideKey(said ?? "UNKNOWN", key);
  const message = hideKey(chain.map(describe).findLast(isSaid) ?? code, key);
  const cause = chain.reduceRight<Error | undefined>((inner, outer) => copyError(outer, inner, key), undefined);
  return { kind, code, message, cause };
}

/** What an error says; of OpenSSL's line, which is for its authors, the reason. */
function describe({ message }: Error): unknown {
  if (typeof message !== "string") return undefined;
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  if (reason === undefined) return message;
  return `TLS: ${reason}${reason === "wrong version number" ? "; what answers there may not speak https" : ""}`;
}

/** Some errors have a name in place of a code, such as undici's `HTTPParserError`. */
function isTelling(name: unknown): name is string {
  return isSaid(name) && /^[A-Z]\w+Error$/.test(name) && name !== "TypeError";
}

function isSaid(text: unknown): text is string {
  return typeof text === "string" && text !== "";
}

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
    isIt: ({ code, message }: NodeJS.ErrnoException) =>
      code === "UND_ERR_INVALID_ARG" && /invalid on\w+ method/.test(message),
    advice:
      'The dispatcher and `fetch` come from two versions of undici. Take both from one: `import { fetch, ProxyAgent } from "undici"`, and pass a `fetch` option that calls this fetch with this dispatcher.',
  },
  {
    code: "port",
    // undici and Deno give no code. Source: Fetch, "Port blocking".
    isIt: ({ message }: Error) => /^bad port$|\bRequests to port \d+ are blocked$/.test(message),
    advice:
      "`baseUrl` names a port that `fetch` blocks, as browsers do, so nothing can be sent there: let the service listen on another port, such as 4010.",
  },
] as const;

function listCauses(error: unknown): NodeJS.ErrnoException[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 8; cause = cause.cause) chain.push(cause);
  return chain;
}

function wasNeverConnected(error: NodeJS.ErrnoException): boolean {
  // Happy eyeballs: every address was tried and none took the connection.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(wasNeverConnected);
  const { syscall, code = "" } = error;
  const isKnown = syscall === "connect" || syscall === "getaddrinfo" || unsentCodes.has(code);
  return (
    isKnown ||
    [certificateCode, handshakeCode].some((known) => known.test(code)) ||
    unsentMessages.some((said) => said.test(error.message))
  );
}

function copyError(error: NodeJS.ErrnoException, cause: Error | undefined, key: string): Error {
  // What was thrown is somebody else's: its parts need not be texts.
  const hide = (text: unknown) => (typeof text === "string" ? hideKey(text, key) : "");
  const copy = new Error(hide(error.message), cause === undefined ? {} : { cause });
  copy.name = hide(error.name);
  // The frames of this line, which Bun prints where the text has none.
  Error.captureStackTrace?.(copy, Error);
  copy.stack = hide(leaveOutPlatform(error.stack));
  return error.code === undefined ? copy : Object.assign(copy, { code: hide(error.code) });
}

/**
 * Of an error that the platform made, the frames say nothing to whoever reads them; those of a caller's own function do. Where the
 * platform is no JavaScript, the first frame is of who waited for it.
 */
function leaveOutPlatform(stack: unknown): unknown {
  if (typeof stack !== "string") return stack;
  const [first = ""] = stack.match(/^ +at .*/m) ?? [];
  return /^ +at async |\b(?:node|ext):|\bnative\b/.test(first) ? stack.slice(0, stack.indexOf(first)).trimEnd() : stack;
}
