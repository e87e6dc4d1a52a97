// Where the tests that need a browser find one; run as a program it says whether there is any.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const usualPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of the browser: `CHROMIUM_PATH`, or else where systems usually have it; `undefined` when there is none. */
export function findChromium(): string | undefined {
  const own = process.env["CHROMIUM_PATH"];
  return own === undefined || own === "" ? usualPaths.find((path) => existsSync(path)) : own;
}

/** Starts the browser, which asks no other host for anything of its own accord; `more` are further switches for its command line. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(missing);
  const quiet = ["background-networking", "component-update", "sync", "quic", "gpu"].map((name) => `--disable-${name}`);
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--no-first-run", ...quiet, ...more] });
}

const missing = "No browser found: install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH to one.";

if (import.meta.main && findChromium() === undefined) {
  console.error(missing);
  process.exitCode = 1;
}
