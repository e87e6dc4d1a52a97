import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createMockService, type MockService } from "../src/index.ts";
import { listen, type ListenTimeouts, type RunningServer } from "../src/node.ts";
import { create, somePage } from "./client.ts";
import { exchange, open, readAnswer } from "./raw-socket.ts";

/** More than the system keeps for a connection whose caller does not read. */
const pages = 40;
const megabyte = 1024 * 1024;
const list = "GET /api/content?limit=100 HTTP/1.1\r\nHost: mock\r\nAuthorization: Bearer test_large\r\n\r\n";

let service: MockService;
const callers: Caller[] = [];

beforeAll(async () => {
  service = createMockService();
  for (let index = 0; index < pages; index += 1) {
    await create(service, { content: "x".repeat(500_000), slug: `page-${index}` }, "test_large");
  }
});
afterEach(() => {
  vi.useRealTimers();
  for (const caller of callers.splice(0)) caller.socket.destroy();
});

test("callers that ask for a large list and read nothing are let go", async () => {
  const server = await start({ progressMs: 100, closeGraceMs: 1_000_000 });
  const before = lists();
  const silent = Array.from({ length: 10 }, () => ask(server, list));
  await expect.poll(lists).toBe(before + silent.length);

  // Resolves when no connection is left, and the grace time is longer than any test.
  await server.close();

  for (const caller of silent) {
    await caller.readTo(Infinity);
    expect(caller.received).toBeGreaterThan(0);
    expect(caller.received).toBeLessThan(caller.promised);
  }
});

test("a caller that reads now and then is waited for", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const caller = ask(await start({}), list);
  await caller.readTo(1);

  vi.advanceTimersByTime(9_000);
  await caller.readTo(12 * megabyte);
  vi.advanceTimersByTime(9_000);
  await caller.readTo(caller.promised);

  expect(caller.received).toBe(caller.promised);
});

test("a caller that pipelines requests and reads nothing makes no more than one response wait", async () => {
  const server = await start({ progressMs: 100, closeGraceMs: 1_000_000 });
  const before = lists();

  ask(server, list.repeat(500));
  await expect.poll(lists).toBe(before + 1);
  await server.close();

  expect(lists()).toBe(before + 1);
});

test("a connection on which a hundred requests wait for a response is read no further", async () => {
  let begun = 0;
  const countBegun = (): number => (begun += 1);
  const server = await start({ closeGraceMs: 1 });
  service.account("test_flood").faults.add({ endpoint: "listPages", delayMs: 60_000 });
  subscribe("http.server.request.start", countBegun);

  ask(server, list.replace("test_large", "test_flood").repeat(50_000));
  // While the service responds to these one after another, the server could read all of the flood.
  for (let round = 0; round < 50; round += 1) await fetch(`${server.url}/__mock/health`);
  unsubscribe("http.server.request.start", countBegun);
  await server.close();

  // What came with the hundredth in one piece has been parsed.
  expect(begun).toBeGreaterThan(100);
  expect(begun).toBeLessThan(3_000);
});

test("many pipelined requests are carried out and answered one after another", async () => {
  const server = await start({});
  const slugs = Array.from({ length: 400 }, (_, index) => `page-${index}`);
  const requests = slugs.map((slug, index) => {
    const body = JSON.stringify({ ...somePage, slug });
    const last = index === slugs.length - 1 ? "Connection: close\r\n" : "";
    return `POST /api/content HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test_pipe\r\nContent-Type: application/json\r\n${last}Content-Length: ${body.length}\r\n\r\n${body}`;
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

/** Sends bytes on a connection of its own. */
function ask({ url }: RunningServer, bytes: string): Caller {
  const caller = new Caller(open(url));
  callers.push(caller);
  caller.socket.write(bytes);
  return caller;
}

/** Reads of its connection only what it is told to. */
class Caller {
  readonly socket: Socket;
  /** Bytes that came so far. */
  received = 0;
  /** Bytes that the whole answer has, once its head is there. */
  promised = 0;
  readonly #chunks: AsyncIterator<Buffer>;

  constructor(socket: Socket) {
    this.socket = socket.on("error", () => {});
    this.#chunks = socket.iterator({ destroyOnReturn: false });
  }

  /** Reads on until so many bytes have come in all, or no more come. */
  async readTo(bytes: number): Promise<void> {
    while (this.received < bytes) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return;
      this.received += value.length;
      if (this.promised === 0) this.promised = readLength(value.toString("latin1"));
    }
  }
}

function readLength(start: string): number {
  return start.indexOf("\r\n\r\n") + 4 + Number(readAnswer(start).headers.get("Content-Length"));
}
