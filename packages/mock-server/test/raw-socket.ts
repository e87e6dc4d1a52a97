import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** One response as it was received. */
export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends bytes and resolves with everything received until the server closed the connection. */
export function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(url);
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("utf8")));
    // A server may end a connection by a reset.
    socket.on("error", (error: NodeJS.ErrnoException) => (received += `<${error.code}>`));
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}

/** Sends one request and reads its response. The request must make the server close the connection. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawResponse> {
  return readResponse(await exchange(url, bytes));
}

/** Sends a head and the beginning of a body of more than 1 MiB, in chunks. Returns the response that comes before its end. */
export async function sendUnfinished(url: string, head: string): Promise<RawResponse> {
  const socket = open(url);
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`.repeat(17));
  const [data] = (await once(socket, "data")) as [Buffer]; // what a socket emits
  socket.destroy();
  return readResponse(data.toString());
}

/** Opens a connection to the server at a base URL. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Reads one response. */
export function readResponse(text: string): RawResponse {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => splitHeader(line)));
  return { status: Number(statusLine.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
