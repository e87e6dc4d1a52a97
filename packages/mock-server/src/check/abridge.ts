// Makes of a long answer one that is short enough to be kept, read and learned from, with all that it tells of the check's own pages.
import { readBody } from "@landing-page-service/contract";

/** Most characters of an answer that are kept as they are. */
const mostKept = 1_000_000;
/** Most bytes of an answer that are read at all: as many as the client takes. */
const mostRead = 64 * 2 ** 20;
const longestText = 10_000;
const mostDepth = 100;

/** The body of an answer, as far as it is read. */
export interface ReadText {
  readonly text: string;
  /** Whether the rest was left unread. */
  readonly isCut: boolean;
}

/** Reads a body, and no more than 64 MiB of it. */
export async function readText({ body }: Response): Promise<ReadText> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    parts.push(decoder.decode(chunk, { stream: true }));
    if (bytes > mostRead) return { text: parts.join(""), isCut: true };
  }
  return { text: parts.join("") + decoder.decode(), isCut: false };
}

/** A long body with the first members of each list, those that have the mark in them, and the beginning of long texts. */
export function abridge(text: string, mark: string): string {
  if (text.length <= mostKept) return text;
  const body = readBody(text);
  if (body.kind !== "json") return text.slice(0, longestText);
  const tries = [100, 10, 1].values().map((most) => JSON.stringify(shorten(body.value, mark, most)));
  return tries.find((short) => short.length <= mostKept) ?? text.slice(0, longestText);
}

function shorten(value: unknown, mark: string, most: number, depth = 0): unknown {
  if (typeof value === "string") return value.length > longestText ? `${value.slice(0, 1000)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth === mostDepth) return null;
  const members = Object.entries(value)
    .filter(([, inner], index) => index < most || mentions(inner, mark))
    .map(([name, inner]): [string, unknown] => [name, shorten(inner, mark, most, depth + 1)]);
  return Array.isArray(value) ? members.map(([, inner]) => inner) : Object.fromEntries(members);
}

/** Whether a text stands anywhere in a value; one that is nested too deep has none. */
function mentions(value: unknown, mark: string, depth = 0): boolean {
  if (typeof value === "string") return value.includes(mark);
  if (typeof value !== "object" || value === null || depth > mostDepth) return false;
  return Object.values(value).some((inner) => mentions(inner, mark, depth + 1));
}
