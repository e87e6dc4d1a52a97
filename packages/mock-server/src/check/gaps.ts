// Tells from what a visit saw which reading of every gap a service speaks.
import {
  type GapId,
  gaps,
  isObject,
  maxListLimit,
  rateLimitHeaderNames,
  type Reading,
} from "@landing-page-service/contract";
import type { AnswerTemplates } from "@landing-page-service/contract/dialect";
import { type Exchange, hasSucceeded, readListIn, readPageIn } from "./exchange.ts";
import { answered, type Finding, found, unseen } from "./finding.ts";
import { findById } from "./listing.ts";
import { observeShape } from "./shapes.ts";
import { hasNumberIds, repeatedIdOf, type Step, type Visit } from "./visit.ts";

/** What was found of every gap. */
export type Observations = Readonly<Record<GapId, Finding>>;

/** Observes every gap. `exchanges` is everything that was said, cleaning up included; `templates` what was learned of it. */
export function observeGaps(
  visit: Visit,
  exchanges: readonly Exchange[],
  templates: Partial<AnswerTemplates>,
): Observations {
  const ids = Object.keys(gaps) as GapId[]; // why: its own keys
  const observed = ids.map((id): [GapId, Finding] => {
    return [id, observeShape(id, templates, visit) ?? observers[id]?.(visit, exchanges) ?? unseen(invisible)];
  });
  return Object.fromEntries(observed) as Observations; // why: one entry for each key
}

const invisible = "cannot be seen from outside";

const observers: { readonly [Id in GapId]?: (visit: Visit, exchanges: readonly Exchange[]) => Finding<Reading<Id>> } = {
  "create-required": observeRequired,
  bounds: (visit) => assumed("bounded", visit.steps.updateTooLong, isRefusal(visit), "a title of 301 characters"),
  "slug-format": (visit) =>
    assumed("hyphenated", visit.steps.updateSlugFormat, isRefusal(visit), 'the slug "Not A Slug"'),
  "slug-unique": byStatus("twin", { 2: "shared", 400: "refused-400", 409: "refused-409" }),
  "unknown-fields": byStatus("updateUnknownField", { 2: "ignored", 400: "refused" }),
  "cta-type": byStatus("updateCtaType", { 2: "any", 400: "button" }),
  "page-id-type": observeIdType,
  "event-fields": () => unseen("not tried: an event cannot be taken back"),
  "list-order": observeOrder,
  "list-max": observeMax,
  "list-filters": observeFilters,
  "empty-update": byStatus("updateNothing", { 2: "unchanged", 400: "refused" }),
  "cta-update": observeCtaUpdate,
  "event-page": byStatus("eventUnknown", { 2: "accepted", 400: "refused-400", 404: "refused-404" }),
  "reset-unit": observeResetUnit,
  limits: observeLimits,
  idempotency: observeIdempotency,
  "method-routing": observeRouting,
  "body-limits": ({ steps }) =>
    assumed("1-mib", steps.updatePlainText, (status) => status === 415, "JSON sent as text/plain"),
  "key-format": () => unseen("cannot be told from one key"),
};

function observeRequired(visit: Visit): Finding<"all-but-description"> {
  const names: Step[] = ["without-title", "without-content", "without-slug", "without-cta"];
  const { steps } = visit;
  const taken = names.filter((name) => !isRefusal(visit)(steps[name]?.answer?.status ?? 0));
  const evidence = names.map((name) => steps[name]);
  if (taken.length > 0) return unseen(`not refused as a wrong field is: create ${taken.join(", ")}`, ...evidence);
  if (!hasSucceeded(steps.shortest)) return unseen("a create without a description fails too", steps.shortest);
  return found("all-but-description", "a create without any of the four is refused", ...evidence);
}

/** Whether the identifier of a page is a number. */
function observeIdType(visit: Visit): Finding<Reading<"page-id-type">> {
  const { fullId: id, steps } = visit;
  if (id === undefined) return unseen("no answer shows an identifier", steps.create);
  return found(hasNumberIds(visit) ? "integer" : "string", id, steps.create);
}

/** In which order pages are listed. */
function observeOrder({ views: { made }, fullId, shortestId }: Visit): Finding<Reading<"list-order">> {
  const ids = made?.pages.map(({ page }) => page.id) ?? [];
  const [first = -1, second = -1] = [fullId, shortestId].map((id) => (id === undefined ? -1 : ids.indexOf(id)));
  if (first < 0 || second < 0) return unseen("the two pages that were made were not both found in the listing");
  const order = first < second ? "oldest-first" : "newest-first";
  return found(order, "by the two pages that were made", ...(made?.exchanges ?? []));
}

function observeMax(visit: Visit): Finding<Reading<"list-max">> {
  const { listHuge } = visit.steps;
  if (isRefusal(visit)(listHuge?.answer?.status ?? 0))
    return found("refused", `limit=100000 ${answered(listHuge)}`, listHuge);
  const list = readListIn(listHuge);
  if (list === undefined) return unseen("limit=100000 did not answer a list", listHuge);
  if (list.limit === undefined || list.limit >= 100_000)
    return found("unbounded", "limit=100000 is taken, and nothing says that it is lowered", listHuge);
  return found(
    "clamped",
    `lowered to ${list.limit}${list.limit === maxListLimit ? "" : `, not ${maxListLimit}`}`,
    listHuge,
  );
}

function observeFilters({ steps: { listFiltered }, sent }: Visit): Finding<"slug-domain-q"> {
  const pages = readListIn(listFiltered)?.pages;
  if (pages === undefined) return unseen("a list with ?slug= cannot be read", listFiltered);
  return pages.length > 0 && pages.every(({ page }) => page.slug === sent.full.slug)
    ? found("slug-domain-q", "a filter by slug: heeded", listFiltered)
    : unseen("a filter by slug: not heeded", listFiltered);
}

function observeCtaUpdate({ steps: { updateCta }, views, sent, fullId }: Visit): Finding<Reading<"cta-update">> {
  if (hasStatus(updateCta, 400)) return found("replace", "a partial cta is refused", updateCta);
  // The answer to the update may be no more than an echo of what was sent; what the listing shows is what is stored.
  const listed = findById(views.partial?.pages ?? [], fullId);
  const [stored, shown] = [listed, readPageIn(updateCta)].map((page) => page?.record?.["cta"]);
  const cta = [stored, shown].find(isObject) ?? listed?.page.cta;
  if (JSON.stringify(cta)?.includes(sent.rest.cta.url))
    return found("merge", "the url that was not sent stayed", updateCta);
  // What the listing never shows is not gone.
  const before = findById(views.rewritten?.pages ?? [], fullId)?.record?.["cta"];
  return isObject(stored) && JSON.stringify(before)?.includes(sent.rest.cta.url)
    ? found("replace", "the url that was not sent is gone", updateCta, ...(views.partial?.exchanges ?? []))
    : unseen("no answer shows what became of the cta", updateCta);
}

/** The largest value decides: just before the window ends, a count of seconds is small in every unit. */
function observeResetUnit(_visit: Visit, exchanges: readonly Exchange[]): Finding<Reading<"reset-unit">> {
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

function observeLimits({ steps: { list } }: Visit): Finding<never> {
  const limit = list?.answer?.headers[rateLimitHeaderNames.limit.toLowerCase()];
  return unseen(limit === undefined ? "the header is missing" : `${rateLimitHeaderNames.limit}: ${limit}`, list);
}

function observeIdempotency(visit: Visit): Finding<Reading<"idempotency">> {
  const { steps, views, fullId, sent } = visit;
  const { create, repeat, twin } = steps;
  if (repeat === undefined || fullId === undefined) return unseen("no page could be made", create);
  const same = "the same create with the same key";
  const repeatedId = repeatedIdOf(visit);
  if (repeatedId === fullId) return found("honoured", `${same} gave the same page`, create, repeat);
  if (repeatedId !== undefined) return found("ignored", `${same} gave another page`, create, repeat);
  if (!hasSucceeded(repeat)) return found("ignored", `${same} was refused`, create, repeat);
  // The answers do not say which page they are about, so the pages are counted: the twin is one of them.
  const made = views.made?.pages.filter(({ page }) => page.slug === sent.full.slug).length ?? 0;
  if (made > (hasSucceeded(twin) ? 2 : 1)) return found("ignored", `${same} made another page`, create, repeat);
  return made > 0 && views.made?.isWhole === true
    ? found("honoured", `${same} made no other page`, create, repeat)
    : unseen("no answer shows which page a repeated create gave", create, repeat);
}

function observeRouting({ steps: { unknownPath, wrongMethod } }: Visit): Finding<"404-405"> {
  const isAsAssumed = hasStatus(unknownPath, 404) && hasStatus(wrongMethod, 405);
  const note = `an unknown path ${unknownPath?.answer?.status}, a wrong method ${wrongMethod?.answer?.status}`;
  return found(isAsAssumed ? "404-405" : undefined, note, unknownPath, wrongMethod);
}

function hasStatus(exchange: Exchange | undefined, status: number): boolean {
  return exchange?.answer?.status === status;
}

/** Tells the status of a refused field: services that do not answer 400 to one have another for all. */
function isRefusal({ steps }: Visit): (status: number) => boolean {
  const usual = steps["invalid-create"]?.answer?.status ?? 400;
  return (status) => status === 400 || (status === usual && status > 400);
}

/** The reading that the status tells; `2` stands for any success, `400` for that of any refused field. */
function byStatus<Name extends string>(
  step: Step,
  readings: Readonly<Record<number, Name>>,
): (visit: Visit) => Finding<Name> {
  return (visit) => {
    const exchange = visit.steps[step];
    const { status = 0 } = exchange?.answer ?? {};
    const kind = hasSucceeded(exchange) ? 2 : isRefusal(visit)(status) ? 400 : status;
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
