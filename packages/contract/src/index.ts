/**
 * Endpoints, schemas, rate-limit headers, and the gaps of the spec.
 *
 * @module
 */
export { type Endpoint, type EndpointName, endpoints, statusTitles } from "./endpoints.ts";
export type { AnalyticsEvent, RecordedEvent } from "./event.ts";
export { eventSchema, eventTimestampSchema, formatTimestamp, isTimestamp } from "./event.ts";
export type { Gap, GapId, Interpretation, SwitchId, Switches } from "./gaps.ts";
export { gaps, referenceSwitches, switchIds } from "./gaps.ts";
export { findExcess, freezeDeep, isObject, isPlain, type JsonObject, parseJson } from "./json.ts";
export { nearest } from "./nearest.ts";
export type { CreatePage, Cta, Page, PageDomain, PageFields, PartialPage, UpdatePage } from "./page.ts";
export { createPageSchema, findPageProblems, pageSchema, updatePageSchema } from "./page.ts";
export { defaultListLimit, type ListFilters, type ListQuery, listQuerySchema, type PageList } from "./page.ts";
export { type FieldProblem, findFieldProblems, type Problem, problemMediaType, problemSchema } from "./problem.ts";
export type { HeaderLookup, RateLimit } from "./rate-limit.ts";
export { rateLimitHeaderNames, readHttpDate, readMoment, readRateLimit, writeRateLimit } from "./rate-limit.ts";
export { redact } from "./redact.ts";
export type { PageRecord, PageRecordList, ReferenceSchemas } from "./reference.ts";
export { maxBodyBytes, maxListLimit } from "./reference.ts";
export { pageRecordListSchema, pageRecordSchema, recordedEventSchema, referenceSchemas } from "./reference.ts";
export { type Statement, type StatementId, statements } from "./statements.ts";
