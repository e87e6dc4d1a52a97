/** Deeper nesting than any service has, and the most that readers of JSON take. */
const mostDepth = 100;

/**
 * Says in what a JSON text exceeds the limits, before it is parsed: nesting deeper than 100, or more objects, arrays and elements
 * than `mostValues`; `undefined` when it does not. A small compressed body can hold very many of them, each of which costs memory.
 */
export function findExcess(text: string, mostValues: number): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') at = endOfString(text, at);
    else if (letter === "]" || letter === "}") depth -= 1;
    else if (letter === "," || letter === "[" || letter === "{") {
      values += 1;
      if (letter !== ",") depth += 1;
      if (depth > mostDepth) return `a body nested deeper than ${mostDepth}`;
      if (values > mostValues) return `a body of more than ${Math.floor(mostValues)} values`;
    } else if (values === 0 && !/\s/.test(letter)) return undefined; // no JSON
  }
  return undefined;
}

/** Where a string ends that begins at a place; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charAt(end - 1 - slashes) === "\\") slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
