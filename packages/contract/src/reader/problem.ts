// Finds what an error body says: the sentence a person would read, and which fields are to blame. Pure.
import { holderOf, member } from "./holder.ts";
import { isObject, parseJson } from "../json.ts";
import { isMarkup, isPage, parseXml, readPage } from "./markup.ts";
import { typeKeys } from "./names.ts";
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
  const parsed = parseJson(trimmed);
  const isXml = parsed === undefined && isMarkup(trimmed) && !isPage(trimmed);
  const body = isXml ? parseXml(trimmed) : parsed;
  if (typeof body === "string") return { detail: body, errors: [] };
  if (typeof body !== "object" || body === null)
    return { detail: isMarkup(trimmed) ? readPage(trimmed) : trimmed, errors: [] };
  const { detail, errors } = choose(findSaid(body));
  const type = typeIn(body, 0);
  const said = detail || (type ?? (isXml ? "an XML document" : ""));
  return {
    detail: said,
    errors: errors.filter(
      (error) => error.pointer !== "" || error.detail !== said || errors.length > 1 || Array.isArray(body),
    ),
    ...(type === undefined || type === said ? {} : { type }),
  };
}

/** Chooses what is told: what is said of fields and in lists, and the best of the rest. A code only where nothing says more. */
function choose(said: readonly Said[]): { detail: string; errors: FieldProblem[] } {
  const general = nearest(said.filter(({ field, listed }) => field === "" && listed === 0));
  const listed = said.filter((each) => each.field !== "" || each.listed > 0);
  const isSaid = [general, ...listed].some((each) => each !== undefined && each.looks !== "code");
  const told = listed.flatMap((each): FieldProblem[] => {
    const isBetter = general !== undefined && general.cost < each.cost;
    if (isBetter && (each.aside >= 1 || each.field === "") && (each.aside >= 1 || each.looks !== "sentence")) return [];
    if (each.looks !== "code") return [{ pointer: each.field, detail: each.text }];
    if (each.field === "") return isSaid ? [] : [{ pointer: "", detail: each.text }];
    return [{ pointer: each.field, detail: general?.looks === "sentence" ? general.text : each.text }];
  });
  const errors = [...new Map(told.map((each) => [JSON.stringify([each.pointer, each.detail]), each])).values()];
  const first = errors.find(({ detail }) => detail !== "")?.detail;
  const isGeneral = general?.looks === "sentence" && general.cost < 1;
  return { detail: (isGeneral ? general.text : (first ?? general?.text)) ?? "", errors: errors.slice(0, mostProblems) };
}

/** The service's own name for the kind of error: a code, the further in the surer. */
function typeIn(value: unknown, level: number): string | undefined {
  if (!isObject(value) || level > 2) return undefined;
  const holder = holderOf(value);
  const inner = ["error", "errors", "fault"]
    .map((key) => typeIn(firstOf(member(holder, [key])?.value), level + 1))
    .find((found) => found !== undefined);
  const own = typeKeys
    .map((key) => member(holder, [key])?.value)
    .find((found) => typeof found === "string" && found !== "about:blank" && !/\s|^\d{3}$/.test(found));
  return (
    inner ??
    (typeof own === "string" &&
    (level > 0 ||
      member(holder, ["type", "code", "errorcode"])?.value === own ||
      /[\W\d_]|\p{Ll}\p{Lu}|\p{Lu}{2}/u.test(own))
      ? own
      : undefined)
  );
}

/** What a value is, or holds alone: in an array of one, in a text that is JSON. */
function firstOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  return typeof value === "string" && /^\s*\{/.test(value.slice(0, 100)) ? parseJson(value) : value;
}
