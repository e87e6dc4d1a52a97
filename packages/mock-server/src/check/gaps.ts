// Tells from what a visit saw which reading of every gap a service speaks.
import { type GapId, gaps, maxListLimit, rateLimitHeaderNames, type Reading } from "@landing-page-service/contract";
import { type Exchange, hasSucceeded, jsonOf } from "./client.ts";
import { answered, type Evidence, type Finding, found, unseen } from "./finding.ts";
import { mentions } from "./json.ts";
import { findElement, listAt } from "./pages.ts";
import type { Observations, ProbeName } from "./probes.ts";
import { observeShape } from "./shapes.ts";

/** What was found of every gap. */
export type Readings = Readonly<Record<GapId, Finding>>;

/** Observes every gap. */
export function observeGaps(evidence: Evidence): Readings {
  const ids = Object.keys(gaps) as GapId[]; // why: its own keys
  const observed = ids.map((id): [GapId, Finding] => {
    return [id, observeShape(id, evidence.templates, evidence.seen) ?? observers[id]?.(evidence) ?? unseen(invisible)];
  });
  return Object.fromEntries(observed) as Readings; // why: one entry for each key
}

const invisible = "cannot be seen from outside";

const observers: { readonly [Id in GapId]?: (evidence: Evidence) => Finding<Reading<Id>> } = {
  "create-required": ({ seen }) => observeRequired(seen),
  bounds: ({ seen }) => assumed("bounded", seen.probes.updateTooLong, isRefusal(seen), "a title of 301 characters"),
  "slug-format": ({ seen }) =>
    assumed("hyphenated", seen.probes.updateSlugFormat, isRefusal(seen), 'the slug "Not A Slug"'),
  "slug-unique": byStatus("twin", { 2: "shared", 400: "refused-400", 409: "refused-409" }),
  "unknown-fields": byStatus("updateUnknownField", { 2: "ignored", 400: "refused" }),
  "cta-type": byStatus("updateCtaType", { 2: "any", 400: "button" }),
  "page-id-type": observeIdType,
  "event-fields": () => unseen("not tried: an event cannot be taken back"),
  "list-order": ({ seen }) => observeOrder(seen),
  "list-max": observeMax,
  "list-filters": ({ seen }) => observeFilters(seen),
  "empty-update": byStatus("updateNothing", { 2: "unchanged", 400: "refused" }),
  "cta-update": ({ seen }) => observeCtaUpdate(seen),
  "event-page": byStatus("eventUnknown", { 2: "accepted", 400: "refused-400", 404: "refused-404" }),
  "reset-unit": observeResetUnit,
  limits: ({ seen }) => observeLimits(seen),
  idempotency: ({ seen }) => observeIdempotency(seen),
  "method-routing": ({ seen }) => observeRouting(seen),
  "body-limits": ({ seen }) =>
    assumed("1-mib", seen.probes.updatePlainText, (status) => status === 415, "JSON sent as text/plain"),
  "key-format": () => unseen("cannot be told from one key"),
};

function observeRequired(seen: Observations): Finding<"all-but-description"> {
  const names: ProbeName[] = ["without-title", "without-content", "without-slug", "without-cta"];
  const { probes } = seen;
  const taken = names.filter((name) => !isRefusal(seen)(probes[name]?.answer?.status ?? 0));
  const evidence = names.map((name) => probes[name]);
  if (taken.length > 0) return unseen(`not refused as a wrong field is: create ${taken.join(", ")}`, ...evidence);
  if (!hasSucceeded(probes.shortest)) return unseen("a create without a description fails too", probes.shortest);
  return found("all-but-description", "a create without any of the four is refused", ...evidence);
}

/** Whether the identifier of a page is a number. */
function observeIdType({ seen: { ids, probes }, hasNumberIds }: Evidence): Finding<Reading<"page-id-type">> {
  if (ids.full === undefined) return unseen("no answer shows an identifier", probes.create);
  return found(hasNumberIds ? "integer" : "string", ids.full, probes.create);
}

/** In which order pages are listed. */
function observeOrder(seen: Observations): Finding<Reading<"list-order">> {
  const {
    listings: { made },
    ids,
    sent,
  } = seen;
  const placeOf = (id: string | undefined, texts: readonly string[]) => {
    const element = made && findElement(seen, made, id, texts);
    return element === undefined ? -1 : (made?.elements.indexOf(element) ?? -1);
  };
  const first = placeOf(ids.full, [sent.full.slug, sent.full.title]);
  const second = placeOf(ids.shortest, [sent.shortest.slug, sent.shortest.title]);
  if (first < 0 || second < 0) return unseen("the two pages that were made were not both found in the listing");
  const order = first < second ? "oldest-first" : "newest-first";
  return found(order, "by the two pages that were made", ...(made?.exchanges ?? []));
}

function observeMax({ seen, readLimit }: Evidence): Finding<Reading<"list-max">> {
  const { listHuge } = seen.probes;
  if (isRefusal(seen)(listHuge?.answer?.status ?? 0))
    return found("refused", `limit=100000 ${answered(listHuge)}`, listHuge);
  if (!hasSucceeded(listHuge) || seen.listPath === undefined)
    return unseen("limit=100000 did not answer a list", listHuge);
  const limit = readLimit(listHuge);
  if (limit === undefined || limit >= 100_000)
    return found("unbounded", "limit=100000 is taken, and nothing says that it is lowered", listHuge);
  return found("clamped", `lowered to ${limit}${limit === maxListLimit ? "" : `, not ${maxListLimit}`}`, listHuge);
}

function observeFilters({ probes: { listFiltered }, sent, listPath }: Observations): Finding<"slug-domain-q"> {
  if (!hasSucceeded(listFiltered) || listPath === undefined)
    return unseen("a list with ?slug= cannot be read", listFiltered);
  const elements = listAt(jsonOf(listFiltered), listPath);
  return elements.length > 0 && elements.every(({ value }) => mentions(value, sent.full.slug))
    ? found("slug-domain-q", "a filter by slug: heeded", listFiltered)
    : unseen("a filter by slug: not heeded", listFiltered);
}

function observeCtaUpdate(seen: Observations): Finding<Reading<"cta-update">> {
  const {
    probes: { updateCta },
    listings,
    sent,
  } = seen;
  if (hasStatus(updateCta, 400)) return found("replace", "a partial cta is refused", updateCta);
  if (!hasSucceeded(updateCta)) return unseen(`a partial cta ${answered(updateCta)}`, updateCta);
  // The answer to the update may be no more than an echo of what was sent; what the listing shows is what is stored.
  const shows = (listing: typeof listings.partial, text: string) =>
    listing !== undefined && mentions(findElement(seen, listing, seen.ids.full, [sent.title])?.value, text);
  const { url } = sent.rest.cta;
  if (shows(listings.partial, url) || mentions(jsonOf(updateCta), url))
    return found("merge", "the url that was not sent stayed", updateCta);
  // What the listing never shows is not gone.
  return shows(listings.rewritten, url)
    ? found("replace", "the url that was not sent is gone", updateCta, ...(listings.partial?.exchanges ?? []))
    : unseen("no answer shows what became of the cta", updateCta);
}

/** The largest value decides: just before the window ends, a count of seconds is small in every unit. */
function observeResetUnit({ exchanges }: Evidence): Finding<Reading<"reset-unit">> {
  const name = rateLimitHeaderNames.reset.toLowerCase();
  const written = (exchange: Exchange) => exchange.answer?.headers[name] ?? "";
  const [largest] = exchanges
    .filter((exchange) => /^\d{1,16}$/.test(written(exchange)))
    .toSorted((one, other) => Number(written(other)) - Number(written(one)));
  if (largest === undefined) return unseen("no answer has the header as an integer");
  const value = Number(written(largest));
  const unit = value < 1e9 ? "seconds" : value < 1e11 ? "epoch-seconds" : "epoch-milliseconds";
  return found(unit, String(value), largest);
}

function observeLimits({ probes: { list } }: Observations): Finding<never> {
  const limit = list?.answer?.headers[rateLimitHeaderNames.limit.toLowerCase()];
  return unseen(limit === undefined ? "the header is missing" : `${rateLimitHeaderNames.limit}: ${limit}`, list);
}

function observeIdempotency(seen: Observations): Finding<Reading<"idempotency">> {
  const {
    probes: { create, repeat, twin },
    ids,
    listings,
    sent,
  } = seen;
  if (repeat === undefined || ids.full === undefined) return unseen("no page could be made", create);
  const same = "the same create with the same key";
  if (ids.repeat === ids.full) return found("honoured", `${same} gave the same page`, create, repeat);
  if (ids.repeat !== undefined) return found("ignored", `${same} gave another page`, create, repeat);
  if (!hasSucceeded(repeat)) return found("ignored", `${same} was refused`, create, repeat);
  // The answers do not say which page they are about, so the pages are counted: the twin is one of them.
  const listing = listings.rewritten ?? listings.titled;
  const isSame = ({ value }: { value: unknown }) => mentions(value, sent.full.slug) || mentions(value, sent.rest.slug);
  const made = listing?.elements.filter(isSame).length ?? 0;
  if (made > (hasSucceeded(twin) ? 2 : 1)) return found("ignored", `${same} made another page`, create, repeat);
  return made > 0 && listing?.isWhole === true
    ? found("honoured", `${same} made no other page`, create, repeat)
    : unseen("no answer shows which page a repeated create gave", create, repeat);
}

function observeRouting({ probes: { unknownPath, wrongMethod } }: Observations): Finding<"404-405"> {
  const isAsAssumed = hasStatus(unknownPath, 404) && hasStatus(wrongMethod, 405);
  const note = `an unknown path ${unknownPath?.answer?.status}, a wrong method ${wrongMethod?.answer?.status}`;
  return found(isAsAssumed ? "404-405" : undefined, note, unknownPath, wrongMethod);
}

function hasStatus(exchange: Exchange | undefined, status: number): boolean {
  return exchange?.answer?.status === status;
}

/** Tells the status of a refused field: services that do not answer 400 to one have another for all. */
function isRefusal({ probes }: Observations): (status: number) => boolean {
  const usual = probes["invalid-create"]?.answer?.status ?? 400;
  return (status) => status === 400 || (status === usual && status > 400);
}

/** The reading that the status tells; `2` stands for any success, `400` for that of any refused field. */
function byStatus<Name extends string>(
  probe: ProbeName,
  readings: Readonly<Record<number, Name>>,
): (evidence: Evidence) => Finding<Name> {
  return ({ seen }) => {
    const exchange = seen.probes[probe];
    const { status = 0 } = exchange?.answer ?? {};
    const kind = hasSucceeded(exchange) ? 2 : isRefusal(seen)(status) ? 400 : status;
    return found(readings[status] ?? readings[kind], answered(exchange), exchange);
  };
}

/** The only reading there is, when the status agrees with it. */
function assumed<Name extends string>(
  name: Name,
  exchange: Exchange | undefined,
  agrees: (status: number) => boolean,
  what: string,
): Finding<Name> {
  const isAssumed = agrees(exchange?.answer?.status ?? 0);
  return found(isAssumed ? name : undefined, `${what}: ${answered(exchange)}`, exchange);
}
