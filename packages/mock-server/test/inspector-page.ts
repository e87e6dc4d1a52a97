// Opens the inspector in a real browser.
import { afterAll, test as plainTest } from "vitest";
import { launchChromium } from "../../../.ci/chromium.ts";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";

const browser = await launchChromium(["--host-resolver-rules=MAP rebound.example 127.0.0.1"]);
afterAll(() => browser.close());

/** Vitest's `test` with a service of its own for each test, a server with its inspector, and an empty tab. */
export const test = plainTest
  .extend("service", () => createMockService({ plan: { limit: 50, windowMs: 600_000 } }))
  .extend("server", async ({ service }, { onCleanup }) => {
    const server = await listen(service, { inspector: true });
    onCleanup(() => server.close());
    return server;
  })
  /** Errors of the tab, and its requests to other hosts. */
  .extend("complaints", (): string[] => [])
  .extend("page", async ({ server, complaints }, { onCleanup }) => {
    const page = await browser.newPage();
    onCleanup(() => page.close());
    page.setDefaultTimeout(0); // the test has a time limit
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("request", (request) => {
      const isOwn = /^(?:data|blob|about):/.test(request.url()) || request.url().startsWith(server.url);
      if (!isOwn) complaints.push(`requested ${request.url()}`);
    });
    return page;
  })
  /** Opens a view as a deep link does, and waits until the stream is live. */
  .extend("goTo", ({ page, server }) => async (view: string, query: Record<string, string> = {}) => {
    await page.goto("about:blank");
    await page.goto(`${server.url}/#/${view}?${new URLSearchParams(query).toString()}`);
    await page.getByText("Live", { exact: true }).waitFor();
  });
