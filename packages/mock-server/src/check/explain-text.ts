// Explains a text by the holes that stand inside of it.
import {
  escapeTemplate,
  type Facts,
  type FormatName,
  type HoleName,
  holes,
  readHole,
  type Subject,
} from "@landing-page-service/contract/dialect";

/** One sight of a value, and what is known of the answer it stood in; `undefined` where it was missing. */
export interface Sample {
  readonly value: unknown;
  readonly facts: Facts;
}

/** Where a value stood. */
export interface Spot {
  /** The way to it, such as `createPage/body/data`. */
  readonly path: string;
  /** Name of the member or header. */
  readonly name: string;
  /** What the answer is about. */
  readonly subjects: readonly Subject[];
  /** Whether it is a member of a page, rather than of what is around it. */
  readonly isInPage: boolean;
}

/** Holes that are looked for inside of texts, the longest values first. */
const embedded: readonly HoleName[] = [
  "domain.url",
  "cta.url",
  "content",
  "title",
  "domain.name",
  "slug",
  "event.pageId",
  "error.pointer",
  "error.field",
  "id",
  "total",
  "count",
  "limit",
  "offset",
];

/** A text with holes that spells every sight of a value; `undefined` when there is none. */
export function explainText(samples: readonly Sample[], spot: Spot): string | undefined {
  const [first] = samples;
  if (first === undefined || !samples.every(({ value }) => typeof value === "string")) return undefined;
  const known = embedded.filter((hole) => spot.subjects.includes(holes[hole].about));
  for (const chosen of [known, ...known.map((hole) => [hole])]) {
    const pieces = cut(String(first.value), chosen, first.facts);
    if (pieces.length === 1) continue;
    if (samples.every(({ value, facts }) => pieces.map((piece) => spell(piece, facts)).join("") === value))
      return pieces
        .map((piece) => (typeof piece === "string" ? escapeTemplate(piece) : writeHole(piece.hole, piece.formats)))
        .join("");
  }
  return undefined;
}

interface Piece {
  readonly hole: HoleName;
  readonly formats: readonly FormatName[];
}

/** Cuts a text at the values of holes, where they stand apart from other letters and digits. */
function cut(text: string, chosen: readonly HoleName[], facts: Facts): (string | Piece)[] {
  return chosen.reduce<(string | Piece)[]>(
    (pieces, hole) => {
      const value = readHole(hole, ["text"], facts);
      if (typeof value !== "string" || value === "") return pieces;
      const encoded = encodeURIComponent(value);
      const piece: Piece = { hole, formats: hole === "id" && text.includes("/") ? ["url"] : [] };
      const mark = new RegExp(
        `(?<![\\p{L}\\d])(?:${escapePattern(piece.formats.length > 0 ? encoded : value)})(?![\\p{L}\\d])`,
        "u",
      );
      return pieces.flatMap((part) => (typeof part === "string" ? split(part, mark, piece) : [part]));
    },
    [text],
  );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}

function split(text: string, mark: RegExp, piece: Piece): (string | Piece)[] {
  const parts = text.split(mark);
  return parts.flatMap((part, index) => (index === 0 ? [part] : [piece, part])).filter((part) => part !== "");
}

function spell(piece: string | Piece, facts: Facts): string {
  if (typeof piece === "string") return piece;
  const value = readHole(piece.hole, piece.formats, facts);
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

/** A hole as it stands in a template. */
export function writeHole(hole: HoleName, formatNames: readonly FormatName[]): string {
  return `{${[hole, ...formatNames].join(":")}}`;
}
