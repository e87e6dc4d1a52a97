import * as z from "zod";
import type { AccountHandle } from "../service/account-handle.ts";
import type { MockService } from "../service/mock-service.ts";

/** A call of the control API, with what it was sent. */
interface ControlCall<Query, Body> {
  readonly service: MockService;
  /** What stands for `{id}` in the path, decoded; empty where there is none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal | undefined;
}

/** One thing the control API can do. */
export interface ControlRow {
  /** Name of it, the `operationId` of the document. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/__mock/${string}`;
  readonly summary: string;
  /** Whether it answers even where the control API is off, and without the token: it tells nothing of anybody's data. */
  readonly isAlwaysOpen: boolean;
  /** Whether it answers with server-sent events, without an end: `run` gives their text piece by piece, and `answer` is the data of one. */
  readonly isStream: boolean;
  /** Status of success; 204 has no body. */
  readonly status: 200 | 201 | 204;
  /** What it takes in its query: an object, members checked one by one. */
  readonly query: z.ZodType;
  readonly body: z.ZodType | undefined;
  /** A body that it takes: shown in the document, and to whoever sends another shape. */
  readonly example: unknown;
  /** What it answers; `undefined` where that is nothing. */
  readonly answer: z.ZodType | undefined;
  /** What to answer, as JSON, or a refusal; what it was sent has been checked. @throws whatever the service throws at misuse. */
  run(call: ControlCall<unknown, unknown>): unknown;
}

interface RowParts<Query, Body, Sent> {
  readonly name: string;
  readonly method: ControlRow["method"];
  readonly path: ControlRow["path"];
  readonly summary: string;
  readonly isAlwaysOpen?: true;
  readonly isStream?: true;
  readonly status?: 201;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body, Sent>;
  readonly example?: Sent;
  readonly answer?: z.ZodType;
  run(call: ControlCall<Query, Body>): unknown;
}

/** Ties what a row does to its schemas; a row without an answer answers 204. */
export function row<Query = object, Body = undefined, Sent = Body>(parts: RowParts<Query, Body, Sent>): ControlRow {
  const { answer } = parts;
  return {
    ...parts,
    isAlwaysOpen: parts.isAlwaysOpen ?? false,
    isStream: parts.isStream ?? false,
    status: answer === undefined ? 204 : (parts.status ?? 200),
    query: parts.query ?? z.strictObject({}),
    body: parts.body,
    example: parts.example,
    answer,
    // why: whoever runs a row has read query and body with the row's own schemas
    run: (call) => parts.run(call as ControlCall<Query, Body>),
  };
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
