// The inspector beside a service that is asked without a pause.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../../../.ci/chromium.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { send } from "./client.ts";
import { openInspector } from "./inspector-page.ts";

let service: MockService;
let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());
let pouring: ReturnType<typeof flood> | undefined;
beforeEach(async () => {
  service = createMockService();
  server = await listen(service, { inspector: true });
});
afterEach(async () => {
  await pouring?.end();
  await server.close();
});

/** Asks over real HTTP, four at a time and each as soon as the last is answered, until told to end; gives how many were sent. */
function flood(): { sent: () => number; end: () => Promise<void> } {
  let sent = 0;
  const over = new AbortController();
  const one = async (): Promise<void> => {
    while (!over.signal.aborted) {
      sent += 1;
      const headers = { Authorization: `Bearer test_flood_${sent % 12}` };
      await (await fetch(`${server.url}/api/content?offset=${sent}`, { headers })).arrayBuffer();
    }
  };
  const all = Promise.all([one(), one(), one(), one()]);
  return {
    sent: () => sent,
    end: async () => {
      over.abort();
      await all;
    },
  };
}

test("under a flood of requests every click works, and the list stays live and virtual", async () => {
  const { page, complaints } = await openInspector(browser, server.url);
  await page.goto(server.url);
  await page.getByText("No requests yet.").waitFor();
  await page.evaluate(`seen = new Set();
new MutationObserver(() => seen.add(document.querySelector(".count")?.textContent)).observe(document.body, { subtree: true, characterData: true, childList: true });`);
  await send(service, "GET", "/api/content?limit=7", { key: "test_quiet" });
  pouring = flood();

  await page.locator(".row").nth(20).waitFor();
  await page.locator(".row").first().click();
  await page.getByRole("heading", { name: /GET \/api\/content/ }).waitFor();
  for (const room of ["Control", "Account", "Pages", "Requests"]) {
    await page.getByRole("link", { name: room, exact: true }).click();
    await page.locator(`[aria-current=page]:text-is("${room}")`).waitFor();
  }
  await page.getByLabel("Filter requests").fill("query.limit:7");
  await page.getByText("1 request", { exact: true }).waitFor();
  await page.getByLabel("Filter requests").fill("");
  // As many as 500 a second for six seconds.
  await expect.poll(() => pouring?.sent()).toBeGreaterThan(3_000);
  const rows = await page.locator(".row").count();
  await pouring.end();
  await send(service, "GET", "/api/content?offset=last", { key: "test_flood_1" });
  await page.locator(".row", { hasText: "offset=last" }).waitFor();

  const newest = await page.locator("[aria-posinset='1']").innerText();
  const shown = await page.evaluate("seen.size");
  expect(newest).toContain("offset=last");
  expect(rows).toBeLessThan(100);
  // What is shown has followed all the time, rather than at the end alone.
  expect(shown).toBeGreaterThan(10);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a journal of 10 000 requests scrolls, and draws only what is in sight", async () => {
  for (let account = 0; account < 10; account += 1)
    for (let index = 0; index < 1_000; index += 1)
      await send(service, "GET", "/api/content", { key: `test_many_${account}` });
  const { page } = await openInspector(browser, server.url);
  await page.goto(server.url);
  await page.getByText("10,000 requests").waitFor();
  const list = page.getByRole("listbox");

  await list.focus();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: /api\/content/ }).waitFor();

  expect(await page.locator(".row").count()).toBeLessThan(100);
  expect(await page.locator("[aria-posinset='10000']").count()).toBe(1);
});
