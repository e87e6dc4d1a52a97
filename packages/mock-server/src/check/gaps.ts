// Tells from what a visit saw which reading of every gap a service speaks.
import { type GapId, gaps, isObject, maxListLimit, rateLimitHeaderNames } from "@landing-page-service/contract";
import { readJson, readListIn, readPageIn } from "./answers.ts";
import { type Exchange, hasSucceeded } from "./exchange.ts";
import { findById } from "./listing.ts";
import { byName, type Observation, reads, unseen } from "./observation.ts";
import { observeCreated, observeDepth, observeDomains, observeListed, observeTimes, observeUpdated } from "./forms.ts";
import {
  observeEnvelope,
  observeErrorBody,
  observeIdName,
  observeIdType,
  observeOrder,
  observeRecord,
  observeResetUnit,
  observeStates,
  observeTotal,
  observeWrapper,
} from "./shapes.ts";
import type { Step, Visit } from "./visit.ts";

/** The reading of every gap. */
export type Observations = { readonly [Id in GapId]: Observation<Id> };

/** Observes every gap. `exchanges` is everything that was said, cleaning up included. */
export function observeGaps(visit: Visit, exchanges: readonly Exchange[]): Observations {
  const observed = Object.keys(gaps).map((id) => [id, observers[id as GapId](visit, exchanges)]); // why: its own keys
  return Object.fromEntries(observed) as Observations; // why: one entry for each key, from the observer of that key
}

type Observers = { readonly [Id in GapId]: (visit: Visit, exchanges: readonly Exchange[]) => Observation<Id> };

const observers: Observers = {
  "create-required": observeRequired,
  bounds: ({ steps }) =>
    assumed("bounded", refuses(steps.updateTooLong, 400), "a title of 301 characters", steps.updateTooLong),
  "slug-format": ({ steps }) =>
    assumed("hyphenated", refuses(steps.updateSlugFormat, 400), 'the slug "Not A Slug"', steps.updateSlugFormat),
  "slug-unique": ({ steps }) => byStatus(steps.twin, { 2: "shared", 400: "refused-400", 409: "refused-409" }),
  "unknown-fields": ({ steps }) => byStatus(steps.updateUnknownField, { 2: "ignored", 400: "refused" }),
  "cta-type": ({ steps }) => byStatus(steps.updateCtaType, { 2: "any", 400: "button" }),
  "page-record": observeRecord,
  "domain-form": observeDomains,
  "time-form": observeTimes,
  "page-states": observeStates,
  "page-id": observeIdName,
  "page-id-type": observeIdType,
  "event-fields": () => unseen("not tried: an event cannot be taken back"),
  "list-envelope": observeEnvelope,
  "list-total": observeTotal,
  "list-order": observeOrder,
  "list-max": observeMax,
  "list-filters": observeFilters,
  "empty-update": ({ steps }) => byStatus(steps.updateNothing, { 2: "unchanged", 400: "refused" }),
  "cta-update": observeCtaUpdate,
  "create-status": ({ steps }) => byStatus(steps.create, { 201: "201-page", 200: "200-page" }),
  "create-body": observeCreated,
  "update-body": observeUpdated,
  "list-record": observeListed,
  "envelope-depth": observeDepth,
  "record-wrapper": observeWrapper,
  "delete-status": observeDeleted,
  "event-status": observeEvent,
  "event-page": ({ steps }) => byStatus(steps.eventUnknown, { 2: "accepted", 400: "refused-400", 404: "refused-404" }),
  "error-body": observeErrorBody,
  "reset-unit": observeResetUnit,
  limits: observeLimits,
  idempotency: observeIdempotency,
  "method-routing": observeRouting,
  "body-limits": ({ steps }) =>
    assumed("1-mib", refuses(steps.updatePlainText, 415), "JSON sent as text/plain", steps.updatePlainText),
  "key-format": () => unseen("cannot be told from one key"),
  webhooks: () => unseen("cannot be seen from outside"),
  versioning: () => unseen("cannot be seen from outside"),
};

function observeRequired({ steps }: Visit): Observation<"create-required"> {
  const names: Step[] = ["without-title", "without-content", "without-slug", "without-cta"];
  const taken = names.filter((name) => !refuses(steps[name], 400));
  const evidence = names.map((name) => steps[name]);
  if (taken.length > 0) return unseen(`answered otherwise than with 400: create ${taken.join(", ")}`, ...evidence);
  if (!hasSucceeded(steps.shortest)) return unseen("a create without a description fails too", steps.shortest);
  return reads("all-but-description", "a create without any of the four is refused", ...evidence);
}

function observeMax({ steps: { listHuge } }: Visit): Observation<"list-max"> {
  if (refuses(listHuge, 400)) return reads("refused", "limit=100000 answered 400", listHuge);
  const list = readListIn(listHuge);
  if (list === undefined) return unseen("limit=100000 did not answer a list", listHuge);
  if (list.limit === undefined)
    return unseen("limit=100000 is taken; whether it is lowered takes more pages than that to see", listHuge);
  return list.limit < 100_000
    ? reads(
        "clamped",
        list.limit === maxListLimit ? `lowered to ${list.limit}` : `lowered to ${list.limit}, not ${maxListLimit}`,
        listHuge,
      )
    : unseen("limit=100000 is taken as it is", listHuge);
}

function observeFilters({ steps: { listFiltered }, sent }: Visit): Observation<"list-filters"> {
  const pages = readListIn(listFiltered)?.pages;
  if (pages === undefined) return unseen("a list with ?slug= cannot be read", listFiltered);
  const isFiltered = pages.length > 0 && pages.every(({ page }) => page.slug === sent.full.slug);
  return assumed("slug-domain-q", isFiltered, "a filter by slug", listFiltered, isFiltered ? "heeded" : "not heeded");
}

function observeCtaUpdate({ steps: { updateCta }, views, sent, fullId }: Visit): Observation<"cta-update"> {
  if (refuses(updateCta, 400)) return reads("replace", "a partial cta is refused", updateCta);
  // The answer to the update may be no more than an echo of what was sent; what the listing shows is what is stored.
  const listed = findById(views.partial?.pages ?? [], fullId);
  const [cta, shown] = [ctaOf(listed?.record) ?? ctaOf(readPageIn(updateCta)?.record), listed?.page.cta];
  if ((shown?.url ?? cta?.["url"]) === sent.rest.cta.url)
    return reads("merge", "the url that was not sent stayed", updateCta);
  return listed !== undefined && ctaOf(listed.record) !== undefined
    ? reads("replace", "the url that was not sent is gone", updateCta, ...(views.partial?.exchanges ?? []))
    : unseen("no answer shows what became of the cta", updateCta);
}

function ctaOf(record: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> | undefined {
  const cta = record?.["cta"];
  return isObject(cta) ? cta : undefined;
}

function observeDeleted({ steps }: Visit): Observation<"delete-status"> {
  const { status, body } = steps.delete?.answer ?? {};
  if (status === 204) return reads("204-empty", "204", steps.delete);
  if (status !== 200) return unseen(`answered ${status}`, steps.delete);
  return reads(body === "" ? "200-empty" : "200-body", body === "" ? "200, no body" : "200 and a body", steps.delete);
}

function observeEvent({ steps: { event } }: Visit): Observation<"event-status"> {
  const { status, body = "" } = event?.answer ?? {};
  const json = readJson(event);
  if (status === 204) return byName("event-status", "204-empty", event);
  if (status === 200 && json === undefined && body !== "") return byName("event-status", "200-text", event);
  if (isObject(json) && "pageId" in json) return byName("event-status", `${status}-receipt`, event);
  return unseen(`answered ${status} with ${body === "" ? "no body" : "another body"}`, event);
}

function observeLimits({ steps: { list } }: Visit): Observation<"limits"> {
  const limit = list?.answer?.headers[rateLimitHeaderNames.limit.toLowerCase()];
  return unseen(limit === undefined ? "the header is missing" : `${rateLimitHeaderNames.limit}: ${limit}`, list);
}

function observeIdempotency({ steps, views, fullId, sent }: Visit): Observation<"idempotency"> {
  const { create, repeat, twin } = steps;
  if (repeat === undefined || fullId === undefined) return unseen("no page could be made", create);
  const repeatedId = readPageIn(repeat)?.page.id;
  if (repeatedId !== undefined)
    return repeatedId === fullId
      ? reads("honoured", "the same create with the same key gave the same page", create, repeat)
      : reads("ignored", "the same create with the same key gave another page", create, repeat);
  if (!hasSucceeded(repeat)) return reads("ignored", "the same create with the same key was refused", create, repeat);
  // The answers do not say which page they are about, so the pages are counted: the twin is one of them.
  const made = views.made?.pages.filter(({ page }) => page.slug === sent.full.slug).length ?? 0;
  if (made > (hasSucceeded(twin) ? 2 : 1))
    return reads("ignored", "the same create with the same key made another page", create, repeat);
  return made > 0 && views.made?.isWhole === true
    ? reads("honoured", "the same create with the same key made no other page", create, repeat)
    : unseen("no answer shows which page a repeated create gave", create, repeat);
}

function observeRouting({ steps: { unknownPath, wrongMethod } }: Visit): Observation<"method-routing"> {
  const isAsAssumed = unknownPath?.answer?.status === 404 && wrongMethod?.answer?.status === 405;
  const note = `an unknown path ${unknownPath?.answer?.status}, a wrong method ${wrongMethod?.answer?.status}`;
  return isAsAssumed ? reads("404-405", note, unknownPath, wrongMethod) : unseen(note, unknownPath, wrongMethod);
}

function refuses(exchange: Exchange | undefined, status: number): boolean {
  return exchange?.answer?.status === status;
}

/** Picks the reading by status; `2` stands for any success. */
function byStatus<Name extends string>(
  exchange: Exchange | undefined,
  readings: Readonly<Record<number, Name>>,
): { reading: Name | undefined; note: string; evidence: Exchange[] } {
  const status = exchange?.answer?.status;
  if (status === undefined) return unseen("not tried", exchange);
  const reading = readings[status] ?? (hasSucceeded(exchange) ? readings[2] : undefined);
  return { reading, note: `answered ${status}`, evidence: exchange === undefined ? [] : [exchange] };
}

/** The only reading there is, when what was seen agrees with it. */
function assumed<Name extends string>(
  reading: Name,
  isAsAssumed: boolean,
  what: string,
  exchange: Exchange | undefined,
  did = exchange?.answer === undefined ? "not tried" : `answered ${exchange.answer.status}`,
): { reading: Name | undefined; note: string; evidence: Exchange[] } {
  return {
    reading: isAsAssumed ? reading : undefined,
    note: `${what}: ${did}`,
    evidence: exchange === undefined ? [] : [exchange],
  };
}
