// Draws the picture of the inspector for the README. As a program, it writes the files.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMockService } from "../packages/mock-server/src/index.ts";
import { listen, type RunningServer } from "../packages/mock-server/src/node.ts";
import type { Browser } from "playwright-core";
import { readPages } from "../examples/pages.ts";
import { launchChromium } from "./chromium.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/public");
const schemes = ["light", "dark"] as const;

/** Digests of what the picture shows, and of each file. */
export type PictureRecord = Readonly<Record<string, string>>;

/** Digests of the files as they are now. */
export function digestFiles(): PictureRecord {
  return Object.fromEntries(
    schemes.map((scheme) => [nameOf(scheme), digest(readFileSync(join(folder, nameOf(scheme))))]),
  );
}

/** The record that was written with the files. */
export function readRecord(): PictureRecord {
  return JSON.parse(readFileSync(join(folder, "inspector.json"), "utf8")) as PictureRecord; // why: written below
}

/**
 * Digest of what the inspector draws in the picture: its elements, their text and its style sheet. Fonts of the machine and
 * how a browser smooths them make no difference.
 */
export async function digestDrawing(browser: Browser): Promise<string> {
  return withPage(browser, "light", async (page, url) => {
    const style = await (await fetch(`${url}/__mock/inspector/app.css`)).text();
    return digest((await page.evaluate("document.body.outerHTML")) + style);
  });
}

type Work<Result> = (page: Awaited<ReturnType<Browser["newPage"]>>, url: string) => Promise<Result>;

/** Opens the inspector at one page of a service whose clock, seed and requests are always the same. */
async function withPage<Result>(browser: Browser, colorScheme: "light" | "dark", work: Work<Result>): Promise<Result> {
  const { server, pageId } = await serveExamples();
  const page = await browser.newPage({
    colorScheme,
    viewport: { width: 1180, height: 540 },
    deviceScaleFactor: 1.5,
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  await page.goto(`${server.url}/#/pages?account=test_demo&id=${pageId}`);
  for (const text of ["Live", "1 event", "test_demo"])
    await page.getByText(text).first().waitFor({ state: "attached" });
  await page.getByText("assign this page to").waitFor();
  await page.frameLocator("iframe").locator("h1").waitFor();
  try {
    return await work(page, server.url);
  } finally {
    await page.close();
    await server.close();
  }
}

async function serveExamples(): Promise<{ server: RunningServer; pageId: string }> {
  const service = createMockService({ now: () => Date.UTC(2026, 0, 31, 12), random: () => 0.5 });
  const ask = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { Authorization: "Bearer test_demo", "Content-Type": "application/json" };
    const response = await service.fetch(service.baseUrl + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: string }; // why: both endpoints respond with the stored record
  };
  const pages = await readPages(join(root, "examples/pages"));
  // Not every machine has a font for Japanese.
  const latin = pages.filter(({ title }) => /^[\x20-\x7e]+$/.test(title));
  const shown = latin.toSorted((one, other) => one.slug.localeCompare(other.slug));
  const ids = [];
  for (const page of shown) ids.push((await ask("/api/content", page)).id);
  const pageId = ids.at(-1) ?? "";
  await ask("/api/analytics/view", { pageId, timestamp: "2026-01-31T12:00:00Z" });
  return { server: await listen(service, { inspector: true }), pageId };
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function nameOf(scheme: (typeof schemes)[number]): string {
  return `inspector-${scheme}.webp`;
}

if (import.meta.main) {
  const browser = await launchChromium();
  for (const scheme of schemes) {
    const picture = await withPage(browser, scheme, async (page) => {
      const session = await page.context().newCDPSession(page);
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
      return Buffer.from(data, "base64");
    });
    writeFileSync(join(folder, nameOf(scheme)), picture);
    console.log(`${nameOf(scheme)}: ${Math.ceil(picture.length / 1000)} kB`);
  }
  const record = { drawn: await digestDrawing(browser), ...digestFiles() };
  writeFileSync(join(folder, "inspector.json"), `${JSON.stringify(record, undefined, 2)}\n`);
  await browser.close();
}
