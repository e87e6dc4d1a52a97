// The requests of a check, in their order.
import { defaultListLimit, formatTimestamp } from "@landing-page-service/contract";
import { inferList } from "@landing-page-service/contract/internal";
import {
  type Call,
  CheckClient,
  CheckError,
  type Exchange,
  hasSucceeded,
  jsonOf,
  nothingToCheck,
  type Settings,
} from "./client.ts";
import { listLeaves, type Path } from "./json.ts";
import { findList, listAt, type Listing, longestLength } from "./lists.ts";
import { type SentPage, writePages } from "./sent-pages.ts";
import type { IdPlace } from "./id-places.ts";
import { findIds, pathOf, readCreatedId } from "./pages.ts";

type Endpoint = "list" | "create" | "update" | "delete" | "event";

/** Names of the probes. */
export type ProbeName =
  | `list${"" | "Default" | "One" | "Next" | "Past" | "Huge" | "Filtered"}`
  | ("create" | "shortest" | "described" | "repeat" | "twin" | "unknownPath" | "wrongMethod")
  | `update${"Title" | "Rest" | "Cta" | "Nothing" | "UnknownField" | "CtaType" | "SlugFormat" | "TooLong"}`
  | `update${"PlainText" | "Description" | "Deleted"}`
  | ("delete" | "deleteDeleted" | "event" | "eventOther" | "eventUnknown")
  | `${"malformed" | "invalid"}-${Endpoint}`
  | `without-${"title" | "content" | "slug" | "cta"}`
  | `other${"List" | "Update"}`
  | `${"anonymous" | "wrongKey"}-${Endpoint}`;

/** The pages of a check: one with all fields, one with the same fields, and one without a description. */
export type PageName = "full" | "twin" | "shortest";

/** The page or event of a request, its wrong field, and the listing to read if it succeeds. */
export interface About {
  readonly page?: PageName;
  /** The fields that the service stores if the request succeeds; `null` if the page is unknown afterwards. */
  readonly fields?: Partial<SentPage> | null;
  readonly event?: { readonly id: string; readonly pageId: string; readonly timestamp: string };
  /** The wrong field. */
  readonly wrong?: string;
  readonly listing?: keyof Session["listings"];
}

/** A request of a check. */
interface Probe extends Call {
  readonly about?: About;
}

/** A running check and its observations. */
export class Session extends CheckClient {
  /** A string in every field of this check's pages, which no other page has. */
  readonly mark: string;
  readonly sent: ReturnType<typeof writePages>;
  /** The exchanges of the probes so far. */
  readonly probes: Partial<Record<ProbeName, Exchange>> = {};
  /** The page, event or wrong field of each exchange. */
  readonly about = new Map<Exchange, About>();
  /** All pages after the creates, after each update, and after the delete. */
  readonly listings: { [After in "made" | "titled" | "rewritten" | "partial" | "deleted"]?: Listing } = {};
  readonly ids: { [Page in PageName]?: string | undefined } = {};
  /** The strings in lists before the first create. They may identify pages of others. */
  foreign: readonly string[] = [];
  /** Candidate values that do not identify the first page. */
  readonly tried: string[] = [];
  /** Whether the account had no pages at the start, as far as the check can read its list. */
  isEmpty = true;
  /** The place of the identifier in the response to a create. */
  idPlace: IdPlace | undefined;
  /** The path of the array or object with the pages of a list; `undefined` while the check knows none. */
  listPath: Path | undefined;
  /** The place of the identifier in an element of a list; known if the path is. */
  listIdPlace: IdPlace | undefined;

  constructor(settings: Settings) {
    super(settings);
    this.mark = settings.prefix.slice(settings.prefix.lastIndexOf("-") + 1);
    this.sent = writePages(settings.prefix, this.mark);
  }

  /**
   * Sends about 60 requests, which create two to four pages and two or three events.
   *
   * @throws {CheckError} when its pages cannot be listed, or the account has pages and `yes` is not set.
   */
  async run(): Promise<void> {
    for (const [phase, step] of steps) {
      this.phase = phase;
      if (typeof step === "function") await step(this);
      else for (const [name, write] of Object.entries(step)) await this.probe(name as ProbeName, write(this)); // why: its own keys
    }
  }

  override async send({ about, ...call }: Probe): Promise<Exchange> {
    const exchange = await super.send(call);
    if (about !== undefined) this.about.set(exchange, about);
    if (about?.listing !== undefined && hasSucceeded(exchange)) this.listings[about.listing] = await this.list();
    return exchange;
  }

  /** Sends a probe and stores its exchange. Does nothing if the probe is `undefined`. */
  async probe(name: ProbeName, probe: Probe | undefined): Promise<Exchange | undefined> {
    return probe && (this.probes[name] = await this.send(probe));
  }

  /** Lists all pages, 20 at a time as the spec documents. Stops after ten requests. */
  async list(): Promise<Listing> {
    const exchanges: Exchange[] = [];
    for (let offset = 0; exchanges.length < maxListRequests; offset += defaultListLimit) {
      const next = await this.send(list(`?limit=${defaultListLimit}&offset=${offset}`));
      // A service that repeats a response ignores `offset`.
      if (exchanges.length > 0 && next.answer?.body === exchanges.at(-1)?.answer?.body) break;
      exchanges.push(next);
      if (this.#countPages(next) < defaultListLimit) break;
    }
    return this.#read(exchanges);
  }

  /** Reads the pages of a list, if the check knows their place. */
  #read(exchanges: readonly Exchange[]): Listing {
    const elements = exchanges.flatMap((exchange) => listAt(jsonOf(exchange), this.listPath));
    const last = exchanges.at(-1);
    // A 404 after some pages ends the list.
    const isEnd = hasSucceeded(last)
      ? jsonOf(last) !== undefined
      : exchanges.length > 1 && last?.answer?.status === 404;
    return { elements, exchanges, isWhole: isEnd && this.#countPages(last) < defaultListLimit };
  }

  /** The number of pages in the response to a list. While the check does not know their place, the most that it may be. */
  #countPages(exchange: Exchange | undefined): number {
    const json = hasSucceeded(exchange) ? jsonOf(exchange) : undefined;
    return this.listPath ? listAt(json, this.listPath).length : longestLength(json);
  }

  /** Finds the identifiers of the pages by trial, and then the list. */
  async identify(): Promise<void> {
    const { probes, listings } = this;
    const made = await this.list();
    listings.made = made;
    const titled = await findIds(this, made);
    if (titled === undefined) return;
    const list = findList(this);
    this.listIdPlace = list?.idPlace;
    this.listPath = list?.path;
    listings.made = this.#read(made.exchanges);
    listings.titled = this.#read(titled.exchanges);
    // Now that the list is found, the first response shows whether it had pages.
    if (list !== undefined) this.isEmpty = listAt(jsonOf(probes.list), list.path).length === 0;
  }
}

const maxListRequests = 10;

type Write = (session: Session) => Probe | undefined;

const list = (query = ""): Probe => ({ method: "GET", path: `/api/content${query}` });
const create = (body: unknown, about: About = {}, headers = {}): Probe => {
  return { method: "POST", path: "/api/content", body, about, headers };
};
const put = (id: string, body: unknown, about: About = {}): Probe => ({ method: "PUT", path: pathOf(id), body, about });
const remove = (id: string, about: About = {}): Probe => ({ method: "DELETE", path: pathOf(id), about });
const event = (body: unknown, about: About = {}): Probe => {
  return { method: "POST", path: "/api/analytics/view", body, about };
};

/** A request about one of the pages; nothing if the identifier of the page is unknown. */
const onPage =
  (page: PageName, write: (id: string, session: Session) => Probe): Write =>
  (session) => {
    const id = session.ids[page];
    return id === undefined ? undefined : write(id, session);
  };

/** An update of the full page, which is unknown afterwards unless `about` has the fields that it stores. */
const update = (write: (session: Session) => unknown, about: About = {}): Write =>
  onPage("full", (id, session) => put(id, write(session), { page: "full", fields: null, ...about }));

/** An event of a page. */
const view = (page: PageName, wrong?: string): Write =>
  onPage(page, (pageId, { settings }) => {
    const body = { pageId, timestamp: timestampOf(settings) };
    return event(body, wrong === undefined ? { page, event: { id: crypto.randomUUID(), ...body } } : { wrong });
  });

function timestampOf({ now }: Settings): string {
  return formatTimestamp(new Date(now()));
}

/** A create of the full page with one wrong field. */
const invalid =
  (wrong: "title" | "content" | "slug" | "cta", value?: unknown): Write =>
  ({ sent, settings }) =>
    create(
      { ...sent.full, slug: `${settings.prefix}-no-${wrong}${value === undefined ? "" : "thing"}`, [wrong]: value },
      { wrong },
    );

/** The steps of a check, in order. The probes of a table are sent one after the other. */
const steps: readonly (readonly [
  phase: string,
  step: { readonly [Name in ProbeName]?: Write } | ((session: Session) => Promise<void>),
])[] = [
  ["listing pages", look],
  ["creating pages", createPages],
  [
    "listing",
    {
      listPast: () => list("?limit=20&offset=1000"),
      listHuge: () => list("?limit=100000"),
      listFiltered: ({ sent }) => list(`?slug=${sent.full.slug}`),
    },
  ],
  ["sending events", { event: view("full"), eventOther: view("shortest") }],
  [
    "updating",
    {
      updateRest: onPage("full", (id, { sent: { full, rest } }) => {
        // Another slug would change an identifier that contains the slug.
        const fields = id.includes(full.slug) ? { ...rest, slug: full.slug } : rest;
        return put(id, fields, { page: "full", fields, listing: "rewritten" });
      }),
      updateCta: update(() => ({ cta: { label: "Partial" } }), { listing: "partial" }),
      updateNothing: update(() => ({})),
      updateUnknownField: update(({ sent }) => ({ title: sent.title, landing_page_check: true })),
      updateCtaType: update(({ sent }) => ({ cta: { ...sent.rest.cta, type: "link" } })),
      updateTooLong: update(() => ({ title: "x".repeat(301) }), { wrong: "title" }),
      updateDescription: update(() => ({ meta_description: 5 }), { wrong: "meta_description" }),
      updatePlainText: (session) => {
        const plain = update(({ sent }) => JSON.stringify({ title: sent.title }))(session);
        return plain && { ...plain, headers: { "content-type": "text/plain" } };
      },
    },
  ],
  [
    "sending invalid requests",
    {
      "malformed-create": ({ settings }) => create(`{"slug":"${settings.prefix}-malformed",`),
      "invalid-create": invalid("title", 5),
      "without-title": invalid("title"),
      "without-content": invalid("content"),
      "without-slug": invalid("slug"),
      "without-cta": invalid("cta"),
      "invalid-list": () => ({ ...list("?limit=abc"), about: { wrong: "limit" } }),
      "malformed-event": () => event('{"pageId":'),
      "invalid-event": ({ ids, settings }) =>
        event({ pageId: ids.full ?? settings.prefix, timestamp: "yesterday" }, { wrong: "timestamp" }),
      unknownPath: () => ({ method: "GET", path: "/api/landing-page-check" }),
      wrongMethod: () => ({ method: "PATCH", path: "/api/content", body: {} }),
      "malformed-update": update(() => '{"title":'),
      "invalid-update": update(() => ({ title: 5 }), { wrong: "title" }),
      updateSlugFormat: update(() => ({ slug: "Not A Slug" }), { wrong: "slug" }),
    },
  ],
  ["using the other key", useOtherKey],
  [
    "deleting",
    {
      delete: onPage("shortest", (id) => remove(id, { page: "shortest", fields: null, listing: "deleted" })),
      updateDeleted: onPage("shortest", (id, { sent }) => put(id, { title: sent.title })),
      deleteDeleted: onPage("shortest", (id) => remove(id)),
      eventUnknown: (session) =>
        hasSucceeded(session.probes.delete) ? view("shortest", "pageId")(session) : undefined,
    },
  ],
  ["sending without a valid key", sendWithoutKey],
];

async function look(session: Session): Promise<void> {
  const first = await session.probe("list", list());
  if (first?.answer === undefined) throw new CheckError(`The service does not respond: ${first?.failure}`);
  // A 404 may mean that the account is empty. The create decides.
  if (!hasSucceeded(first) && first.answer.status !== 404) throw nothingToCheck(first.answer.status);
  const { status, headers } = first.answer;
  const response = { status, headers: new Headers(headers), body: jsonOf(first) };
  const found = inferList(response, { apiHost: new URL(first.request.origin).host });
  session.isEmpty = !hasSucceeded(first) || (found.kind === "list" && found.pages.length === 0);
  if (found.kind === "list" && !session.isEmpty && !session.settings.yes)
    throw new CheckError(
      "The account already has pages. A check deletes only the pages that it creates, but an account without pages is safer. Pass `yes` (`--yes`) to check this one anyway.",
    );
  if (session.isEmpty) return;
  const { exchanges } = await session.list();
  session.foreign = exchanges.flatMap((exchange) => listLeaves(jsonOf(exchange)).map(({ text }) => text));
}

/**
 * Creates two pages and finds their identifiers. Creates further pages only if it found the identifiers, because it could not delete the
 * pages otherwise.
 */
async function createPages(session: Session): Promise<void> {
  const { probes, settings, ids, sent } = session;
  const keyed = { "idempotency-key": settings.prefix };
  const made = await session.probe("create", create(sent.full, { page: "full", fields: sent.full }, keyed));
  if (probes.list?.answer?.status === 404 && !hasSucceeded(made)) throw nothingToCheck(404);
  const shortest = await session.probe("shortest", create(sent.shortest, { page: "shortest", fields: sent.shortest }));
  if (!hasSucceeded(made) && made?.answer !== undefined) return;
  const other = hasSucceeded(shortest) ? sent.shortest : sent.described;
  if (other === sent.described) await session.probe("described", create(other, { page: "shortest", fields: other }));
  await session.probe("listOne", list("?limit=1"));
  await session.probe("listNext", list("?limit=1&offset=1"));
  await session.identify();
  if (ids.full === undefined) return;
  await session.probe("repeat", create(sent.full, {}, keyed));
  await session.probe("twin", create(sent.full, { page: "twin", fields: sent.full, wrong: "slug" }));
  ids.twin = readCreatedId(probes.twin, session.idPlace);
  if (!settings.thorough) return;
  for (let count = 3; count <= defaultListLimit + 1; count += 1)
    await session.send(create({ ...other, slug: `${settings.prefix}-${count}` }));
  await session.probe("listDefault", list());
}

async function useOtherKey(session: Session): Promise<void> {
  const { settings, ids, sent } = session;
  if (settings.otherApiKey === undefined || ids.full === undefined) return;
  await session.probe("otherList", { ...list(), caller: "other" });
  await session.probe("otherUpdate", { ...put(ids.full, { title: sent.title }), caller: "other" });
}

/** Sends requests with a wrong key and without a key. Last, because a service that accepts them deletes the page. */
async function sendWithoutKey(session: Session): Promise<void> {
  const { settings, ids, probes, sent } = session;
  const id = ids.full ?? settings.prefix;
  for (const caller of ["wrongKey", "anonymous"] as const) {
    const send = (name: Endpoint, probe: Probe) => session.probe(`${caller}-${name}`, { ...probe, caller });
    await send("list", list());
    await send("create", create({ ...sent.full, slug: `${settings.prefix}-${caller.toLowerCase()}` }));
    await send("event", event({ pageId: id, timestamp: timestampOf(settings) }));
    // If a wrong key deleted the page, a 404 would show nothing about keys.
    if (hasSucceeded(probes["wrongKey-delete"])) continue;
    await send("update", put(id, { title: sent.title }));
    await send("delete", remove(id));
  }
}
