/** One question that the spec leaves open, and the interpretations that the toolkit supports. */
export interface Gap {
  /** Heading of the spec under which the question is left open. */
  readonly heading: string;
  /** The question. */
  readonly question: string;
  /** Interpretations by name. The mock uses the first one by default. No name is a bare number, because JavaScript would sort it first. */
  readonly readings: Readonly<Record<string, string>>;
  /** What the SDK does, if a user should know. It works with every interpretation. */
  readonly sdk?: string;
}
