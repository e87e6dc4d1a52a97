/**
 * The mock service in process, and the assignment of pages to domains.
 *
 * @module
 */

// Types of the contract that the mock's own types use, so that a library can export values of the mock.
export type {
  AnalyticsEvent,
  CreatePage,
  Cta,
  EndpointName,
  HeaderLookup,
  PageDomain,
  PageFields,
  PageRecord,
} from "@landing-page-service/contract";
export type { AccountDomains, AccountHandle, ClientOptions } from "./service/account-handle.ts";
export type { AccountOptions } from "./state/accounts.ts";
export type { RememberedRequest, StoredEvent } from "./state/account-state.ts";

export type { PlainAnswer, PlainRequest, WireFault } from "./http-types.ts";
export type { Clock } from "./testing/clock.ts";
export type { Dialect, DialectChoice, DialectFile, DialectModule } from "@landing-page-service/contract/dialect";
export { resolveDialect } from "@landing-page-service/contract/dialect";
export type {
  AssignablePage,
  AssignedDomain,
  Assignment,
  Domain,
  DomainNetwork,
  NearMiss,
  PageMatch,
  AssignmentRule,
  PageField,
  RejectedDomain,
  TermContribution,
} from "./domains/network.ts";
export { createDomainNetwork, defaultCatalogue, parseCatalogue } from "./domains/network.ts";
export type { Fault, FaultRule, Faults } from "./testing/faults.ts";
export type { Fetch } from "./service/fetch.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { RecordedAnswer, RecordedMessage, RecordedRequest, RequestFilter } from "./testing/journal.ts";
export type { WaitForRequest, WaitOptions } from "./testing/waits.ts";
export type { Plan, RateState, RateWindow } from "./state/plan.ts";
export type { AccountSummary, MockServiceOptions } from "./service/context.ts";
export type { MockService } from "./service/mock-service.ts";
export { createMockService } from "./service/mock-service.ts";
export type { LineSource } from "./service/state-transfer.ts";
export type { AccountRecord, LoadCounts, SeedPage, StateHeader, StateRecord } from "./state/records.ts";
