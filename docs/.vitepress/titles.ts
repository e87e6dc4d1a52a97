import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The heading of a guide, which is also its name in the sidebar. */
export function titleOf(file: string): string {
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
  const heading = /^# (.+)$/m.exec(text)?.[1];
  if (heading === undefined) throw new Error(`${file} has no heading`);
  return heading.replaceAll("`", "");
}
