import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { type Flow, sweep, type SweptAccount } from "../src/sweep.ts";
import { type Careful, careful, fields, pause, send } from "./careful-client.ts";

/** Starts an app on a port, posts one offer to it, and stops it: what a test with supertest does. */
const visited =
  (publish: (mock: SweptAccount, slug: string) => Promise<unknown>): Flow =>
  async (mock) => {
    const app = createServer((request, response) => {
      publish(mock, request.url?.slice(1) ?? "").then(
        () => response.writeHead(201).end(),
        () => response.writeHead(502).end(),
      );
    });
    const url = await listen(app);
    const { status } = await fetch(`${url}/tea`, { method: "POST" });
    await new Promise((resolve) => app.close(resolve).closeAllConnections());
    if (status !== 201) throw new Error(`The app answered ${status}.`);
  };

async function listen(app: Server): Promise<string> {
  await new Promise<void>((resolve) => void app.listen(0, "127.0.0.1", resolve));
  const { port } = app.address() as AddressInfo; // why: a server that listens on TCP has one
  return `http://127.0.0.1:${port}`;
}

test("an app behind a real socket is swept in process, and its retry waits take no time", async () => {
  const retriesBlindly = visited(async (mock, slug) => {
    const create = () => send(mock, "/api/content", { method: "POST", body: fields(slug) });
    let response = await create();
    if (response.status >= 500) {
      await pause(30_000);
      response = await create();
    }
    if (response.status !== 201) throw new Error(`got ${response.status}`);
    await response.json();
  });
  const retriesUnderOneKey = visited((mock, slug) => (careful(mock) satisfies Careful).create(slug));

  const found = await sweep(retriesBlindly, { dialects: [] });
  const again = await sweep(retriesBlindly, { dialects: [] });
  const clean = await sweep(retriesUnderOneKey, { dialects: [] });

  expect(found.causes.map(({ kind, calls, faults }) => ({ kind, calls, faults }))).toEqual([
    { kind: "twice", calls: "createPage #1", faults: ["lost: 500 once it was done"] },
  ]);
  expect(JSON.stringify(again)).toBe(JSON.stringify(found));
  expect(clean.findings, String(clean)).toEqual([]);
});
