// Plain terminal output; colour only on a terminal, and none when NO_COLOR is set (styleText sees to both).
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

/** Prints a line of less weight, further in. */
export function note(line: string): void {
  console.log(`    ${styleText("dim", line)}`);
}

/** Prints a long text over several lines, further in. */
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

/** Makes a text stand out as good news. */
export function good(text: string): string {
  return styleText("green", text);
}

/** Makes a text recede. */
export function dim(text: string): string {
  return styleText("dim", text);
}
