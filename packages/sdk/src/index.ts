export type {
  AnalyticsEvent,
  CreatePage,
  Cta,
  FieldProblem,
  HeaderLookup,
  ListFilters,
  ListQuery,
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
export type { ApiProblem, ErrorAnswer } from "./api-errors.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
} from "./api-errors.ts";
export type { Attempt, CallFailure } from "./call-errors.ts";
export { AbortedError, CallError, ConnectionError, ResponseValidationError, TimeoutError } from "./call-errors.ts";
export type { Problem } from "./errors.ts";
export { ConfigurationError, InvalidInputError, IterationError, LandingPagesError } from "./errors.ts";
export type { NewPage, PageChanges } from "./input.ts";
export type { IterateOptions, PageIterator } from "./many/paginate.ts";
export type {
  CallEvent,
  CallName,
  ClientEvent,
  DriftEvent,
  EndEvent,
  GateEvent,
  Logger,
  LogLevel,
  MismatchEvent,
  Operation,
  QueueEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./log.ts";
export type {
  CallOptions,
  ClientOptions,
  Fetch,
  FetchInit,
  HookState,
  RequestHooks,
  HeaderOptions,
  RetryOptions,
  WriteOptions,
} from "./options.ts";
export type { Pages, ReadPage } from "./pages.ts";
export type {
  EventCounts,
  EventQueue,
  EndOptions,
  EventQueueOptions,
  LossReason,
  Outage,
  PushedEvent,
  QueuedEvent,
} from "./queued-event.ts";
export type { CallResult, ResultPromise } from "./result.ts";
export type { AttemptFailure, RetryPlan, RetryPolicy, RetryQuestion } from "./retry.ts";
export { planRetry } from "./retry.ts";
export type { Sleep } from "./sleep.ts";
export type { TrackEvent } from "./track-event.ts";
