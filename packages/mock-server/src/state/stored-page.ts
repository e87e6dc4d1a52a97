/** A page as it is kept: its JSON text, written once per change and sent as it stands ever after. */
export interface StoredPage {
  readonly id: string;
  /** Rank of creation: pages are listed by it. */
  readonly sequence: number;
  slug: string;
  /** The record as JSON. */
  text: string;
  /** Length of the text in bytes of UTF-8. */
  bytes: number;
  /** Why it is on its domains, as JSON, as it was decided; `undefined` where nobody said. */
  assignment: string | undefined;
}
