// Entry point: reads responses by a dialect. A client that does not use it does not load it.
export { readBy } from "./read/by-dialect.ts";
export type { DialectFields } from "./read/dialect-fields.ts";
export type { HttpResponse, ReadListResult, ReadPageResult, ResponseReader } from "./read/responses.ts";
