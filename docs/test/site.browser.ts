// Tests every page of the built site on a phone screen and for accessibility.
import { globSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../../.ci/chromium.ts";

const site = join(import.meta.dirname, "../../site");
const files = globSync("**/*.html", { cwd: site }).toSorted();
const guides = files.filter((file) => !file.startsWith("api/"));
// One template writes all pages of the API reference, so it is enough to test the largest page of each folder.
const references = Object.values(
  Object.groupBy(
    files.filter((file) => file.startsWith("api/")),
    dirname,
  ),
).map((neighbours = []) => neighbours.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0] ?? "");
const pages = [...guides, ...references].map((file) => `/${file.replace(/(index)?\.html$/, "")}`);
const axe = readFileSync(join(import.meta.dirname, "../../node_modules/axe-core/axe.min.js"), "utf8");
const mediaTypes: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

let server: Server;
let browser: Browser;
/** One tab for all pages, so the browser keeps its process and the site's compiled scripts. */
let page: Page;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = [pathname, `${pathname}.html`, `${pathname}index.html`].find((name) => extname(name) !== "");
    try {
      const body = readFileSync(join(site, file ?? `${pathname}.html`));
      const type = mediaTypes[extname(file ?? ".html")] ?? "application/octet-stream";
      response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=600" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // why: a TCP server's address is an object
  browser = await launchChromium();
  page = await browser.newPage();
  page.setDefaultTimeout(0); // each test has a time limit
  await page.addInitScript("sessionStorage.clear()"); // the search remembers its last words
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

function sizeOf(file: string): number {
  return statSync(join(site, file)).size;
}

async function open(
  path: string,
  width: number,
  waitUntil: "load" | "networkidle" = "load",
): Promise<{ foreign: string[]; failed: string[] }> {
  page.removeAllListeners();
  await page.setViewportSize({ width, height: 800 });
  const foreign: string[] = [];
  const failed: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  page.on("response", (response) => {
    if (response.status() >= 400) failed.push(response.url());
  });
  await page.goto(origin + path, { waitUntil });
  return { foreign, failed };
}

test.for(pages)(
  "%s fits a phone, cuts off no code at 1280 pixels, asks no other host for anything, and has no serious accessibility finding",
  async (path) => {
    const { foreign, failed } = await open(path, 390);

    const wide = await page.evaluate("document.documentElement.scrollWidth");
    await page.evaluate(axe);
    const serious = await page.evaluate(async () => {
      // why: axe adds itself to the page's globals
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
      interface Violation {
        id: string;
        impact: string | null;
        nodes: { html: string }[];
      }
      const { violations } = await axe.run({ resultTypes: ["violations"] });
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    const cut = await page
      .locator(".vp-doc pre")
      .evaluateAll((blocks) =>
        blocks.filter((block) => block.scrollWidth > block.clientWidth + 1).map((block) => block.textContent),
      );

    expect(wide).toBeLessThanOrEqual(390);
    // The signatures of the API reference may be scrolled.
    expect(path.startsWith("/api/") ? [] : cut).toEqual([]);
    expect(serious).toEqual([]);
    expect(foreign).toEqual([]);
    expect(failed).toEqual([]);
  },
);

test.for([
  ["pagination", "/iteration"],
  ["retry", "/errors-and-retries"],
  ["rate limit", "/errors-and-retries"],
  ["express", "/recipes"],
  ["timeout", "/errors-and-retries"],
  ["idempotency", "/errors-and-retries"],
  ["iterate", "/iteration"],
  ["fault", "/faults-and-clock"],
] as const)("a search for %s finds %s on the first line, and symbols after all guides", async ([words, guide]) => {
  await open("/", 1280, "networkidle");

  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill(words);
  await page.locator(".result").first().waitFor();
  const found = await page.locator(".result").evaluateAll((links) => links.map((link) => link.getAttribute("href")));

  const firstSymbol = found.findIndex((href) => href?.startsWith("/api/"));
  const lastGuide = found.findLastIndex((href) => href?.startsWith("/api/") === false);
  expect(found[0]?.split("#")[0], found.join("\n")).toBe(guide);
  expect(firstSymbol === -1 || lastGuide < firstSymbol, found.join("\n")).toBe(true);
});
