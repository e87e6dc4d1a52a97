import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may wait for their turn; with more, nothing further is read from it. */
const mostWaiting = 100;
const waiting = new WeakMap<Socket, number>();

/**
 * Begins with a request when the answers before it have left its connection: at once, but for pipelined requests. So no
 * more than one answer waits for a caller that sends and does not read.
 */
export function takeTurn(response: ServerResponse, begin: () => void): void {
  if (response.socket !== null) {
    begin();
    return;
  }
  const { socket } = response.req;
  count(socket, 1);
  response.once("socket", () => {
    count(socket, -1);
    begin();
  });
}

function count(socket: Socket, change: 1 | -1): void {
  const now = (waiting.get(socket) ?? 0) + change;
  waiting.set(socket, now);
  if (change === 1 && now === mostWaiting) socket.pause();
  if (change === -1 && now === mostWaiting - 1) socket.resume();
}
