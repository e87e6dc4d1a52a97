import type { IncomingMessage } from "node:http";

/** Tells whether a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  return coding !== undefined || (length !== undefined && length !== "0");
}

/**
 * Hands the body to `done` once it is complete, or as soon as it exceeds `maxBytes`: then the first `maxBytes + 1` bytes,
 * while the rest is read and dropped so that the sender gets to see the answer. A body that breaks off is never handed on.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;

  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) finish();
  };
  const finish = () => {
    request.off("data", onData);
    request.off("end", finish);
    request.resume();
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes);
    done(body.length > maxBytes ? body.subarray(0, maxBytes + 1) : body);
  };
  request.on("data", onData);
  request.on("end", finish);
}
