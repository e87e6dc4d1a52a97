import { readFileSync } from "node:fs";

/** Version of this package, from its package.json, which lies beside `src` and `dist` alike. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version; // npm publishes no package without one
}
