import { ArgumentError } from "../exchange/argument.ts";
import { gotInstead } from "../exchange/literal.ts";
import type { StateLoader } from "./state-loader.ts";

/** Text or bytes in pieces of any length, such as a stream of a file. */
export type LineSource = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Longest line, in characters: a page's record has at most a few million. Beyond it, a file is something else. */
const longestLine = 16 * 1024 * 1024;

/**
 * Reads newline-delimited JSON piece by piece into a loader; at most one line is held at a time.
 *
 * @throws {TypeError} that names the wrong line.
 */
export async function readLines(source: LineSource, loader: StateLoader): Promise<void> {
  if (!isSource(source)) throw new ArgumentError(`expected a text, or pieces of one${gotInstead(source)}`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let begun = "";
  let isEmpty = true;
  const read = (line: string): void => {
    number += 1;
    if (line.trim() === "") return;
    isEmpty = false;
    loader.load(parseLine(number === 1 ? line.replace(/^\uFEFF/, "") : line, number), `line ${number}`);
  };
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (cause) {
      throw new ArgumentError(`line ${number + 1}: expected UTF-8, here or shortly after`, { cause });
    }
  };
  for await (const piece of source) {
    if (typeof piece !== "string" && !ArrayBuffer.isView(piece))
      throw new ArgumentError(`line ${number + 1}: expected text or bytes${gotInstead(piece)}`);
    const lines = (typeof piece === "string" ? piece : decode(piece)).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      read(begun + line);
      begun = "";
    }
    begun += rest;
    if (begun.length > longestLine)
      throw new ArgumentError(`line ${number + 1}: expected a record, got more than ${longestLine} characters`);
  }
  read(begun + decode());
  if (isEmpty) throw new ArgumentError("line 1: expected a record, got nothing at all");
  loader.finish();
}

function isSource(source: unknown): boolean {
  const pieces = Object(source) as object; // why: the platform says `any`
  return Symbol.asyncIterator in pieces || Symbol.iterator in pieces;
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ArgumentError(
      `line ${number}: expected a record as JSON on one line, got ${JSON.stringify(line.slice(0, 60))}`,
      {
        cause,
      },
    );
  }
}
