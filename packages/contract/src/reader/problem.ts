// Finds what an error body says: the sentence a person would read, and which fields are to blame. Pure.
import { parseInner } from "./body.ts";
import { holderOf, member } from "./facts.ts";
import { isObject, parseJson } from "../json.ts";
import { isMarkup, isPage, parseXml, readPage } from "./markup.ts";
import type { FieldProblem } from "../problem.ts";
import { findSaid, nearest, type Said } from "./said.ts";

/** What an error body says. */
export interface FoundProblem {
  /** What went wrong, in the service's words; empty when it says nothing. */
  readonly detail: string;
  /** Each wrong field that it names, a hundred at most. */
  readonly errors: readonly FieldProblem[];
  /** The service's own name for the kind of error; absent when it gives none. */
  readonly type?: string;
}

const mostProblems = 100;

/** Finds what an error body says, whatever its shape. */
export function findProblem(text: string): FoundProblem {
  const trimmed = text.trim();
  const isXml = isMarkup(trimmed) && !isPage(trimmed);
  const parsed = isXml ? parseXml(trimmed) : parseJson(trimmed);
  const body = parsed ?? (isMarkup(trimmed) ? readPage(trimmed) : trimmed);
  if (typeof body !== "object") return { detail: typeof body === "string" ? body : trimmed, errors: [] };
  const { detail, errors } = choose(findSaid(body));
  const type = findType(body);
  const said = detail || (type ?? (isXml ? "an XML document" : ""));
  const isRepeated =
    errors.length === 1 && !Array.isArray(body) && errors[0]?.pointer === "" && errors[0].detail === said;
  return { detail: said, errors: isRepeated ? [] : errors, ...(type === undefined || type === said ? {} : { type }) };
}

/** Chooses what is told: what is said of fields and in lists, and the best of the rest. A code only where nothing says more. */
function choose(said: readonly Said[]): { detail: string; errors: FieldProblem[] } {
  const general = nearest(said.filter(({ field, isListed }) => field === "" && !isListed));
  const told = said.flatMap(({ field, isListed, text, looks, cost, aside }): FieldProblem[] => {
    if (field === "" && (!isListed || looks === "code")) return [];
    if (aside > 0 && general !== undefined && general.cost < cost) return [];
    return [{ pointer: field, detail: looks === "code" && general?.looks === "sentence" ? general.text : text }];
  });
  const errors = [...new Map(told.map((each) => [JSON.stringify([each.pointer, each.detail]), each])).values()];
  const isGeneral = general?.looks === "sentence" && general.cost < 1;
  const detail = isGeneral ? general.text : (errors[0]?.detail ?? nearest(said)?.text ?? "");
  return { detail, errors: errors.slice(0, mostProblems) };
}

/** Keys of the service's own name for the kind of an error. */
const typeKeys = "type code errorcode errortype name codename reason error kind status".split(" ");

/** The service's own name for the kind of error: a code, the further in the surer. */
function findType(around: unknown, level = 0): string | undefined {
  const body = parseInner(Array.isArray(around) && around.length === 1 ? around[0] : around);
  if (!isObject(body) || level > 2) return undefined;
  const holder = holderOf(body);
  // Under the names after the first three a word may be one of the sentence.
  const isType = (text: unknown, index: number): text is string =>
    typeof text === "string" &&
    !/\s|^\d{3}$|^about:blank$/.test(text) &&
    (level > 0 || index < 3 || /[\W\d_]|\p{Ll}\p{Lu}|\p{Lu}{2}/u.test(text));
  const own = typeKeys.map((key) => member(holder, [key])?.value).find(isType);
  return findType(member(holder, ["error", "errors", "fault"])?.value, level + 1) ?? own;
}
