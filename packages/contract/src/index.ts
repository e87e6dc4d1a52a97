export type { Endpoint, EndpointName } from "./endpoints.ts";
export { endpoints, errorTitles, statusTitles } from "./endpoints.ts";
export type { AnalyticsEvent, RecordedEvent } from "./event.ts";
export { formatTimestamp, isTimestamp } from "./event.ts";
export { freezeDeep, isPlain } from "./freeze.ts";
export type { Gap, GapId, Reading, SwitchId, Switches } from "./gaps.ts";
export { gaps, referenceSwitches, switchIds } from "./gaps.ts";
export type { JsonObject } from "./json.ts";
export { isObject, parseJson } from "./json.ts";
export type { ListFilters, ListQuery, PageList } from "./list.ts";
export { defaultListLimit } from "./list.ts";
export { nearest } from "./nearest.ts";
export type { CreatePage, Cta, Page, PageDomain, PageFields, PartialPage, UpdatePage } from "./page.ts";
export { findPageProblems } from "./page.ts";
export type { FieldProblem, Problem } from "./problem.ts";
export { findFieldProblems, parseValue, problemMediaType, problemSchema } from "./problem.ts";
export type { HeaderLookup, RateLimit } from "./rate-limit.ts";
export {
  rateLimitHeaderNames,
  readHttpDate,
  readMoment,
  readRateLimit,
  readRepeated,
  readServiceNow,
  writeRateLimit,
} from "./rate-limit.ts";
export { redact } from "./redact.ts";
export { findExcess } from "./excess.ts";
export type { PageRecord, PageRecordList, ReferenceSchemas } from "./reference.ts";
export {
  maxBodyBytes,
  maxListLimit,
  pageRecordListSchema,
  pageRecordSchema,
  recordedEventSchema,
  referenceSchemas,
} from "./reference.ts";
export {
  createPageSchema,
  eventSchema,
  eventTimestampSchema,
  listQuerySchema,
  pageSchema,
  updatePageSchema,
} from "./schemas.ts";
export type { Statement, StatementId } from "./statements.ts";
export { statements } from "./statements.ts";
