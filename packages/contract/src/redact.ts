// Takes API keys out of finished text, such as a message, a header or a log line. Nothing may transform the text afterwards.

/** So many letters in a row identify a key; services show fewer on purpose, to say which key they mean. */
const runLength = 12;
/** A shorter key is no secret, and replacing it would garble the text. */
const shortestKey = 4;

/**
 * Replaces every run of 12 letters of a key with `[API key]`, or all of a shorter key. A run also counts where tags, white space
 * or invisible characters are between its letters, and if letters are written as HTML entities, percent-encoded, as steps of
 * a JSON pointer, or with backslashes, one inside the other. Base64 is left.
 */
export function redact(text: string, keys: readonly string[]): string {
  const forms = keys.flatMap((key) => (key.length < shortestKey ? [] : layersOf(key).map(textOf)));
  const runs = new Set(forms.flatMap((form) => runsOf(form, Math.min(runLength, form.length))));
  const lengths = new Set(Array.from(runs, (run) => run.length));
  if (!mayHold(text, runs)) return text;
  const isHidden = new Set<number>();
  for (const letters of layersOf(text))
    for (const length of lengths)
      for (const [at, run] of runsOf(textOf(letters), length).entries()) {
        const end = runs.has(run) ? (letters[at + length - 1]?.end ?? 0) : 0;
        for (let place = letters[at]?.start ?? 0; place < end; place += 1) isHidden.add(place);
      }
  const show = (at: number) => (!isHidden.has(at) ? text.charAt(at) : isHidden.has(at - 1) ? "" : "[API key]");
  return Array.from({ length: text.length }, (_, at) => show(at)).join("");
}

/** Whether a run is in any layer of a text. It looks at plain strings first, because most texts have none. */
function mayHold(text: string, runs: ReadonlySet<string>): boolean {
  let layer = text;
  for (let depth = 0; depth <= deepest; depth += 1) {
    const plain = [layer, layer.replace(tags, "")];
    if (Array.from(runs).some((run) => plain.some((each) => each.includes(run)))) return true;
    const next = layer.replace(escapes, (...match) => letterOf(match.at(-1) as Groups)); // why: the groups come last
    if (next === layer) return false;
    layer = next;
  }
  return false;
}

/** A letter that is read in a text, and where in the original its spelling begins and ends. */
interface Letter {
  readonly letter: string;
  readonly start: number;
  readonly end: number;
}

/** The text as it is, and with one layer of escapes after the other read; each also without its tags. */
function layersOf(text: string): Letter[][] {
  let layer = text.split("").map((letter, at): Letter => ({ letter, start: at, end: at + 1 }));
  const layers = [layer, readEscapes(layer, tags)];
  // An escape may be escaped again, but hardly more often.
  for (let depth = 0; depth < deepest; depth += 1) {
    const next = readEscapes(layer, escapes);
    if (textOf(next) === textOf(layer)) break;
    layers.push(next, readEscapes(next, tags));
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

/** Reads each escape once. What nobody sees, such as a tag, is left out. */
function readEscapes(letters: readonly Letter[], pattern: RegExp): Letter[] {
  let from = 0;
  const read: Letter[] = [];
  for (const { 0: whole, index, groups = {} } of textOf(letters).matchAll(pattern)) {
    for (const letter of letters.slice(from, index)) read.push(letter);
    from = index + whole.length;
    const letter = letterOf(groups);
    const [first, last] = [letters[index], letters[from - 1]];
    if (letter !== "" && first && last) read.push({ letter, start: first.start, end: last.end });
  }
  return [...read, ...letters.slice(from)];
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The letter that an escape stands for; empty for an invisible one. */
function letterOf({ decimal, entity, braced, hex, name, step }: Groups): string {
  const code = decimal === undefined ? Number.parseInt(entity ?? braced ?? hex ?? "", 16) : Number(decimal);
  return code > 0 ? String.fromCharCode(code) : (named[name?.toLowerCase() ?? step ?? ""] ?? "");
}

function textOf(letters: readonly Letter[]): string {
  return letters.map(({ letter }) => letter).join("");
}

function runsOf(text: string, length: number): string[] {
  if (length < shortestKey) return [];
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}
