import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The heading of a guide, which is also its name in the sidebar. */
export function titleOf(file: string): string {
  const heading = /^# (.+)$/m.exec(read(file))?.[1];
  if (heading === undefined) throw new Error(`${file} has no heading`);
  return heading.replaceAll("`", "");
}

/** The first paragraph of a guide on one line, without its links. */
export function summaryOf(file: string): string {
  const paragraphs = read(file).split(/\n{2,}/);
  const first = paragraphs.find((paragraph) => /^(?:[A-Z*[]|`[^`])/.test(paragraph)) ?? "";
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, "..", file), "utf8");
}
