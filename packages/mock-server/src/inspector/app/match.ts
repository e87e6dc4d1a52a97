import { Refusal } from "./api.ts";

/**
 * Parses a typed filter to a request matcher. A filter is words such as `status:500`, `endpoint:listPages`, `body.cta.label:Book`,
 * `headers.user-agent:curl`, or the matcher as JSON.
 *
 * @throws {Refusal} that lists the allowed fields.
 */
export function readMatch(filter: string): Record<string, unknown> {
  if (filter.trim() === "") return {};
  if (filter.trim().startsWith("{")) return readJson(filter);
  const match: Record<string, unknown> = {};
  for (const word of filter.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const [, name, text = ""] = /^([^:]+):(.*)$/.exec(word) ?? [];
    if (name === undefined)
      throw new Refusal(`${word}: expected a name and a value, such as status:500 or path:/api/content`);
    const isNumber = /^-?\d+$/.test(text) && (name === "status" || name.startsWith("body."));
    put(match, name.split("."), isNumber ? Number(text) : text.replaceAll('"', ""));
  }
  return match;
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>; // why: it begins as an object
  } catch (error) {
    throw new Refusal(`No JSON yet: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function put(target: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  const known = Object.hasOwn(target, name) ? target[name] : undefined;
  const inner = typeof known === "object" && known !== null ? { ...known } : {};
  target[name] = rest.length === 0 ? value : inner;
  if (rest.length > 0) put(inner, rest, value);
}
