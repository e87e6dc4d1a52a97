// Explains a text by the holes that stand inside of it.
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type HoleName,
  holes,
  renderText,
  type Subject,
} from "@landing-page-service/contract/dialect";

/** One sight of a value, and what is known of the answer it stood in; `undefined` where it was missing. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
}

/** What is known of each page that a list shows, if anything, by what is known of the list. */
export type KnownPages = ReadonlyMap<Facts, readonly (Facts | undefined)[]>;

/** Where a value stood. */
export interface Spot {
  /** The way to it, such as `createPage/body/data`. */
  readonly path: string;
  /** Name of the member or header. */
  readonly name: string;
  /** What the answer is about. */
  readonly subjects: readonly Subject[];
  /** What is known of the pages of each list. */
  readonly pages?: KnownPages;
  /** Whether it is a member of a page, rather than of what is around it. */
  readonly isInPage: boolean;
  /** What answers are about that do not have it, or what is around it. */
  readonly absent?: readonly Facts[];
  /** Texts that errors of several statuses have in them. */
  readonly headlines?: ReadonlySet<unknown>;
}

const spellings: readonly (readonly FormatName[])[] = [[], ["camel"], ["pascal"], ["kebab"], ["snake"], ["upper"]];
/** Every way in which a service spells the names of fields. */
export const nameFormats: readonly (readonly FormatName[])[] = [
  ...spellings,
  // Where there is none, an empty text.
  ...spellings.map((spelling) => spelling.concat("text")),
];

/** Holes that are looked for inside of texts. */
const embedded: readonly HoleName[] = [
  "origin",
  "domain.url",
  "cta.url",
  "content",
  "title",
  "meta_description",
  "cta.label",
  "domain.name",
  "alias.url",
  "alias.name",
  "slug",
  "event.pageId",
  "error.pointer",
  "error.field",
  "change.field",
  "id",
  "host",
  "next_offset",
  "previous_offset",
  "limit",
  "offset",
  "total",
  "count",
];

const longestText = 20_000;

/** A text with holes that spells every sight of a value; `undefined` when there is none. */
export function explainText(samples: readonly Sample[], spot: Spot): string | undefined {
  const texts = samples.map(({ value }) => value);
  const [first] = texts;
  if (first === undefined || !texts.every((text) => typeof text === "string" && text.length <= longestText))
    return undefined;
  const sights = texts.map(String);
  const pieces = align(sights, listPieces(samples, sights, spot));
  return pieces?.some((piece) => typeof piece !== "string") === true
    ? pieces
        .map((piece) => (typeof piece === "string" ? escapeTemplate(piece) : writeHole(piece.hole, piece.formats)))
        .join("")
    : undefined;
}

/** A hole, and what it would write into each text. */
interface Piece {
  readonly hole: HoleName;
  readonly formats: readonly FormatName[];
  readonly values: readonly string[];
}

/** The holes that may stand in texts, those with the longest values first. */
function listPieces(samples: readonly Sample[], sights: readonly string[], spot: Spot): Piece[] {
  const known = embedded.filter((hole) => spot.subjects.includes(holes[hole].about));
  const pieces = known.flatMap((hole) =>
    formatsOf(hole, sights).flatMap((formats): Piece[] => {
      const values = samples.map(({ facts }) => renderText({ kind: "hole", hole, formats }, facts));
      const isThere = sights.every((text, index) => text.includes(values[index] ?? ""));
      return isThere && values.some((value) => value !== "") ? [{ hole, formats, values }] : [];
    }),
  );
  return pieces.toSorted((one, other) => longest(other) - longest(one));
}

/** A name without what spellings of it differ in. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Whether a hole is the name of a field, which services spell in their own way. */
export function isFieldName(hole: HoleName): boolean {
  return hole === "error.field" || hole === "error.pointer" || hole === "change.field";
}

/** How much a name speaks for a hole. */
export function nearness(hole: HoleName, { name }: Pick<Spot, "name">): number {
  const [key, word] = [lettersOf(name), lettersOf(hole.slice(hole.lastIndexOf(".") + 1))];
  if (key === word) return 2;
  return key.includes(word) || hints[hole]?.test(key) === true ? 1 : 0;
}

const hints: Partial<Record<HoleName, RegExp>> = {
  offset: /skip|start|from|first/,
  limit: /size|perpage|max|take/,
  count: /size|length|returned/,
  page_count: /pages|last/,
  page_number: /page|current|number/,
  total: /count|found|all|hits/,
  next_offset: /offset|skip|start|from|first/,
  previous_offset: /offset|skip|start|from|first/,
};

function formatsOf(hole: HoleName, sights: readonly string[]): readonly (readonly FormatName[])[] {
  if (isFieldName(hole)) return nameFormats;
  if (hole === "slug") return [[], ["snake"]];
  if (hole === "title" || hole === "cta.url" || hole === "cta.label") return [[], ["url"]];
  const isPath = (hole === "id" || hole === "event.pageId") && sights.every((text) => text.includes("/"));
  return isPath ? [["url"], []] : [[]];
}

function longest({ values }: Piece): number {
  return Math.max(...values.map((value) => value.length));
}

/** Reads all texts side by side: at each place either a hole writes what stands there in every one of them, or one letter does. */
function align(texts: readonly string[], pieces: readonly Piece[]): (string | Piece)[] | undefined {
  const failed = new Set<string>();
  const read = (starts: readonly number[], before: string): (string | Piece)[] | undefined => {
    let literal = before;
    let places = starts;
    for (;;) {
      // Of numbers that are alike by chance, the one that the text names is meant: `limit=20`.
      const [, name = ""] = /(\w+)=$/.exec(texts[0]?.slice(0, places[0]).slice(-40) ?? "") ?? [];
      const fitting = pieces
        .filter((piece) => fits(piece, texts, places))
        .toSorted((one, other) => nearness(other.hole, { name }) - nearness(one.hole, { name }));
      const key = places.join();
      if (fitting.length > 0 && !failed.has(key)) {
        for (const piece of fitting) {
          const after = places.map((place, index) => place + (piece.values[index] ?? "").length);
          const rest = read(after, "");
          if (rest !== undefined) return [...(literal === "" ? [] : [literal]), piece, ...rest];
        }
        failed.add(key);
      }
      const [letter, ...others] = texts.map((text, index) => text[places[index] ?? 0]);
      if (others.some((other) => other !== letter)) return undefined;
      if (letter === undefined) return literal === "" ? [] : [literal];
      literal += letter;
      places = places.map((place) => place + 1);
    }
  };
  return read(
    texts.map(() => 0),
    "",
  );
}

/** Whether a hole writes what stands at a place of every text, apart from other letters and digits. */
function fits({ hole, values }: Piece, texts: readonly string[], places: readonly number[]): boolean {
  const isVaried = new Set(values).size > 1;
  const isHost = hole === "origin" || hole === "host";
  let isWritten = false;
  for (const [index, text] of texts.entries()) {
    const [value = "", place = 0] = [values[index], places[index]];
    if (value === "") continue;
    isWritten = true;
    if (!text.startsWith(value, place)) return false;
    const [before, after] = [text.slice(0, place).slice(-2), text.slice(place + value.length).slice(0, 2)];
    // A number that changes is told from letters beside it: `page17`.
    const joins = isVaried && /^\d+$/.test(value) ? isDigit : isLetter;
    if (joins(value) && joins(before.slice(-1))) return false;
    if (joins(value.slice(-1)) && joins(after)) return false;
    if (isHost && (/[.-]$/.test(before) || /^[.:@-]/.test(after))) return false;
    // What is short is alike by chance, unless it changes or stands for itself.
    if (!isVaried && value.length < 3 && !(/[/=(]$/.test(before) && /^(?:$|[/&?#.)])/.test(after))) return false;
  }
  return isWritten;
}

function isLetter(text: string): boolean {
  return /^[\p{L}\d]/u.test(text);
}

function isDigit(text: string): boolean {
  return /^\d/.test(text);
}

/** A hole as it stands in a template. */
export function writeHole(hole: HoleName, formatNames: readonly FormatName[]): string {
  return `{${[hole, ...formatNames].join(":")}}`;
}
