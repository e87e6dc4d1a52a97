// Reads and checks a request before the service handles it.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP, type Socket } from "node:net";
import type { HeaderLookup } from "@landing-page-service/contract";
import * as z from "zod";
import type { Refusal } from "../http-types.ts";

/** Largest body of the control API, in bytes. A snapshot is larger than a page. */
export const maxControlBodyBytes = 64 * 1024 * 1024;

/** Most requests of one connection that wait for their turn. Then the server stops reading from it. */
const mostWaiting = 100;
const waiting = new WeakMap<Socket, number>();

/**
 * Waits until the responses to earlier requests of the connection are sent. So at most one response waits if a caller sends requests
 * and reads nothing.
 */
export async function waitForTurn(response: ServerResponse): Promise<void> {
  if (response.socket !== null) return;
  const { socket } = response.req;
  const count = (change: 1 | -1): number => {
    const changed = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, changed);
    return changed;
  };
  // In the next tick, because the parser resumes the socket at the end of every request.
  if (count(1) === mostWaiting) process.nextTick(() => socket.pause());
  await once(response, "socket");
  if (count(-1) === mostWaiting - 1) socket.resume();
}

/**
 * Splits a request target, and decodes nothing. `authority` is the host and port of an absolute target such as
 * `http://127.0.0.1:4010/api/content`. Source: RFC 9112, section 3.2.
 */
export function readTarget(target: string): { path: string; query: string; authority: string | undefined } {
  const [, authority, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(rest) ?? [];
  return { path: path === "" ? "/" : path, query, authority };
}

/**
 * Reads a body, at most its first `maxBytes + 1` bytes. The rest is read and dropped, so that the sender receives the response.
 * Never resolves if the caller disconnects before.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      request.off("data", onData).off("end", onEnd).resume();
      resolve(Buffer.concat(chunks, maxBytes + 1));
    };
    const onEnd = (): void => resolve(bytes === 0 ? undefined : Buffer.concat(chunks));
    request.on("data", onData).on("end", onEnd);
  });
}

/** Whether a web page on another site sent a request. Such a page must not control the mock of its visitor. */
export function isFromForeignSite(headers: HeaderLookup): boolean {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  const isOurSite = site === null || site === "same-origin" || site === "none";
  return !isOurSite || (origin !== null && origin !== `http://${headers.get("Host")}`);
}

/**
 * Checks the host of a request: 400 if it is missing or ambiguous, 421 if it is another server's. `targetAuthority` is the host of an
 * absolute target, which takes precedence over the header.
 */
export type CheckHost = (request: IncomingMessage, targetAuthority: string | undefined) => Refusal | undefined;

/** Checks the host to listen on. */
export const hostSchema = z.string().min(1, { error: 'must be a name or an address; "0.0.0.0" is every interface' });

/** Checks another host name of the server. */
export const allowedHostSchema = z
  .string()
  .refine((host) => isIP(host) !== 0 || /^[\w.-]+$/.test(host), { error: "expected a name without scheme and port" });

/** Normalizes a host as clients do: lower case, and IPv6 addresses in their shortest form. */
export function usualHost(host: string): string {
  const spelt = isIP(host) === 6 ? URL.parse(`http://[${host}]`)?.hostname.slice(1, -1) : undefined;
  return spelt ?? host.toLowerCase();
}

/**
 * Makes the check of the `Host` header against the names of the server, because a web page that points its own name at 127.0.0.1
 * ("DNS rebinding") must not reach the service. Addresses are safe from that, so a server on every interface accepts any address.
 */
export function hostCheck(boundHost: string, allowedHosts: readonly string[]): CheckHost {
  const names = new Set(["localhost", "127.0.0.1", "::1", boundHost, ...allowedHosts.map(usualHost)]);
  const isWildcard = boundHost === "0.0.0.0" || boundHost === "::";
  return (request, targetAuthority) => {
    const [host, ...others] = request.headersDistinct["host"] ?? [];
    if (others.length > 0) return { refused: 400, detail: "Expected one Host header, got several." };
    if (host === undefined) return { refused: 400, detail: "Expected a Host header." };
    // Source: RFC 9112, section 3.2.2.
    const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(targetAuthority ?? host);
    const name = (match?.[1] ?? match?.[2])?.toLowerCase();
    if (name === undefined) return { refused: 400, detail: "Expected a Host header of a name and an optional port." };
    if (names.has(name) || (isWildcard && isIP(name) !== 0)) return undefined;
    return {
      refused: 421,
      detail: `This server does not go by the name ${JSON.stringify(name)}; allow it with --allowed-host ${name}, or in listen() with allowedHosts.`,
    };
  };
}
