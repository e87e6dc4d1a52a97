// Reads identifiers at places of a response.
import { decodePercent } from "@landing-page-service/contract/internal";
import { listLeaves, mentions, type Path, valueAt } from "./json.ts";

/** The parts of a string that may be an identifier. */
const stringParts = {
  /** The whole string, unless it is a link. */
  whole: (text: string): string => (/^(?:\/|https?:)/.test(text) ? "" : text),
  /** The part after the last separator: `7` in `urn:page:7`, `pages#7` and the link `/pages/7/?draft=1`. */
  last: (text: string): string => {
    const [address = ""] = text.split("?");
    const [, written = ""] = /([^/:#|]*)\/?$/.exec(address) ?? [];
    return decodePercent(written) ?? written;
  },
};
const partNames = Object.keys(stringParts) as (keyof typeof stringParts)[]; // why: its own keys

/** The place of a page's identifier in the response to a create, or in an element of a list. */
export interface IdPlace {
  readonly path: Path;
  readonly part: keyof typeof stringParts;
}

/** The identifier at a place. */
export function readId(shown: unknown, place: IdPlace | undefined): string | undefined {
  if (place === undefined) return undefined;
  const value = valueAt(shown, place.path);
  if ((typeof value !== "string" && typeof value !== "number") || String(value).length > 1000) return undefined;
  const id = stringParts[place.part](String(value));
  return id.length < 200 && id.isWellFormed() && !["", ".", ".."].includes(id) ? id : undefined;
}

/** The places of a value where an identifier may be: whole strings before parts. */
export function listPlaces(shown: unknown): IdPlace[] {
  const leaves = listLeaves(shown).slice(0, 1000);
  return partNames.flatMap((part) => leaves.map(({ path }) => ({ path, part })));
}

/** The place of identifiers in the elements of a list: the first one that has all known identifiers. */
export function findIdPlace(elements: readonly unknown[], ids: readonly string[]): IdPlace | undefined {
  const own = elements.filter((element) => ids.some((id) => mentions(element, id)));
  // Inside an array of an element, it would be the identifier of something else.
  const places = own.flatMap((element) => listPlaces(element).filter(({ path }) => !isInArray(element, path)));
  return places.find((place) => ids.every((id) => own.some((element) => readId(element, place) === id)));
}

function isInArray(value: unknown, path: Path): boolean {
  return path.some((_, index) => Array.isArray(valueAt(value, path.slice(0, index))));
}
