// The inspector as a person meets it, in a real browser.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../../../.ci/chromium.ts";
import { createMockService, type MockService } from "../src/index.ts";
import { listen, type RunningServer } from "../src/node.ts";
import { create, send, somePage } from "./client.ts";

const root = createRequire(new URL("../../../package.json", import.meta.url));
const axe = readFileSync(root.resolve("axe-core/axe.min.js"), "utf8");
const key = "test_person";
let browser: Browser;
let service: MockService;
let server: RunningServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  service = createMockService({ plan: { limit: 50, windowMs: 600_000 } });
  server = await listen(service, { inspector: true });
  await openPage();
});
afterEach(async () => {
  await page.close();
  await server.close();
});

async function openPage(options: Parameters<Browser["newPage"]>[0] = {}): Promise<void> {
  page = await browser.newPage(options);
  complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const isOwn = /^(?:data|blob|about):/.test(request.url()) || request.url().startsWith(server.url);
    if (!isOwn) complaints.push(`asked ${request.url()}`);
  });
}

async function goTo(room: string, query: Record<string, string> = {}): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${server.url}/#/${room}?${new URLSearchParams(query).toString()}`);
  await page.getByText("Live", { exact: true }).waitFor();
}

test("a request is seen as it comes, with its bodies, and is found by the one matcher", async () => {
  await page.goto(server.url);
  await page.getByText("No request yet.").waitFor();

  await send(service, "POST", "/api/content", { key, body: somePage, headers: { "Idempotency-Key": "one" } });
  await send(service, "POST", "/api/content", { key, body: somePage, headers: { "Idempotency-Key": "one" } });
  await send(service, "GET", "/api/content", { key });
  await page.locator(".row").nth(2).waitFor();
  const newest = await page.locator(".row").first().innerText();
  await page.getByText("attempt 2").click();
  await page.getByLabel("Body of the request").getByText("Red running shoes").waitFor();
  await page.getByLabel("Filter requests").fill("endpoint:createPage body.cta.label:Buy");
  await expect.poll(() => page.locator(".row").count(), { timeout: 10_000 }).toBe(2);
  await page.getByLabel("Filter requests").fill("stauts:500");
  await page.getByRole("alert").getByText('did you mean "status"').waitFor();

  expect(newest).toContain("GET");
  expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
});

test("a fault is added, strikes, and is taken back", async () => {
  await goTo("control", { account: key });
  await page.getByLabel("Strikes").selectOption("listPages");
  await page.getByLabel("With").selectOption("503");
  await page.getByLabel("Times").fill("2");
  await page.getByRole("button", { name: "Add fault" }).click();
  await page.getByText("struck 0 of 2").waitFor();

  const { status } = await send(service, "GET", "/api/content", { key });
  await page.getByText("struck 1 of 2").waitFor();
  await page.getByRole("button", { name: /^Remove the fault/ }).click();
  await page.getByText("No fault is planned").waitFor();

  expect(status).toBe(503);
  expect(service.faults.list()).toEqual([]);
});

test("the gauge drains, and refills when the clock is moved past the window", async () => {
  await goTo("account", { account: key });
  await page.getByText("50 of 50 left").waitFor();
  for (let index = 0; index < 50; index += 1) await send(service, "GET", "/api/content", { key });
  await page.getByText("0 of 50 left").waitFor();

  await page.getByRole("link", { name: "Control" }).click();
  await page.getByRole("button", { name: "+ 1 h" }).click();
  await page.getByRole("link", { name: "Account" }).click();

  await page.getByText("50 of 50 left").waitFor();
  expect(complaints).toEqual([]);
});

test("a page says why it is where it is, and a view of it is recorded", async () => {
  const { id, domains } = await create(service, {}, key);
  await goTo("pages", { account: key });
  await page.getByRole("link", { name: /Red running shoes/ }).click();
  await page.getByText("put this page on").waitFor();
  await page.getByRole("button", { name: "Record a view" }).click();
  await page.getByText("1 event").waitFor();
  const shown = await page.frameLocator("iframe").locator("header").innerText();

  expect(shown).toContain(domains[0]?.name);
  expect(service.account(key).events).toMatchObject([{ pageId: id }]);
});

test("a page is tried as it is typed, and nothing is stored", async () => {
  await goTo("pages", { account: key, id: "try" });
  await page.getByLabel("Title").fill("Kyoto tea ceremony");
  const expected = service.evaluate({
    ...somePage,
    title: "Kyoto tea ceremony",
    slug: "",
    content: "",
    meta_description: "",
  });

  await page
    .getByText(expected.domains[0]?.name ?? "none")
    .first()
    .waitFor();

  expect(service.account(key).pages).toEqual([]);
});

test("plan, download, reset and upload change the account", async () => {
  await create(service, {}, key);
  await goTo("account", { account: key });
  await page.getByRole("combobox", { name: "Plan" }).selectOption("free");
  await page.getByRole("button", { name: "Put in force" }).click();
  await page.getByText("60 of 60 left").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  const file = await download.path();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("button", { name: "Yes, reset it" }).click();
  await expect.poll(() => service.account(key).pages.length).toBe(0);
  await page.getByLabel("Upload").setInputFiles(file);

  await expect.poll(() => service.account(key).pages.length).toBe(1);
});

test("a dialect shows what it answers before it is chosen", async () => {
  await goTo("control");
  await page.getByLabel("Preset").selectOption("wrapped");
  await page.getByLabel("Answer of createPage").waitFor();
  await page.getByRole("button", { name: "Speak so" }).click();

  const expected = createMockService({ dialect: "wrapped" }).dialect;
  await expect.poll(() => service.dialect).toEqual(expected);
});

test("requests are walked through with the keyboard alone", async () => {
  for (const limit of [1, 2, 3]) await send(service, "GET", `/api/content?limit=${limit}`, { key });
  await page.goto(server.url);
  await page.locator(".row").nth(2).waitFor();
  const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
  for (let tabs = 0; tabs < 12 && (await focused()) !== "Requests, newest first"; tabs += 1)
    await page.keyboard.press("Tab");

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("heading", { name: /limit=2/ }).waitFor();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: /limit=1/ }).waitFor();
  await page.keyboard.press("Escape");

  await page.getByText("Choose a request").waitFor();
  expect(complaints).toEqual([]);
});

const attack = `"><img src=x onerror="top.hacked=1"><script>top.hacked=1</script><a href="javascript:top.hacked=1">\u202e`;

test("a hostile page is shown as text and runs nothing", async () => {
  const { body } = await send(service, "POST", "/api/content", {
    key,
    body: {
      title: attack,
      content: `${attack}${"x".repeat(490_000)}`,
      slug: "hostile",
      meta_description: attack,
      cta: { type: "button", label: attack.slice(0, 100), url: "https://a.example/?<script>" },
    },
  });
  service.account(key).restore(
    service
      .account(key)
      .snapshot()
      .map((record) =>
        JSON.parse(JSON.stringify(record).replace("https://a.example/?<script>", "javascript:top.hacked=1")),
      ),
  );
  await goTo("pages", { account: key, id: body.id });
  const heading = page.frameLocator("iframe").locator("h1");
  await heading.waitFor();
  await page.frameLocator("iframe").locator(".cta").click();
  const shown = await heading.innerText();
  await page.getByRole("link", { name: "Requests" }).click();
  await page.locator(".row").first().click();
  await page.getByLabel("Body of the request").waitFor();

  expect(shown).toContain("<script>");
  expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  expect(await page.locator("script:not([src]), img, a[href^=javascript]").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a journal of 10 000 requests scrolls, and draws only what is in sight", async () => {
  for (let account = 0; account < 10; account += 1)
    for (let index = 0; index < 1_000; index += 1)
      await send(service, "GET", "/api/content", { key: `test_many_${account}` });
  await page.goto(server.url);
  await page.getByText("10,000 requests").waitFor();
  const list = page.getByRole("listbox");

  await list.focus();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: /api\/content/ }).waitFor();

  expect(await page.locator(".row").count()).toBeLessThan(100);
  expect(await page.locator("[aria-posinset='10000']").count()).toBe(1);
});

test("another site cannot show it in a frame, run its script or read from it", async () => {
  const attacker = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<iframe src="${server.url}/"></iframe><script src="${server.url}/__mock/inspector/app.js"></script>
<script>fetch("${server.url}/__mock/accounts").then((a) => a.text()).then((t) => (document.title = "read " + t), () => (document.title = "refused"))</script>`);
  });
  await new Promise<void>((resolve) => attacker.listen(0, "localhost", resolve));
  await page.goto(`http://localhost:${(attacker.address() as AddressInfo).port}/`); // why: a TCP server's address is an object

  await expect.poll(() => page.title()).toBe("refused");
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  expect(await framed?.locator("nav").count()).toBe(0);
  attacker.close();
});

test.for([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
] as const)(
  "%s at %d pixels every room fits and has no serious accessibility finding",
  async ([colorScheme, width]) => {
    const { id } = await create(service, {}, key);
    service.faults.add({ key, endpoint: "listPages", status: 500, times: 1 });
    await send(service, "GET", "/api/content", { key });
    service.faults.add({ key, status: 503, times: 3 });
    const request = service.requests({ status: 500 })[0]?.id ?? "";
    await page.close();
    await openPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true });

    for (const [room, chosen] of [
      ["requests", ""],
      ["requests", request],
      ["pages", ""],
      ["pages", id],
      ["account", ""],
      ["control", ""],
    ] as const) {
      await goTo(room, { account: key, id: chosen });
      await page.locator("h2:visible, .row:visible, a.card:visible").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), room).toBeLessThanOrEqual(width);
      expect(await findings(), `${room} ${chosen}`).toEqual([]);
    }
  },
);

async function findings(): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Violation {
      id: string;
      impact: string | null;
      nodes: { html: string }[];
    }
    // why: axe adds itself to the page's globals
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run({ iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}
