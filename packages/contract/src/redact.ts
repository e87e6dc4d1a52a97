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
  for (const layer of layersOf(text))
    for (const run of runs)
      for (let at = layer.text.indexOf(run); at >= 0; at = layer.text.indexOf(run, at + 1))
        isHidden.fill(1, layer.starts[at], layer.ends[at + run.length - 1]);
  if (!isHidden.includes(1)) return text;
  let shown = "";
  for (const [at, one] of isHidden.entries()) {
    if (one === 0) shown += text.charAt(at);
    else if (isHidden[at - 1] !== 1) shown += "[API key]";
  }
  return shown;
}

/** Lists every run of a key that is long enough to identify it. */
function listRuns({ text }: Layer): string[] {
  if (text.length < shortestKey) return [];
  const runs = [text.slice(0, runLength)];
  for (let end = runLength + 1; end <= text.length; end += 1) runs.push(text.slice(end - runLength, end));
  return runs;
}

/** A text with some of its escapes decoded. */
interface Layer {
  readonly text: string;
  /** Index in the original at which each letter begins. */
  readonly starts: readonly number[];
  /** Index in the original at which each letter ends. */
  readonly ends: readonly number[];
}

/** Returns the text itself, and the text after each further decoding of its escapes; each with and without tags. */
function layersOf(text: string): Layer[] {
  const places = [...Array.from({ length: text.length + 1 }).keys()];
  let layer: Layer = { text, starts: places, ends: places.slice(1) };
  const layers = [layer, decodeEscapes(layer, tags)];
  // Escapes may be nested, but not without end.
  for (let depth = 0; depth < deepest; depth += 1) {
    const next = decodeEscapes(layer, escapes);
    if (next.text === layer.text) break;
    layers.push(next, decodeEscapes(next, tags));
    layer = next;
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
function decodeEscapes(layer: Layer, pattern: RegExp): Layer {
  const [starts, ends]: [number[], number[]] = [[], []];
  let text = "";
  let from = 0;
  const copy = (to: number): void => {
    text += layer.text.slice(from, to);
    for (let at = from; at < to; at += 1) {
      starts.push(layer.starts[at] ?? 0);
      ends.push(layer.ends[at] ?? 0);
    }
  };
  for (const { 0: whole, index, groups = {} } of layer.text.matchAll(pattern)) {
    copy(index);
    from = index + whole.length;
    const letter = letterOf(groups);
    if (letter === "") continue;
    text += letter;
    starts.push(layer.starts[index] ?? 0);
    ends.push(layer.ends[from - 1] ?? 0);
  }
  copy(layer.text.length);
  return { text, starts, ends };
}

/** Returns the letter of an escape; empty for an invisible one. */
function letterOf({ decimal, entity, braced, hex, name, step }: Readonly<Record<string, string | undefined>>): string {
  const code = decimal === undefined ? Number.parseInt(entity ?? braced ?? hex ?? "", 16) : Number(decimal);
  return code > 0 ? String.fromCharCode(code) : (named[name?.toLowerCase() ?? step ?? ""] ?? "");
}
