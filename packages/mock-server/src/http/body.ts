import type { IncomingMessage } from "node:http";

/** Largest body the control API takes, in bytes: a snapshot is larger than a page. */
export const maxControlBodyBytes = 64 * 1024 * 1024;

/** Tells whether a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  return coding !== undefined || (length !== undefined && length !== "0");
}

/**
 * Reads a body to its end, or until it exceeds `maxBytes`: then its first `maxBytes + 1` bytes, while the rest is read and
 * dropped so that the sender gets to see the answer. Of a body that breaks off nothing is heard.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    request.off("data", onData).off("end", onEnd).resume();
    done(Buffer.concat(chunks, maxBytes + 1));
  };
  const onEnd = () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes));
  request.on("data", onData).on("end", onEnd);
}
