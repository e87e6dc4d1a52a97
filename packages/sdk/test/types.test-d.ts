// Checked by the compiler, never run: what must compile, and what must not.
import { ApiError, type CallResult, type ClientEvent, LandingPages, type Page, type PageList } from "../src/index.ts";

declare const client: LandingPages;
declare const caught: unknown;
declare function expectType<Type>(value: Type): void;

const cta = { type: "button", label: "Buy", url: "https://shop.example" };
const page = { title: "T", content: "C", slug: "t", cta };

expectType<Promise<Page>>(client.pages.create(page));
expectType<Promise<Page>>(client.pages.create({ ...page, meta_description: "M", cta: { ...cta, type: "link" } }));
expectType<Promise<Page>>(client.pages.update("pg_1", { title: "New" }));
expectType<Promise<Page>>(client.pages.update("pg_1", { cta: { label: "Go" } }));
expectType<Promise<PageList>>(client.pages.list({ limit: 5, offset: 10, slug: "t" }));
expectType<Promise<CallResult<PageList>>>(client.pages.list().withResponse());
expectType<Promise<void>>(client.pages.delete("pg_1"));
expectType<Promise<void>>(client.analytics.track({ pageId: "pg_1", timestamp: new Date() }));
expectType<AsyncIterable<Page>>(client.pages.iterate({ pageSize: 50, q: "shoes" }));
expectType<Promise<Page[]>>(client.pages.iterate().toArray({ limit: 100 }));

new LandingPages();
new LandingPages({
  apiKey: async () => "key",
  baseUrl: "https://service.example",
  fetch: globalThis.fetch,
  logger: console,
});
new LandingPages({ retry: { post: "safe" }, onEvent: (event: ClientEvent) => event.type === "gate" && event.untilMs });

if (ApiError.is(caught)) expectType<number>(caught.status);

// @ts-expect-error title is missing
void client.pages.create({ content: "C", slug: "t", cta });
// @ts-expect-error a typo must not vanish
void client.pages.create({ ...page, metaDescription: "M" });
// @ts-expect-error the service chooses the domain
void client.pages.create({ ...page, domain: "shop.example" });
// @ts-expect-error cta.url is missing
void client.pages.create({ ...page, cta: { type: "button", label: "Buy" } });
// @ts-expect-error a title is a text
void client.pages.update("pg_1", { title: 5 });
// @ts-expect-error ids are texts
void client.pages.delete(5);
// @ts-expect-error an update needs to know which page
void client.pages.update({ title: "New" });
// @ts-expect-error a limit is a number
void client.pages.list({ limit: "5" });
// @ts-expect-error an event belongs to a page
void client.analytics.track({ timestamp: new Date() });
// @ts-expect-error a moment is a Date or a text
void client.analytics.track({ pageId: "pg_1", timestamp: 1_767_225_600_000 });
// @ts-expect-error all pages at once need a bound
void client.pages.iterate().toArray();
// @ts-expect-error a read has no idempotency key
void client.pages.list({}, { idempotencyKey: "key" });
// @ts-expect-error there is no such policy
void new LandingPages({ retry: { post: "never" } });
// @ts-expect-error retry is an object or false
void new LandingPages({ retry: true });
// @ts-expect-error a read answer cannot be changed by accident
client.rateLimit = undefined;
