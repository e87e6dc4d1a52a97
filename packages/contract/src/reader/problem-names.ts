// What a member of an error body is by its name: a sentence, the field to blame, a code, advice, or nothing about the error.
import { fieldKeys, neutralWords } from "./names.ts";
import { isIn, keyOf, wordsOf } from "./words.ts";

/** What may stand under a name. */
export interface Role {
  /**
   * `sentence`: it says what is wrong; `headline`: it may, and is as often a heading or a field; `code`: for programs;
   * `never`: how the error came about, what was sent, where to read on; `other`: nothing is known of it.
   */
  readonly kind: "sentence" | "headline" | "code" | "never" | "other";
  /** How far a text under this name is from the sentence a person would read; the nearest are near 0. */
  readonly cost: number;
}

const list = (text: string): readonly string[] => text.trim().split(/\s+/);
const table = (text: string): ReadonlySet<string> => new Set(list(text));

/** How names of sentences end, the most specific first. */
const sentenceEnds: readonly (readonly [RegExp, number])[] = [
  [/(?:detail|description|explanation|diagnostic|context)s?$/, 0.1],
  [/(?:message|msg|faultstring|hint)s?$/, 0.3],
  [/(?:reason|translation|cause)s?$/, 0.4],
  [/(?:error|err|fault|problem|failure|issue|violation|exception|invalid)s?$/, 0.5],
];
/** How names end that are a heading's, a field's or a page's own as often. */
const headlineEnds: readonly (readonly [RegExp, number])[] = [
  [/(?:desc|summary|text|info|information|note|statement)s?$/, 0.6],
  [/(?:data|result|response|body|extra|content|statusmessage|statustext)$/, 0.7],
  [/(?:title|heading|headline|caption)$/, 0.9],
];
/** Words of texts that are written for whoever uses the service, and for whoever runs it. */
const forPeople = table("user localized localised display friendly human long");
const forDevelopers = table("developer dev internal technical system exception native raw short");

/** Words of what helps on, and does not say what is wrong. */
const adviceWords = table(
  "help hint advice resolution solution remedy suggestion recommendation recommend fix tip workaround support contact " +
    "instruction debug action",
);
/** Words of what lies behind an error, or beside it. */
const behindWords = table(
  "cause caused inner innererror innerexception nested previous root underlying warning deprecation",
);
/** Last words of what is for programs. */
const codeWords = table(
  "type kind code codename status category class severity level id no number errno subcode tag rule keyword name success ok " +
    "domain locale lang language index field param parameter property attribute pointer path location target element key source loc",
);
/** Last words of what is never about what is wrong. */
const neverWords = table(
  "stack stacktrace trace backtrace traceback frame header config link href url uri documentation doc schema arg argument " +
    "template placeholder pattern regex format example option choice enum allowed timestamp time date ip host phrase " +
    "instance server version user account author tenant owner request input received rejected attempted value query sql " +
    "breadcrumb related agent",
);

const documented: ReadonlySet<string> = new Set(Object.values(fieldKeys).flat());

/** Whether a name is that of a documented field of a page. */
export function isDocumented(name: string): boolean {
  return documented.has(keyOf(name));
}

/** Tells what a member is by its name. */
export function roleOf(name: string): Role {
  if (/^[@$]/.test(name) || name === "") return { kind: "never", cost: 0 };
  const words = wordsOf(name);
  const key = words.join("");
  const last = words.at(-1) ?? "";
  if ((isDocumented(name) && key !== "title" && key !== "content") || isPath(name)) return { kind: "other", cost: 0 };
  if (isIn(neverWords, last) || /(?:url|uri|stack|stacktrace)$/.test(key)) return { kind: "never", cost: 0 };
  if (isIn(codeWords, last) || /(?:code|type|status)$/.test(key)) return { kind: "code", cost: 0 };
  const about =
    (words.some((word) => forPeople.has(word)) || /^(?:user|long|display)/.test(key) ? -0.25 : 0) +
    (words.some((word) => forDevelopers.has(word)) ? 1.2 : 0) +
    (words.some((word) => isIn(adviceWords, word)) ? 5 : 0) +
    (isIn(behindWords, words[0] ?? "") ? 2 : 0);
  const ending = (ends: typeof sentenceEnds) => ends.find(([pattern]) => pattern.test(key));
  const sentence = ending(sentenceEnds);
  if (sentence !== undefined) return { kind: "sentence", cost: sentence[1] + about };
  const headline = ending(headlineEnds);
  return headline === undefined ? { kind: "other", cost: about } : { kind: "headline", cost: headline[1] + about };
}

/** `page.title`, `cta[url]` and `/slug` lead to a field, whatever they end in. */
export function isPath(name: string): boolean {
  return /[\w\])][.[/]\w/.test(name) && !/(?:error|message|msg|fault)s?$/i.test(name);
}

/** What an object or an array is by its name. */
export interface Container {
  /** How much what is in it costs: advice and causes are told where nothing else is. */
  readonly cost: number;
  readonly isAboutError: boolean;
  /**
   * Whether the names in it are those of fields: `sure`; `objects`: of those that say something, text or object; `texts`: of
   * texts that say something.
   */
  readonly areFields: "sure" | "objects" | "texts" | "no";
}

const aboutErrors =
  /err|fault|fail|problem|violation|issue|exception|valid|reject|constraint|conflict|denied|refus|reason|messag|msg|detail|descri|diagnos|notice|cause|feedback|modelstate/;
const fieldMaps =
  /(?:errors|violations?|validations?|messages|problems|issues|failures|faults|invalid|invalidparams|modelstate|reasons)$/;
const mayBeFieldMaps = /^(?:data|details?|fields|extra|extensions|info|result|response|body|json|payload|properties)$/;

/** Tells what an object or an array is by its name. */
export function containerOf(name: string): Container {
  const words = wordsOf(name);
  const key = words.join("");
  const isAdvice = words.some((word) => isIn(adviceWords, word));
  const isBehind = behindWords.has(words[0] ?? "") || key.startsWith("inner");
  const cost = isAdvice ? 5 : isBehind ? 2 : 0;
  const isAboutError = aboutErrors.test(key);
  const areFields = fieldMaps.test(key) ? "sure" : mayBeFieldMaps.test(key) ? "objects" : isAboutError ? "texts" : "no";
  return { cost, isAboutError, areFields: cost > 0 ? "no" : areFields };
}

/** Whether a name is that of what is around things, and of no field. */
export function isEnvelope(name: string): boolean {
  const last = wordsOf(name).at(-1) ?? "";
  return containerOf(name).isAboutError || isIn(neutralWords, last) || last.startsWith("meta");
}

/** Names of a map from fields that stand for all of them, or for the part of the request they are in. */
export function isNoField(name: string): boolean {
  return (
    /^(?:_\w+|non_?field_?errors|__all__|base|json|body|query|params|payload|form|general|global|common|root|\$|\d+)$/i.test(
      name,
    ) || roleOf(name).kind === "sentence"
  );
}

/** Words of names of a field to blame, the surest first. */
const fieldWords = list(
  "pointer field param parameter property attribute attr path loc location key argument column member element target source in name",
);
/** What may stand beside those words. */
const besideFieldWords = table(
  "instance data json error input api invalid request body o form dot ref reference names",
);

const joined =
  /^(instance|data|json|error|input|invalid|property|field|param|parameter|attribute|column|member|argument)(name|path|pointer|field|param|parameter|property|ref)$/;

/** How sure a member's name says that it names a field: the less the surer, `undefined` when it does not. */
export function fieldRank(name: string): number | undefined {
  const words = wordsOf(name).flatMap((word) => joined.exec(word)?.slice(1) ?? [word]);
  const ranks = words.map((word) => fieldWords.findIndex((known) => isIn(new Set([known]), word)));
  if (!words.every((word, index) => (ranks[index] ?? -1) >= 0 || besideFieldWords.has(word))) return undefined;
  const known = ranks.filter((rank) => rank >= 0);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Whether a rank is that of a name that can mean nothing but a field. */
export function isSureField(rank: number): boolean {
  return rank <= fieldWords.indexOf("attr");
}
