import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { PlainAnswer, WireFault } from "../exchange/plain.ts";

/** What is handed to a connection at once, in bytes: of a longer body, the rest waits until that has left. */
const pieceBytes = 64 * 1024;

/**
 * Sends an answer, or breaks the connection as a wire fault asks. Of a caller that reads nothing for `progressMs`
 * milliseconds, the connection ends.
 */
export function sendAnswer(response: ServerResponse, answer: PlainAnswer, progressMs: number): void {
  if (answer.wire !== undefined) {
    breakWire(response, answer, answer.wire, progressMs);
    return;
  }
  if (answer.pieces !== undefined) {
    sendStream(response, answer, answer.pieces, progressMs).catch(() => response.destroy());
    return;
  }
  writeHead(response, answer);
  const { body } = answer;
  if (body !== undefined && body.length > pieceBytes) {
    sendPieces(response, Buffer.from(body), progressMs);
    return;
  }
  // What is as long in bytes as in characters is ASCII, and need not be encoded: nearly every page, and 20 of them are a lot.
  response.end(body, answer.bodyBytes === body?.length ? "latin1" : "utf8");
  // Nearly always all of it has left by now, and there is nothing to watch.
  if ((response.socket?.writableLength ?? 0) > 0) watch(response, progressMs);
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
    const timer = watch(response, progressMs);
    await Promise.race([once(response, "drain"), once(response, "close")]);
    clearTimeout(timer);
  }
  response.end();
}

/** Sends a body piece by piece, so that what waits for a slow caller is no second copy of it, and its progress is seen. */
function sendPieces(response: ServerResponse, bytes: Buffer, progressMs: number): void {
  const timer = watch(response, progressMs);
  let sent = 0;
  const sendOn = (): void => {
    timer.refresh();
    while (sent + pieceBytes < bytes.length) {
      const isTaken = response.write(bytes.subarray(sent, (sent += pieceBytes)));
      if (!isTaken) return;
    }
    response.off("drain", sendOn).end(bytes.subarray(sent));
  };
  response.on("drain", sendOn);
  sendOn();
}

/** Ends the connection of an answer unless it leaves, or the timer is begun anew, in time. */
function watch(response: ServerResponse, progressMs: number): NodeJS.Timeout {
  const timer = setTimeout(() => response.destroy(), progressMs);
  response.once("close", () => clearTimeout(timer));
  return timer;
}

function writeHead(response: ServerResponse, { status, headers, body, bodyBytes }: PlainAnswer): void {
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const length = body === undefined ? 0 : (bodyBytes ?? Buffer.byteLength(body));
  // A HEAD brings its own length: that of the body it leaves out.
  response.writeHead(status, hasNoLength ? headers : { "Content-Length": length, ...headers });
}

function breakWire(response: ServerResponse, answer: PlainAnswer, wire: WireFault, progressMs: number): void {
  const { socket } = response.req;
  switch (wire) {
    // Over a socket the connection is there already: the nearest to none is one that ends without a byte.
    case "refuse":
    case "reset":
      socket.resetAndDestroy();
      return;
    case "garbage":
      socket.write("\u0000\u0001not HTTP\r\n\r\n\u0000");
      // Not only ended: whoever keeps the other half open would hold on to the connection for good.
      socket.destroySoon();
      return;
    case "truncate":
      truncate(response, answer, progressMs);
      return;
    case "stall":
  }
}

/** Sends the head and half the body; of an answer without a body nothing, for its head alone would be complete. */
function truncate(response: ServerResponse, answer: PlainAnswer, progressMs: number): void {
  const { socket } = response.req;
  const bytes = Buffer.from(answer.body ?? "");
  if (bytes.length === 0) {
    socket.destroySoon();
    return;
  }
  writeHead(response, answer);
  watch(response, progressMs);
  response.write(bytes.subarray(0, bytes.length / 2), () => socket.destroySoon());
}
