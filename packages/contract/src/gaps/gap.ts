/** One question that the spec leaves open, and how the toolkit lives with every answer to it. */
export interface Gap {
  /** Heading of the spec under which the question is left open. */
  readonly heading: string;
  /** The question. */
  readonly question: string;
  /** Every reading by name; the first is what our reference service decides unless told otherwise. No name is a bare number, which would jump the order. */
  readonly readings: Readonly<Record<string, string>>;
  /** What users of the SDK should know of it, where there is anything: it works with every reading. */
  readonly sdk?: string;
}
