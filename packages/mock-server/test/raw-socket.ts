import { connect, type Socket } from "node:net";

/** One answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends bytes as they are and resolves with all that came back until the server closed the connection. */
export function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(url);
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("utf8")));
    // A reset is one of the ways in which a server ends a conversation.
    socket.on("error", (error: NodeJS.ErrnoException) => (received += `<${error.code}>`));
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}

/** Sends one request and reads the one answer; the request must make the server close the connection. */
export async function ask(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  return readAnswer(await exchange(url, bytes));
}

/** Opens a connection to the server at a base URL. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Takes one answer apart. */
export function readAnswer(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => splitHeader(line)));
  return { status: Number(statusLine.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
