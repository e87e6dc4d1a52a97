// The picture in the README shows the inspector as it is.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { launchChromium } from "../../.ci/chromium.ts";
import { digestDrawing, digestFiles, readRecord } from "../../.ci/picture.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test("the picture of the inspector was drawn from what it looks like now", async () => {
  const now = { drawn: await digestDrawing(browser), ...digestFiles() };

  expect(now, "the inspector looks otherwise than its picture: run pnpm picture").toEqual(readRecord());
});
