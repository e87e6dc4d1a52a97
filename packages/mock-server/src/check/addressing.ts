// What stands in the path of a page: its identifier, as answers tell it or a part of it.

/** How the pages of a service are addressed. */
export interface Addressing {
  /** Whether the answer to a create tells the identifier; the listing does where not. */
  readonly isTold: boolean;
  /** What an identifier is in a path. */
  readonly spell: (id: string) => string;
}

/** As the spec has it: by the identifier that answers tell. */
export const asTold: Addressing = { isTold: true, spell: (id) => id };

/** What stands last in an identifier such as `projects/x/pages/7`; the whole one where that is nothing that a path can end in. */
export function lastSegment(id: string): string {
  const [last = ""] = /[^/:#|]*$/.exec(id) ?? [];
  return ["", ".", ".."].includes(last) ? id : last;
}
