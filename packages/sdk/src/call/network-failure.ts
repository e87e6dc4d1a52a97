// Reads errors of `fetch` and of hooks. It decides whether anything was sent, and which parts of the error may be shown.
import { redact } from "@landing-page-service/contract";
import { tryTo } from "../options.ts";
import { ConnectionError } from "../report/errors.ts";
import { nameKind, quote } from "../report/messages.ts";
import { type FailedCall, type Failure, say } from "./outcome.ts";

/** Codes of connections that were never made, so nothing was sent. */
const unsentCode =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_CONN|ConnectionRefused|FailedToOpenSocket)$/;
/** Codes of a refused certificate, so the request was not written. Source: Node, "X509 certificate error codes". */
const certificateCode = /^(?:ERR_TLS_CERT|CERT|UNABLE_TO|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT)_/;
/** Messages of connections that were never made: in Deno, in an interrupted handshake of Node, and to a port that `fetch` refuses. None has a code of its own. */
const unsentMessage = /\bclient error \(Connect\)|before secure TLS connection was established|^bad port$/;
const problems = { unsent: "no connection", broken: "the connection broke", hook: "a hook threw" };

/**
 * Reads an error of `fetch`, or of a hook. The error may contain the request with the API key, so only names and messages are copied.
 */
export function readNetworkFailure(error: unknown, keys: readonly string[], hook?: { isSent: boolean }): Failure {
  const chain = listCauses(error);
  const kind = hook !== undefined ? "hook" : chain.some(isUnsent) ? "unsent" : "broken";
  // Some errors have a name in place of a code, such as undici's `HTTPParserError`.
  const named = chain.map((each) => textOf(each, "name")).findLast((name) => /^(?!TypeError)[A-Z]\w+Error$/.test(name));
  const found = chain.map((each) => textOf(each, "code")).find((each) => each !== "") ?? named ?? "UNKNOWN";
  const text = chain.map(messageOf).findLast((each) => each !== "") ?? found;
  const message = quote(redact(text, keys));
  const code = kind === "hook" ? "HOOK_FAILED" : redact(found, keys);
  const cause = copyError(error, keys);
  const toError = (call: FailedCall) =>
    new ConnectionError(say(call, `failed: ${problems[kind]} (${message})`), { ...call.facts, code }, { cause });
  return { kind, failure: code, isSent: hook?.isSent ?? kind === "broken", toError };
}

/** Copies an error and its causes: names, messages, codes and some frames, without the keys. */
export function copyError(error: unknown, keys: readonly string[]): Error | undefined {
  const hide = (text: string) => redact(text, keys);
  return listCauses(error).reduceRight<Error | undefined>((cause, each) => {
    const copy = new Error(hide(messageOf(each)), cause === undefined ? {} : { cause });
    copy.name = hide(textOf(each, "name") || "Error");
    // Frames of the platform are of no help to the caller.
    const frames = textOf(each, "stack").match(/^ +at (?!async )(?!.*(?:\b(?:node|ext):|\bnative\b)).*/gm) ?? [];
    copy.stack = hide([`${copy.name}: ${copy.message}`, ...frames].join("\n"));
    const code = hide(textOf(each, "code"));
    return code === "" ? copy : Object.assign(copy, { code });
  }, undefined);
}

/** Lists an error and its causes. Anything may be thrown: a string, or an error of another realm. The `NetworkError` of ky only wraps another error. */
function listCauses(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < 8; cause = readPart(cause, "cause"))
    if (textOf(cause, "name") !== "NetworkError") chain.push(cause);
  const isTelling = chain.some((each) => messageOf(each) !== "" || textOf(each, "code") !== "");
  return isTelling || textOf(error, "stack") !== "" ? chain : [`${nameKind(error)} was thrown`];
}

function isUnsent(error: unknown): boolean {
  const errors = readPart(error, "errors");
  // Happy eyeballs: the runtime tried every address.
  if (Array.isArray(errors) && errors.length > 0) return errors.slice(0, 20).every(isUnsent);
  const code = textOf(error, "code");
  const isConnecting = ["connect", "getaddrinfo"].includes(textOf(error, "syscall"));
  return isConnecting || unsentCode.test(code) || certificateCode.test(code) || unsentMessage.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return typeof error === "string" ? error : textOf(error, "message");
}

/** Returns a property of an error if it is a string, else an empty string. A foreign error may have properties of any type, and getters that throw. */
function textOf(error: unknown, name: string): string {
  const part = readPart(error, name);
  return typeof part === "string" ? part : "";
}

function readPart(error: unknown, name: string): unknown {
  return tryTo((): unknown => Reflect.get(Object(error) as object, name)); // why: `Object` returns nothing else
}
