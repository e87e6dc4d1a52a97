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
  /** Pages that domains with a capacity served when this one was placed; with `origin` all it takes to explain the placement again. */
  readonly loads: Readonly<Record<string, number>> | undefined;
  /** The record as it was when it was placed, kept once a change has touched it. */
  origin: string | undefined;
}
