// The requests of a check, in their order, and what was observed.
import { defaultListLimit, formatTimestamp } from "@landing-page-service/contract";
import { inferList } from "@landing-page-service/contract/internal";
import { type Call, type CheckClient, CheckError, type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { listLeaves, type Path, valueAt } from "./json.ts";
import { findIds } from "./identify.ts";
import {
  type Element,
  findIdPlace,
  type IdPlace,
  type Listing,
  pathOf,
  readCreatedId,
  readElementId,
  readListing,
} from "./pages.ts";
import { type SentPage, type SentPages, writePages } from "./sent.ts";

/** What the probes need beside the client that sends them. */
export interface ProbeOptions {
  /** Slug that every page of this check begins with. */
  readonly prefix: string;
  readonly now: () => number;
  /** Whether to go on when the account already holds pages. */
  readonly yes: boolean;
  /** Whether to make enough pages to see the default limit at work. */
  readonly thorough: boolean;
  readonly hasOtherKey: boolean;
  readonly onPhase: (phase: string) => void;
}

/** Names of the probes. */
export type ProbeName =
  | `list${"" | "Default" | "One" | "Next" | "Past" | "Huge" | "Filtered"}`
  | ("create" | "repeat" | "twin" | "shortest" | "unknownPath" | "wrongMethod")
  | `update${"Title" | "Rest" | "Cta" | "Nothing" | "UnknownField" | "CtaType" | "SlugFormat" | "TooLong"}`
  | `update${"PlainText" | "Description" | "Deleted" | "Other"}`
  | ("delete" | "deleteDeleted" | "event" | "eventOther" | "eventUnknown")
  | `malformed-${"create" | "update" | "event"}`
  | `invalid-${"list" | "create" | "update" | "event"}`
  | `without-${"title" | "content" | "slug" | "cta"}`
  | `other${"List" | "Update"}`
  | `${"anonymous" | "wrongKey"}-${"list" | "create" | "update" | "delete" | "event"}`;

/** Everything that one check observes: statements, gaps and templates follow from it. */
export interface Observations {
  readonly sent: SentPages;
  /** The exchange of each probe that was sent. */
  readonly probes: Partial<Record<ProbeName, Exchange>>;
  /** The pages of the check: after they were made, after each of the updates that count, after the delete. */
  readonly listings: { made?: Listing; titled?: Listing; rewritten?: Listing; partial?: Listing; deleted?: Listing };
  /** Identifiers: of the full page, of one with the same fields, of the one without a description, of the full one under another slug. */
  readonly ids: { [Page in "full" | "twin" | "shortest" | "moved" | "repeat"]?: string | undefined };
  /** Values that might have addressed the first page, and did not. */
  readonly tried: string[];
  /** Whether the account had no pages before, as far as its list could be read. */
  isEmpty: boolean;
  idPlace: IdPlace | undefined;
  listIdPlace: IdPlace | undefined;
  /** The way to what holds the pages of a list. */
  listPath: Path | undefined;
  /** Ways to a number in a list that has grown by the pages that were made. */
  totals: readonly Path[];
}

/** How many pages match in all, as the answer to a list tells. */
export function readTotal({ totals: [path] }: Pick<Observations, "totals">, json: unknown): number | undefined {
  const value = path && valueAt(json, path);
  return value === undefined || value === null ? undefined : Number(value);
}

/** Sends the probes and keeps what came of them. */
export class Prober {
  readonly seen: Observations;
  readonly client: CheckClient;
  readonly options: ProbeOptions;

  constructor(client: CheckClient, options: ProbeOptions) {
    this.client = client;
    this.options = options;
    this.seen = {
      sent: writePages(options.prefix),
      probes: {},
      listings: {},
      ids: {},
      tried: [],
      isEmpty: true,
      idPlace: undefined,
      listIdPlace: undefined,
      listPath: undefined,
      totals: [],
    };
  }

  /**
   * Sends some 60 requests, which make two to four pages and two or three events.
   *
   * @throws {CheckError} when the account cannot be listed, or holds pages and `yes` is not given.
   */
  async run(): Promise<Observations> {
    for (const [phase, send] of phases) {
      this.options.onPhase(phase);
      if (typeof send === "function") await send(this);
      else for (const row of send) await this.probe(row);
    }
    return this.seen;
  }

  /** Sends one probe of a table, and lists the pages after it where the table wants that. */
  async probe([name, write, after]: Row): Promise<Exchange | undefined> {
    const call = write(this);
    if (call === undefined) return undefined;
    const exchange = (this.seen.probes[name] = await this.client.send(call));
    if (after !== undefined && hasSucceeded(exchange)) this.seen.listings[after] = await this.list();
    return exchange;
  }

  /** Lists until the pages of the check are seen. */
  async list(): Promise<Listing> {
    const { seen } = this;
    const listing = await readListing(this.client, knownPages(seen), (json) => readTotal(seen, json));
    const ids = [seen.ids.full, seen.ids.shortest].filter((id) => id !== undefined);
    seen.listIdPlace ??= findIdPlace(listing.elements, ids);
    seen.listPath ??= listing.path;
    return listing;
  }

  /** The page that an element of a list is. */
  idOf(element: Element): string | undefined {
    return readElementId(element, this.seen.listIdPlace);
  }
}

function isMade(probe: Exchange | undefined): boolean {
  return hasSucceeded(probe) || (probe !== undefined && probe.answer === undefined);
}

/** For each page that was made the texts by which it is told. */
function knownPages({ ids, sent, probes }: Observations): string[][] {
  const { full, shortest, rest, title, otherTitle } = sent;
  const told = [
    ...(isMade(probes.create) ? [[ids.full, full.slug, full.title, title, rest.slug]] : []),
    ...(isMade(probes.shortest) ? [[ids.shortest, shortest.slug, shortest.title, otherTitle]] : []),
  ];
  return told.map((texts) => texts.filter((text) => text !== undefined));
}

/** A probe: its name, what it sends (nothing where it makes no sense), and the listing to read after it. */
type Row = readonly [
  name: ProbeName,
  write: (prober: Prober) => Call | undefined,
  after?: keyof Observations["listings"],
];

const list = (query = ""): Call => ({ method: "GET", path: `/api/content${query}` });
const create = (body: unknown, headers = {}): Call => ({ method: "POST", path: "/api/content", body, headers });

/** An update of the full page. */
const update =
  (write: (prober: Prober) => unknown) =>
  (prober: Prober): Call | undefined => {
    const id = prober.seen.ids.full;
    return id === undefined ? undefined : { method: "PUT", path: pathOf(id), body: write(prober) };
  };

const event =
  (which: "full" | "shortest", change = {}) =>
  ({ seen, options }: Prober): Call | undefined => {
    const id = seen.ids[which];
    return id === undefined ? undefined : eventCall({ pageId: id, ...change }, options);
  };

function eventCall(body: object, { now }: ProbeOptions): Call {
  const timestamp = formatTimestamp(new Date(now()));
  return { method: "POST", path: "/api/analytics/view", body: { timestamp, ...body } };
}

const invalidPage =
  (name: string, change: Partial<Record<keyof SentPage, unknown>>) =>
  ({ seen, options }: Prober): Call =>
    create({ ...seen.sent.full, slug: `${options.prefix}-${name}`, ...change });

/** What is sent in which order. The rows of a table are sent one after the other. */
const phases: readonly (readonly [phase: string, send: readonly Row[] | ((prober: Prober) => Promise<void>)])[] = [
  ["looking", look],
  ["creating pages", createPages],
  [
    "listing",
    [
      ["listOne", () => list("?limit=1")],
      ["listNext", () => list("?limit=1&offset=1")],
      ["listPast", () => list("?limit=20&offset=1000")],
      ["listHuge", () => list("?limit=100000")],
      ["listFiltered", ({ seen }) => list(`?slug=${seen.sent.full.slug}`)],
    ],
  ],
  [
    "sending events",
    [
      ["event", event("full")],
      ["eventOther", event("shortest")],
    ],
  ],
  ["listing", keepTotals],
  ["listing", keepTotals],
  ["updating", [["updateRest", update(({ seen }) => seen.sent.rest), "rewritten"]]],
  ["updating", putBack],
  [
    "updating",
    [
      ["updateCta", update(() => ({ cta: { label: "Partial" } })), "partial"],
      ["updateNothing", update(() => ({}))],
      ["updateUnknownField", update(({ seen }) => ({ title: seen.sent.title, landing_page_check: true }))],
      ["updateCtaType", update(({ seen }) => ({ cta: { ...seen.sent.rest.cta, type: "link" } }))],
      ["updateTooLong", update(() => ({ title: "x".repeat(301) }))],
      ["updateDescription", update(() => ({ meta_description: 5 }))],
      ["updatePlainText", plainText],
    ],
  ],
  [
    "sending invalid requests",
    [
      ["malformed-create", ({ options }) => create(`{"slug":"${options.prefix}-malformed",`)],
      ["invalid-create", invalidPage("invalid", { title: 5 })],
      ["without-title", invalidPage("no-title", { title: undefined })],
      ["without-content", invalidPage("no-content", { content: undefined })],
      ["without-slug", invalidPage("no-slug", { slug: undefined })],
      ["without-cta", invalidPage("no-cta", { cta: undefined })],
      ["invalid-list", () => list("?limit=abc")],
      ["malformed-event", () => ({ method: "POST", path: "/api/analytics/view", body: '{"pageId":' })],
      [
        "invalid-event",
        ({ seen, options }) => eventCall({ pageId: seen.ids.full ?? options.prefix, timestamp: "yesterday" }, options),
      ],
      ["unknownPath", () => ({ method: "GET", path: "/api/landing-page-check" })],
      ["wrongMethod", () => ({ method: "PATCH", path: "/api/content", body: {} })],
      ["malformed-update", update(() => '{"title":')],
      ["invalid-update", update(() => ({ title: 5 }))],
      // Last, because an identifier may follow from the slug.
      ["updateSlugFormat", update(() => ({ slug: "Not A Slug" }))],
    ],
  ],
  [
    "updating",
    async (prober) => {
      await putSlugBack(prober, "Not A Slug");
    },
  ],
  ["looking with another key", lookWithOtherKey],
  ["deleting", remove],
  ["sending without a right key", sendWithoutKey],
];

async function look({ client, seen, options }: Prober): Promise<void> {
  const first = (seen.probes.list = await client.send(list()));
  if (first.answer === undefined) throw new CheckError(`The service does not answer: ${first.failure}`);
  // A 404 may be how the service says that nothing is stored: a create tells.
  if (!hasSucceeded(first) && first.answer.status !== 404) throw nothingToCheck(first.answer.status);
  const { status, headers } = first.answer;
  const found = inferList(
    { status, headers: new Headers(headers), body: jsonOf(first) },
    { apiHost: new URL(first.request.origin).host },
  );
  seen.isEmpty = !hasSucceeded(first) || found.kind !== "list" || found.pages.length === 0;
  if (!seen.isEmpty && !options.yes)
    throw new CheckError(
      "The account already holds pages. A check makes pages and deletes only those, but an account without pages is safer; pass `yes` (`--yes`) to check this one all the same.",
    );
}

/** There is nothing to check where a list with the key is answered so. */
function nothingToCheck(status: number): CheckError {
  const about =
    status === 401 || status === 403
      ? "is the key right?"
      : status === 404
        ? "is the base URL right? It is the scheme and host alone."
        : "is the service well?";
  return new CheckError(
    `The service answered ${status} to a list with the key, so there is nothing to check: ${about}`,
  );
}

/** Makes two pages, finds out what addresses them, and only then makes more: what nothing addresses cannot be deleted. */
async function createPages(prober: Prober): Promise<void> {
  const { seen, client, options } = prober;
  const { full, shortest } = seen.sent;
  const keyed = { "idempotency-key": options.prefix };
  const made = await prober.probe(["create", () => create(full, keyed)]);
  if (seen.probes.list?.answer?.status === 404 && !hasSucceeded(made)) throw nothingToCheck(404);
  await prober.probe(["shortest", () => create(shortest)]);
  if (!hasSucceeded(made) && made?.answer !== undefined) return;
  if (!hasSucceeded(seen.probes.shortest)) await prober.probe(["twin", () => create(full)]);
  const listing = (seen.listings.made = await prober.list());
  seen.totals = findTotals(seen, listing);
  if (!(await findIds(prober, listing))) return;
  await prober.probe(["repeat", () => create(full, keyed)]);
  if (seen.probes.twin === undefined) await prober.probe(["twin", () => create(full)]);
  seen.ids.repeat = readCreatedId(seen.probes.repeat, seen.idPlace);
  seen.ids.twin ??= readCreatedId(seen.probes.twin, seen.idPlace);
  if (!options.thorough) return;
  for (let count = 3; count <= defaultListLimit + 1; count += 1)
    await client.send(create({ ...shortest, slug: `${options.prefix}-${count}` }));
  await prober.probe(["listDefault", () => list()]);
}

/** The numbers beside the pages of a list that have grown by as many as were made. */
function findTotals({ probes, isEmpty }: Observations, { exchanges: [after], path: listPath }: Listing): Path[] {
  const before = jsonOf(probes.list);
  const made = [probes.create, probes.shortest, probes.twin].filter(hasSucceeded).length;
  return listLeaves(jsonOf(after)).flatMap(({ path, value }) => {
    const was = valueAt(before, path) ?? (isEmpty ? 0 : undefined);
    const isInPage = listPath === undefined || listPath.every((name, index) => path[index] === name);
    const hasGrown = /^\d+$/.test(String(value)) && Number(value) - Number(was) === made;
    return made > 0 && hasGrown && !isInPage ? [path] : [];
  });
}

/** Of those, the numbers that do not count the pages of the answer alone. */
async function keepTotals({ seen }: Prober): Promise<void> {
  const { listOne } = seen.probes;
  if (hasSucceeded(listOne))
    seen.totals = seen.totals.filter((path) => Number(valueAt(jsonOf(listOne), path) ?? 0) > 1);
  return Promise.resolve();
}

/** Where an identifier follows from the slug, the old slug brings back the old one. */
async function putBack(prober: Prober): Promise<void> {
  const { seen } = prober;
  const moved = await putSlugBack(prober, seen.sent.rest.slug);
  if (moved !== undefined) seen.ids.moved = moved;
}

async function putSlugBack({ seen, client }: Prober, slug: string): Promise<string | undefined> {
  const { full } = seen.ids;
  if (full?.includes(seen.sent.full.slug) !== true) return undefined;
  const moved = full.replace(seen.sent.full.slug, slug);
  await client.send({ method: "PUT", path: pathOf(moved), body: { slug: seen.sent.full.slug } });
  return moved;
}

function plainText({ seen }: Prober): Call | undefined {
  const { full } = seen.ids;
  const headers = { "content-type": "text/plain" };
  return full === undefined
    ? undefined
    : { method: "PUT", path: pathOf(full), body: JSON.stringify({ title: seen.sent.title }), headers };
}

async function lookWithOtherKey(prober: Prober): Promise<void> {
  const { seen, options } = prober;
  const { full } = seen.ids;
  if (!options.hasOtherKey || full === undefined) return;
  await prober.probe(["otherList", () => ({ ...list(), caller: "other" })]);
  const body = { title: seen.sent.title };
  await prober.probe(["otherUpdate", () => ({ method: "PUT", path: pathOf(full), body, caller: "other" })]);
}

async function remove(prober: Prober): Promise<void> {
  const { seen, options } = prober;
  const { shortest } = seen.ids;
  if (shortest === undefined) return;
  const path = pathOf(shortest);
  await prober.probe(["delete", () => ({ method: "DELETE", path })]);
  await prober.probe(["updateDeleted", () => ({ method: "PUT", path, body: { title: seen.sent.title } })]);
  await prober.probe(["deleteDeleted", () => ({ method: "DELETE", path })]);
  seen.listings.deleted = await prober.list();
  if (hasSucceeded(seen.probes.delete))
    await prober.probe(["eventUnknown", () => eventCall({ pageId: shortest }, options)]);
}

/** Last, because a service that lets anyone in loses the page here. */
async function sendWithoutKey(prober: Prober): Promise<void> {
  const { seen, options } = prober;
  const id = seen.ids.full ?? options.prefix;
  for (const caller of ["wrongKey", "anonymous"] as const) {
    const send = (name: "list" | "create" | "update" | "delete" | "event", call: Call) =>
      prober.probe([`${caller}-${name}`, () => ({ ...call, caller })]);
    await send("list", list());
    await send("create", create({ ...seen.sent.full, slug: `${options.prefix}-${caller.toLowerCase()}` }));
    await send("event", eventCall({ pageId: id }, options));
    // The page is gone once anyone was allowed to delete it; a 404 would then tell nothing about keys.
    if (hasSucceeded(seen.probes["wrongKey-delete"])) continue;
    await send("update", { method: "PUT", path: pathOf(id), body: { title: seen.sent.title } });
    await send("delete", { method: "DELETE", path: pathOf(id) });
  }
}
