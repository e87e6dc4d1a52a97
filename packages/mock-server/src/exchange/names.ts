import { nearest } from "@landing-page-service/contract";
import { gotInstead } from "./literal.ts";

/**
 * Refuses a member that nobody reads, so that a slip of the pen does not pass for the default. `where` begins the message.
 *
 * @throws {TypeError} that names the member it was most likely meant to be.
 */
export function checkNames(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new TypeError(`${where}: expected an object${gotInstead(given)}`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `${where}: unknown option ${JSON.stringify(unknown)}${suggest(unknown, known) || `; expected ${known.join(", ")}`}`,
    );
}

/** The end of a message about a wrong name: the one most likely meant; empty when none is near. */
function suggest(wrong: unknown, known: readonly string[]): string {
  const meant = typeof wrong === "string" ? nearest(wrong, known) : undefined;
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}
