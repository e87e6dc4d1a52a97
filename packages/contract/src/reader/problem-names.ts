// What a member of an error body is by its name: a sentence, the field to blame, a code, advice, or nothing about the error.
import { list, neutralWords, table } from "./names.ts";
import { isDocumented, isIn, judge, wordsOf } from "./words.ts";

/** What stands under a name. */
export interface Meaning {
  /**
   * `sentence`: it says what is wrong; `headline`: it may, and is as often a heading or a field; `code`: for programs;
   * `never`: how the error came about, what was sent, where to read on; `other`: nothing is known of it.
   */
  readonly kind: "sentence" | "headline" | "code" | "never" | "other";
  /** How far a text under this name is from the sentence a person would read; the nearest are near 0. */
  readonly cost: number;
  /** How far aside all is that an object of this name holds: advice and causes are told where nothing else is. */
  readonly aside: number;
  /** Whether what it holds is about the error. */
  readonly isAboutError: boolean;
  /** Whether names in it are those of fields: all that say something, those of texts and documented ones, or none. */
  readonly holdsFields: "sure" | "maybe" | "no";
  /** How sure it says which field is to blame, 0 the surest; `undefined` when it does not. */
  readonly fieldRank: number | undefined;
}

/** How names of texts end: those of sentences, the most specific first, then those of a heading, a field or the page itself as often. */
const textEnds: readonly (readonly [RegExp, number])[] = [
  [/(?:detail|description|explanation|diagnostic|context)s?$/, 0.1],
  [/(?:message|msg|faultstring|hint)s?$/, 0.3],
  [/(?:reason|translation|cause)s?$/, 0.4],
  [/(?:error|err|fault|problem|failure|issue|violation|exception|invalid)s?$/, 0.5],
  [/(?:desc|summary|text|info|information|note|statement)s?$/, 0.6],
  [/(?:data|result|response|body|extra|content|statusmessage|statustext)$/, 0.7],
  [/(?:title|heading|headline|caption)$/, 0.9],
];
/** From this cost on an ending is that of a headline. */
const headlineCost = 0.6;
/** Words of texts that are written for whoever uses the service, and for whoever runs it. */
const forPeople = /^(?:user|long|display)|(?:localized|localised|friendly|human)/;
const forDevelopers = table("developer dev internal technical system exception native raw short");
/** Words of what helps on, and does not say what is wrong. */
const adviceWords = table(
  "help hint advice resolution solution remedy suggestion recommendation recommend fix tip workaround support contact " +
    "instruction debug action",
);
/** First words of what lies behind an error, or beside it. */
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
/** What speaks of an error, anywhere in a name. */
const aboutErrors =
  /err|fault|fail|problem|violation|issue|exception|valid|reject|constraint|conflict|denied|refus|reason|messag|msg|detail|descri|diagnos|notice|cause|feedback|modelstate/;
/** Ends of names of maps from fields, and names of what may be such maps. */
const fieldMaps =
  /(?:errors|violations?|validations?|messages|problems|issues|failures|faults|invalid|invalidparams|modelstate|reasons)$/;
const mayBeFieldMaps = /^(?:data|details?|fields|extra|extensions|info|result|response|body|json|payload|properties)$/;
/** Words of names of a field to blame, the surest first. */
const fieldWords = list(
  "pointer field param parameter property attribute attr path loc location key argument column member element target source in name",
);
/** What may stand beside those words. */
const besideFieldWords = table(
  "instance data json error input api invalid request body o form dot ref reference names",
);
/** Up to here a rank is that of a name that can mean nothing but a field. */
export const sureFieldRank = fieldWords.indexOf("attr");

/** Tells what a member is by its name. */
export const meaningOf: (name: string) => Meaning = judge((name) => {
  const words = wordsOf(name);
  const key = words.join("");
  const isAdvice = words.some((word) => isIn(adviceWords, word));
  const isBehind = behindWords.has(words[0] ?? "") || key.startsWith("inner");
  const aside = isAdvice ? 5 : isBehind ? 2 : 0;
  const isAboutError = aboutErrors.test(key);
  const mayHold = mayBeFieldMaps.test(key) || isAboutError ? "maybe" : "no";
  const holdsFields = aside > 0 ? "no" : fieldMaps.test(key) ? "sure" : mayHold;
  return { ...readKind(name, words, aside), aside, isAboutError, holdsFields, fieldRank: rankField(words) };
});

function readKind(name: string, words: readonly string[], aside: number): Pick<Meaning, "kind" | "cost"> {
  const key = words.join("");
  const last = words.at(-1) ?? "";
  if (/^[@$]/.test(name) || name === "") return { kind: "never", cost: 0 };
  if (isPath(name) || (isDocumented(name) && key !== "title" && key !== "content")) return { kind: "other", cost: 0 };
  if (isIn(neverWords, last) || /(?:url|uri|stack|stacktrace)$/.test(key)) return { kind: "never", cost: 0 };
  if (isIn(codeWords, last) || /(?:code|type|status)$/.test(key)) return { kind: "code", cost: 0 };
  const forWhom = (forPeople.test(key) ? -0.25 : 0) + (words.some((word) => forDevelopers.has(word)) ? 1.2 : 0);
  const end = textEnds.find(([pattern]) => pattern.test(key));
  const cost = (end?.[1] ?? 0) + aside + forWhom;
  return { kind: end === undefined ? "other" : end[1] < headlineCost ? "sentence" : "headline", cost };
}

function rankField(written: readonly string[]): number | undefined {
  const words = written.flatMap((word) => joined.exec(word)?.slice(1) ?? [word]);
  const ranks = words.map((word) =>
    fieldWords.findIndex(
      (known) => known === word || `${known}s` === word || (known === "property" && word === "properties"),
    ),
  );
  if (!words.every((word, index) => (ranks[index] ?? -1) >= 0 || besideFieldWords.has(word))) return undefined;
  const known = ranks.filter((rank) => rank >= 0);
  return known.length === 0 ? undefined : Math.min(...known);
}

const joined =
  /^(instance|data|json|error|input|invalid|property|field|param|parameter|attribute|column|member|argument)(name|path|pointer|field|param|parameter|property|ref)$/;

/** `page.title`, `cta[url]` and `/slug` lead to a field, whatever they end in. */
export function isPath(name: string): boolean {
  return /[\w\])][.[/]\w/.test(name) && !/(?:error|message|msg|fault)s?$/i.test(name);
}

/** Whether a name is that of what is around things, and of no field. */
export function isEnvelope(name: string): boolean {
  const last = wordsOf(name).at(-1) ?? "";
  return meaningOf(name).isAboutError || isIn(neutralWords, last) || last.startsWith("meta");
}

/** Names in a map from fields that stand for all of them, or for the part of the request they are in. */
export function isNoField(name: string): boolean {
  return (
    /^(?:_\w+|non_?field_?errors|__all__|base|json|body|query|params|payload|form|general|global|common|root|\$|\d+)$/i.test(
      name,
    ) || meaningOf(name).kind === "sentence"
  );
}
