import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { PlainAnswer } from "../http-types.ts";

/**
 * Sends an answer, or breaks the connection as a wire fault asks. The connection of a caller that reads nothing for `progressMs`
 * milliseconds ends: node:net takes what leaves a socket for progress.
 */
export async function sendAnswer(response: ServerResponse, answer: PlainAnswer, progressMs: number): Promise<void> {
  const { socket } = response.req;
  switch (answer.wire) {
    // Over a socket the connection is there already: the nearest to none is one that ends without a byte.
    case "refuse":
    case "reset":
      socket.resetAndDestroy();
      return;
    case "garbage":
      socket.write("\u0000\u0001not HTTP\r\n\r\n\u0000");
      // Not only ended: a caller that keeps the other half open would hold on to the connection for good.
      socket.destroySoon();
      return;
    case "stall":
      return;
    case "truncate":
    case undefined:
  }
  if (answer.pieces !== undefined) return sendStream(response, answer, answer.pieces, progressMs);
  const { status, headers, body } = answer;
  const bytes = Buffer.from(body ?? "");
  response.setTimeout(progressMs);
  // An answer to HEAD brings its own length: that of the body it leaves out.
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const head = () => response.writeHead(status, hasNoLength ? headers : { "Content-Length": bytes.length, ...headers });
  if (answer.wire === undefined) head().end(bytes);
  // Without a body nothing is sent, because a head alone would be complete.
  else if (bytes.length === 0) socket.destroySoon();
  else head().write(bytes.subarray(0, bytes.length / 2), () => socket.destroySoon());
}

/** Sends pieces as they come; the next is asked for when the last has been taken, and none after the caller has gone away. */
async function sendStream(
  response: ServerResponse,
  { status, headers }: PlainAnswer,
  pieces: AsyncIterable<string>,
  progressMs: number,
): Promise<void> {
  response.writeHead(status, { ...headers, Connection: "close" });
  for await (const piece of pieces) {
    if (response.writableEnded || response.destroyed) return;
    if (response.write(piece)) continue;
    response.setTimeout(progressMs);
    await Promise.race([once(response, "drain"), once(response, "close")]);
    response.setTimeout(0);
  }
  response.end();
}
