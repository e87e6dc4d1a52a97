// Redacts API keys from finished text, such as a message, a header or a log line. Nothing may transform the text afterwards.

/** Length of a run of letters that identifies a key. Services show shorter ones on purpose, to say which key they mean. */
const runLength = 12;
/** Length of the shortest key to redact. A shorter one is no secret, and its replacement would garble the text. */
const shortestKey = 4;

/**
 * Replaces every run of 12 letters of a key with `[API key]`, or all of a shorter key. Tags, white space and invisible characters
 * between the letters do not hide a run, and neither do nested escapes: HTML entities, percent-encoding, JSON pointers and
 * backslashes. Base64 is not decoded.
 */
export function redact(text: string, keys: readonly string[]): string {
  const runs = new Set(keys.flatMap((key) => layersOf(key).flatMap(listRuns)));
  const isHidden = new Uint8Array(text.length);
  for (const letters of layersOf(text)) {
    const layer = textOf(letters);
    for (const run of runs)
      for (let at = layer.indexOf(run); at >= 0; at = layer.indexOf(run, at + 1))
        isHidden.fill(1, letters[at]?.start, letters[at + run.length - 1]?.end);
  }
  if (!isHidden.includes(1)) return text;
  let shown = "";
  for (const [at, one] of isHidden.entries()) {
    if (one === 0) shown += text.charAt(at);
    else if (isHidden[at - 1] !== 1) shown += "[API key]";
  }
  return shown;
}

/** Lists every run of a key that is long enough to identify it. */
function listRuns(letters: readonly Letter[]): string[] {
  const text = textOf(letters);
  if (text.length < shortestKey) return [];
  const count = Math.max(1, text.length - runLength + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + runLength));
}

/** A letter, and the part of the original text that it stands for: from `start` to before `end`. */
interface Letter {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function textOf(letters: readonly Letter[]): string {
  return letters.map(({ text }) => text).join("");
}

/** Returns the letters of a text, and its letters after each further decoding of its escapes; each with and without tags. */
function layersOf(text: string): (readonly Letter[])[] {
  let letters = text.split("").map((letter, at): Letter => ({ text: letter, start: at, end: at + 1 }));
  const layers = [letters, decode(letters, tags)];
  // Escapes may be nested, but not without end.
  for (let depth = 0; depth < deepest; depth += 1) {
    const next = decode(letters, escapes);
    if (next.length === letters.length) break;
    layers.push(next, decode(next, tags));
    letters = next;
  }
  return layers;
}

const deepest = 6;
const tags = /<\/?[a-z!][^<>]*>/gi;
const escapes =
  /[\s\p{C}\u115f\u1160\u3164\uffa0]|[\u034f]|[\ufe00-\ufe0f]|&#0*(?<decimal>\d{1,5});?|(?:&#x0*(?<entity>[\da-f]{2});?|\\u\{0*(?<braced>[\da-f]{2})\}|(?:%|\\x|\\u00|\\U000000)(?<hex>[\da-f]{2}))|&(?<name>amp|lt|gt|quot|apos|plus|sol|equals|hyphen|lowbar|period|colon|percnt);|(?<step>~[01])|\\/giu;
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  plus: "+",
  sol: "/",
  equals: "=",
  hyphen: "-",
  lowbar: "_",
  period: ".",
  colon: ":",
  percnt: "%",
  "~0": "~",
  "~1": "/",
};

/** Decodes each escape once. Leaves out invisible parts, such as tags. */
function decode(letters: readonly Letter[], pattern: RegExp): Letter[] {
  const parts: Letter[][] = [];
  let from = 0;
  for (const { 0: escape, index, groups = {} } of textOf(letters).matchAll(pattern)) {
    const whole = letters.slice(index, index + escape.length);
    const [text, start = 0, end = 0] = [letterOf(groups), whole[0]?.start, whole.at(-1)?.end];
    parts.push(letters.slice(from, index), text === "" ? [] : [{ text, start, end }]);
    from = index + escape.length;
  }
  return [...parts, letters.slice(from)].flat();
}

/** Returns the letter of an escape; empty for an invisible one. */
function letterOf({ decimal, entity, braced, hex, name, step }: Readonly<Record<string, string | undefined>>): string {
  const code = decimal === undefined ? Number.parseInt(entity ?? braced ?? hex ?? "", 16) : Number(decimal);
  return code > 0 ? String.fromCharCode(code) : (named[name?.toLowerCase() ?? step ?? ""] ?? "");
}
