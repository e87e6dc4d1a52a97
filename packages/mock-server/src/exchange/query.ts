import type { FieldProblem } from "@landing-page-service/contract";

/** Splits a query; what is not percent-encoded UTF-8 and what comes twice is told, not guessed. */
export function readQuery(query: string): { values: Record<string, string>; wrong: FieldProblem[] } {
  const values = new Map<string, string>();
  const wrong: FieldProblem[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = decode(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      wrong.push({ pointer: name ?? part.slice(0, 100), detail: "expected percent-encoded UTF-8" });
    } else if (values.has(name)) {
      wrong.push({ pointer: name, detail: "expected once, got it again" });
    } else {
      values.set(name, value);
    }
  }
  // fromEntries makes own properties of all names, `__proto__` too.
  return { values: Object.fromEntries(values), wrong };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
