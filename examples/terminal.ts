// Plain terminal output. styleText colours it on a terminal only, and never if NO_COLOR is set.
import { styleText } from "node:util";

const width = Math.min(process.stdout.columns || 100, 110);

/** Prints the title of a step, and in grey what it shows. */
export function heading(title: string, subtitle: string): void {
  console.log(`\n${styleText(["bold", "cyan"], title)}\n${styleText("dim", subtitle)}\n`);
}

/** Prints a line. */
export function say(line: string): void {
  console.log(`  ${line}`);
}

/** Prints a dim line, indented further. */
export function note(line: string): void {
  console.log(`    ${styleText("dim", line)}`);
}

/** Prints a long text over several lines, indented further. */
export function wrap(text: string): void {
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length + 1 > width - 4) {
      note(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  note(line);
}

/** Colours a text as good news. */
export function good(text: string): string {
  return styleText("green", text);
}

/** Dims a text. */
export function dim(text: string): string {
  return styleText("dim", text);
}
