/** A request and its answer, or why there was none. */
export interface Exchange {
  /** What was sent. */
  readonly request: {
    /** HTTP method. */
    readonly method: string;
    /** Scheme and host that were called. */
    readonly origin: string;
    /** Path and query. */
    readonly path: string;
    /** Headers, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body; absent when there is none. */
    readonly body?: string;
  };
  /** What came back; `undefined` when nothing did. */
  readonly answer:
    | {
        /** HTTP status. */
        readonly status: number;
        /** Headers, by lower-case name. */
        readonly headers: Readonly<Record<string, string>>;
        /** Body, `""` when there is none; of a long one what tells of the check's own pages, and the beginning of the rest. */
        readonly body: string;
        /** Characters of the body as it came; absent when it is whole. */
        readonly abridgedFrom?: number;
      }
    | undefined;
  /** Why nothing came back; absent when something did. */
  readonly failure?: string;
}

/** Whether the service answered with success. */
export function hasSucceeded(exchange: Exchange | undefined): boolean {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}
