/**
 * The client, its options, results, errors and events.
 *
 * @module
 */
export type {
  AnalyticsEvent,
  CreatePage,
  Cta,
  FieldProblem,
  HeaderLookup,
  ListFilters,
  Page,
  PageDomain,
  PageFields,
  PageList,
  PartialPage,
  RateLimit,
  UpdatePage,
} from "@landing-page-service/contract";
export { readRateLimit } from "@landing-page-service/contract";
export type { Analytics } from "./analytics.ts";
export { LandingPages } from "./client.ts";
export type {
  CreatedPage,
  CreateManyOptions,
  CreateManyProgress,
  CreateManyResult,
  UncreatedPage,
} from "./many/create-many.ts";
export * from "./report/errors.ts";
export type { NewPage, PageChanges, PageListQuery, TrackEvent } from "./input.ts";
export type { IterateOptions, PageIterator } from "./many/paginate.ts";
export type * from "./many/queued-events.ts";
export type * from "./report/events.ts";
export type {
  CallOptions,
  ClientOptions,
  Fetch,
  FetchInit,
  HeaderOptions,
  RequestHooks,
  RetryOptions,
  RetryPolicy,
  Sleep,
  WriteOptions,
} from "./options.ts";
export type { Pages, ReadPage } from "./pages.ts";
export type { CallResult, ResultPromise } from "./call/call.ts";
export type { AttemptFailure, FailedResponse, RetryPlan, RetryQuestion } from "./call/retry.ts";
export { planRetry } from "./call/retry.ts";
