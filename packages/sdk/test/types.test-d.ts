// The compiler checks this file; it never runs. It lists what must compile, and what must not.
import type { AfterResponseHook, BeforeErrorHook, BeforeRequestHook, InitHook } from "ky";
import {
  ApiError,
  type CallResult,
  type ClientEvent,
  ConnectionError,
  InvalidInputError,
  LandingPages,
  NotFoundError,
  type Page,
  type PageList,
  type PartialPage,
  type QueuedEvent,
  RateLimitError,
  TimeoutError,
} from "../src/index.ts";
import { readBy } from "../src/read/by-dialect.ts";

declare const client: LandingPages;
declare const caught: unknown;
declare const lost: QueuedEvent[];
declare const progress: { value: number };

const cta = { type: "button", label: "Buy", url: "https://shop.example" };
const page = { title: "T", content: "C", slug: "t", cta };

/** Code that must compile, in addition to the code of the other tests. */
export const right = [
  client.pages.create(page) satisfies Promise<Page>,
  client.pages.update("pg_1", { cta: { label: "Go" } }) satisfies Promise<PartialPage>,
  client.pages.list().withResponse() satisfies Promise<CallResult<PageList>>,
  client.pages.delete("pg_1") satisfies Promise<void>,
  client.analytics.track({ pageId: "pg_1", timestamp: new Date() }) satisfies Promise<void>,
  client.pages.iterate({ batchSize: 50, filters: { q: "shoes" } }) satisfies AsyncIterable<PartialPage>,
  client.pages.iterate().toArray({ limit: 100 }) satisfies Promise<PartialPage[]>,
  new LandingPages({ fetch: globalThis.fetch, logger: console }),
  new LandingPages({ onEvent: (event: ClientEvent) => event.type === "rate-limit" && event.untilMs }),
  ApiError.is(caught) && (caught.status satisfies number),
  client.analytics.queue({ onLost: (event) => lost.push(event) }),
  client.analytics.queue({ onLost: async (event) => void lost.push(event) }),
  client.pages.createMany([page], { onProgress: ({ done }) => (progress.value = done) }),
];

declare const ofKy: {
  init: InitHook[];
  beforeRequest: BeforeRequestHook[];
  beforeError: BeforeErrorHook[];
  afterResponse: AfterResponseHook[];
};
const { init, beforeRequest, beforeError, afterResponse } = ofKy;

/** Hooks that are typed with ky's own types. */
export const hooked = [
  new LandingPages({ hooks: { init, beforeRequest, beforeError, afterResponse } }),
  // @ts-expect-error the client itself tries again
  new LandingPages({ hooks: { beforeRetry: [] } }),
];

declare const strict: LandingPages<true>;
declare const listed: PartialPage;
declare const whole: Page;

/** A page is whole after a create, and in every response of a strict client. */
export const certain = [
  new LandingPages({ strict: true }) satisfies LandingPages<true>,
  client.withOptions({ strict: true }) satisfies LandingPages<true>,
  strict.withOptions({ timeoutMs: 1 }) satisfies LandingPages<true>,
  strict satisfies LandingPages,
  strict.pages.list() satisfies Promise<PageList<Page>>,
  strict.pages.update("pg_1", {}) satisfies Promise<Page>,
  strict.pages.iterate() satisfies AsyncIterable<Page>,
  whole satisfies PartialPage,
  whole.title satisfies string,
  whole.domains[0]?.url satisfies string | undefined,
  listed.id satisfies string,
  listed.domains satisfies { name: string }[],
  listed.title satisfies string | undefined,
];

interface Named {
  slug: string;
}
declare const named: Named;

/** Interfaces, which have no index signature. */
export const interfaces = [
  client.pages.list({ filters: named }, { headers: named }),
  client.pages.iterate({ filters: named }),
  client.analytics.track({ pageId: "pg_1", properties: named }),
];

/** Fields that a dialect adds. */
const read = readBy({ answers: { page: { id: "{id}", live: true, tags: ["new"] } } });
const { pages } = new LandingPages({ read });
export const added = [
  pages.create(page).then(({ live }) => live satisfies boolean | undefined),
  pages.list().then(({ data }) => data[0]?.tags satisfies unknown[] | undefined),
];

/** Fields and filters that the spec does not name. */
export const further = [
  whole.status satisfies unknown,
  listed.status satisfies unknown,
  client.pages.list({ filters: { status: "draft", author: 7 } }),
  client.pages.iterate({ filters: { status: "draft" } }),
  client.pages.create<{ status: string }>(page).then(({ status }) => status satisfies string),
  client.pages.list<{ status: string }>().then(({ data }) => data[0]?.status satisfies string | undefined),
  client.pages.update<{ version: number }>("pg_1", {}).then(({ version }) => version satisfies number),
];

/** Fields that a response may lack are optional. */
export const uncertain = [
  // @ts-expect-error a list may hold summaries
  listed.title satisfies string,
  // @ts-expect-error the response to an update may be empty
  client.pages.update("pg_1", {}) satisfies Promise<Page>,
  // @ts-expect-error the type of an unknown field is unknown
  whole.status satisfies string,
  // @ts-expect-error a service may name domains only
  whole.domains[0]?.url satisfies string,
];

/** What must not compile. */
export const wrong = [
  // @ts-expect-error title is missing
  client.pages.create({ content: "C", slug: "t", cta }),
  // @ts-expect-error a typo must not vanish
  client.pages.create({ ...page, metaDescription: "M" }),
  // @ts-expect-error cta.url is missing
  client.pages.create({ ...page, cta: { type: "button", label: "Buy" } }),
  // @ts-expect-error an update needs to know which page
  client.pages.update({ title: "New" }),
  // @ts-expect-error an event belongs to a page
  client.analytics.track({ timestamp: new Date() }),
  // @ts-expect-error a timestamp is a Date or a string
  client.analytics.track({ pageId: "pg_1", timestamp: 1_767_225_600_000 }),
  // @ts-expect-error filters are below filters
  client.pages.list({ slug: "t" }),
  // @ts-expect-error a misspelt option is no filter
  client.pages.iterate({ batchsize: 5 }),
  // @ts-expect-error all pages at once need a bound
  client.pages.iterate().toArray(),
  // @ts-expect-error a read has no idempotency key
  client.pages.list({}, { idempotencyKey: "key" }),
  // @ts-expect-error there is no such policy
  new LandingPages({ retry: { writes: "never" } }),
  // @ts-expect-error retry is an object or false
  new LandingPages({ retry: true }),
];

// @ts-expect-error the rate limit is read-only
client.rateLimit = undefined;

// Errors narrow one after the other, from the wide class to the narrow one and past those that it is not.
declare const error: unknown;
if (ApiError.is(error)) {
  if (NotFoundError.is(error)) error.name satisfies "NotFoundError";
  else if (RateLimitError.is(error)) error.retryAfterMs satisfies number | undefined;
  else error.status satisfies number;
} else if (ConnectionError.is(error)) error.code satisfies string;
else if (TimeoutError.is(error)) error.name satisfies "TimeoutError";
else if (InvalidInputError.is(error)) error.problem.errors satisfies readonly { pointer: string }[];
