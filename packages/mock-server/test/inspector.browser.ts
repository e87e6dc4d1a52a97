// The inspector in a real browser.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type Axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { createMockService } from "../src/index.ts";
import { listen } from "../src/node.ts";
import { create, list, post, send, somePage } from "./client.ts";
import { test } from "./inspector-page.ts";

const root = createRequire(new URL("../../../package.json", import.meta.url));
const axe = readFileSync(root.resolve("axe-core/axe.min.js"), "utf8");
const key = "test_person";

test("a request is shown with its bodies, and is found by a match", async ({ service, page, complaints, goTo }) => {
  await goTo("requests");
  await page.getByText("No requests yet.").waitFor();

  for (let attempt = 1; attempt <= 2; attempt += 1) await post(service, { key, headers: { "Idempotency-Key": "one" } });
  await list(service, "", { key });
  await page.locator(".row").nth(2).waitFor();
  const newest = await page.locator(".row").first().innerText();
  await page.getByText("attempt 2").click();
  await page.getByLabel("Body of the request").getByText("Red running shoes").waitFor();
  await page.getByLabel("Filter requests").fill("endpoint:createPage body.cta.label:Buy");
  await expect.poll(() => page.locator(".row").count()).toBe(2);
  await page.getByLabel("Filter requests").fill("stauts:500");
  await page.getByRole("alert").getByText('did you mean "status"').waitFor();

  expect(newest).toContain("GET");
  expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
});

test("a fault is added, fires, and is removed", async ({ service, page, goTo }) => {
  await goTo("control", { account: key });
  await page.getByLabel("Endpoint").selectOption("listPages");
  await page.getByLabel("Failure").selectOption("503");
  await page.getByLabel("Times").fill("2");
  await page.getByRole("button", { name: "Add fault" }).click();
  await page.getByText("fired 0 of 2").waitFor();

  const { status } = await list(service, "", { key });
  await page.getByText("fired 1 of 2").waitFor();
  await page.getByRole("button", { name: /^Remove the fault/ }).click();
  await page.getByText("No fault is planned").waitFor();

  expect(status).toBe(503);
  expect(service.faults.list()).toEqual([]);
});

test("the gauge drains, and refills when the clock passes the window", async ({ service, page, goTo }) => {
  await goTo("account", { account: key });
  await page.getByText("50 of 50 left").waitFor();
  for (let index = 0; index < 50; index += 1) await list(service, "", { key });
  await page.getByText("0 of 50 left").waitFor();

  await page.getByRole("link", { name: "Control" }).click();
  await page.getByRole("button", { name: "+ 1 h" }).click();
  await page.getByRole("link", { name: "Account" }).click();

  await page.getByText("50 of 50 left").waitFor();
});

test("a page explains its assignment, and a view of it is recorded", async ({ service, page, goTo }) => {
  const { id, domains } = await create(service, {}, key);
  await goTo("pages", { account: key });
  await page.getByRole("link", { name: /Red running shoes/ }).click();
  await page.getByText("assign this page to").waitFor();
  await page.getByRole("button", { name: "Record a view" }).click();
  await page.getByText("1 event").waitFor();
  const shown = await page.frameLocator("iframe").locator("header").innerText();

  expect(shown).toContain(domains[0]?.name);
  expect(service.account(key).events).toMatchObject([{ pageId: id }]);
});

test("a page is evaluated while it is typed, and nothing is stored", async ({ service, page, goTo }) => {
  await goTo("pages", { account: key, id: "try" });
  await page.getByLabel("Title").fill("Kyoto tea ceremony");
  const empty = { slug: "", content: "", meta_description: "" };
  const { domains } = service.evaluate({ ...somePage, ...empty, title: "Kyoto tea ceremony" });

  const shown = page.getByText(domains[0]?.name ?? "none").first();
  await shown.waitFor();

  expect(service.account(key).pages).toEqual([]);
});

test("plan, download, reset and upload change the account", async ({ service, page, goTo }) => {
  await create(service, {}, key);
  await goTo("account", { account: key });
  expect(await page.getByRole("spinbutton", { name: "Requests" }).inputValue()).toBe("50");
  await page.getByRole("combobox", { name: "Plan" }).selectOption("free");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("60 of 60 left").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  const file = await download.path();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Reset" }).click();
  await expect.poll(() => service.account(key).pages.length).toBe(0);
  await page.getByLabel("Upload").setInputFiles(file);

  await expect.poll(() => service.account(key).pages.length).toBe(1);
});

test("a dialect shows its responses before it is applied", async ({ service, page, goTo }) => {
  await goTo("control");
  await page.getByLabel("Preset").selectOption("wrapped");
  await page.getByLabel("Response of createPage").waitFor();
  await page.getByRole("button", { name: "Apply" }).click();

  const expected = createMockService({ dialect: "wrapped" }).dialect;
  await expect.poll(() => service.dialect).toEqual(expected);
});

test("requests can be paged through with the keyboard alone", async ({ service, server, page }) => {
  for (const limit of [1, 2, 3]) await list(service, `?limit=${limit}`, { key });
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

  await page.getByText("Select a request").waitFor();
});

test("a request is copied as curl, and as a fault for the next like it", async ({ service, server, page, goTo }) => {
  const headers = { "Idempotency-Key": "it's one", "X-Odd": "$(touch /tmp/x) `y`" };
  const { id } = await create(service, {}, key);
  await send(service, "PUT", `/api/content/${id}?tag=[a]`, { key, body: { title: `@it's "red" $HOME` }, headers });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await goTo("requests");
  await page.locator(".row").first().click();

  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
  const curl = await copied();
  await page.getByRole("button", { name: "Copy as fault" }).click();
  await expect.poll(copied).toContain("times");
  const rule = JSON.parse(await copied());
  await page.getByRole("button", { name: "Fail next matching request" }).click();
  await page.getByText("will fail").waitFor();

  const body = `{"title":"@it's \\"red\\" $HOME"}`;
  const sent = [`Authorization: Bearer ${key}`, "idempotency-key: it's one", "x-odd: $(touch /tmp/x) `y`"];
  const words = ["-g", "PUT", `${server.url}/api/content/${id}?tag=[a]`, "--data-raw", body];
  expect(splitCurl(curl)).toEqual(expect.arrayContaining([...words, ...sent]));
  expect(rule).toEqual({ endpoint: "updatePage", pageId: id, status: 500, times: 1 });
  expect(service.faults.list()).toMatchObject([{ rule }]);
});

test("the curl line of an empty view quotes the account, which a link may have chosen", async ({ page, goTo }) => {
  const planted = `test_";$(echo)'\`echo\``;
  for (const view of ["requests", "pages"]) {
    await goTo(view, { account: planted });
    const line = await page.locator(".empty pre").innerText();
    expect(splitCurl(line)).toContain(`Authorization: Bearer ${planted}`);
  }
});

test("a view of an account opens the only one, or asks which", async ({ service, page, goTo }) => {
  await create(service, {}, key);
  await goTo("pages");
  await page.getByRole("link", { name: /Red running shoes/ }).waitFor();

  await create(service, {}, "test_other");
  await goTo("account");
  await page.getByRole("link", { name: /test_other/ }).click();
  await page.getByRole("heading", { name: "Rate limit" }).waitFor();
});

test("a hidden tab uses no connection, and shows everything when visible again", async ({ service, page, goTo }) => {
  await goTo("requests");
  const hide = (isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); dispatchEvent(new Event("visibilitychange"));`,
    );
  const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/requests/live"));
  await hide(true);
  await ended;
  await list(service, "", { key });
  await hide(false);
  await page.locator(".row").waitFor();

  expect(await page.getByText("1 request").count()).toBe(1);
});

test("the layout does not move when requests arrive or a filter is wrong", async ({ service, page, goTo }) => {
  for (let index = 0; index < 60; index += 1) await list(service, "", { key });
  await goTo("requests", { account: key });
  await page.locator(".row").nth(5).click();
  await page.getByRole("heading", { name: /api\/content/ }).waitFor();
  const parts = ["h1", "nav", ".picker", ".toolbar input", ".rows", ".detail h2", ".buttons", ".stream"];
  const places = () => Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
  const before = await places();
  await page.locator(".rows").evaluate((element) => (element.scrollTop = 300));
  const inSight = await page.locator("[aria-posinset='12']").getAttribute("id");

  for (let index = 0; index < 40; index += 1) await list(service, "", { key });
  await page.getByText("100 requests").waitFor();
  await page.getByLabel("Filter requests").fill("stauts:500");
  await page.getByRole("alert").getByText("did you mean").waitFor();

  const row = page.locator(`[id="${inSight}"]`);
  expect(await row.getAttribute("aria-posinset")).toBe("52");
  expect(await row.isVisible()).toBe(true);
  expect(await places()).toEqual(before);
});

test("a guarded server asks for its token, and says when the token is wrong", async ({ service, page }) => {
  await using guarded = await listen(service, { inspector: true, control: { token: "right" } });
  await page.goto(guarded.url);
  const field = page.getByLabel("Token", { exact: true });
  await field.fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Wrong token.").waitFor();
  await field.fill("right");
  await page.keyboard.press("Enter");
  await page.getByText("No requests yet.").waitFor();
  const stored = await page.evaluate("localStorage.length + document.cookie.length");

  expect(stored).toBe(0);
});

test.for<["light" | "dark", number]>([
  ["light", 1280],
  ["dark", 390],
])("%s, %d pixels: every view is accessible", async ([colorScheme, width], { service, page, goTo, complaints }) => {
  const { id } = await create(service, {}, key);
  service.faults.add({ key, endpoint: "listPages", status: 500, times: 1 });
  await list(service, "", { key });
  service.faults.add({ key, status: 503, times: 3 });
  const request = service.requests({ status: 500 })[0]?.id ?? "";
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 844 });

  for (const view of ["requests", `requests ${request}`, "pages", `pages ${id}`, "account", "control"]) {
    const [room = "", chosen = ""] = view.split(" ");
    await goTo(room, { account: key, id: chosen });
    await page.locator("h2:visible, .row:visible, a.card:visible").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth"), view).toBeLessThanOrEqual(width);
    expect(await findings(page), view).toEqual([]);
  }
  expect(complaints).toEqual([]);
});

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }; // why: axe adds itself to the page's globals
    const { violations } = await axe.run({ iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}

test("under a flood every click works, and the list stays live", async ({ service, server, page, complaints }) => {
  await page.goto(server.url);
  await page.getByText("No requests yet.").waitFor();
  await page.evaluate(`seen = new Set();
new MutationObserver(() => seen.add(document.querySelector(".count")?.textContent)).observe(document.body, { subtree: true, characterData: true, childList: true });`);
  await list(service, "?limit=7", { key: "test_quiet" });
  const flood = startFlood(server.url);
  onTestFinished(async () => void (await flood.end()));

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
  // Many times as many as the list can show.
  await expect.poll(() => flood.sent()).toBeGreaterThan(1_000);
  const rows = await page.locator(".row").count();
  await flood.end();
  await list(service, "?offset=last", { key: "test_flood_1" });
  await page.locator(".row", { hasText: "offset=last" }).waitFor();

  const newest = await page.locator("[aria-posinset='1']").innerText();
  const shown = await page.evaluate("seen.size");
  expect(newest).toContain("offset=last");
  expect(rows).toBeLessThan(100);
  // The count was updated all the time, not only at the end.
  expect(shown).toBeGreaterThan(10);
  expect(complaints).toEqual([]);
});

/** Sends requests over real HTTP without a pause, four at a time, until `end` is called. */
function startFlood(url: string): { sent: () => number; end: () => Promise<unknown> } {
  let sent = 0;
  const over = new AbortController();
  const sendAll = async (): Promise<void> => {
    while (!over.signal.aborted) {
      sent += 1;
      const headers = { Authorization: `Bearer test_flood_${sent % 12}` };
      await (await fetch(`${url}/api/content?offset=${sent}`, { headers })).arrayBuffer();
    }
  };
  const all = Promise.all([1, 2, 3, 4].map(sendAll));
  return {
    sent: () => sent,
    end: () => {
      over.abort();
      return all;
    },
  };
}

/** Splits a curl command into its arguments, as a shell does. */
function splitCurl(line: string): string[] {
  const script = String.raw`curl() { printf '%s\0' "$@"; }; ${line}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
}
