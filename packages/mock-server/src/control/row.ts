import * as z from "zod";
import type { AccountHandle } from "../service/account-handle.ts";
import type { MockService } from "../service/mock-service.ts";

/** A request to the control API, parsed. */
interface ControlCall<Query, Body> {
  readonly service: MockService;
  /** The `{id}` of the path, decoded; empty where the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal | undefined;
}

/** One operation of the control API: its route, its schemas and what it does. */
export interface ControlRow<Query = unknown, Body = unknown, Sent = unknown> {
  /** The `operationId` in the OpenAPI document. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/__mock/${string}`;
  readonly summary: string;
  /** Whether it responds even where the control API is off, and without the token, because it shows nobody's data. */
  readonly isAlwaysOpen?: true;
  /** Whether it responds with endless server-sent events: `run` returns their text piece by piece, and `answer` is the data of one. */
  readonly isStream?: true;
  /** Status of success; 204 has no body. */
  readonly status: 200 | 201 | 204;
  /** Parameters of the query. */
  readonly query: z.ZodType<Query>;
  readonly body?: z.ZodType<Body, Sent>;
  /** A valid body, shown in the document and in the refusal of another. */
  readonly example?: Sent;
  /** Body of the response; `undefined` where there is none. */
  readonly answer?: z.ZodType;
  /** Returns the response as a JSON value, or a refusal; query and body have been parsed. @throws whatever the service throws at misuse. */
  run(call: ControlCall<Query, Body>): unknown;
}

type Defaulted = "status" | "query";

/** Ties what an operation does to its schemas. The status is 200 by default, or 204 without an `answer`; the query takes nothing by default. */
export function row<Query = object, Body = undefined, Sent = Body>(
  parts: Omit<ControlRow<Query, Body, Sent>, Defaulted> & Partial<Pick<ControlRow<Query, Body, Sent>, Defaulted>>,
): ControlRow {
  return { status: parts.answer === undefined ? 204 : 200, query: z.strictObject({}), ...parts };
}

/** The account that a query names, or the whole service. */
export function holder(service: MockService, { key }: { readonly key?: string }): MockService | AccountHandle {
  return key === undefined ? service : service.account(key);
}

/** A page for examples. */
export const somePage = {
  title: "Tea in Kyoto",
  content: "An afternoon among tea gardens.",
  slug: "tea-in-kyoto",
  cta: { type: "button", label: "Book", url: "https://tea.example/book" },
};
