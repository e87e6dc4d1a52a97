// What is read of a request before the service sees it.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HeaderLookup } from "@landing-page-service/contract";

/** Largest body the control API takes, in bytes: a snapshot is larger than a page. */
export const maxControlBodyBytes = 64 * 1024 * 1024;

/** Requests of one connection that may wait for their turn. With more, nothing further is read from it. */
const mostWaiting = 100;
const waiting = new WeakMap<Socket, number>();

/**
 * Waits until the answers before this one have left the connection, as those of pipelined requests must. So no more than one answer
 * waits for a caller that sends and does not read.
 */
export async function waitForTurn(response: ServerResponse): Promise<void> {
  if (response.socket !== null) return;
  const { socket } = response.req;
  countWaiting(socket, 1);
  await once(response, "socket");
  countWaiting(socket, -1);
}

function countWaiting(socket: Socket, change: 1 | -1): void {
  const count = (waiting.get(socket) ?? 0) + change;
  waiting.set(socket, count);
  // Later, because the parser resumes the socket at the end of every request.
  if (change === 1 && count === mostWaiting) process.nextTick(() => socket.pause());
  if (change === -1 && count === mostWaiting - 1) socket.resume();
}

/** A request target taken apart, nothing decoded. */
export interface Target {
  /** Path as sent. */
  path: string;
  /** Query as sent, without the question mark. */
  query: string;
  /** Host and port of an absolute target such as `http://127.0.0.1:4010/api/content`. */
  authority: string | undefined;
}

/** Takes a request target apart. Source: RFC 9112, section 3.2. */
export function readTarget(target: string): Target {
  const [, authority, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(rest) ?? [];
  return { path: path === "" ? "/" : path, query, authority };
}

/**
 * Reads a body to its end, or until it exceeds `maxBytes`: then its first `maxBytes + 1` bytes, while the rest is read and dropped so
 * that the sender gets to see the answer. Never resolves when the caller goes away before. `undefined` when no body was announced.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> | undefined {
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (coding === undefined && length === "0") return undefined;
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
    const onEnd = (): void => resolve(Buffer.concat(chunks, bytes));
    request.on("data", onData).on("end", onEnd);
  });
}

/** Tells whether a web page on another site sent a request: it must not steer the service of whoever looks at it. */
export function isFromForeignSite(headers: HeaderLookup): boolean {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  const isOurSite = site === null || site === "same-origin" || site === "none";
  return !isOurSite || (origin !== null && origin !== `http://${headers.get("Host")}`);
}
