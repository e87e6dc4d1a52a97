// Values in messages, the way a person would write them in a program.

/** Writes a value as in a program; patterns and asymmetric matchers by what they look for. */
export function showLiteral(value: unknown, around: readonly unknown[] = []): string {
  if (isPattern(value)) return String(value);
  if (isAsymmetric(value)) return showAsymmetric(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise: await it";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  if (around.includes(value)) return "…";
  const inside = [...around, value];
  if (Array.isArray(value)) return `[${value.map((item: unknown) => showLiteral(item, inside)).join(", ")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{ ${members.map(([name, member]) => `${showName(name)}: ${showLiteral(member, inside)}`).join(", ")} }`;
}

/** The end of a message about a value that is not what was expected. */
export function gotInstead(value: unknown): string {
  const shown = showLiteral(value);
  return `, got ${shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown}`;
}

const longestShown = 100;

function showName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Runners print some of theirs by methods, and others by what they were made with. */
function showAsymmetric(value: object): string {
  if ("toAsymmetricMatcher" in value && typeof value.toAsymmetricMatcher === "function")
    return String(value.toAsymmetricMatcher());
  const { name } = value.constructor ?? Object;
  return "sample" in value ? `${name} ${showLiteral(value.sample)}` : name;
}

/** Whether a value decides for itself what it equals, as `expect.any(String)` of vitest and jest does. */
export function isAsymmetric(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return (
    typeof value === "object" &&
    value !== null &&
    "asymmetricMatch" in value &&
    typeof value.asymmetricMatch === "function"
  );
}

/** Whether a value is a pattern, of whichever realm: jest gives each test file a `RegExp` of its own. */
export function isPattern(value: unknown): value is RegExp {
  // `node:util` can tell as well, and takes some 4 ms to import.
  return Object.prototype.toString.call(value) === "[object RegExp]";
}
