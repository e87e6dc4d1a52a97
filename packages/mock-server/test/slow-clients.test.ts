// Clients that read slowly or not at all, and clients that pipeline.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen, type ListenTimeouts, type RunningServer } from "../src/node.ts";
import { create, somePage } from "./client.ts";
import { exchange, open, readResponse } from "./raw-socket.ts";

/** Their list is more than the system buffers for a connection whose client does not read. */
const pages = 40;
const list = "GET /api/content?limit=100 HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer test_large\r\n\r\n";

const service = createMockService();
const sockets: Socket[] = [];

beforeAll(async () => {
  for (let index = 0; index < pages; index += 1)
    await create(service, { content: "x".repeat(500_000), slug: `page-${index}` }, "test_large");
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
});

test("a client that pipelines requests for a large list and reads nothing is disconnected during the first response", async () => {
  const server = await start({ progressMs: 100 });
  const before = lists();
  const disconnected = new Promise<void>((resolve) => {
    const watch = (message: unknown): void => {
      unsubscribe("net.server.socket", watch);
      (message as { socket: Socket }).socket.once("close", () => resolve()); // why: node documents it
    };
    subscribe("net.server.socket", watch);
  });

  const client = request(server, list.repeat(500));
  await disconnected;
  await client.readTo(Infinity);

  expect(lists()).toBe(before + 1);
  expect(client.received()).toBeGreaterThan(0);
  expect(client.received()).toBeLessThan(client.expected());
  await server.close();
});

test("a client that reads slowly gets everything", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const client = request(await start({}), list);
  await client.readTo(1);

  vi.advanceTimersByTime(9_000);
  await client.readTo(client.expected() / 2);
  vi.advanceTimersByTime(9_000);
  await client.readTo(client.expected());

  expect(client.received()).toBe(client.expected());
});

test("a connection with a hundred pending requests is read no further", async () => {
  let begun = 0;
  const countBegun = (): number => (begun += 1);
  const server = await start({ closeGraceMs: 1 });
  service.account("test_flood").faults.add({ endpoint: "listPages", delayMs: 60_000 });
  subscribe("http.server.request.start", countBegun);

  request(server, list.replace("test_large", "test_flood").repeat(50_000));
  // The server could read the whole flood during these requests.
  for (let round = 0; round < 50; round += 1) await fetch(`${server.url}/__mock/health`);
  unsubscribe("http.server.request.start", countBegun);
  await server.close();

  // The chunk with the hundredth request has been parsed whole.
  expect(begun).toBeGreaterThan(100);
  expect(begun).toBeLessThan(3_000);
});

test("pipelined requests are handled and get their responses in order", async () => {
  const server = await start({});
  const slugs = Array.from({ length: 400 }, (_, index) => `page-${index}`);
  const head = "POST /api/content HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer test_pipe\r\n";
  const requests = slugs.map((slug, index) => {
    const body = JSON.stringify({ ...somePage, slug });
    const last = index === slugs.length - 1 ? "Connection: close\r\n" : "";
    return `${head}Content-Type: application/json\r\n${last}Content-Length: ${body.length}\r\n\r\n${body}`;
  });

  const received = await exchange(server.url, requests.join(""));

  expect(Array.from(received.matchAll(/"slug":"([^"]+)"/g), ([, slug]) => slug)).toEqual(slugs);
  expect(service.account("test_pipe").pages.map(({ slug }) => slug)).toEqual(slugs);
});

function start(timeouts: ListenTimeouts): Promise<RunningServer> {
  return listen(service, { timeouts, allowedHosts: ["mock"] });
}

function lists(): number {
  return service.account("test_large").requests({ endpoint: "listPages" }).length;
}

/** Sends bytes on a connection of its own, which reads only what the test tells it to. */
function request({ url }: RunningServer, bytes: string) {
  const socket = open(url).on("error", () => {});
  sockets.push(socket);
  socket.write(bytes);
  const chunks: AsyncIterator<Buffer> = socket.iterator({ destroyOnReturn: false });
  let [received, expected] = [0, 0];
  return {
    /** Bytes received so far. */
    received: () => received,
    /** Bytes of the whole response, once its head was received. */
    expected: () => expected,
    /** Reads until so many bytes were received in all, or no more come. */
    async readTo(bytes: number): Promise<void> {
      while (received < bytes) {
        const { done, value } = await chunks.next();
        if (done === true) return;
        received += value.length;
        if (expected === 0) expected = readLength(value.toString("latin1"));
      }
    },
  };
}

function readLength(start: string): number {
  return start.indexOf("\r\n\r\n") + 4 + Number(readResponse(start).headers.get("Content-Length"));
}
