import table from "./statements.json" with { type: "json" };
import { freezeDeep } from "./json.ts";

/** One statement of the spec that a caller can check. */
export interface Statement {
  /** Heading of the spec that contains it. */
  readonly heading: string;
  /** The statement. */
  readonly statement: string;
}

/** The documented behaviour of the service, by id, in the order of the spec. `gaps` has everything that the spec leaves open. */
export const statements = freezeDeep(table satisfies Record<string, Statement>);

/** Id of a documented statement, such as `list-offset`. */
export type StatementId = keyof typeof statements;
