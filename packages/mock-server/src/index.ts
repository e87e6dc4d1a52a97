export type { AccountHandle } from "./account-handle.ts";
export type { AccountOptions } from "./accounts.ts";
export type { StoredEvent } from "./analytics.ts";
export type { PlainAnswer, PlainRequest, WireFault } from "./answers.ts";
export type { Clock } from "./clock.ts";
export type { DialectChoice } from "./dialect.ts";
export { resolveDialect } from "./dialect.ts";
export type {
  AssignablePage,
  AssignedDomain,
  Assignment,
  Domain,
  DomainNetwork,
  NearMiss,
  PageField,
  RejectedDomain,
  TermContribution,
} from "./domains.ts";
export { createDomainNetwork, defaultCatalogue, parseCatalogue } from "./domains.ts";
export type { Fault, FaultRule, Faults } from "./faults.ts";
export type { Fetch } from "./fetch.ts";
export type { RecordedRequest, RequestFilter, WaitOptions } from "./journal.ts";
export type { Plan, RateState, RateWindow } from "./limiter.ts";
export type { Seed, SeedAccount, SeedPage } from "./seed.ts";
export type { MockService, MockServiceOptions } from "./service.ts";
export { createMockService } from "./service.ts";
export type { LoadCounts, RememberedCreate, Snapshot, StateRecord } from "./snapshot.ts";
export type { LineSource } from "./state-loader.ts";
