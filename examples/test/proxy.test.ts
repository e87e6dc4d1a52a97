// The guide's recipe for a proxy, with a real proxy, and what happens if two versions of undici are mixed.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createMockService } from "@landing-page-service/mock-server";
import { listen } from "@landing-page-service/mock-server/node";
import { LandingPages } from "@landing-page-service/sdk";
import { expect, onTestFinished, test } from "vitest";
import { EnvHttpProxyAgent, fetch } from "undici";

/** A proxy for plain HTTP that records the requests it forwards. */
async function startProxy() {
  const passed: string[] = [];
  const server = createServer((incoming, response) => {
    passed.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const outgoing = request(incoming.url ?? "", { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    incoming.pipe(outgoing);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // why: a server that listens on TCP has one
  return { passed, dispatcher: new EnvHttpProxyAgent({ httpProxy: `http://127.0.0.1:${port}`, noProxy: "" }) };
}

async function startService(): Promise<string> {
  const server = await listen(createMockService(), { port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

test("with fetch and dispatcher of one package, a call goes through the proxy", async () => {
  const [{ passed, dispatcher }, baseUrl] = [await startProxy(), await startService()];
  const client = new LandingPages({
    apiKey: "test_office",
    baseUrl,
    fetch: async (url, init) => (await fetch(url, { ...init, dispatcher })) as unknown as Response, // why: the same of two packages
  });

  await client.pages.list();
  await dispatcher.close();

  expect(passed).toEqual([`GET ${baseUrl}/api/content`]);
});

test("the global fetch accepts such a dispatcher, or the error repeats what it says", async () => {
  const [{ passed, dispatcher }, baseUrl] = [await startProxy(), await startService()];
  const client = new LandingPages({
    apiKey: "test_office",
    baseUrl,
    fetch: (url, init) => globalThis.fetch(url, { ...init, dispatcher } as unknown as RequestInit), // why: two versions have two types
  });

  const outcome = await client.pages.list().then(
    () => "passed",
    (error: unknown) => String(error),
  );
  await dispatcher.close();

  // Which of the two happens depends on the version of undici in Node.
  expect(outcome).toMatch(passed.length === 1 ? "passed" : /ConnectionError: .*invalid onRequestStart method/);
});
