// Answers to what never became a request: node:http hands over a bare socket, or nothing but an error.
import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { PlainAnswer } from "../http-types.ts";

/** How long a refused sender may go on sending so that it gets to read the answer, in milliseconds. */
const lingerMs = 1000;

const refusals: Record<string, [status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 16 KiB."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are larger than 16 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time."],
};

/** Makes the server answer broken requests and CONNECT with a problem instead of silence. */
export function refuseBrokenRequests(server: Server, refuse: (status: number, detail: string) => PlainAnswer): void {
  const refused = new WeakSet<Duplex>();

  server.on("clientError", (error: NodeJS.ErrnoException & { reason?: string }, socket) => {
    // A flood reports an error for each piece of it; the first one has been answered.
    if (refused.has(socket)) return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const [status, detail] = refusals[error.code ?? ""] ?? [400, `Not a valid HTTP/1.1 request: ${reason(error)}.`];
    endWith(socket, () => refuse(status, detail));
  });

  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    endWith(socket, () => {
      const answer = refuse(405, "CONNECT is not supported: this is not a proxy.");
      return { ...answer, headers: { ...answer.headers, Allow: "GET, POST, PUT, DELETE" } };
    });
  });
}

function reason(error: { reason?: string; message: string }): string {
  return (error.reason ?? error.message.replace(/^Parse Error: /, "")).slice(0, 200);
}

function endWith(socket: Duplex, decide: () => PlainAnswer): void {
  try {
    socket.end(writeOut(decide()));
  } catch {
    // A clock of the test's own may throw; then there is nothing to say.
    socket.destroy();
  }
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(linger));
}

function writeOut({ status, headers, body = "" }: PlainAnswer): string {
  const head = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body), Connection: "close" });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
