import type { ServerResponse } from "node:http";
import type { PlainAnswer, WireFault } from "../exchange/plain.ts";

/** Writes an answer in one piece, or breaks the connection as a wire fault asks. */
export function writeAnswer(response: ServerResponse, answer: PlainAnswer): void {
  if (answer.wire !== undefined) {
    breakWire(response, answer, answer.wire);
    return;
  }
  writeHead(response, answer);
  response.end(answer.body);
}

function writeHead(response: ServerResponse, { status, headers, body, bodyBytes }: PlainAnswer): void {
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const length = body === undefined ? 0 : (bodyBytes ?? Buffer.byteLength(body));
  // A HEAD brings its own length: that of the body it leaves out.
  response.writeHead(status, hasNoLength ? headers : { "Content-Length": length, ...headers });
}

function breakWire(response: ServerResponse, answer: PlainAnswer, wire: WireFault): void {
  const { socket } = response.req;
  switch (wire) {
    case "reset":
      socket.resetAndDestroy();
      return;
    case "garbage":
      socket.write("\u0000\u0001not HTTP\r\n\r\n\u0000");
      // Not only ended: whoever keeps the other half open would hold on to the connection for good.
      socket.destroySoon();
      return;
    case "truncate":
      truncate(response, answer);
      return;
    case "stall":
  }
}

/** Sends the head and half the body; of an answer without a body nothing, for its head alone would be complete. */
function truncate(response: ServerResponse, answer: PlainAnswer): void {
  const { socket } = response.req;
  const bytes = Buffer.from(answer.body ?? "");
  if (bytes.length === 0) {
    socket.destroySoon();
    return;
  }
  writeHead(response, answer);
  response.write(bytes.subarray(0, bytes.length / 2), () => socket.destroySoon());
}
