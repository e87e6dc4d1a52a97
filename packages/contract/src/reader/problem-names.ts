// What a member of an error body is by its name: tables of words and endings, and what each is for.
import { isObject } from "../json.ts";
import { holderOf } from "./facts.ts";
import { isDocumented, isIn, judge, sensesOf, wordsOf } from "./names.ts";
import { table } from "./words.ts";

/**
 * `sentence`: says what is wrong; `headline`: may, and is as often a heading or a field; `code`, `mark`: for programs, a code
 * in want of more; `never`: what was sent, where to read on; `around`: what others are in; `other`: perhaps a field.
 */
type Kind = "sentence" | "headline" | "code" | "mark" | "never" | "around" | "other";

/** What stands under a name. */
export interface Meaning {
  readonly kind: Kind;
  /** How far a text under this name is from the sentence a person would read; the nearest are near 0. */
  readonly cost: number;
  /** How far aside all is that an object of this name holds: advice and causes are told where nothing else is. */
  readonly aside: number;
  readonly isAboutError: boolean;
  /** Whether names in it are those of fields: all that say something, those of texts and documented ones, these alone, or none. */
  readonly map: "sure" | "maybe" | "documented" | "no";
  /** Whether it names a field to blame. */
  readonly names: "field" | "perhaps" | "no";
}

/** Last words of what is never about what is wrong, of codes, and of what else is for programs. */
const lastWords: readonly (readonly [Kind, ReadonlySet<string>, joined?: RegExp])[] = [
  [
    "never",
    table(
      "stack stacktrace trace backtrace traceback frame header config link href url uri documentation doc schema arg argument template placeholder " +
        "pattern regex format example option choice enum allowed timestamp time date ip host phrase instance server version user account author tenant " +
        "owner request input received rejected attempted value query sql breadcrumb related agent",
    ),
    /(?:url|uri|stack|stacktrace)$/,
  ],
  ["code", table("kind class category severity level codename errno subcode rule keyword"), /(?:code|type|status)s?$/],
  [
    "mark",
    table(
      "id no number tag name success ok domain locale lang language index field param parameter property attribute pointer path location target element " +
        "key source loc",
    ),
  ],
];
/** Ends of names of sentences, the most specific first, then those of a heading, a field or the page itself as often. */
const textEnds: readonly (readonly [RegExp, Kind, number])[] = [
  [/(?:detail|description|explanation|diagnostic|context)s?$/, "sentence", 0.1],
  [/(?:message|msg|faultstring|hint)s?$/, "sentence", 0.3],
  [
    /(?:reason|translation|cause|error|err|fault|problem|failure|issue|violation|exception|invalid)s?$/,
    "sentence",
    0.5,
  ],
  [/(?:desc|summary|text|info|information|note|statement|data|result|response|body|extra|content)s?$/, "headline", 0.6],
  [/(?:title|heading|headline|caption)$/, "headline", 0.9],
];
/** Words of texts that are written for whoever uses the service, and for whoever runs it. */
const forPeople = /^(?:user|long|display)|(?:localized|localised|friendly|human)/;
const forDevelopers = table("developer dev internal technical system exception native raw short");
/** Words of what helps on, and does not say what is wrong. */
const adviceWords = table(
  "help hint advice resolution solution remedy suggestion recommendation recommend fix tip workaround support contact instruction debug action",
);
/** First words of what lies behind an error, or beside it. */
const behind =
  /^(?:cause(?!s)|inner|nested|previous|root|underlying|warning|deprecation|(?:notice|announcement|api)s?$)/;
/** What speaks of an error, anywhere in a name. */
const aboutErrors =
  /err|fault|fail|problem|violation|issue|exception|valid|reject|constraint|conflict|denied|refus|reason|messag|msg|detail|descri|diagnos|notice|cause|feedback|modelstate/;
/** What stands in a map from fields for all of them, or for the part of the request they are in. */
const aroundFields = /^(?:nonfielderrors|all|base|json|query|params|form|general|global|common|root|meta.*|\d+)$/;
/** Ends of names of maps from fields, and names of what may be such maps. */
const fieldMaps =
  /(?:errors|violations?|validations?|messages|problems|issues|failures|faults|invalid|invalidparams|modelstate|reasons)$/;
const mayBeFieldMaps = /^(?:data|details?|fields|extra|extensions|info|result|response|body|json|payload|properties)$/;
/** What names a field, what does as often as not, and what may stand beside that: `fieldName`, `invalid_params`, `data-path`. */
const beside =
  "(?:(?:instance|data|json|error|input|api|invalid|request|body|o|form|dot|ref|reference|name|path|pointer|field)s?)*";
const fieldNames = new RegExp(
  `^${beside}(?:pointer|field|param|parameter|property|properties|attribute|attr|path|loc|location|target|argument|column|champ|feld|campo|veld)s?${beside}$`,
);
const doubtfulFieldNames = /^(?:key|member|element|source|in|name)s?$/;

/** Tells what a member is by its name. */
export const meaningOf: (name: string) => Meaning = judge((name) => {
  const words = wordsOf(name);
  const key = words.join("");
  const aside = words.some((word) => isIn(adviceWords, word)) ? 5 : behind.test(key) ? 2 : 0;
  const isAboutError = aboutErrors.test(key);
  // Beside a rule that was broken its own settings are called `params`.
  const mayHold = isAboutError || mayBeFieldMaps.test(key) ? "maybe" : key === "params" ? "documented" : "no";
  const map = aside > 0 ? "no" : fieldMaps.test(key) ? "sure" : mayHold;
  const forWhom = (forPeople.test(key) ? -0.25 : 0) + (words.some((word) => forDevelopers.has(word)) ? 1.2 : 0);
  const [kind, cost] = readKind(name, key, words.at(-1) ?? "");
  const names = fieldNames.test(key) ? "field" : doubtfulFieldNames.test(key) ? "perhaps" : "no";
  return { kind, cost: cost + aside + forWhom, aside, isAboutError, map, names };
});

function readKind(name: string, key: string, last: string): readonly [Kind, number] {
  if (isDocumented(name) && key !== "title" && key !== "content") return ["never", 0];
  const kind = lastWords.find(([, words, joined]) => isIn(words, last) || joined?.test(key))?.[0];
  if (kind !== undefined) return [kind, 0];
  const isAround = sensesOf(last).has("neutral") || aroundFields.test(key) || aboutErrors.test(key);
  const [, textKind, cost] = textEnds.find(([end]) => end.test(key)) ?? [key, isAround ? "around" : "other", 0];
  return [textKind, cost];
}

/** Whether a value is an object with something said under a name of these kinds. */
export function says(value: unknown, kinds: readonly Kind[] = ["sentence"]): boolean {
  if (!isObject(value)) return false;
  return [...holderOf(value).members.values()].some((name) => {
    const { kind } = meaningOf(name);
    const each = value[name];
    const isSaid =
      typeof each === "number" ? kind !== "sentence" : kind === "sentence" && Array.isArray(each) && each.length > 0;
    return kinds.includes(kind) && (isSaid || (typeof each === "string" && each !== ""));
  });
}

/** `page.title`, `cta[url]` and `/slug` lead to a field, whatever they end in. */
export function isPath(name: string): boolean {
  return /[\w\])][.[/]\w/.test(name) && !/(?:error|message|msg|fault)s?$/i.test(name);
}
