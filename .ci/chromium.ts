// Finds a browser for the tests that need one. As a program, it says whether there is one.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const usualPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of the browser: `CHROMIUM_PATH`, or else one of the usual paths; `undefined` if there is none. */
export function findChromium(): string | undefined {
  const own = process.env["CHROMIUM_PATH"];
  return own === undefined || own === "" ? usualPaths.find((path) => existsSync(path)) : own;
}

/** Starts the browser without background requests to other hosts. `more` are further switches for its command line. */
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
