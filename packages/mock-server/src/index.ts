// Types of the contract that the mock's own types are made of: whoever exports what the mock gives can name them.
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
export type { AccountOptions, StoredEvent } from "./state/accounts.ts";

export type { PlainAnswer, PlainRequest, WireFault } from "./exchange/plain.ts";
export type { Clock } from "./testing/clock.ts";
export type { Dialect, DialectChoice, DialectFile } from "@landing-page-service/contract/dialect";
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
export type { FaultRule } from "./testing/fault-rule.ts";
export type { Fault, Faults } from "./testing/faults.ts";
export type { Fetch } from "./service/fetch.ts";
export type { RequestMatch } from "./testing/match.ts";
export type { RequestFilter } from "./testing/journal.ts";
export type { RecordedAnswer, RecordedRequest } from "./testing/recorded.ts";
export type { WaitForRequest, WaitOptions } from "./testing/waits.ts";
export type { Plan, RateState, RateWindow } from "./state/limiter.ts";
export type { AccountSummary, MockServiceOptions } from "./service/options.ts";
export type { MockService } from "./service/mock-service.ts";
export { createMockService } from "./service/service.ts";
export type { LineSource } from "./service/state-transfer.ts";
export type {
  AccountEntry,
  CreateEntry,
  EventEntry,
  LoadCounts,
  PageEntry,
  RememberedAnswer,
  SeedPage,
  StateHeader,
  StateRecord,
  TrackEntry,
} from "./state/snapshot.ts";
