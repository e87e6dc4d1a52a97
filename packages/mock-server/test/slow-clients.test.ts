// Clients that read slowly or not at all, and clients that pipeline.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen, type ListenTimeouts, type RunningServer } from "../src/node.ts";
import { create, somePage } from "./client.ts";
import { exchange, open } from "./raw-socket.ts";

/** Their list is more than the system buffers for a connection whose client does not read. */
const pages = 40;
const list = "GET /api/content?limit=100 HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer test_large\r\n\r\n";

const service = createMockService();

for (let index = 0; index < pages; index += 1)
  await create(service, { content: "x".repeat(500_000), slug: `page-${index}` }, "test_large");

test("a client that pipelines requests for a large list and reads nothing is disconnected during the first response", async () => {
  await using server = await start({ progressMs: 100 });
  const before = lists();
  const disconnected = new Promise<void>((resolve) => {
    const watch = (message: unknown): void => {
      unsubscribe("net.server.socket", watch);
      (message as { socket: Socket }).socket.once("close", () => resolve()); // why: node documents it
    };
    subscribe("net.server.socket", watch);
  });

  const socket = open(server.url).on("error", () => {});
  socket.write(list.repeat(500));
  await disconnected;
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  await once(socket, "close");

  expect(lists()).toBe(before + 1);
  expect(received.length).toBeLessThan(Number(/Content-Length: (\d+)/.exec(received)?.[1]));
});

test("a connection with a hundred pending requests is read no further", async () => {
  let begun = 0;
  const countBegun = (): number => (begun += 1);
  const server = await start({ closeGraceMs: 1 });
  service.account("test_flood").faults.add({ endpoint: "listPages", delayMs: 60_000 });
  subscribe("http.server.request.start", countBegun);

  const socket = open(server.url).on("error", () => {});
  socket.write(list.replace("test_large", "test_flood").repeat(50_000));
  // The server could read the whole flood during these requests.
  for (let round = 0; round < 50; round += 1) await fetch(`${server.url}/__mock/health`);
  unsubscribe("http.server.request.start", countBegun);
  await server.close();
  socket.destroy();

  // The chunk with the hundredth request has been parsed whole.
  expect(begun).toBeGreaterThan(100);
  expect(begun).toBeLessThan(3_000);
});

test("pipelined requests are handled and get their responses in order", async () => {
  await using server = await start({});
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
