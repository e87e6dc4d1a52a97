// What a text of an error body is by its looks: a sentence, a headline that every error of its kind has, a word, or a code.

/** `sentence`: it says what is wrong; `headline`: it repeats what the status says; `word`: `taken`; `code`: for programs. */
export type Looks = "sentence" | "headline" | "word" | "code";

/** As much of a text as is looked at; a person reads no more of it either. */
const longest = 2000;

const table = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that say no more than that there is an error. */
const headlineWords = table(
  "a an and api are argument arguments bad body because been business client code conflict constraint content could data denied detected entity err " +
    "error errors exception exist exists fail failed failure fault find following forbidden form found gateway given gone has have http in input internal " +
    "invalid is issue issues limit many method missing more not object occurred of oh on one ok oops or parameter parameters params payload please problem " +
    "problems processable provided request requests required resource schema server service something sorry status supplied temporarily the there these " +
    "this timeout to too try again unable unauthorised unauthorized unavailable unexpected unknown unprocessable user validate validating validation value " +
    "values violation violations was went were with wrong your application runtime allowed accepted record records fatal default operation query type " +
    "report be created updated saved processed performed completed due",
);

const scripts = /[^\p{Script=Latin}\P{L}]/u;
const wordy = /^[\p{L}'’"“”«»`()[\],.;:!?…-]*\p{L}{2}[\p{L}'’"“”«»`()[\],.;:!?…-]*$/u;

/** Tells what a text is by its looks. */
export function looksOf(text: string): Looks {
  const start = text.slice(0, longest).trim();
  if (isForPrograms(start)) return "code";
  if (scripts.test(start)) return "sentence";
  const parts = start.split(/\s+/).slice(0, 100);
  if (parts.length === 1) return isWord(start) ? "word" : "code";
  const words = parts.filter((part) => wordy.test(part) && !/\p{Ll}\p{Lu}/u.test(part));
  if (words.length < 2)
    return words.length === 0 || !parts.every((part) => isWord(part) || /^\d+$/.test(part)) ? "code" : "word";
  const isShouted = !/\p{Ll}/u.test(start) || errorName.test(start);
  const letters = start.toLowerCase().match(/\p{L}+/gu) ?? [];
  return isShouted || letters.every((word) => headlineWords.has(word)) ? "headline" : "sentence";
}

/** `Acme Server Error`: the name of a kind of error, whatever its words. */
const errorName = /^(?:\p{Lu}\S*\s+){1,4}(?:Error|Exception|Failure|Fault)$/u;

/** `taken` and `Invalid.`, but not `SLUG`, `slugTaken` or `slug_taken`. */
function isWord(text: string): boolean {
  return /^\p{L}[\p{Ll}'’-]+[.!?:]?$/u.test(text);
}

/** Moments, addresses, names of programs and media types hold spaces too; JSON and frames of a stack do. */
function isForPrograms(text: string): boolean {
  return text === "" || forPrograms.some((pattern) => pattern.test(text));
}

const forPrograms = [
  /^(?:[a-z][a-z\d+.-]*:\/\/\S*|\d{4}-\d\d-\d\d[T ][\d:.,]+\S*(?: \S+)?|[\d.,:;\s-]+)$/i,
  /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d{1,2}[ -]/i,
  /^(?:mozilla\/|[a-z]+\/[\w.+-]+[;,]|(?:get|post|put|patch|delete|head) \/|select .+ from |bearer )/i,
  /^(?:at \S+[ :(]|file "|traceback \(|#\d+ )/i,
  /^\s*[{[]\s*["{[]/,
];

/** Writes a text as a person would read it: without markup, and without the stack under it. */
export function readable(text: string): string {
  const start = text.length > longest * 10 ? text.slice(0, longest * 10) : text;
  return decodeEntities(start.replace(tags, (_, name: string) => (inlineTags.has(name.toLowerCase()) ? "" : " ")))
    .split(/\n\s+at |\n\s*#\d+ |\nTraceback|\n\s*File "/, 1)
    .join("")
    .trim();
}

const tags =
  /<[/!]?(a|abbr|b|br|body|center|code|div|em|font|h[1-6]|head|hr|html|i|img|kbd|li|ol|p|pre|script|small|span|strong|style|table|td|title|tr|u|ul)(?:\s[^<>]*)?\/?>/gi;
const inlineTags = table("a abbr b code em font i kbd small span strong u");

/** Writes the characters that markup has names or numbers for. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, (whole, ...found: string[]) => {
    const [decimal, hex, name] = found;
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
  });
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
